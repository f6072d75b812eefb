/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/environment_read.h"

#include "environment_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, FIRST_BYTES = 4096 };

static ssize_t read_at(const struct environment_reader *reader, int fd, size_t size)
{
    ssize_t part = -1;
    do {
        part = read(fd, reader->text + size, reader->capacity - 1 - size);
    } while (part < 0 && errno == EINTR);
    return part;
}

static bool read_whole(struct environment_reader *reader, int fd)
{
    size_t size = 0;
    for (;;) {
        if (reader->capacity < size + 2) {
            const size_t capacity = reader->capacity == 0 ? FIRST_BYTES : 2 * reader->capacity;
            char *text = realloc(reader->text, capacity);
            if (text == NULL) {
                return false;
            }
            reader->text = text;
            reader->capacity = capacity;
        }
        const ssize_t part = read_at(reader, fd, size);
        if (part < 0) {
            return false;
        }
        if (part == 0) {
            break;
        }
        size += (size_t)part;
    }
    while (size > 0 && reader->text[size - 1] == '\n') {
        size--;
    }
    reader->text[size] = '\0';
    reader->size = size;
    return true;
}

/* What a machine does not have is no gap. */
static void note_unread(struct environment_reader *reader, int error)
{
    if (error != ENOENT && error != ENOTDIR) {
        reader->unread_error = error;
    }
}

static const char *read_path(struct environment_reader *reader, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        note_unread(reader, errno);
        return NULL;
    }
    const bool is_read = read_whole(reader, fd);
    if (!is_read) {
        note_unread(reader, errno);
    }
    (void)close(fd);
    return is_read ? reader->text : NULL;
}

__attribute__((format(printf, 3, 0))) static void format_path(const struct environment_reader *reader,
                                                              char path[PATH_BYTES], const char *format,
                                                              va_list arguments)
{
    const int length = snprintf(path, PATH_BYTES, "%.2000s", reader->root);
    (void)vsnprintf(path + length, PATH_BYTES - (size_t)length, format, arguments);
}

const char *environment_file(struct environment_reader *reader, const char *format, ...)
{
    char path[PATH_BYTES];
    va_list arguments;
    va_start(arguments, format);
    format_path(reader, path, format, arguments);
    va_end(arguments);
    return read_path(reader, path);
}

bool environment_file_number(struct environment_reader *reader, int64_t *number, const char *format, ...)
{
    char path[PATH_BYTES];
    char *end = NULL;
    va_list arguments;
    va_start(arguments, format);
    format_path(reader, path, format, arguments);
    va_end(arguments);
    const char *text = read_path(reader, path);
    if (text == NULL) {
        return false;
    }
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

const char *environment_file_variable(struct environment_reader *reader, const char *name,
                                      const char *path)
{
    const size_t length = strlen(name);
    const char *word = environment_file(reader, "%s", path);
    while (word != NULL && word < reader->text + reader->size) {
        if (strncmp(word, name, length) == 0 && word[length] == '=') {
            return word + length + 1;
        }
        word += strlen(word) + 1;
    }
    return NULL;
}

DIR *environment_folder(struct environment_reader *reader, const char *path)
{
    char whole[PATH_BYTES];
    (void)snprintf(whole, sizeof whole, "%.2000s%.2000s", reader->root, path);
    DIR *folder = opendir(whole);
    if (folder == NULL) {
        note_unread(reader, errno);
    }
    return folder;
}

int environment_add_fact(struct environment_reader *reader, const char *group, const char *name,
                         enum fact_severity severity, const char *advice, const char *value_format, ...)
{
    char *value = NULL;
    va_list arguments;
    va_start(arguments, value_format);
    const int length = vasprintf(&value, value_format, arguments);
    va_end(arguments);
    if (length < 0) {
        return -ENOMEM;
    }
    const int unread_error = reader->unread_error;
    const bool is_told = strncmp(value, ENVIRONMENT_NOT_READABLE, sizeof ENVIRONMENT_NOT_READABLE - 1) ==
                         0;
    reader->unread_error = 0;
    const int error = unread_error == 0 || is_told
                          ? environment_add(reader->environment, group, name, severity, advice, "%s",
                                            value)
                          : environment_add(reader->environment, group, name, severity, advice,
                                            "%s; not all of it could be read (%s)", value,
                                            strerror(unread_error));
    free(value);
    return error;
}

bool environment_is_running_machine(const struct environment_reader *reader)
{
    return reader->root[0] == '\0';
}

int environment_read(const char *root, const struct topology *topology, struct environment *environment)
{
    struct environment_reader reader = {.root = root, .topology = topology, .environment = environment};
    int (*const groups[])(struct environment_reader *) = {
        environment_read_system, environment_read_scheduling, environment_read_rights,
        environment_read_cpus,   environment_read_idle,       environment_read_clock,
        environment_read_boot,
    };
    int error = 0;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0] && error == 0; i++) {
        error = groups[i](&reader);
    }
    free(reader.text);
    return error;
}
