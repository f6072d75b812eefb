/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/load_run.h"

#include "numasweep/load.h"
#include "numasweep/saturated.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct load load_of_arm(const struct plan *plan, size_t arm)
{
    struct load load = {.kind = LOAD_NONE};
    (void)load_parse(plan->arms[arm].load, &load, NULL);
    return load;
}

/* The most that any arm ever has on the CPU. */
static int64_t most_on_cpu(const struct sweep *sweep, int cpu)
{
    const struct plan *plan = &sweep->plan;
    int64_t most = 0;
    for (size_t arm = 0; arm < plan->arm_count; arm++) {
        const struct load load = load_of_arm(plan, arm);
        for (size_t row = 0; row < plan->row_count; row++) {
            const int64_t count = plan->rows[row].state == ROW_PLANNED
                                      ? load_on_cpu(&load, &sweep->topology, &plan->rows[row].cpus, cpu)
                                      : 0;
            most = count > most ? count : most;
        }
    }
    return most;
}

static size_t count_workers(const struct sweep *sweep)
{
    size_t count = 0;
    for (size_t i = 0; i < sweep->topology.cpu_count; i++) {
        count += (size_t)most_on_cpu(sweep, sweep->topology.cpus[i].cpu);
    }
    return count;
}

static int bind_workers(struct load_run *run)
{
    const struct topology *topology = &run->sweep->topology;
    size_t position = 0;
    int error = 0;
    for (size_t i = 0; i < topology->cpu_count && error == 0; i++) {
        const int64_t count = most_on_cpu(run->sweep, topology->cpus[i].cpu);
        for (int64_t k = 0; k < count && error == 0; k++) {
            run->workers[position] = (struct load_worker){.cpu = topology->cpus[i].cpu, .number = k};
            error = id_list_add(&run->hogs.list[position].cpus, topology->cpus[i].cpu);
            position++;
        }
    }
    return error;
}

static void set_running(struct load_run *run, size_t worker, bool is_running)
{
    if (run->workers[worker].is_running != is_running) {
        (void)kill(run->hogs.list[worker].pid, is_running ? SIGCONT : SIGSTOP);
        run->workers[worker].is_running = is_running;
    }
}

int load_run_start(struct load_run *run, struct sweep *sweep, struct failure *failure)
{
    const size_t count = count_workers(sweep);
    *run = (struct load_run){.sweep = sweep};
    if (count == 0) {
        return 0;
    }
    run->workers = calloc(count, sizeof *run->workers);
    int error = run->workers == NULL ? -ENOMEM : hogs_init(&run->hogs, count);
    if (error == 0) {
        error = bind_workers(run);
    }
    if (error != 0) {
        load_run_stop(run);
        return failure_set(failure, "load", -error, "--load: %s", strerror(-error));
    }
    error = hogs_start(&run->hogs, NULL, failure);
    if (error == 0) {
        error = hogs_go(&run->hogs, failure);
    }
    for (size_t i = 0; i < count && error == 0; i++) {
        run->workers[i].is_running = true;
        set_running(run, i, false);
    }
    sweep->load_workers = (int64_t)count;
    if (error != 0) {
        load_run_stop(run);
    }
    return error;
}

int load_run_begin(struct load_run *run, size_t arm, const struct id_list *measured,
                   struct failure *failure)
{
    const struct load load = load_of_arm(&run->sweep->plan, arm);
    for (size_t i = 0; i < run->hogs.count; i++) {
        struct load_worker *worker = &run->workers[i];
        const int64_t wanted = load_on_cpu(&load, &run->sweep->topology, measured, worker->cpu);
        set_running(run, i, worker->number < wanted);
        if (worker->is_running && !hog_read_run_time(&run->hogs.list[i], &worker->run_before_ns)) {
            return failure_set(failure, "load", ECHILD, "the busy worker of CPU %d has died",
                               worker->cpu);
        }
    }
    run->started_ns = now_ns();
    return 0;
}

int load_run_end(struct load_run *run, struct failure *failure)
{
    struct sweep *sweep = run->sweep;
    const int64_t wall_ns = now_ns() - run->started_ns;
    for (size_t i = 0; i < run->hogs.count; i++) {
        const struct load_worker *worker = &run->workers[i];
        int64_t run_ns = 0;
        int cpu = 0;
        if (!worker->is_running) {
            continue;
        }
        if (!hog_read_cpu(&run->hogs.list[i], &cpu) || !hog_read_run_time(&run->hogs.list[i], &run_ns)) {
            return failure_set(failure, "load", ECHILD, "the busy worker of CPU %d has died",
                               worker->cpu);
        }
        sweep->load_cpu_ns = saturated_add(sweep->load_cpu_ns, run_ns - worker->run_before_ns);
        /* The CPUs' time, not the workers': several of one CPU share it. */
        sweep->load_wall_ns = saturated_add(sweep->load_wall_ns, worker->number == 0 ? wall_ns : 0);
    }
    return 0;
}

void load_run_stop(struct load_run *run)
{
    hogs_destroy(&run->hogs);
    free(run->workers);
    run->workers = NULL;
}
