/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The groups of facts, private to src/platform/environment_*.c. Each returns 0 or -ENOMEM. */
#ifndef NUMASWEEP_ENVIRONMENT_PARTS_H
#define NUMASWEEP_ENVIRONMENT_PARTS_H

#include "numasweep/environment.h"
#include "numasweep/topology.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct environment_reader {
    const char *root; /* "" for the running machine */
    const struct topology *topology;
    struct environment *environment;
    char *text; /* of the file read last */
    size_t size;
    size_t capacity;
    int unread_error; /* errno of a file or folder that is there and could not be read since the last
                         fact */
};

/* environment_add(), and the value says so where something that it was made from could not be read. */
int environment_add_fact(struct environment_reader *reader, const char *group, const char *name,
                         enum fact_severity severity, const char *advice, const char *value_format, ...)
    __attribute__((format(printf, 6, 7)));

/* The whole file below root as a text without its last newline; NULL where it cannot be read. Valid
 * until the next call. */
const char *environment_file(struct environment_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool environment_file_number(struct environment_reader *reader, int64_t *number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The value of "NAME=value" in a file of NUL-separated words, such as /proc/1/environ; NULL where there
 * is none. Valid until the next call. */
const char *environment_file_variable(struct environment_reader *reader, const char *name,
                                      const char *path);
/* The names in a folder, NULL where it cannot be read. Closed by the caller with closedir(). */
DIR *environment_folder(struct environment_reader *reader, const char *path);
bool environment_is_running_machine(const struct environment_reader *reader);

int environment_read_system(struct environment_reader *reader);
int environment_read_scheduling(struct environment_reader *reader);
int environment_read_rights(struct environment_reader *reader);
int environment_read_cpus(struct environment_reader *reader);
int environment_read_idle(struct environment_reader *reader);
int environment_read_clock(struct environment_reader *reader);
int environment_read_boot(struct environment_reader *reader);

#endif
