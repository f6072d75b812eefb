/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/affinity.h"
#include "worker_parts.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* The longest time that a real-time worker may run without sleeping before SIGXCPU; SIGKILL at twice. A
 * sample sleeps, so only a worker that spins by mistake gets there; but a sleep this short may be over
 * before it has begun, and then the whole visit is one run. In us, as RLIMIT_RTTIME has it. */
enum { REAL_TIME_BUDGET_US = 500000, SHORT_SLEEP_NS = 50000 };

static const struct sched_param no_priority = {.sched_priority = 0};

void worker_reset_inherited(void)
{
    /* chrt may have started us; what is not allowed here shows when the policy is read back. */
    (void)sched_setscheduler(0, SCHED_OTHER, &no_priority);
}

static void limit_real_time(struct worker *worker)
{
    const struct visit_request *request = worker->request;
    struct rlimit limit;
    rlim_t budget_us = REAL_TIME_BUDGET_US;
    if (getrlimit(RLIMIT_RTTIME, &limit) != 0) {
        worker->placement.unknown |= UNKNOWN_TIME_LIMIT;
        return;
    }
    if (request->timeout_ns < SHORT_SLEEP_NS) {
        budget_us += 2 * (rlim_t)request->sample_count * SHORT_SLEEP_NS / 1000 +
                     (rlim_t)visit_request_duration_ns(request) / 1000;
    }
    if (limit.rlim_max > 2 * budget_us) {
        limit.rlim_max = 2 * budget_us;
    }
    if (limit.rlim_cur > budget_us) {
        limit.rlim_cur = budget_us;
    }
    if (setrlimit(RLIMIT_RTTIME, &limit) != 0) {
        worker->placement.unknown |= UNKNOWN_TIME_LIMIT;
    }
}

static int refuse_pin(const struct worker *worker, int error, struct failure *failure)
{
    char *wanted = id_list_format(worker->cpus);
    const int result = failure_set(failure, "pin", error, "sched_setaffinity to CPU %s: %s%s",
                                   wanted != NULL ? wanted : "?", strerror(error),
                                   error == EINVAL ? " (offline, or outside the cpuset)" : "");
    free(wanted);
    return result;
}

/* 0, -EIO where it is another one, or why it cannot be read. */
static int compare_mask(const struct worker *worker)
{
    struct id_list mask = {0};
    int error = affinity_get(&mask);
    if (error == 0 && !id_list_equal(&mask, worker->cpus)) {
        error = -EIO;
    }
    id_list_destroy(&mask);
    return error;
}

static int read_position(int32_t *cpu, int32_t *node)
{
    unsigned current_cpu = 0;
    unsigned current_node = 0;
    if (getcpu(&current_cpu, &current_node) != 0) {
        return -errno;
    }
    *cpu = (int32_t)current_cpu;
    *node = (int32_t)current_node;
    return 0;
}

int worker_pin(struct worker *worker, struct failure *failure)
{
    struct placement *placement = &worker->placement;
    int error = affinity_set(worker->cpus);
    if (error != 0) {
        return refuse_pin(worker, -error, failure);
    }
    error = read_position(&placement->cpu_before, &placement->memory_node_before);
    if (error != 0) {
        return failure_set(failure, "pin", -error, "getcpu: %s", strerror(-error));
    }
    error = compare_mask(worker);
    if (error == -EIO) {
        return failure_set(failure, "pin", EIO,
                           "sched_setaffinity was accepted, but the mask reads back as something else");
    }
    if (error != 0) {
        return failure_set(failure, "pin", -error,
                           "sched_setaffinity was accepted, but the mask cannot be read back: %s",
                           strerror(-error));
    }
    placement->mask_matches_before = 1;
    if (!id_list_contains(worker->cpus, placement->cpu_before)) {
        return failure_set(failure, "pin", EIO,
                           "sched_setaffinity was accepted, but the worker still runs on CPU %d",
                           placement->cpu_before);
    }
    return 0;
}

static int policy_number(enum policy_choice policy)
{
    switch (policy) {
    case POLICY_AUTO:
    case POLICY_FIFO:
        return SCHED_FIFO;
    case POLICY_RR:
        return SCHED_RR;
    case POLICY_BATCH:
        return SCHED_BATCH;
    case POLICY_IDLE:
        return SCHED_IDLE;
    case POLICY_OTHER:
        break;
    }
    return SCHED_OTHER;
}

static int refuse_policy(int policy, int priority, int error, struct failure *failure)
{
    char name[32];
    struct rlimit limit = {0};
    policy_text(policy, priority, name);
    if (error == EPERM && getrlimit(RLIMIT_RTPRIO, &limit) == 0) {
        return failure_set(failure, "policy", error,
                           "%s: %s (RLIMIT_RTPRIO %llu, CAP_SYS_NICE and the cgroup's real-time budget "
                           "decide; 'numasweep check' tells which)",
                           name, strerror(error), (unsigned long long)limit.rlim_cur);
    }
    return failure_set(failure, "policy", error, "%s: %s%s", name, strerror(error),
                       error == ENOSYS ? " (a sandbox without real-time scheduling)" : "");
}

static void set_slack(int64_t slack_ns)
{
    if (slack_ns == OPTION_INHERIT_SLACK) {
        return;
    }
    /* 0 would mean "back to the default". */
    (void)prctl(PR_SET_TIMERSLACK, slack_ns > 0 ? (unsigned long)slack_ns : 1UL, 0, 0, 0);
}

static int read_policy(struct worker *worker)
{
    struct placement *placement = &worker->placement;
    struct sched_param priority = {0};
    const int policy = sched_getscheduler(0);
    int error = policy < 0 ? -errno : 0;

    placement->policy = policy < 0 ? -1 : policy & ~SCHED_RESET_ON_FORK;
    placement->priority = -1;
    if (sched_getparam(0, &priority) == 0) {
        placement->priority = priority.sched_priority;
    } else if (error == 0) {
        error = -errno;
    }
    placement->timer_slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    return error;
}

int worker_set_policy(struct worker *worker, struct failure *failure)
{
    const struct visit_request *request = worker->request;
    int policy = policy_number((enum policy_choice)request->policy);
    const bool is_real_time = policy == SCHED_FIFO || policy == SCHED_RR;
    const struct sched_param priority = {.sched_priority = is_real_time ? request->priority : 0};

    if (is_real_time) {
        limit_real_time(worker);
    }
    if (sched_setscheduler(0, policy, &priority) != 0) {
        const int error = errno;
        if (request->policy_is_required || !is_real_time) {
            return refuse_policy(policy, request->priority, error, failure);
        }
        worker->placement.policy_errno = error;
        policy = SCHED_OTHER;
    }
    if (policy != SCHED_FIFO && policy != SCHED_RR) {
        /* After the policy, which resets it. */
        set_slack(request->timer_slack_ns);
    }
    const int error = read_policy(worker);
    if (error != 0) {
        return failure_set(failure, "policy", -error,
                           "the policy was accepted, but cannot be read back (sched_getscheduler, "
                           "sched_getparam): %s",
                           strerror(-error));
    }
    if (worker->placement.policy != policy ||
        (worker->placement.policy_errno == 0 && worker->placement.priority != priority.sched_priority)) {
        char name[32];
        return failure_set(failure, "policy", EIO, "the policy was accepted, but reads back as %s",
                           policy_text(worker->placement.policy, worker->placement.priority, name));
    }
    return 0;
}

int worker_check_policy_after(struct worker *worker, struct failure *failure)
{
    const struct placement before = worker->placement;
    char was[32];
    char is[32];

    const int error = read_policy(worker);
    if (error != 0) {
        return failure_set(failure, "policy", -error,
                           "%s before the visit, but it cannot be read back after it: %s",
                           policy_text(before.policy, before.priority, was), strerror(-error));
    }
    if (worker->placement.policy == before.policy && worker->placement.priority == before.priority) {
        return 0;
    }
    return failure_set(failure, "policy", EIO,
                       "it was changed from outside during the visit: %s, then %s",
                       policy_text(before.policy, before.priority, was),
                       policy_text(worker->placement.policy, worker->placement.priority, is));
}

void worker_return_to_normal(void)
{
    (void)sched_setscheduler(0, SCHED_OTHER, &no_priority);
}

void worker_read_mask_after(struct worker *worker)
{
    int32_t node = 0;
    if (read_position(&worker->placement.cpu_after, &node) != 0) {
        worker->placement.cpu_after = -1;
    }
    worker->placement.mask_matches_after = compare_mask(worker) == 0;
}
