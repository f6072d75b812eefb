/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a plan: workers through the launcher, a deadline for each, visits handed on as they complete. */
#ifndef NUMASWEEP_COORDINATOR_H
#define NUMASWEEP_COORDINATOR_H

#include "numasweep/failure.h"
#include "numasweep/launcher.h"
#include "numasweep/plan.h"
#include "numasweep/sweep.h"
#include "numasweep/topology.h"

#include <stdbool.h>
#include <stdint.h>

struct coordinator_progress {
    size_t visits_done;
    size_t visits_total;
    int64_t elapsed_ns;
    int64_t remaining_ns;       /* -1: not known yet */
    const struct id_list *busy; /* CPUs under test now */
};

struct coordinator_callbacks {
    /* Each visit as it completes, measured or failed: to be saved and kept. Non-zero stops the sweep
     * with that error. Takes the visit over when it returns 0. */
    int (*take_visit)(struct visit *visit, void *context, struct failure *failure);
    /* Between visits, never during one, from a CPU that is not under test. May be NULL. */
    void (*show_progress)(const struct coordinator_progress *progress, void *context);
    /* Around the visits that are made at the same time: what is measured, in which arm. May be NULL.
     * Non-zero stops the sweep with that error. */
    int (*begin_batch)(size_t arm, const struct id_list *measured, void *context,
                       struct failure *failure);
    int (*end_batch)(void *context, struct failure *failure);
    /* The signal that asks to stop, or 0; looked at after every poll(). */
    int (*stop_signal)(void *context);
    void *context;
};

/*
 * Visits all cells in all rounds. A worker that is refused, crashes, hangs, is killed or writes garbage
 * costs its own visit, which is handed on as VISIT_FAILED with stage and text. A launcher that dies is
 * started anew. Fills sweep->wall_ns, asleep_ns, coordinator_cpu_ns and stop_signal. Returns 0 at the
 * end or when stopped by a signal; else a negative errno from take_visit or the system.
 *
 * The process's own affinity is changed while it runs and put back at the end.
 */
int coordinator_run(struct sweep *sweep, struct launcher *launcher,
                    const struct coordinator_callbacks *callbacks, struct failure *failure);

/* For --strict: one visit without samples for each row and for each column, to see whether everything
 * that was asked for can be had exactly: pinning, policy and priority, slack, memory on its node,
 * locked. 0, or -EPERM with a failure that names the first thing that cannot. */
int coordinator_probe(struct sweep *sweep, struct launcher *launcher, struct failure *failure);

#endif
