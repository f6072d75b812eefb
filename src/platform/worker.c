/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/worker.h"

#include "numasweep/evidence.h"
#include "numasweep/frame.h"
#include "worker_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

_Static_assert(FRAME_MAX_SIZE <= PIPE_BUF, "a frame is written whole");

enum { WORKER_EXIT_REPORTED_FAILURE = 1, WORKER_EXIT_ORPHAN = 2 };

/* After measuring, frames are gathered and written together, so that the coordinator is woken once. A
 * pipe holds 64 KiB: a write of this size waits for nobody. */
enum { GATHERED_BYTES = 8 * FRAME_MAX_SIZE };

struct report_pipe {
    int fd;
    uint32_t sequence;
    size_t size;
    unsigned char *gathered; /* NULL: each frame is written by itself */
};

static int write_whole(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return -errno;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

static void write_report(const struct report_pipe *pipe, const unsigned char *bytes, size_t size)
{
    const int error = write_whole(pipe->fd, bytes, size);
    if (error != 0) {
        /* The only way left to tell. */
        _exit(WORKER_EXIT_CANNOT_REPORT - error);
    }
}

static void flush_report(struct report_pipe *pipe)
{
    write_report(pipe, pipe->gathered, pipe->size);
    pipe->size = 0;
}

static void report_frame(struct report_pipe *pipe, enum frame_type type, const void *payload,
                         size_t size)
{
    unsigned char bytes[FRAME_MAX_SIZE];
    const size_t frame_size = frame_encode(type, pipe->sequence, payload, size, bytes);
    pipe->sequence++;
    if (pipe->gathered == NULL) {
        write_report(pipe, bytes, frame_size);
        return;
    }
    if (pipe->size + frame_size > GATHERED_BYTES) {
        flush_report(pipe);
    }
    memcpy(pipe->gathered + pipe->size, bytes, frame_size);
    pipe->size += frame_size;
}

static void report_items(struct report_pipe *pipe, enum frame_type type, const void *items, size_t count,
                         size_t item_size)
{
    const size_t items_per_frame = FRAME_MAX_PAYLOAD / item_size;
    const unsigned char *next = items;
    while (count > 0) {
        const size_t taken = count < items_per_frame ? count : items_per_frame;
        report_frame(pipe, type, next, taken * item_size);
        next += taken * item_size;
        count -= taken;
    }
}

_Noreturn static void report_failure(struct report_pipe *pipe, const struct failure *failure)
{
    report_frame(pipe, FRAME_FAILURE, failure, sizeof *failure);
    _exit(WORKER_EXIT_REPORTED_FAILURE);
}

/* Between fork() and prctl() the launcher may have died already. */
static void die_with_launcher(pid_t launcher)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != launcher) {
        _exit(WORKER_EXIT_ORPHAN);
    }
}

static void close_range_of(unsigned first, unsigned last)
{
    if (first <= last) {
        (void)close_range(first, last, 0);
    }
}

static void close_all_but(int report_fd, int gate_fd)
{
    const unsigned low = (unsigned)(report_fd < gate_fd ? report_fd : gate_fd);
    const unsigned high = (unsigned)(report_fd < gate_fd ? gate_fd : report_fd);
    close_range_of(STDERR_FILENO + 1, low - 1);
    close_range_of(low + 1, high - 1);
    close_range_of(high + 1, UINT_MAX);
}

/* Memory bound to a small node must not get another process killed. */
static void offer_to_be_killed_first(void)
{
    static const unsigned char highest[] = "1000";
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)write_whole(fd, highest, sizeof highest - 1);
        (void)close(fd);
    }
}

/* One byte is "go"; end of file says that nobody waits any more. */
static int wait_at_gate(int gate_fd, struct failure *failure)
{
    unsigned char go = 0;
    ssize_t size = -1;
    do {
        size = read(gate_fd, &go, sizeof go);
    } while (size < 0 && errno == EINTR);
    if (size < 0) {
        return failure_set(failure, "gate", errno, "the worker could not wait for its start: %s",
                           strerror(errno));
    }
    if (size == 0) {
        _exit(WORKER_EXIT_ORPHAN);
    }
    return 0;
}

static int prepare_kernel(struct worker *worker, struct failure *failure)
{
    worker->context = (struct kernel_context){
        .clock = worker->request->clock == SAMPLE_CLOCK_RAW ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC,
        .timeout_ns = worker->request->timeout_ns,
        .seed = worker->request->seed,
        .round = worker->request->round,
        .cpu = worker->request->cpu,
        .node = worker->request->node,
    };
    worker_read_clock_cost(worker);
    if (worker->kernel->prepare == NULL) {
        return 0;
    }
    return worker->kernel->prepare(&worker->context, failure);
}

/* A kernel that replays runs on machines that are not there: it has the placement that was asked for. */
static int place_replay(struct worker *worker, struct failure *failure)
{
    struct placement *placement = &worker->placement;
    placement->cpu_before = placement->cpu_after = worker->request->cpu;
    placement->mask_matches_before = placement->mask_matches_after = 1;
    placement->memory_is_bound = worker->request->node >= 0;
    const int error = worker_allocate(worker, failure);
    placement->pages_total = (int64_t)(worker->memory.region_size / worker->memory.page_size);
    placement->pages_on_node = placement->pages_total;
    return error;
}

static int place(struct worker *worker, struct failure *failure)
{
    if (worker->kernel->is_replay) {
        return place_replay(worker, failure);
    }
    int error = worker_check_binding(worker, failure);
    if (error == 0) {
        error = worker_pin(worker, failure);
    }
    if (error == 0) {
        error = worker_allocate(worker, failure);
    }
    if (error == 0) {
        error = worker_prove_memory(worker, failure);
    }
    return error;
}

static int get_ready(struct worker *worker, struct evidence *evidence, struct counter_set *before,
                     struct failure *failure)
{
    const char *eviction = worker->request->touch_lines > 0 ? touch_eviction_name() : "none";
    (void)snprintf(worker->placement.eviction, sizeof worker->placement.eviction, "%s", eviction);
    int error = place(worker, failure);
    if (error == 0) {
        error = worker_plan_sleeps(worker, failure);
    }
    if (error == 0) {
        error = prepare_kernel(worker, failure);
    }
    if (error == 0 && !worker->kernel->is_replay) {
        error = evidence_open(evidence, worker->cpus);
    }
    if (error == 0 && !worker->kernel->is_replay) {
        error = evidence_read(evidence, before);
    }
    if (error == 0) {
        error = worker_set_policy(worker, failure);
    }
    return error;
}

/* What preempts a worker while it gets ready or reports, at normal priority, is no disturbance. */
static int add_usage(const struct worker *worker, struct counter_set *counters)
{
    const struct rusage *before = &worker->usage_before;
    const struct rusage *after = &worker->usage_after;
    const struct counter own[] = {
        {.name = "voluntary_switches", .value = after->ru_nvcsw - before->ru_nvcsw},
        {.name = "involuntary_switches", .value = after->ru_nivcsw - before->ru_nivcsw},
        {.name = "minor_faults", .value = after->ru_minflt - before->ru_minflt},
        {.name = "major_faults", .value = after->ru_majflt - before->ru_majflt},
    };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        const int error = own[i].value != 0 ? counter_set_add(counters, own[i].name, own[i].value) : 0;
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static int read_back(struct worker *worker, struct evidence *evidence, const struct counter_set *before,
                     struct counter_set *difference, struct failure *failure)
{
    struct counter_set after = {0};
    int error = 0;

    worker->placement.migrations = -1;
    if (worker->kernel->is_replay) {
        return 0;
    }
    worker_read_mask_after(worker);
    error = evidence_read(evidence, &after);
    if (error == 0) {
        worker->placement.unknown |= evidence->unknown;
        error = counter_set_subtract(&after, before, difference);
    }
    if (error == 0) {
        const struct counter *migrations = counter_set_find(difference, "migrations");
        if (counter_set_find(&after, "migrations") != NULL &&
            counter_set_find(before, "migrations") != NULL) {
            worker->placement.migrations = migrations != NULL ? migrations->value : 0;
        }
        error = add_usage(worker, difference);
    }
    if (error == 0) {
        error = worker_prove_memory(worker, failure);
    }
    counter_set_destroy(&after);
    return error;
}

static void name_failure(struct failure *failure, int error)
{
    if (failure->text[0] == '\0') {
        (void)failure_set(failure, "worker", -error, "%s", strerror(-error));
    }
}

void worker_rehearse(void)
{
    struct evidence evidence = {0};
    struct counter_set counters = {0};
    struct id_list cpus = {0};
    char text[16];

    worker_rehearse_memory();
    (void)snprintf(text, sizeof text, "%d", 0);
    if (id_list_add(&cpus, 0) == 0 && evidence_open(&evidence, &cpus) == 0) {
        (void)evidence_read(&evidence, &counters);
    }
    counter_set_destroy(&counters);
    evidence_close(&evidence);
    id_list_destroy(&cpus);
}

/* What a worker was forked for. */
struct order {
    const struct visit_request *request;
    const struct id_list *cpus;
    int report_fd;
    int gate_fd;
    int bind_error;
};

_Noreturn static void __attribute__((noinline)) run_visit(const struct order *order)
{
    const struct visit_request *request = order->request;
    struct report_pipe pipe = {.fd = order->report_fd};
    struct failure failure = {0};
    struct evidence evidence = {0};
    struct counter_set before = {0};
    struct counter_set difference = {0};
    struct worker worker = {
        .request = request,
        .cpus = order->cpus,
        .kernel = measurement_kernel_find(request->kernel),
        .bind_error = order->bind_error,
        .memory.stack_top = (uintptr_t)__builtin_frame_address(0),
    };

    if (worker.kernel == NULL) {
        (void)failure_set(&failure, "kernel", EINVAL, "there is no kernel named \"%s\"",
                          request->kernel);
        report_failure(&pipe, &failure);
    }
    int error = get_ready(&worker, &evidence, &before, &failure);
    if (error == 0) {
        report_frame(&pipe, FRAME_HELLO, &worker.placement, sizeof worker.placement);
        error = wait_at_gate(order->gate_fd, &failure);
    }
    if (error == 0) {
        error = worker_measure(&worker, &failure);
    }
    if (error == 0) {
        error = worker_check_policy_after(&worker, &failure);
    }
    worker_return_to_normal();
    if (error == 0) {
        error = read_back(&worker, &evidence, &before, &difference, &failure);
    }
    if (error != 0) {
        name_failure(&failure, error);
        report_failure(&pipe, &failure);
    }
    pipe.gathered = malloc(GATHERED_BYTES);
    report_items(&pipe, FRAME_SAMPLES, worker.memory.samples + request->warmup_count,
                 (size_t)request->sample_count, sizeof(struct sample));
    report_items(&pipe, FRAME_COUNTERS, difference.items, difference.count, sizeof(struct counter));
    report_frame(&pipe, FRAME_SUMMARY, &worker.placement, sizeof worker.placement);
    if (pipe.gathered != NULL) {
        flush_report(&pipe);
    }
    _exit(EXIT_SUCCESS);
}

/* The loop's part of the stack has to lie in pages that were never written before the binding: moving a
 * page makes every CPU of the machine drain its page lists (lru_cache_disable() in Linux), which takes
 * as long as the longest real-time task on any of them. So the frames of run_visit() begin some pages
 * below all that was used until now. */
_Noreturn static void __attribute__((noinline)) run_on_fresh_stack(const struct order *order)
{
    enum { GAP_PAGES = 3 };
    const size_t gap_size = GAP_PAGES * (size_t)sysconf(_SC_PAGESIZE);
    volatile unsigned char *gap = __builtin_alloca(gap_size);
    gap[0] = 0;
    run_visit(order);
}

_Noreturn void worker_run(const struct visit_request *request, const struct id_list *cpus, int report_fd,
                          int gate_fd, pid_t launcher)
{
    const struct measurement_kernel *kernel = measurement_kernel_find(request->kernel);
    struct order order = {.request = request, .cpus = cpus, .report_fd = report_fd, .gate_fd = gate_fd};

    die_with_launcher(launcher);
    close_all_but(report_fd, gate_fd);
    offer_to_be_killed_first();
    worker_reset_inherited();
    /* The nodes of a kernel that replays need not be there. */
    if (kernel != NULL && !kernel->is_replay) {
        order.bind_error = worker_bind_memory(request->node);
    }
    run_on_fresh_stack(&order);
}
