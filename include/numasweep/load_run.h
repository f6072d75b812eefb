/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The busy workers of --load while a sweep runs. */
#ifndef NUMASWEEP_LOAD_RUN_H
#define NUMASWEEP_LOAD_RUN_H

#include "numasweep/failure.h"
#include "numasweep/hogs.h"
#include "numasweep/sweep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load_worker {
    int cpu;
    int64_t number; /* among those of its CPU, from 0 */
    bool is_running;
    int64_t run_before_ns;
};

struct load_run {
    struct sweep *sweep;
    struct hogs hogs;
    struct load_worker *workers; /* one for each hog */
    int64_t started_ns;          /* of the batch */
};

/* As many busy workers as any arm of the plan needs, stopped where its load changes from visit to visit.
 * Nothing where no arm has a load. */
int load_run_start(struct load_run *run, struct sweep *sweep, struct failure *failure);
/* Lets those run that the arm's load puts beside the measured CPUs, and stops the others. */
int load_run_begin(struct load_run *run, size_t arm, const struct id_list *measured,
                   struct failure *failure);
/* Adds to the sweep what they did meanwhile; an error where one of them has died. */
int load_run_end(struct load_run *run, struct failure *failure);
void load_run_stop(struct load_run *run); /* accepts a zeroed struct */

#endif
