/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/plan.h"

#include "numasweep/saturated.h"

#include <errno.h>
#include <stdlib.h>

/* What a visit takes beyond the sleeps it asks for: fixed figures, since a plan measures nothing. They
 * came within an eighth of sweeps with sleeps of 100 us to 10 ms on a small virtual machine. A
 * prediction is for choosing options, not for a deadline. */
enum {
    OVERSHOOT_NS = 50000,       /* a sleep ends this late: timer, idle exit, switch; less with FIFO */
    TOUCH_LINE_NS = 150,        /* one line: evicted before the sleep, read from main memory after it */
    VISIT_OVERHEAD_NS = 2000000 /* fork, placement and its proof, evidence before and after, report */
};

int64_t plan_visit_duration_ns(const struct plan_arm *arm, int64_t timeout_ns)
{
    const int64_t phase_ns = arm->dither_percent > 0 ? timeout_ns / 2 : 0;
    const int64_t touch_ns = saturated_multiply(arm->touch_lines, TOUCH_LINE_NS);
    const int64_t sample_ns = saturated_add(saturated_add(timeout_ns, OVERSHOOT_NS), touch_ns);
    const int64_t sleep_count = saturated_add(arm->warmup_count, arm->sample_count);
    const int64_t samples_ns = saturated_multiply(sleep_count, sample_ns);
    return saturated_add(saturated_add(phase_ns, samples_ns), VISIT_OVERHEAD_NS);
}

static int64_t cell_duration_ns(const struct plan *plan, size_t cell)
{
    const struct plan_cell *found = &plan->cells[cell];
    return plan_visit_duration_ns(&plan->arms[found->arm], plan->timeouts_ns[found->timeout]);
}

/* A batch lasts as long as its longest visit. */
static int64_t round_duration_ns(const struct plan *plan, const struct topology *topology, size_t *order)
{
    int64_t round_ns = 0;
    size_t start = 0;
    while (start < plan->cell_count) {
        const size_t size = plan_next_batch(plan, topology, order, plan->cell_count, start);
        int64_t longest_ns = 0;
        for (size_t i = start; i < start + size; i++) {
            const int64_t visit_ns = cell_duration_ns(plan, order[i]);
            longest_ns = visit_ns > longest_ns ? visit_ns : longest_ns;
        }
        round_ns = saturated_add(round_ns, longest_ns);
        start += size;
    }
    return round_ns;
}

int plan_duration_ns(const struct plan *plan, const struct topology *topology, int64_t *duration_ns)
{
    *duration_ns = 0;
    if (plan->cell_count == 0) {
        return 0;
    }
    size_t *order = calloc(plan->cell_count, sizeof *order);
    if (order == NULL) {
        return -ENOMEM;
    }
    const int error = plan_round_order(plan, 0, order);
    if (error == 0) {
        *duration_ns = saturated_multiply(round_duration_ns(plan, topology, order), plan->round_count);
    }
    free(order);
    return error;
}
