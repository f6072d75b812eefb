/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/visit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Policy numbers of Linux, sched(7): a result file may be read on a machine that has other headers. */
enum {
    LINUX_OTHER = 0,
    LINUX_FIFO = 1,
    LINUX_RR = 2,
    LINUX_BATCH = 3,
    LINUX_IDLE = 5,
    LINUX_DEADLINE = 6
};

/* Generous for a line from remote memory with address translation. */
static const int64_t line_allowance_ns = 2000;

int64_t visit_request_duration_ns(const struct visit_request *request)
{
    const int64_t longest_sleep_ns = request->timeout_ns +
                                     request->timeout_ns * request->dither_percent / 100;
    const int64_t sleeps = request->sample_count + request->warmup_count + 1;
    return sleeps * (longest_sleep_ns + request->touch_lines * line_allowance_ns);
}

void visit_destroy(struct visit *visit)
{
    free(visit->samples);
    counter_set_destroy(&visit->counters);
    *visit = (struct visit){0};
}

static const char *policy_name(int policy)
{
    switch (policy) {
    case LINUX_OTHER:
        return "SCHED_OTHER";
    case LINUX_FIFO:
        return "SCHED_FIFO";
    case LINUX_RR:
        return "SCHED_RR";
    case LINUX_BATCH:
        return "SCHED_BATCH";
    case LINUX_IDLE:
        return "SCHED_IDLE";
    case LINUX_DEADLINE:
        return "SCHED_DEADLINE";
    default:
        return NULL;
    }
}

const char *policy_text(int policy, int priority, char text[32])
{
    enum { TEXT_SIZE = 32 };
    const char *name = policy_name(policy);
    if (policy == PLACEMENT_POLICY_UNKNOWN) {
        (void)snprintf(text, TEXT_SIZE, "policy unknown");
    } else if (policy < 0) {
        (void)snprintf(text, TEXT_SIZE, "policy unreadable");
    } else if (name == NULL) {
        (void)snprintf(text, TEXT_SIZE, "policy %d", policy);
    } else if ((policy == LINUX_FIFO || policy == LINUX_RR) && priority < 0) {
        (void)snprintf(text, TEXT_SIZE, "%s, priority unreadable", name);
    } else if (policy == LINUX_FIFO || policy == LINUX_RR) {
        (void)snprintf(text, TEXT_SIZE, "%s %d", name, priority);
    } else {
        (void)snprintf(text, TEXT_SIZE, "%s", name);
    }
    return text;
}

const char *binding_refusal_cause(int error)
{
    switch (error) {
    case EPERM:
        return "a container's system-call filter is the likely cause (allow set_mempolicy, or "
               "CAP_SYS_NICE)";
    case EINVAL:
        return "the node has no memory, is offline, or lies outside the cpuset's mems";
    case ENOSYS:
        return "this operating system or sandbox knows no memory policy";
    default:
        return "the operating system refused";
    }
}

bool placement_is_proved(const struct placement *placement, bool is_one_cpu, bool is_bound)
{
    const bool pin_is_proved = placement->mask_matches_before && placement->mask_matches_after &&
                               placement->elsewhere_count == 0;
    if (!pin_is_proved || (is_one_cpu && placement->migrations > 0)) {
        return false;
    }
    if (!is_bound) {
        return true;
    }
    return placement->memory_is_bound && placement->pages_unknown == 0 &&
           placement->pages_on_node == placement->pages_total;
}
