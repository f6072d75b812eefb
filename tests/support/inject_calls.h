/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What inject.c knows of system calls, and of the processor's registers. */
#ifndef NUMASWEEP_INJECT_CALLS_H
#define NUMASWEEP_INJECT_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

/* OBJECT_PATH: the second argument, behind a folder's descriptor. */
enum call_object { OBJECT_NONE, OBJECT_DESCRIPTOR, OBJECT_FIRST_PATH, OBJECT_PATH, OBJECT_MEMORY };

enum { CALL_PATH_SIZE = 512 };

struct call {
    long number;
    const char *name;
    enum call_object object;
    const char *exemption; /* why it is never made to fail; NULL: it is */
};

/* NULL where the call is not known: a fault of this list, that the matrix then tells. */
const struct call *call_find(long number);

/* What the call is about, one word: "pipe", "socket", "stdin", "stdout", "stderr", "proc", "sys", "dev",
 * "library", "memory", "file", or "-". `path` becomes the file's, or "". */
const char *call_kind(const struct call *call, pid_t pid, const unsigned long long *arguments,
                      char path[CALL_PATH_SIZE]);

/* At the entry: the operating system is not asked. */
bool call_replace(pid_t pid);

/* At the exit. */
void call_set_result(pid_t pid, long result);

#endif
