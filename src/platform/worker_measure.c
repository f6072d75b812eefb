/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/random.h"
#include "numasweep/statistics.h"
#include "worker_parts.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

enum { CLOCK_COST_READS = 101, MOST_INTERRUPTIONS = 1000 };

int worker_plan_sleeps(struct worker *worker, struct failure *failure)
{
    const struct visit_request *request = worker->request;
    const int64_t spread_ns = request->timeout_ns * request->dither_percent / 100;
    struct random_stream *stream = random_stream_create(request->seed, RANDOM_DITHER,
                                                        (uint64_t)request->round, request->cell);
    if (stream == NULL) {
        return failure_set(failure, "allocate", ENOMEM, "no memory for random numbers");
    }
    for (size_t i = 0; i < worker->memory.sample_count; i++) {
        worker->memory.samples[i].requested_ns = spread_ns == 0
                                                     ? request->timeout_ns
                                                     : random_stream_between(
                                                           stream, request->timeout_ns - spread_ns,
                                                           request->timeout_ns + spread_ns);
    }
    worker->phase_ns = spread_ns == 0 ? 0 : random_stream_between(stream, 0, request->timeout_ns);
    random_stream_destroy(stream);
    return 0;
}

void worker_read_clock_cost(struct worker *worker)
{
    const clockid_t clock = worker->context.clock;
    int64_t costs_ns[CLOCK_COST_READS];
    struct timespec resolution = {0};

    for (size_t i = 0; i < CLOCK_COST_READS; i++) {
        const int64_t before_ns = kernel_clock_ns(clock);
        costs_ns[i] = kernel_clock_ns(clock) - before_ns;
    }
    samples_sort(costs_ns, CLOCK_COST_READS);
    worker->placement.clock_id = (int32_t)clock;
    worker->placement.clock_read_ns = quantile_nearest_rank(costs_ns, CLOCK_COST_READS, 0.5);
    if (clock_getres(clock, &resolution) == 0) {
        worker->placement.clock_resolution_ns = (int64_t)resolution.tv_sec * 1000000000 +
                                                resolution.tv_nsec;
    }
}

static void sleep_phase(struct worker *worker)
{
    const struct timespec phase = {
        .tv_sec = worker->phase_ns / 1000000000,
        .tv_nsec = worker->phase_ns % 1000000000,
    };
    if (worker->phase_ns == 0 || worker->kernel->is_replay) {
        return;
    }
    const int64_t start_ns = kernel_clock_ns(CLOCK_MONOTONIC);
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &phase, NULL);
    worker->placement.asleep_ns += kernel_clock_ns(CLOCK_MONOTONIC) - start_ns;
}

/* A wide row has many CPUs, a pinned one a single number. */
static inline bool is_on_row(const struct id_list *cpus, int cpu)
{
    return cpus->count == 1 ? cpu == cpus->ids[0] : id_list_contains(cpus, cpu);
}

static int take_reading(struct worker *worker, int64_t requested_ns, struct kernel_reading *reading)
{
    for (int attempt = 0; attempt < MOST_INTERRUPTIONS; attempt++) {
        const int error = worker->kernel->sample(&worker->context, requested_ns, reading);
        if (error != -EINTR) {
            return error;
        }
        worker->placement.interrupted_count++;
    }
    return -EINTR;
}

static int take_sample(struct worker *worker, struct sample *sample)
{
    const struct worker_memory *memory = &worker->memory;
    struct kernel_reading reading = {.touch_ns = -1};

    if (memory->lines != NULL) {
        touch_evict(memory);
    }
    const int cpu_before = sched_getcpu();
    const int error = take_reading(worker, sample->requested_ns, &reading);
    if (error != 0) {
        return error;
    }
    if (memory->lines != NULL && reading.touch_ns < 0) {
        touch_walk(memory->first_line, memory->line_count);
        reading.touch_ns = kernel_clock_ns(worker->context.clock) - reading.end_ns;
    }
    sample->cpu = (int32_t)sched_getcpu();
    sample->elapsed_ns = reading.end_ns - reading.start_ns;
    sample->touch_ns = memory->lines != NULL ? reading.touch_ns : -1;
    if (!worker->kernel->is_replay &&
        (!is_on_row(worker->cpus, cpu_before) || !is_on_row(worker->cpus, sample->cpu))) {
        sample->flags = SAMPLE_ELSEWHERE;
    }
    return 0;
}

static void count_samples(struct worker *worker)
{
    struct placement *placement = &worker->placement;
    for (size_t i = 0; i < worker->memory.sample_count; i++) {
        const struct sample *sample = &worker->memory.samples[i];
        placement->asleep_ns += sample->elapsed_ns + (sample->touch_ns > 0 ? sample->touch_ns : 0);
        if ((int64_t)i < worker->request->warmup_count) {
            continue;
        }
        placement->elsewhere_count += (sample->flags & SAMPLE_ELSEWHERE) != 0;
        placement->early_count += sample->elapsed_ns < sample->requested_ns;
    }
}

static void read_usage(struct worker *worker, struct rusage *usage)
{
    if (getrusage(RUSAGE_SELF, usage) != 0) {
        worker->placement.unknown |= UNKNOWN_SWITCHES;
    }
}

int worker_measure(struct worker *worker, struct failure *failure)
{
    struct placement *placement = &worker->placement;
    const clockid_t other_clock = worker->context.clock == CLOCK_MONOTONIC ? CLOCK_MONOTONIC_RAW
                                                                           : CLOCK_MONOTONIC;
    int error = 0;

    read_usage(worker, &worker->usage_before);
    sleep_phase(worker);
    placement->started_ns = kernel_clock_ns(CLOCK_MONOTONIC);
    const int64_t start_ns = kernel_clock_ns(worker->context.clock);
    const int64_t other_start_ns = kernel_clock_ns(other_clock);
    for (size_t i = 0; i < worker->memory.sample_count && error == 0; i++) {
        worker->context.sample_index = (int64_t)i - worker->request->warmup_count;
        error = take_sample(worker, &worker->memory.samples[i]);
    }
    const int64_t end_ns = kernel_clock_ns(worker->context.clock);
    const int64_t other_end_ns = kernel_clock_ns(other_clock);
    placement->finished_ns = kernel_clock_ns(CLOCK_MONOTONIC);
    read_usage(worker, &worker->usage_after);
    if (error != 0) {
        return failure_set(failure, "measure", -error, "kernel %s: %s", worker->kernel->name,
                           strerror(-error));
    }
    placement->clock_drift_ns = (other_end_ns - other_start_ns) - (end_ns - start_ns);
    count_samples(worker);
    return 0;
}
