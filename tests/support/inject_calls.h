/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What inject.c knows of system calls, and of the processor's registers. */
#ifndef NUMASWEEP_INJECT_CALLS_H
#define NUMASWEEP_INJECT_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

enum call_object { OBJECT_NONE, OBJECT_DESCRIPTOR, OBJECT_PATH, OBJECT_MEMORY };

struct call {
    long number;
    const char *name;
    enum call_object object;
};

/* NULL where the call is none that is made to fail. */
const struct call *call_find(long number);

/* What the call is about, one word: "pipe", "socket", "stdin", "stdout", "stderr", "proc", "sys", "dev",
 * "library", "memory", "file", or "-". */
const char *call_kind(const struct call *call, pid_t pid, const unsigned long long *arguments);

/* At the entry: the operating system is not asked. */
bool call_replace(pid_t pid);

/* At the exit. */
void call_set_result(pid_t pid, long result);

#endif
