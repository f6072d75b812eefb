/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A measurement kernel: the small function that is sampled. One file in src/kernels defines one
 * descriptor named `kernel_<file name>`; the registry is generated from the file names.
 *
 * The harness (platform/worker.c) does everything else: placement, dither, phase, warm-up, eviction and
 * touch, quarantine, counters. A kernel takes one sample between two reads of the sample clock.
 */
#ifndef NUMASWEEP_KERNEL_H
#define NUMASWEEP_KERNEL_H

#include "numasweep/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct kernel_context {
    clockid_t clock;    /* clock of the samples */
    int64_t timeout_ns; /* the nominal sleep */
    uint64_t seed;      /* of the sweep */
    int64_t round;
    int cpu;              /* the row's lowest CPU */
    int node;             /* the column's node, or -1 */
    int64_t sample_index; /* set by the harness before each sample; negative during warm-up */
    void *state;          /* the kernel's own, between prepare and finish */
};

struct kernel_reading {
    int64_t start_ns; /* sample clock just before the call */
    int64_t end_ns;   /* sample clock just after */
    int64_t touch_ns; /* written by kernels that replay; the harness presets -1 and measures otherwise */
};

struct measurement_kernel {
    const char *name;
    const char *summary;        /* one line, for the help and the manual */
    const char *column_meaning; /* what a column of the table stands for: "memory node" */
    bool is_replay;             /* takes no time and needs no placement: for tests on other machines */
    /* Before the gate, at normal priority, on the CPU under test. May be NULL. 0 or negative errno. */
    int (*prepare)(struct kernel_context *context, struct failure *failure);
    /* One sample. Returns 0, -EINTR (not a sample; the harness repeats), or another negative errno,
     * which fails the visit. Must not allocate, format, write or read files. */
    int (*sample)(struct kernel_context *context, int64_t requested_ns, struct kernel_reading *reading);
    void (*finish)(struct kernel_context *context); /* may be NULL */
};

/* Ends with NULL. Generated. */
extern const struct measurement_kernel *const measurement_kernels[];
const struct measurement_kernel *measurement_kernel_find(const char *name); /* or NULL */

static inline int64_t kernel_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
