/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coordinator_worker.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    /* poll() looks up at least this often, for a signal that came just before it. */
    LONGEST_POLL_MS = 500
};

int batch_create(struct batch *batch, size_t count)
{
    *batch = (struct batch){
        .workers = calloc(count, sizeof *batch->workers),
        .polled = calloc(count + 1, sizeof *batch->polled),
        .count = count,
    };
    if (batch->workers == NULL || batch->polled == NULL) {
        batch_destroy(batch);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        batch->workers[i].report_fd = -1;
        batch->workers[i].gate_fd = -1;
    }
    return 0;
}

int batch_pass_on_ending(struct batch *batch, struct batch *next)
{
    const size_t most = batch->count + batch->ending_count;
    next->ending_fds = calloc(most + 1, sizeof *next->ending_fds);
    struct pollfd *polled = calloc(next->count + most + 1, sizeof *polled);
    if (next->ending_fds == NULL || polled == NULL) {
        free(polled);
        return -ENOMEM;
    }
    free(next->polled);
    next->polled = polled;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->workers[i].report_fd >= 0) {
            next->ending_fds[next->ending_count] = batch->workers[i].report_fd;
            next->ending_count++;
            batch->workers[i].report_fd = -1;
        }
    }
    next->ending_deadline_ns = batch_now_ns() + batch_end_allowance_ns;
    return 0;
}

void batch_destroy(struct batch *batch)
{
    for (size_t i = 0; batch->workers != NULL && i < batch->count; i++) {
        batch_close_fd(&batch->workers[i].report_fd);
        batch_close_fd(&batch->workers[i].gate_fd);
        visit_builder_destroy(&batch->workers[i].builder);
    }
    for (size_t i = 0; i < batch->ending_count; i++) {
        batch_close_fd(&batch->ending_fds[i]);
    }
    free(batch->ending_fds);
    free(batch->workers);
    free(batch->polled);
    *batch = (struct batch){0};
}

static struct batch_worker *find_worker(struct batch *batch, uint64_t visit)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->workers[i].request.visit == visit) {
            return &batch->workers[i];
        }
    }
    return NULL;
}

static void lose_launcher(struct batch *batch, int error)
{
    char text[FAILURE_TEXT_SIZE] =
        "the process that forks the workers was killed, and the worker with it";
    if (error != 0) {
        (void)snprintf(text, sizeof text,
                       "the process that forks the workers failed (%s), and the worker with it",
                       strerror(error));
    }
    batch->is_launcher_gone = true;
    batch->launcher_error = error;
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_worker *worker = &batch->workers[i];
        if (worker->state != BATCH_WORKER_ENDED) {
            batch_worker_fail(worker, "launcher", error, text);
            batch_worker_end(worker);
        }
    }
}

static void take_events(struct batch *batch, struct launcher *launcher)
{
    struct launcher_event event;
    while (!batch->is_launcher_gone && launcher_next_event(launcher, &event) == 1) {
        if (event.type == LAUNCHER_GONE) {
            lose_launcher(batch, event.error);
            return;
        }
        struct batch_worker *worker = find_worker(batch, event.visit);
        if (worker == NULL) {
            continue;
        }
        if (event.type == LAUNCHER_REFUSED) {
            batch_worker_fail(worker, "fork", event.error, strerror(event.error));
            worker->has_exited = true;
        } else if (event.type == LAUNCHER_EXITED) {
            worker->has_exited = true;
            worker->wait_status = event.wait_status;
        }
    }
}

/* Moves every worker on as far as its events allow; returns how many have not ended. */
static size_t advance_workers(struct batch *batch, struct launcher *launcher)
{
    const int64_t current_ns = batch_now_ns();
    size_t alive = 0;
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_worker *worker = &batch->workers[i];
        if (worker->state == BATCH_WORKER_ENDED) {
            continue;
        }
        /* A worker that has reported all is as good as gone: its going is awaited before the next gate
         * opens. */
        if (batch_worker_has_reported(worker)) {
            batch_close_fd(&worker->gate_fd);
            worker->state = BATCH_WORKER_ENDED;
            continue;
        }
        if (worker->has_exited && worker->report_fd < 0) {
            batch_worker_end(worker);
            continue;
        }
        if (worker->state == BATCH_WORKER_STARTING && worker->builder.has_hello) {
            worker->state = BATCH_WORKER_READY;
        }
        if (worker->state != BATCH_WORKER_READY && current_ns >= worker->deadline_ns) {
            batch_worker_miss_deadline(worker, launcher);
        }
        alive += worker->state != BATCH_WORKER_ENDED;
    }
    return alive;
}

static bool has_ending(struct batch *batch)
{
    if (batch_now_ns() >= batch->ending_deadline_ns) {
        return false;
    }
    for (size_t i = 0; i < batch->ending_count; i++) {
        if (batch->ending_fds[i] >= 0) {
            return true;
        }
    }
    return false;
}

static int tell_to_go(int gate_fd)
{
    ssize_t written = -1;
    do {
        written = write(gate_fd, "g", 1);
    } while (written < 0 && errno == EINTR);
    return written == 1 ? 0 : errno;
}

static void open_gates(struct batch *batch, struct launcher *launcher)
{
    if (has_ending(batch)) {
        return;
    }
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->workers[i].state == BATCH_WORKER_STARTING) {
            return;
        }
    }
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_worker *worker = &batch->workers[i];
        if (worker->state != BATCH_WORKER_READY) {
            continue;
        }
        worker->state = BATCH_WORKER_RUNNING;
        worker->deadline_ns = batch_now_ns() + batch_worker_time_limit_ns(worker);
        const int error = tell_to_go(worker->gate_fd);
        if (error != 0 && error != EPIPE) {
            batch_worker_fail(worker, "gate", error, "the worker could not be told to go");
            batch_worker_kill(worker, launcher);
        }
    }
}

static int poll_timeout_ms(const struct batch *batch)
{
    const int64_t current_ns = batch_now_ns();
    int64_t timeout_ms = LONGEST_POLL_MS;
    for (size_t i = 0; i < batch->count; i++) {
        const struct batch_worker *worker = &batch->workers[i];
        const int64_t left_ms = (worker->deadline_ns - current_ns) / 1000000 + 1;
        if (worker->state != BATCH_WORKER_ENDED && worker->state != BATCH_WORKER_READY &&
            left_ms < timeout_ms) {
            timeout_ms = left_ms > 0 ? left_ms : 0;
        }
    }
    return (int)timeout_ms;
}

/* Only the end of file is awaited here; whatever else comes is no part of the report. */
static void drain_ending(int *fd)
{
    unsigned char bytes[256];
    const ssize_t size = read(*fd, bytes, sizeof bytes);
    if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) {
        batch_close_fd(fd);
    }
}

static int poll_workers(struct batch *batch, struct launcher *launcher)
{
    struct pollfd *ending = &batch->polled[batch->count];
    const size_t poll_count = batch->count + batch->ending_count + 1;
    for (size_t i = 0; i < batch->count; i++) {
        const struct batch_worker *worker = &batch->workers[i];
        const bool is_awaited = worker->state != BATCH_WORKER_ENDED;
        batch->polled[i] = (struct pollfd){.fd = is_awaited ? worker->report_fd : -1, .events = POLLIN};
    }
    for (size_t i = 0; i < batch->ending_count; i++) {
        ending[i] = (struct pollfd){.fd = batch->ending_fds[i], .events = POLLIN};
    }
    batch->polled[poll_count - 1] = (struct pollfd){.fd = launcher->fd, .events = POLLIN};
    if (poll(batch->polled, poll_count, poll_timeout_ms(batch)) < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->polled[i].fd >= 0 && batch->polled[i].revents != 0) {
            batch_worker_read(&batch->workers[i], launcher);
        }
    }
    for (size_t i = 0; i < batch->ending_count; i++) {
        if (ending[i].fd >= 0 && ending[i].revents != 0) {
            drain_ending(&batch->ending_fds[i]);
        }
    }
    take_events(batch, launcher);
    return 0;
}

static void stop_workers(struct batch *batch, struct launcher *launcher)
{
    batch->is_stopped = true;
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_worker *worker = &batch->workers[i];
        if (worker->state != BATCH_WORKER_ENDED && !visit_builder_is_complete(&worker->builder)) {
            batch_worker_fail(worker, "stopped", 0, "stopped by a signal");
            batch_worker_kill(worker, launcher);
        }
    }
}

/* Every worker that has ended since the last call. */
static int hand_on(struct batch *batch, bool *handed_on, batch_take take, void *context,
                   struct failure *failure)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->workers[i].state != BATCH_WORKER_ENDED || handed_on[i]) {
            continue;
        }
        handed_on[i] = true;
        const int error = take(&batch->workers[i], context, failure);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

int batch_run(struct batch *batch, struct launcher *launcher, const struct id_list *launcher_cpus,
              const struct coordinator_callbacks *callbacks, batch_after_start after_start,
              batch_take take, void *context, struct failure *failure)
{
    bool *handed_on = calloc(batch->count, sizeof *handed_on);
    int error = handed_on == NULL ? -ENOMEM : 0;

    for (size_t i = 0; i < batch->count && error == 0; i++) {
        if (batch_worker_start(&batch->workers[i], launcher, launcher_cpus) == -EPIPE) {
            lose_launcher(batch, batch->workers[i].failure.errno_value);
        }
    }
    /* While the workers get ready there is time for what would delay the next measurement. */
    if (error == 0 && after_start != NULL) {
        error = after_start(context, failure);
    }
    while (error == 0) {
        if (callbacks != NULL && callbacks->stop_signal != NULL &&
            callbacks->stop_signal(callbacks->context) != 0 && !batch->is_stopped) {
            stop_workers(batch, launcher);
        }
        const size_t alive = advance_workers(batch, launcher);
        error = hand_on(batch, handed_on, take, context, failure);
        if (alive == 0 || error != 0) {
            break;
        }
        open_gates(batch, launcher);
        error = poll_workers(batch, launcher);
        if (error != 0) {
            (void)failure_set(failure, "poll", -error, "poll: %s", strerror(-error));
        }
    }
    free(handed_on);
    return error;
}
