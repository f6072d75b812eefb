/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forked, pinned process that measures one visit (src/platform). */
#ifndef NUMASWEEP_WORKER_H
#define NUMASWEEP_WORKER_H

#include "numasweep/id_list.h"
#include "numasweep/visit.h"

#include <sys/types.h>

/*
 * Calls once, in the launcher, what every worker will call and what changes nothing, so that symbols are
 * bound and pages are there when the workers are forked: each would do it anew, at many page faults a
 * visit.
 */
void worker_rehearse(void);

/* Exit statuses above this are an errno: the report could not be written, and so not told. */
enum { WORKER_EXIT_CANNOT_REPORT = 100 };

/*
 * Runs in a freshly forked child and never returns. `report_fd` takes the frames, `gate_fd` gives one
 * byte to go, or end of file when the coordinator died. `launcher` is the parent that must be alive.
 * Order: die with the parent, close what is not the child's, raise oom_score_adj, bind memory, pin,
 * allocate, touch and lock, prove the placement, read the clock's cost, prepare the kernel, set the
 * policy (then the slack, which the policy resets), read back, HELLO, gate, measure, return to normal
 * priority, read back again, report, _exit.
 */
_Noreturn void worker_run(const struct visit_request *request, const struct id_list *cpus, int report_fd,
                          int gate_fd, pid_t launcher);

#endif
