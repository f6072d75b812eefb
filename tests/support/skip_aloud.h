/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmocka counts a skipped test as passed and gives no reason. tests/check.sh collects these lines.
 * Include it behind cmocka.h. */
#ifndef NUMASWEEP_TESTS_SKIP_ALOUD_H
#define NUMASWEEP_TESTS_SKIP_ALOUD_H

#include <stdio.h>
#include <unistd.h>

/* ctest's SKIP_RETURN_CODE, for a program that has nothing to try. */
enum { STATUS_SKIPPED = 77 };

#define SKIP_ALOUD(reason)                                                                              \
    do {                                                                                                \
        (void)printf("skipped: %s: %s\n", __func__, (reason));                                          \
        (void)fflush(stdout);                                                                           \
        skip();                                                                                         \
    } while (0)

/* Whether `path` is there, which is said where it is not. */
static inline int skip_without(const char *path)
{
    if (access(path, R_OK) == 0) {
        return 0;
    }
    (void)printf("skipped: %s is not there\n", path);
    return STATUS_SKIPPED;
}

#endif
