/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of /proc and tracefs about single processes. */
#include "numasweep/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* proc(5): state is field 3, processor is field 39. */
enum { FIELD_STATE = 3, FIELD_PROCESSOR = 39 };

/* A whole number that ends at a blank or at the end. */
static bool take_whole(const char *text, int64_t *value)
{
    char *end = NULL;
    if (*text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && (*end == '\0' || *end == ' ' || *end == '\n');
}

bool procfs_find_last_cpu(const char *text, char *state, int *cpu)
{
    int64_t value = 0;
    const char *field = strrchr(text, ')');
    if (field == NULL || field[1] != ' ' || field[2] == '\0') {
        return false;
    }
    field += 2;
    *state = *field;
    for (int number = FIELD_STATE; number < FIELD_PROCESSOR; number++) {
        field = strchr(field, ' ');
        if (field == NULL) {
            return false;
        }
        field++;
    }
    if (!take_whole(field, &value) || value > INT_MAX) {
        return false;
    }
    *cpu = (int)value;
    return true;
}

bool procfs_find_run_time(const char *text, int64_t *run_ns)
{
    return take_whole(text, run_ns);
}

bool procfs_has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    while (*text != '\0') {
        text += strspn(text, " \t\n");
        const size_t size = strcspn(text, " \t\n");
        if (size == length && size > 0 && memcmp(text, word, length) == 0) {
            return true;
        }
        text += size;
    }
    return false;
}

bool procfs_find_trace_field(const char *text, const char *name, size_t *offset)
{
    char wanted[64];
    int64_t value = 0;
    int64_t size = 0;
    const int length = snprintf(wanted, sizeof wanted, " %s;", name);
    if (length < 0 || (size_t)length >= sizeof wanted) {
        return false;
    }
    const char *line = strstr(text, wanted);
    const char *end = line != NULL ? strchr(line, '\n') : NULL;
    const char *found = line != NULL ? strstr(line, "offset:") : NULL;
    const char *found_size = line != NULL ? strstr(line, "size:") : NULL;
    if (found == NULL || found_size == NULL || (end != NULL && (found > end || found_size > end))) {
        return false;
    }
    char *rest = NULL;
    errno = 0;
    value = strtoll(found + strlen("offset:"), &rest, 10);
    size = strtoll(found_size + strlen("size:"), NULL, 10);
    if (errno != 0 || *rest != ';' || value < 0 || value > USHRT_MAX || size != 4) {
        return false;
    }
    *offset = (size_t)value;
    return true;
}
