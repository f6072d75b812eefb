/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "environment_parts.h"
#include "numasweep/procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char group[] = "scheduling";

enum { BUSY_LOAD_HUNDREDTHS = 50 };

static int add_throttling(struct environment_reader *reader)
{
    int64_t runtime_us = 0;
    int64_t period_us = 1000000;
    if (!environment_file_number(reader, &runtime_us, "/proc/sys/kernel/sched_rt_runtime_us")) {
        return environment_add_fact(reader, group, "sched_rt_runtime_us", FACT_INFORMATION, NULL,
                                    ENVIRONMENT_NOT_READABLE);
    }
    (void)environment_file_number(reader, &period_us, "/proc/sys/kernel/sched_rt_period_us");
    if (runtime_us == 0) {
        return environment_add_fact(
            reader, group, "sched_rt_runtime_us", FACT_WARNING,
            "no real-time task may run at all: sysctl kernel.sched_rt_runtime_us=950000", "0");
    }
    return environment_add_fact(reader, group, "sched_rt_runtime_us", FACT_INFORMATION, NULL,
                                "%" PRId64 " of %" PRId64 "%s", runtime_us, period_us,
                                runtime_us < 0 ? " (no throttling)"
                                               : " (far above what a sleeping worker uses)");
}

static int add_group_budget(struct environment_reader *reader)
{
    char path[512];
    int64_t runtime_us = 0;
    const char *text = environment_file(reader, "/proc/self/cgroup");
    if (text == NULL || !procfs_find_cgroup(text, "cpu", path, sizeof path) ||
        !environment_file_number(reader, &runtime_us, "/sys/fs/cgroup/cpu%s/cpu.rt_runtime_us", path)) {
        return environment_add_fact(reader, group, "rt_group_scheduling", FACT_INFORMATION, NULL,
                                    "no budget by cgroup found");
    }
    if (runtime_us > 0) {
        return environment_add_fact(reader, group, "rt_group_scheduling", FACT_INFORMATION, NULL,
                                    "budget %" PRId64 " us in cgroup %s", runtime_us, path);
    }
    return environment_add_fact(
        reader, group, "rt_group_scheduling", FACT_WARNING,
        "SCHED_FIFO is refused here even to root: write a budget into this cgroup's "
        "cpu.rt_runtime_us (and its parents'), or start numasweep from the root cgroup",
        "no budget in cgroup %s", path);
}

static int add_setting(struct environment_reader *reader, const char *name, const char *path,
                       int64_t good, const char *advice)
{
    int64_t value = 0;
    if (!environment_file_number(reader, &value, "%s", path)) {
        return environment_add_fact(reader, group, name, FACT_INFORMATION, NULL,
                                    ENVIRONMENT_NOT_READABLE);
    }
    return environment_add_fact(reader, group, name, value == good ? FACT_INFORMATION : FACT_NOTICE,
                                value == good ? NULL : advice, "%" PRId64, value);
}

/* "20000 100000", as cpu.max of cgroup v2 has it; "max 100000" and "" for none. */
static void find_quota(struct environment_reader *reader, char quota[64])
{
    char path[512];
    int64_t quota_us = 0;
    int64_t period_us = 100000;
    const char *text = environment_file(reader, "/proc/self/cgroup");
    quota[0] = '\0';
    if (text != NULL && procfs_find_cgroup(text, "cpu", path, sizeof path) &&
        environment_file_number(reader, &quota_us, "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", path)) {
        (void)environment_file_number(reader, &period_us, "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us",
                                      path);
        (void)snprintf(quota, 64, quota_us < 0 ? "max" : "%" PRId64 " %" PRId64, quota_us, period_us);
        return;
    }
    text = environment_file(reader, "/proc/self/cgroup");
    if (text != NULL && procfs_find_cgroup(text, "", path, sizeof path)) {
        const char *limit = environment_file(reader, "/sys/fs/cgroup%s/cpu.max", path);
        (void)snprintf(quota, 64, "%.63s", limit != NULL ? limit : "");
    }
}

static int add_quota(struct environment_reader *reader)
{
    char quota[64];
    find_quota(reader, quota);
    const bool is_limited = quota[0] != '\0' && strncmp(quota, "max", 3) != 0;
    return environment_add_fact(
        reader, group, "cgroup_cpu_quota", is_limited ? FACT_WARNING : FACT_INFORMATION,
        is_limited ? "a normal task sleeps on when the quota is used up, which looks like latency: "
                     "lift cpu.max (cpu.cfs_quota_us); real-time tasks are not limited by it"
                   : NULL,
        "%s", quota[0] != '\0' ? quota : "none found");
}

/* What runs now competes with the workers, or shares their caches and power. */
static int add_load(struct environment_reader *reader)
{
    const char *text = environment_file(reader, "/proc/loadavg");
    unsigned whole = 0;
    unsigned hundredths = 0; /* not strtod(): a locale's decimal point may be another */
    if (text == NULL || sscanf(text, "%9u.%2u", &whole, &hundredths) != 2) {
        return environment_add_fact(reader, "load", "load_average", FACT_INFORMATION, NULL,
                                    ENVIRONMENT_NOT_READABLE);
    }
    const bool is_busy = whole > 0 || hundredths >= BUSY_LOAD_HUNDREDTHS;
    return environment_add_fact(
        reader, "load", "load_average", is_busy ? FACT_NOTICE : FACT_INFORMATION,
        is_busy ? "other tasks run (or ran within the last minute): wait until the machine is quiet, or "
                  "take the figures as those of a loaded machine"
                : NULL,
        "%.100s", text);
}

int environment_read_scheduling(struct environment_reader *reader)
{
    int error = add_throttling(reader);
    if (error == 0) {
        error = add_group_budget(reader);
    }
    if (error == 0) {
        error = add_setting(
            reader, "timer_migration", "/proc/sys/kernel/timer_migration", 0,
            "on idle and nohz_full CPUs the timer may fire on another CPU and wake this one by an "
            "inter-processor interrupt: sysctl kernel.timer_migration=0 keeps it local");
    }
    if (error == 0) {
        error = add_setting(reader, "numa_balancing", "/proc/sys/kernel/numa_balancing", 0,
                            "it unmaps and moves pages of running tasks (bound ones stay): sysctl "
                            "kernel.numa_balancing=0");
    }
    if (error == 0) {
        error = add_quota(reader);
    }
    return error != 0 ? error : add_load(reader);
}
