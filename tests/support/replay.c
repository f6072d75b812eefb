/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The replay kernel: takes no time and needs no placement, so that coordinator, pipes, table and files
 * run end to end without root, NUMA or real time, on any machine's topology. Linked into
 * numasweep-replay only.
 *
 * Its figures follow from seed, CPU, node, round and sample alone. NUMASWEEP_REPLAY names what shall go
 * wrong, as words separated by commas, each WHAT:CPU (on any node, in any round) or WHAT:CPU:ROUND
 * (rounds from 0): slow, early, refuse, unready, error, crash, abort, exit, kill, stop, hang, garbage,
 * flood, cut, silent.
 */
#include "numasweep/kernel.h"
#include "numasweep/random.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BASE_OVERSHOOT_NS = 8000,
    SPREAD_NS = 2000,
    SLOW_NS = 100000,
    LOCAL_TOUCH_NS = 6400,
    REMOTE_TOUCH_NS = 9600,
    CPUS_PER_NODE = 8, /* of the 128-CPU machine: CPUs n and n + 64 in node n / 8 */
    MISBEHAVING_SAMPLE = 3,
    EARLY_SAMPLE = 5,
    HIGHEST_DESCRIPTOR = 1024
};

static bool is_planned(const struct kernel_context *context, const char *what)
{
    const char *plan = getenv("NUMASWEEP_REPLAY");
    char always[64];
    char once[64];
    (void)snprintf(always, sizeof always, "%s:%d", what, context->cpu);
    (void)snprintf(once, sizeof once, "%s:%d:%lld", what, context->cpu, (long long)context->round);
    while (plan != NULL && *plan != '\0') {
        const size_t length = strcspn(plan, ",");
        if ((strlen(always) == length && strncmp(plan, always, length) == 0) ||
            (strlen(once) == length && strncmp(plan, once, length) == 0)) {
            return true;
        }
        plan += length + (plan[length] == ',');
    }
    return false;
}

/* The worker has two pipes; the one that can be written is its report. */
static int find_report_pipe(void)
{
    for (int fd = STDERR_FILENO + 1; fd < HIGHEST_DESCRIPTOR; fd++) {
        struct stat status;
        if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) &&
            (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY) {
            return fd;
        }
    }
    return -1;
}

static void write_garbage(size_t size)
{
    char bytes[512];
    const int fd = find_report_pipe();
    memset(bytes, 'x', sizeof bytes);
    while (size > 0) {
        const size_t part = size < sizeof bytes ? size : sizeof bytes;
        if (write(fd, bytes, part) < 0) {
            return;
        }
        size -= part;
    }
}

static void write_half_a_header(void)
{
    static const unsigned char half[] = {0x46, 0x57, 0x53, 0x4E, 2, 0, 0};
    (void)!write(find_report_pipe(), half, sizeof half);
}

static int misbehave(const struct kernel_context *context)
{
    if (is_planned(context, "crash")) {
        (void)raise(SIGSEGV);
    }
    if (is_planned(context, "abort")) {
        abort();
    }
    if (is_planned(context, "exit")) {
        _exit(7);
    }
    if (is_planned(context, "kill")) {
        (void)raise(SIGKILL);
    }
    if (is_planned(context, "stop")) {
        (void)raise(SIGSTOP);
    }
    if (is_planned(context, "garbage")) {
        write_garbage(100);
        (void)pause();
    }
    if (is_planned(context, "flood")) {
        write_garbage((size_t)1 << 24);
    }
    if (is_planned(context, "cut")) {
        write_half_a_header();
        _exit(0);
    }
    if (is_planned(context, "silent")) {
        _exit(0);
    }
    while (is_planned(context, "hang")) {
        (void)pause();
    }
    return is_planned(context, "error") ? -EIO : 0;
}

static int prepare_replay(struct kernel_context *context, struct failure *failure)
{
    if (is_planned(context, "refuse")) {
        return failure_set(failure, "prepare", EPERM, "refused on purpose");
    }
    while (is_planned(context, "unready")) {
        (void)pause();
    }
    context->state = random_stream_create(context->seed, RANDOM_REPLAY, (uint64_t)context->round,
                                          (uint64_t)context->cpu * 4096 + (uint64_t)(context->node + 1));
    return context->state == NULL ? -ENOMEM : 0;
}

static int sample_replay(struct kernel_context *context, int64_t requested_ns,
                         struct kernel_reading *reading)
{
    struct random_stream *stream = context->state;
    const int own_node = context->cpu / CPUS_PER_NODE % CPUS_PER_NODE;
    int64_t overshoot_ns = BASE_OVERSHOOT_NS + random_stream_between(stream, 0, SPREAD_NS);

    if (context->sample_index == MISBEHAVING_SAMPLE) {
        const int error = misbehave(context);
        if (error != 0) {
            return error;
        }
    }
    if (is_planned(context, "slow")) {
        overshoot_ns += SLOW_NS;
    }
    if (context->sample_index == EARLY_SAMPLE && is_planned(context, "early")) {
        overshoot_ns = -500;
    }
    reading->start_ns = 1000000;
    reading->end_ns = reading->start_ns + requested_ns + overshoot_ns;
    reading->touch_ns = (context->node == own_node || context->node < 0 ? LOCAL_TOUCH_NS
                                                                        : REMOTE_TOUCH_NS) +
                        random_stream_between(stream, 0, SPREAD_NS / 10);
    return 0;
}

static void finish_replay(struct kernel_context *context)
{
    random_stream_destroy(context->state);
    context->state = NULL;
}

const struct measurement_kernel kernel_replay = {
    .name = "replay",
    .summary = "figures made from the seed: for tests",
    .column_meaning = "memory node",
    .is_replay = true,
    .prepare = prepare_replay,
    .sample = sample_replay,
    .finish = finish_replay,
};
