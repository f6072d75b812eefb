/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A failure that a person must read: where it happened, the errno, and one sentence.
 *
 * Functions that can fail return 0 or a negative errno value. Those whose failure is shown to a
 * person also take a `struct failure *`, which may be NULL; it is filled only when they fail. Only
 * main() prints it.
 */
#ifndef NUMASWEEP_FAILURE_H
#define NUMASWEEP_FAILURE_H

#include <stdarg.h>

enum { FAILURE_STAGE_SIZE = 32, FAILURE_TEXT_SIZE = 400 };

struct failure {
    char stage[FAILURE_STAGE_SIZE]; /* the step, in words of this project: "pin", "policy", "open" */
    int errno_value;                /* positive errno, or 0 where no system call refused */
    char text[FAILURE_TEXT_SIZE];   /* what, where, and what would do; no newline, UTF-8 */
};

/* Fills `failure` (if not NULL) and returns -errno_value, or -EINVAL when errno_value is 0, so that a
 * caller can write `return failure_set(...)`. Long texts are cut at a character, never overrun. */
int failure_set(struct failure *failure, const char *stage, int errno_value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int failure_vset(struct failure *failure, const char *stage, int errno_value, const char *format,
                 va_list arguments) __attribute__((format(printf, 4, 0)));

#endif
