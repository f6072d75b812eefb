/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coordinator_batch.h"
#include "numasweep/coordinator.h"
#include "numasweep/kernel.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct failure *failure, const struct plan *plan, const struct plan_cell *cell,
                  const char *what)
{
    return failure_set(failure, "strict", EPERM, "--strict: CPU %s, %s: %s", plan->rows[cell->row].label,
                       plan->columns[cell->column].label, what);
}

static int check_policy(const struct placement *placement, const struct plan_arm *arm, char *what,
                        size_t size)
{
    char had[32];
    const bool wants_real_time = arm->policy == POLICY_AUTO || arm->policy == POLICY_FIFO ||
                                 arm->policy == POLICY_RR;
    if (wants_real_time && placement->policy != SCHED_FIFO && placement->policy != SCHED_RR) {
        (void)snprintf(what, size, "a real-time policy is refused (%s); it would run as %s",
                       strerror(placement->policy_errno),
                       policy_text(placement->policy, placement->priority, had));
        return -EPERM;
    }
    if (!wants_real_time && arm->timer_slack_ns > 0 &&
        placement->timer_slack_ns != arm->timer_slack_ns) {
        if (placement->timer_slack_ns < 0) {
            (void)snprintf(what, size, "the timer slack cannot be read back (PR_GET_TIMERSLACK)");
        } else {
            (void)snprintf(what, size, "the timer slack is %lld ns, not what was asked for",
                           (long long)placement->timer_slack_ns);
        }
        return -EPERM;
    }
    return 0;
}

static int check_pages(const struct placement *placement, char *what, size_t size)
{
    if (!placement->memory_is_bound || placement->pages_on_node == placement->pages_total) {
        return 0;
    }
    if (placement->pages_unknown > 0) {
        (void)snprintf(what, size, "the node of %lld of %lld pages cannot be read back (move_pages)",
                       (long long)placement->pages_unknown, (long long)placement->pages_total);
    } else {
        (void)snprintf(what, size, "only %lld of %lld pages lie on it",
                       (long long)placement->pages_on_node, (long long)placement->pages_total);
    }
    return -EPERM;
}

static int check_visit(const struct visit *visit, const struct plan *plan, struct failure *failure)
{
    const struct plan_cell *cell = &plan->cells[visit->cell];
    const struct placement *placement = &visit->placement;
    char what[FAILURE_TEXT_SIZE];

    if (visit->outcome == VISIT_FAILED) {
        return refuse(failure, plan, cell, visit->failure.text);
    }
    if (check_policy(placement, &plan->arms[cell->arm], what, sizeof what) != 0) {
        return refuse(failure, plan, cell, what);
    }
    if (plan->columns[cell->column].node >= 0 && !placement->memory_is_bound) {
        (void)snprintf(what, sizeof what, "memory cannot be bound to it: %s",
                       strerror(placement->memory_errno));
        return refuse(failure, plan, cell, what);
    }
    if (check_pages(placement, what, sizeof what) != 0) {
        return refuse(failure, plan, cell, what);
    }
    if (!placement->memory_is_locked) {
        return refuse(failure, plan, cell, "memory cannot be locked (RLIMIT_MEMLOCK, CAP_IPC_LOCK)");
    }
    return 0;
}

static int check_worker(struct batch_worker *worker, void *context, struct failure *failure)
{
    const struct sweep *sweep = context;
    struct visit visit;
    batch_worker_finish(worker, &visit);
    const int error = check_visit(&visit, &sweep->plan, failure);
    visit_destroy(&visit);
    return error;
}

static int probe_cell(struct sweep *sweep, struct launcher *launcher, size_t cell_index,
                      struct failure *failure)
{
    const struct plan *plan = &sweep->plan;
    const struct plan_cell *cell = &plan->cells[cell_index];
    struct batch batch = {0};
    int error = batch_create(&batch, 1);
    if (error != 0) {
        return error;
    }
    coordinator_fill_request(sweep, cell_index, 0, &batch.workers[0].request);
    batch.workers[0].request.sample_count = 0;
    batch.workers[0].request.warmup_count = 0;
    batch.workers[0].request.visit = UINT64_MAX - cell_index; /* apart from those of the sweep */
    batch.workers[0].cpus = &plan->rows[cell->row].cpus;
    error = batch_run(&batch, launcher, NULL, NULL, NULL, check_worker, sweep, failure);
    batch_destroy(&batch);
    return error;
}

/* Each row and each column of each arm once: what is refused to one cell of them is refused to all. */
int coordinator_probe(struct sweep *sweep, struct launcher *launcher, struct failure *failure)
{
    const struct plan *plan = &sweep->plan;
    const size_t seen_size = plan->row_count + plan->column_count + 1;
    bool *seen = calloc(plan->arm_count * seen_size, sizeof *seen);
    int error = seen == NULL ? -ENOMEM : 0;

    for (size_t i = 0; i < plan->cell_count && error == 0; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        bool *row_seen = &seen[cell->arm * seen_size + cell->row];
        bool *column_seen = &seen[cell->arm * seen_size + plan->row_count + cell->column];
        if (!*row_seen || !*column_seen) {
            *row_seen = true;
            *column_seen = true;
            error = probe_cell(sweep, launcher, i, failure);
        }
    }
    free(seen);
    return error;
}
