/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/migration_measure.h"

#include "numasweep/hogs.h"
#include "numasweep/migration_trace.h"
#include "numasweep/signals.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    DRAIN_MS = 50,
    SAMPLE_MS = 20,
    WORKERS_PER_SAMPLE_MS = 4, /* so that looking takes a few per cent of one CPU at most */
    LONGEST_WAIT_MS = 1000
};

struct reading {
    int64_t migrations;
    int64_t run_ns;
    int cpu;
};

struct measuring {
    const struct migration_settings *settings;
    struct migration_run *run;
    struct hogs hogs;
    struct migration_trace trace;
    struct reading *before;
};

static int64_t now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int bind_workers(struct measuring *measuring)
{
    const struct migration_settings *settings = measuring->settings;
    int error = hogs_init(&measuring->hogs, measuring->run->worker_count);
    for (size_t i = 0; i < measuring->hogs.count && error == 0; i++) {
        measuring->hogs.list[i].group = measuring->run->workers[i].group;
        error = migration_worker_cpus(settings->topology, settings->cpus, &measuring->run->workers[i],
                                      &measuring->hogs.list[i].cpus);
    }
    return error;
}

static int choose_counter(struct measuring *measuring, struct failure *failure)
{
    const enum counter_choice choice = measuring->settings->options->counter;
    int64_t ignored = 0;
    const bool has_sched = hog_read_migrations(&measuring->hogs.list[0], false, &ignored);
    if (choice == COUNTER_SCHED && !has_sched) {
        return failure_set(failure, "migrations", EPERM,
                           "--counter: /proc/PID/sched tells no se.nr_migrations here (a kernel without "
                           "CONFIG_SCHED_DEBUG): leave the option out, or give perf");
    }
    measuring->run->counter = has_sched && choice != COUNTER_PERF ? MIGRATION_COUNTER_SCHED
                                                                  : MIGRATION_COUNTER_PERF;
    return measuring->run->counter == MIGRATION_COUNTER_PERF
               ? hogs_open_counters(&measuring->hogs, failure)
               : 0;
}

/* A move may be made by a CPU that none of the workers runs on. */
static int open_trace(struct measuring *measuring, struct failure *failure)
{
    const struct topology *topology = measuring->settings->topology;
    struct id_list cpus = {0};
    int error = 0;
    for (size_t i = 0; i < topology->cpu_count && error == 0; i++) {
        if (topology->cpus[i].state != CPU_OFFLINE) {
            error = id_list_add(&cpus, topology->cpus[i].cpu);
        }
    }
    if (error == 0) {
        error = migration_trace_open(&measuring->trace, &cpus, failure);
    }
    id_list_destroy(&cpus);
    return error;
}

static int choose_crossing(struct measuring *measuring, struct failure *failure)
{
    const enum crossing_choice choice = measuring->settings->options->crossings;
    struct migration_run *run = measuring->run;
    run->crossing = run->node_count == 1 ? MIGRATION_CROSSING_ONE_NODE : MIGRATION_CROSSING_SAMPLES;
    if (choice == CROSSINGS_SAMPLES || (choice == CROSSINGS_AUTO && run->node_count == 1)) {
        return 0;
    }
    const int error = open_trace(measuring, choice == CROSSINGS_AUTO ? NULL : failure);
    if (error == 0) {
        run->crossing = MIGRATION_CROSSING_TRACEPOINT;
    }
    return choice == CROSSINGS_AUTO ? 0 : error;
}

static int fail_worker(size_t worker, struct failure *failure)
{
    return failure_set(failure, "migrations", ECHILD,
                       "busy worker %zu died, or what it did can no longer be read", worker + 1);
}

static int read_worker(struct measuring *measuring, size_t worker, struct reading *reading,
                       struct failure *failure)
{
    const struct hog *hog = &measuring->hogs.list[worker];
    const bool from_counter = measuring->run->counter == MIGRATION_COUNTER_PERF;
    if (!hog_read_migrations(hog, from_counter, &reading->migrations) ||
        !hog_read_cpu(hog, &reading->cpu)) {
        return fail_worker(worker, failure);
    }
    if (!hog_read_run_time(hog, &reading->run_ns)) {
        reading->run_ns = 0;
    }
    return 0;
}

static int read_before(struct measuring *measuring, struct failure *failure)
{
    int error = 0;
    measuring->before = calloc(measuring->hogs.count + 1, sizeof *measuring->before);
    if (measuring->before == NULL) {
        return failure_set(failure, "migrations", ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < measuring->hogs.count && error == 0; i++) {
        error = read_worker(measuring, i, &measuring->before[i], failure);
    }
    return error;
}

static void take_move(pid_t pid, int from_cpu, int to_cpu, void *context)
{
    struct measuring *measuring = context;
    for (size_t i = 0; i < measuring->hogs.count; i++) {
        if (measuring->hogs.list[i].pid == pid) {
            migration_run_take_move(measuring->settings->topology, measuring->run, i, from_cpu, to_cpu);
            return;
        }
    }
}

static int sample_cpus(struct measuring *measuring, struct failure *failure)
{
    for (size_t i = 0; i < measuring->hogs.count; i++) {
        int cpu = 0;
        if (!hog_read_cpu(&measuring->hogs.list[i], &cpu)) {
            return fail_worker(i, failure);
        }
        migration_run_take_move(measuring->settings->topology, measuring->run, i,
                                measuring->before[i].cpu, cpu);
        measuring->before[i].cpu = cpu;
    }
    return 0;
}

static int look(struct measuring *measuring, struct failure *failure)
{
    switch (measuring->run->crossing) {
    case MIGRATION_CROSSING_TRACEPOINT:
        migration_trace_drain(&measuring->trace, take_move, measuring);
        return 0;
    case MIGRATION_CROSSING_SAMPLES:
        return sample_cpus(measuring, failure);
    default:
        return 0;
    }
}

static int wait_between_looks_ms(const struct measuring *measuring)
{
    switch (measuring->run->crossing) {
    case MIGRATION_CROSSING_TRACEPOINT:
        return DRAIN_MS;
    case MIGRATION_CROSSING_SAMPLES:
        return SAMPLE_MS + (int)(measuring->hogs.count / WORKERS_PER_SAMPLE_MS);
    default:
        return LONGEST_WAIT_MS;
    }
}

static int let_run(struct measuring *measuring, struct failure *failure)
{
    const int64_t start_ns = now_ns();
    const int64_t end_ns = start_ns + measuring->settings->options->duration_ns;
    const int longest_ms = wait_between_looks_ms(measuring);
    int error = hogs_go(&measuring->hogs, failure);
    for (int64_t now = start_ns; now < end_ns && error == 0; now = now_ns()) {
        const int64_t left_ms = (end_ns - now) / 1000000 + 1;
        (void)poll(NULL, 0, left_ms < longest_ms ? (int)left_ms : longest_ms);
        error = signals_pending() != 0 ? -EINTR : look(measuring, failure);
    }
    measuring->run->duration_ns = now_ns() - start_ns;
    return error;
}

static int read_after(struct measuring *measuring, struct failure *failure)
{
    struct migration_run *run = measuring->run;
    for (size_t i = 0; i < run->worker_count; i++) {
        struct reading after = {0};
        const int error = read_worker(measuring, i, &after, failure);
        if (error != 0) {
            return error;
        }
        run->workers[i].migrations = after.migrations - measuring->before[i].migrations;
        run->workers[i].cpu_ns = after.run_ns - measuring->before[i].run_ns;
        if (!hog_is_pinned(&measuring->hogs.list[i]) && run->breach[0] == '\0') {
            (void)snprintf(run->breach, sizeof run->breach,
                           "the CPU mask of worker %zu was changed from outside", i + 1);
        }
    }
    if (run->is_limited &&
        !bandwidth_read(&measuring->hogs.bandwidth, &run->throttled, &run->throttled_ns)) {
        run->throttled = MIGRATION_NONE;
        run->throttled_ns = MIGRATION_NONE;
    }
    return 0;
}

static int start(struct measuring *measuring, struct failure *failure)
{
    const struct options *options = measuring->settings->options;
    const struct bandwidth_limit limit = {
        .quota_ns = options->quota_ns,
        .period_ns = options->period_ns,
        .group_count = (size_t)options->groups,
    };
    int error = bind_workers(measuring);
    if (error != 0) {
        return failure_set(failure, "migrations", -error, "%s", strerror(-error));
    }
    error = hogs_start(&measuring->hogs, measuring->run->is_limited ? &limit : NULL, failure);
    if (error == 0) {
        error = choose_counter(measuring, failure);
    }
    if (error == 0) {
        error = choose_crossing(measuring, failure);
    }
    return error;
}

int migration_measure(const struct migration_settings *settings, enum migration_pin pin, bool is_limited,
                      int64_t number, struct migration_run *run, struct failure *failure)
{
    const struct options *options = settings->options;
    struct measuring measuring = {.settings = settings, .run = run};
    *run = (struct migration_run){.run = number};
    int error = migration_run_plan(settings->topology, settings->cpus, options->hogs_per_cpu,
                                   is_limited ? options->groups : 0, pin, run);
    if (error != 0) {
        return failure_set(failure, "migrations", -error, "out of memory");
    }
    error = start(&measuring, failure);
    if (error == 0) {
        error = read_before(&measuring, failure);
    }
    if (error == 0) {
        error = let_run(&measuring, failure);
    }
    if (error == 0) {
        error = read_after(&measuring, failure);
    }
    if (error == 0) {
        error = look(&measuring, failure);
        run->lost_records = measuring.trace.lost;
        migration_run_settle(run);
        migration_run_judge(run);
    }
    const int stop_error = hogs_stop(&measuring.hogs, error == 0 ? failure : NULL);
    error = error != 0 ? error : stop_error;
    migration_trace_close(&measuring.trace);
    hogs_destroy(&measuring.hogs);
    free(measuring.before);
    return error;
}
