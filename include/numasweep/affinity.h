/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The affinity of the calling process as an id list (src/platform). Masks are as long as the numbers
 * need and grow until the kernel accepts them: with over 1,024 possible CPUs sched_getaffinity(2)
 * refuses the 128 bytes of a fixed cpu_set_t.
 */
#ifndef NUMASWEEP_AFFINITY_H
#define NUMASWEEP_AFFINITY_H

#include "numasweep/id_list.h"

#include <sys/types.h>

/* 0, -ENOMEM or the negative errno of sched_setaffinity(2). */
int affinity_set(const struct id_list *cpus);
/* Replaces `cpus`. 0, -ENOMEM or the negative errno of sched_getaffinity(2). */
int affinity_get(struct id_list *cpus);
int affinity_get_of(pid_t pid, struct id_list *cpus);

#endif
