/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/self/mountinfo: proc_pid_mountinfo(5). */
#include "numasweep/procfs.h"

#include <string.h>

enum { FIELD_ROOT = 3, FIELD_MOUNT_POINT = 4 };

/* The field at `number`, from 0, of a line that ends at `end`; its size is set. NULL: there are fewer.
 */
static const char *find_field(const char *line, const char *end, int number, size_t *size)
{
    const char *field = line;
    for (int i = 0; i < number; i++) {
        field = memchr(field, ' ', (size_t)(end - field));
        if (field == NULL) {
            return NULL;
        }
        field++;
    }
    const char *stop = memchr(field, ' ', (size_t)(end - field));
    *size = (size_t)((stop != NULL ? stop : end) - field);
    return field;
}

static bool is_octal(const char *text)
{
    return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' && text[2] >= '0' &&
           text[2] <= '7';
}

static bool copy_unescaped(const char *field, size_t field_size, char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < field_size; length++) {
        if (length + 1 >= size) {
            return false;
        }
        if (field[i] == '\\' && i + 3 < field_size && is_octal(field + i + 1)) {
            text[length] = (char)((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 +
                                  (field[i + 3] - '0'));
            i += 4;
        } else {
            text[length] = field[i];
            i++;
        }
    }
    text[length] = '\0';
    return true;
}

/* Whether a list parted by commas holds the word. */
static bool lists_word(const char *list, size_t size, const char *word)
{
    const size_t length = strlen(word);
    const char *end = list + size;
    while (list <= end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *stop = comma != NULL ? comma : end;
        if ((size_t)(stop - list) == length && memcmp(list, word, length) == 0) {
            return true;
        }
        list = stop + 1;
    }
    return false;
}

static bool is_wanted(const char *line, const char *end, const char *controller)
{
    static const char separator[] = " - ";
    size_t type_size = 0;
    size_t options_size = 0;
    const char *parted = memmem(line, (size_t)(end - line), separator, sizeof separator - 1);
    if (parted == NULL) {
        return false;
    }
    parted += sizeof separator - 1;
    const char *type = find_field(parted, end, 0, &type_size);
    const char *options = find_field(parted, end, 2, &options_size);
    if (type == NULL || options == NULL) {
        return false;
    }
    if (controller[0] == '\0') {
        return type_size == strlen("cgroup2") && memcmp(type, "cgroup2", type_size) == 0;
    }
    return type_size == strlen("cgroup") && memcmp(type, "cgroup", type_size) == 0 &&
           lists_word(options, options_size, controller);
}

bool procfs_find_cgroup_mount(const char *text, const char *controller, char *root, char *mount_point,
                              size_t size)
{
    while (*text != '\0' && size > 0) {
        const char *end = text + strcspn(text, "\n");
        size_t root_size = 0;
        size_t mount_size = 0;
        const char *root_field = find_field(text, end, FIELD_ROOT, &root_size);
        const char *mount_field = find_field(text, end, FIELD_MOUNT_POINT, &mount_size);
        if (root_field != NULL && mount_field != NULL && is_wanted(text, end, controller) &&
            copy_unescaped(root_field, root_size, root, size) &&
            copy_unescaped(mount_field, mount_size, mount_point, size)) {
            return true;
        }
        text = *end == '\0' ? end : end + 1;
    }
    return false;
}
