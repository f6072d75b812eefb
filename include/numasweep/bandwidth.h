/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cgroups with a CPU bandwidth limit, v1 and v2. They are made and removed by the same process, the
 * hogs' keeper, so that they go on every way out on which it lives.
 */
#ifndef NUMASWEEP_BANDWIDTH_H
#define NUMASWEEP_BANDWIDTH_H

#include "numasweep/failure.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The name of a process that makes groups, by which those of a process that is gone are told. */
#define BANDWIDTH_OWNER_NAME "numasweep-hogs"

struct bandwidth_limit {
    int64_t quota_ns;
    int64_t period_ns;
    size_t group_count;
};

struct bandwidth {
    int version; /* 1, 2; 0: none found */
    char parent[PATH_MAX];
    bool must_enable; /* v2: the parent does not pass the controller on yet */
    bool has_enabled;
    size_t made; /* groups that are there */
    pid_t owner; /* in their names */
};

/* Where groups can be made: beside this process's own, or above it. -EPERM or -ENOENT (status 3) with a
 * text that says why not. Changes nothing. */
int bandwidth_find(struct bandwidth *bandwidth, struct failure *failure);

/* All groups of the limit, by the calling process. Groups of the same name that a process which is gone
 * has left are removed first. What was made before an error stays to be removed. */
int bandwidth_create(struct bandwidth *bandwidth, const struct bandwidth_limit *limit,
                     struct failure *failure);
/* Moves the calling process into the group, and reads that back. 0 or a negative errno. */
int bandwidth_enter(const struct bandwidth *bandwidth, size_t group);
/* Once no process is in them. What had been enabled is disabled again. Negative errno of the first group
 * that stays. */
int bandwidth_remove(struct bandwidth *bandwidth);

/* cpu.stat of all groups together. False where the kernel does not tell. */
bool bandwidth_read(const struct bandwidth *bandwidth, int64_t *throttled, int64_t *throttled_ns);

#endif
