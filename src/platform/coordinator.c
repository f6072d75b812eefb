/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/coordinator.h"

#include "coordinator_batch.h"
#include "numasweep/affinity.h"
#include "numasweep/kernel.h"
#include "numasweep/saturated.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    DESCRIPTORS_KEPT = 64, /* of RLIMIT_NOFILE, for everything but workers */
    DESCRIPTORS_PER_WORKER = 2,
    MOST_FRUITLESS_VISITS = 3, /* of one row, ended by their deadline, before it is given up */
    MOST_LAUNCHER_DEATHS = 5   /* in a row, without a visit measured between them */
};

struct run {
    struct sweep *sweep;
    struct launcher *launcher;
    const struct coordinator_callbacks *callbacks;
    uint64_t last_visit;
    size_t visits_done;
    size_t visits_total;
    int64_t started_ns;
    int64_t launcher_cpu_ns; /* of launchers that were replaced */
    int launcher_deaths;
    int *fruitless_visits;  /* by row */
    struct visit *finished; /* measured, to be handed on while the next worker gets ready */
    size_t finished_count;
    size_t finished_capacity;
    struct batch previous; /* its workers have reported; some may not have gone yet */
    struct id_list busy;
    struct id_list own_cpus; /* where the coordinator sits now */
    int coordinator_quality;
};

static int64_t clock_now_ns(void)
{
    return kernel_clock_ns(CLOCK_MONOTONIC);
}

static int64_t own_cpu_ns(void)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
           ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* Big machines need more descriptors than the usual soft limit; returns how many workers fit. */
static size_t raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 1;
    }
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        (void)getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur <= DESCRIPTORS_KEPT + DESCRIPTORS_PER_WORKER) {
        return 1;
    }
    return (size_t)(limit.rlim_cur - DESCRIPTORS_KEPT) / DESCRIPTORS_PER_WORKER;
}

void coordinator_fill_request(const struct sweep *sweep, size_t cell_index, int64_t round,
                              struct visit_request *request)
{
    const struct plan *plan = &sweep->plan;
    const struct plan_cell *cell = &plan->cells[cell_index];
    const struct plan_arm *arm = &plan->arms[cell->arm];
    const struct plan_row *row = &plan->rows[cell->row];

    *request = (struct visit_request){
        .round = round,
        .cell = cell_index,
        .seed = plan->seed,
        .timeout_ns = plan->timeouts_ns[cell->timeout],
        .sample_count = arm->sample_count,
        .warmup_count = arm->warmup_count,
        .dither_percent = arm->dither_percent,
        .touch_lines = arm->touch_lines,
        .timer_slack_ns = arm->timer_slack_ns,
        .node = plan->columns[cell->column].node,
        .node_is_required = sweep->options.nodes_is_explicit,
        .clock = (int32_t)arm->clock,
        .policy = (int32_t)arm->policy,
        .policy_is_required = arm->policy_is_required,
        .priority = (int32_t)arm->priority,
        .cpu = row->cpu,
    };
    (void)snprintf(request->kernel, sizeof request->kernel, "%s", arm->kernel);
}

/* The coordinator moves away from what is about to be measured. */
static int move_away(struct run *run)
{
    struct id_list cpus = {0};
    int error = plan_coordinator_cpus(&run->sweep->plan, &run->sweep->topology, &run->busy, &cpus,
                                      &run->coordinator_quality);
    /* A CPU that went offline since is no reason to stop: then it stays where it is. */
    if (error == 0 && cpus.count > 0 && !id_list_equal(&cpus, &run->own_cpus) &&
        affinity_set(&cpus) == 0) {
        error = id_list_copy(&run->own_cpus, &cpus);
    }
    id_list_destroy(&cpus);
    return error;
}

static size_t row_of(const struct run *run, const struct visit *visit)
{
    return run->sweep->plan.cells[visit->cell].row;
}

static int hand_visit_on(struct run *run, struct visit *visit, struct failure *failure)
{
    const int error = run->callbacks->take_visit(visit, run->callbacks->context, failure);
    if (error != 0) {
        visit_destroy(visit);
    }
    return error;
}

/* Saving a visit takes as long as forking the next worker: it is done meanwhile, before that one's gate
 * opens. */
static int flush_visits(struct run *run, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < run->finished_count; i++) {
        if (error == 0) {
            error = hand_visit_on(run, &run->finished[i], failure);
        } else {
            visit_destroy(&run->finished[i]);
        }
    }
    run->finished_count = 0;
    return error;
}

static int keep_visit(struct run *run, const struct visit *visit)
{
    if (run->finished_count == run->finished_capacity) {
        const size_t capacity = run->finished_capacity == 0 ? 8 : 2 * run->finished_capacity;
        struct visit *finished = realloc(run->finished, capacity * sizeof *finished);
        if (finished == NULL) {
            return -ENOMEM;
        }
        run->finished = finished;
        run->finished_capacity = capacity;
    }
    run->finished[run->finished_count] = *visit;
    run->finished_count++;
    return 0;
}

static int take_worker(struct batch_worker *worker, void *context, struct failure *failure)
{
    struct run *run = context;
    struct visit visit;

    batch_worker_finish(worker, &visit);
    if (strcmp(visit.failure.stage, "stopped") == 0) {
        visit_destroy(&visit);
        return 0;
    }
    if (visit.outcome == VISIT_MEASURED) {
        visit.placement.coordinator_distance = run->coordinator_quality;
        run->sweep->asleep_ns = saturated_add(run->sweep->asleep_ns, visit.placement.asleep_ns);
        run->fruitless_visits[row_of(run, &visit)] = 0;
        run->launcher_deaths = 0;
    } else if (strcmp(visit.failure.stage, "deadline") == 0) {
        run->fruitless_visits[row_of(run, &visit)]++;
    }
    run->visits_done++;
    if (keep_visit(run, &visit) != 0) {
        visit_destroy(&visit);
        return failure_set(failure, "coordinator", ENOMEM, "no memory for a visit");
    }
    return 0;
}

/* A row whose CPU gives nothing would cost its deadline in every round for every node. */
static int give_up_visit(struct run *run, size_t cell, int64_t round, struct failure *failure)
{
    struct visit visit = {.outcome = VISIT_FAILED, .round = round, .cell = cell};
    (void)failure_set(&visit.failure, "given up", 0,
                      "not tried again, since %d visits of this row in a row gave no result in time",
                      MOST_FRUITLESS_VISITS);
    run->visits_done++;
    return hand_visit_on(run, &visit, failure);
}

/* Hands the visits of rows that were given up on as failed; returns how many cells are left, in front.
 */
static int drop_given_up(struct run *run, size_t *cells, size_t *count, int64_t round,
                         struct failure *failure)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        const size_t row = run->sweep->plan.cells[cells[i]].row;
        if (run->fruitless_visits[row] < MOST_FRUITLESS_VISITS) {
            cells[kept] = cells[i];
            kept++;
            continue;
        }
        const int error = give_up_visit(run, cells[i], round, failure);
        if (error != 0) {
            return error;
        }
    }
    *count = kept;
    return 0;
}

static int replace_launcher(struct run *run, int error, struct failure *failure)
{
    run->launcher_deaths++;
    if (run->launcher_deaths > MOST_LAUNCHER_DEATHS) {
        return failure_set(failure, "launcher", error != 0 ? error : ECHILD,
                           error != 0
                               ? "the process that forks the workers failed %d times in a row: %s"
                               : "the process that forks the workers was killed %d times in a row",
                           run->launcher_deaths, strerror(error));
    }
    run->launcher_cpu_ns += launcher_stop(run->launcher);
    return launcher_start(run->launcher, failure);
}

/* All that would delay the next measurement is done while the workers get ready, before their gates
 * open. */
static int work_meanwhile(void *context, struct failure *failure)
{
    struct run *run = context;
    const int error = move_away(run);
    return error != 0 ? failure_set(failure, "coordinator", -error, "moving away: %s", strerror(-error))
                      : flush_visits(run, failure);
}

static int fill_batch(struct run *run, struct batch *batch, const size_t *cells, int64_t round)
{
    const struct plan *plan = &run->sweep->plan;
    int error = batch_pass_on_ending(&run->previous, batch);
    batch_destroy(&run->previous);
    id_list_destroy(&run->busy);
    for (size_t i = 0; i < batch->count && error == 0; i++) {
        struct batch_worker *worker = &batch->workers[i];
        coordinator_fill_request(run->sweep, cells[i], round, &worker->request);
        run->last_visit++;
        worker->request.visit = run->last_visit;
        worker->cpus = &plan->rows[plan->cells[cells[i]].row].cpus;
        error = id_list_union(&run->busy, worker->cpus);
    }
    return error;
}

static int measure_cells(struct run *run, const size_t *cells, size_t count, int64_t round,
                         struct failure *failure)
{
    struct batch batch = {0};
    int error = batch_create(&batch, count);
    if (error == 0) {
        error = fill_batch(run, &batch, cells, round);
    }
    if (error != 0) {
        batch_destroy(&batch);
        return failure_set(failure, "coordinator", -error, "a batch of %zu workers: %s", count,
                           strerror(-error));
    }
    if (run->callbacks->begin_batch != NULL) {
        error = run->callbacks->begin_batch(run->sweep->plan.cells[cells[0]].arm, &run->busy,
                                            run->callbacks->context, failure);
    }
    if (error != 0) {
        batch_destroy(&batch);
        return error;
    }
    error = batch_run(&batch, run->launcher, &run->sweep->plan.coordinator_cpus, run->callbacks,
                      work_meanwhile, take_worker, run, failure);
    if (error == 0 && batch.is_launcher_gone) {
        error = replace_launcher(run, batch.launcher_error, failure);
    }
    run->previous = batch;
    if (error == 0 && run->callbacks->end_batch != NULL) {
        error = run->callbacks->end_batch(run->callbacks->context, failure);
    }
    return error;
}

static void show_progress(struct run *run)
{
    if (run->callbacks->show_progress == NULL) {
        return;
    }
    const int64_t elapsed_ns = clock_now_ns() - run->started_ns;
    const struct coordinator_progress progress = {
        .visits_done = run->visits_done,
        .visits_total = run->visits_total,
        .elapsed_ns = elapsed_ns,
        .remaining_ns = run->visits_done == 0
                            ? -1
                            : (int64_t)((double)elapsed_ns / (double)run->visits_done *
                                        (double)(run->visits_total - run->visits_done)),
        .busy = &run->busy,
    };
    run->callbacks->show_progress(&progress, run->callbacks->context);
}

static bool is_stopped(struct run *run)
{
    run->sweep->stop_signal = run->callbacks->stop_signal == NULL
                                  ? 0
                                  : run->callbacks->stop_signal(run->callbacks->context);
    return run->sweep->stop_signal != 0;
}

static int run_round(struct run *run, int64_t round, size_t *order, size_t most_workers,
                     struct failure *failure)
{
    const struct plan *plan = &run->sweep->plan;
    int error = plan_round_order(plan, round, order);
    if (error != 0) {
        return failure_set(failure, "plan", -error, "the order of round %lld: %s", (long long)round + 1,
                           strerror(-error));
    }
    size_t start = 0;
    while (start < plan->cell_count && error == 0 && !is_stopped(run)) {
        size_t batch_size = plan_next_batch(plan, &run->sweep->topology, order, plan->cell_count, start);
        if (batch_size > most_workers) {
            batch_size = most_workers;
        }
        size_t left = batch_size;
        error = drop_given_up(run, order + start, &left, round, failure);
        if (error == 0 && left > 0) {
            error = measure_cells(run, order + start, left, round, failure);
        }
        start += batch_size;
        show_progress(run);
    }
    return error;
}

int coordinator_run(struct sweep *sweep, struct launcher *launcher,
                    const struct coordinator_callbacks *callbacks, struct failure *failure)
{
    const struct plan *plan = &sweep->plan;
    const int64_t cpu_before_ns = own_cpu_ns();
    struct id_list original_cpus = {0};
    struct run run = {
        .sweep = sweep,
        .launcher = launcher,
        .callbacks = callbacks,
        .visits_total = plan->cell_count * (size_t)plan->round_count,
        .started_ns = clock_now_ns(),
    };
    size_t *order = calloc(plan->cell_count + 1, sizeof *order);
    int error = -ENOMEM;

    run.fruitless_visits = calloc(plan->row_count + 1, sizeof *run.fruitless_visits);
    if (order == NULL || run.fruitless_visits == NULL) {
        (void)failure_set(failure, "coordinator", ENOMEM, "no memory for %zu cells", plan->cell_count);
        goto clean_up;
    }
    const bool knows_original = affinity_get(&original_cpus) == 0;
    const size_t most_workers = raise_descriptor_limit();
    error = 0;
    for (int64_t round = 0; round < plan->round_count && error == 0 && !is_stopped(&run); round++) {
        error = run_round(&run, round, order, most_workers, failure);
    }
    struct failure flush_failure = {0};
    const int flush_error = flush_visits(&run, &flush_failure);
    if (error == 0 && flush_error != 0) {
        error = flush_error;
        if (failure != NULL) {
            *failure = flush_failure;
        }
    }
    if (knows_original) {
        (void)affinity_set(&original_cpus);
    }
    sweep->wall_ns = clock_now_ns() - run.started_ns;
    const int64_t cpu_after_ns = own_cpu_ns();
    /* What cannot be read is 0, not a negative time that no reader of the result file would take. */
    const int64_t own_ns = cpu_after_ns > cpu_before_ns ? cpu_after_ns - cpu_before_ns : 0;
    sweep->coordinator_cpu_ns = own_ns + run.launcher_cpu_ns;
    sweep->has_ended = error == 0 && sweep->stop_signal == 0;
clean_up:
    id_list_destroy(&original_cpus);
    id_list_destroy(&run.busy);
    id_list_destroy(&run.own_cpus);
    free(run.fruitless_visits);
    free(run.finished);
    batch_destroy(&run.previous);
    free(order);
    return error;
}
