/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coordinator_batch.h"
#include "numasweep/number.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    READ_BYTES = 65536,
    /* poll() looks up at least this often, for a signal that came just before it. */
    LONGEST_POLL_MS = 500
};

/* A worker that got this far behind never runs: its CPU is monopolised, or the machine is. */
static const int64_t allowance_ns = 10 * INT64_C(1000000000);
static const int64_t end_allowance_ns = 3 * INT64_C(1000000000);
static const int64_t line_allowance_ns = 2000;

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

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
    next->ending_deadline_ns = now_ns() + end_allowance_ns;
    return 0;
}

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

void batch_destroy(struct batch *batch)
{
    for (size_t i = 0; batch->workers != NULL && i < batch->count; i++) {
        close_fd(&batch->workers[i].report_fd);
        close_fd(&batch->workers[i].gate_fd);
        visit_builder_destroy(&batch->workers[i].builder);
    }
    for (size_t i = 0; i < batch->ending_count; i++) {
        close_fd(&batch->ending_fds[i]);
    }
    free(batch->ending_fds);
    free(batch->workers);
    free(batch->polled);
    *batch = (struct batch){0};
}

static int64_t measuring_time_ns(const struct visit_request *request)
{
    const int64_t longest_sleep_ns = request->timeout_ns +
                                     request->timeout_ns * request->dither_percent / 100;
    const int64_t sleeps = request->sample_count + request->warmup_count + 1;
    return sleeps * (longest_sleep_ns + request->touch_lines * line_allowance_ns);
}

static void fail_worker(struct batch_worker *worker, const char *stage, int error, const char *text)
{
    if (worker->failure.text[0] == '\0') {
        (void)failure_set(&worker->failure, stage, error, "%s", text);
    }
}

static void end_worker(struct batch_worker *worker)
{
    close_fd(&worker->report_fd);
    close_fd(&worker->gate_fd);
    worker->state = BATCH_WORKER_ENDED;
}

static void kill_worker(struct batch_worker *worker, struct launcher *launcher)
{
    close_fd(&worker->gate_fd);
    if (worker->has_exited) {
        end_worker(worker);
        return;
    }
    (void)launcher_kill(launcher, worker->request.visit);
    worker->state = BATCH_WORKER_ENDING;
    worker->deadline_ns = now_ns() + end_allowance_ns;
}

static int start_worker(struct batch_worker *worker, struct launcher *launcher,
                        const struct id_list *launcher_cpus)
{
    int report[2] = {-1, -1};
    int gate[2] = {-1, -1};
    int error = 0;

    worker->state = BATCH_WORKER_STARTING;
    worker->deadline_ns = now_ns() + allowance_ns;
    if (pipe2(report, O_CLOEXEC) != 0 || pipe2(gate, O_CLOEXEC) != 0 ||
        fcntl(report[0], F_SETFL, O_NONBLOCK) != 0) {
        error = errno;
        (void)failure_set(&worker->failure, "pipe", error, "a pipe for the worker: %s", strerror(error));
        close_fd(&report[0]);
        close_fd(&gate[1]);
        error = 0;
    } else {
        error = launcher_request(launcher, &worker->request, worker->cpus, launcher_cpus, report[1],
                                 gate[0], &worker->failure);
    }
    close_fd(&report[1]);
    close_fd(&gate[0]);
    worker->report_fd = report[0];
    worker->gate_fd = gate[1];
    if (worker->failure.text[0] != '\0') {
        end_worker(worker);
    }
    return error;
}

/* Takes in what is there. The pipe is closed at the end of file. */
static void read_report(struct batch_worker *worker, struct launcher *launcher)
{
    unsigned char bytes[READ_BYTES];
    struct frame frame;
    const ssize_t size = read(worker->report_fd, bytes, sizeof bytes);

    if (size < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (size <= 0) {
        if (size < 0) {
            fail_worker(worker, "read", errno, "the worker's pipe could not be read");
        }
        close_fd(&worker->report_fd);
        return;
    }
    if (worker->state == BATCH_WORKER_ENDING || worker->failure.text[0] != '\0') {
        return;
    }
    size_t offset = 0;
    for (;;) {
        size_t taken = 0;
        int result = frame_reader_take(&worker->reader, bytes + offset, (size_t)size - offset, &taken,
                                       &frame);
        offset += taken;
        if (result == 0) {
            return;
        }
        if (result == 1) {
            result = visit_builder_take(&worker->builder, &worker->request, &frame, &worker->failure);
        } else {
            fail_worker(worker, "report", EPROTO, "the worker wrote something that is no report");
        }
        if (result < 0) {
            fail_worker(worker, "report", -result, strerror(-result));
            kill_worker(worker, launcher);
            return;
        }
    }
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

static void lose_launcher(struct batch *batch)
{
    batch->is_launcher_gone = true;
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_worker *worker = &batch->workers[i];
        if (worker->state != BATCH_WORKER_ENDED) {
            fail_worker(worker, "launcher", 0,
                        "the process that forks the workers was killed, and the worker with it");
            end_worker(worker);
        }
    }
}

static void take_events(struct batch *batch, struct launcher *launcher)
{
    struct launcher_event event;
    while (!batch->is_launcher_gone && launcher_next_event(launcher, &event) == 1) {
        if (event.type == LAUNCHER_GONE) {
            lose_launcher(batch);
            return;
        }
        struct batch_worker *worker = find_worker(batch, event.visit);
        if (worker == NULL) {
            continue;
        }
        if (event.type == LAUNCHER_REFUSED) {
            fail_worker(worker, "fork", event.error, strerror(event.error));
            worker->has_exited = true;
        } else if (event.type == LAUNCHER_EXITED) {
            worker->has_exited = true;
            worker->wait_status = event.wait_status;
        }
    }
}

static void miss_deadline(struct batch_worker *worker, struct launcher *launcher)
{
    char limit[DURATION_TEXT_SIZE];
    if (worker->state == BATCH_WORKER_ENDING || worker->has_exited) {
        /* It does not even die (or its pipe does not close): leave it to the launcher. */
        end_worker(worker);
        return;
    }
    if (worker->state == BATCH_WORKER_STARTING) {
        (void)failure_set(
            &worker->failure, "deadline", ETIMEDOUT,
            "the worker did not get ready within %s: something else holds its CPU, or it hangs",
            duration_format_rough(allowance_ns, limit));
    } else {
        const int64_t allowed_ns = 2 * measuring_time_ns(&worker->request) + allowance_ns;
        (void)failure_set(
            &worker->failure, "deadline", ETIMEDOUT,
            "no result within %s, where %s would do: something else holds its CPU, or it hangs",
            duration_format_rough(allowed_ns, limit),
            duration_format_rough(measuring_time_ns(&worker->request), (char[DURATION_TEXT_SIZE]){0}));
    }
    kill_worker(worker, launcher);
}

static bool is_reported(const struct batch_worker *worker)
{
    return visit_builder_is_complete(&worker->builder) && worker->failure.text[0] == '\0';
}

/* Moves every worker on as far as its events allow; returns how many have not ended. */
static size_t advance_workers(struct batch *batch, struct launcher *launcher)
{
    const int64_t current_ns = now_ns();
    size_t alive = 0;
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_worker *worker = &batch->workers[i];
        if (worker->state == BATCH_WORKER_ENDED) {
            continue;
        }
        /* A worker that has reported all is as good as gone: its going is awaited before the next gate
         * opens. */
        if (is_reported(worker)) {
            close_fd(&worker->gate_fd);
            worker->state = BATCH_WORKER_ENDED;
            continue;
        }
        if (worker->has_exited && worker->report_fd < 0) {
            end_worker(worker);
            continue;
        }
        if (worker->state == BATCH_WORKER_STARTING && worker->builder.has_hello) {
            worker->state = BATCH_WORKER_READY;
        }
        if (worker->state != BATCH_WORKER_READY && current_ns >= worker->deadline_ns) {
            miss_deadline(worker, launcher);
        }
        alive += worker->state != BATCH_WORKER_ENDED;
    }
    return alive;
}

static bool has_ending(struct batch *batch)
{
    if (now_ns() >= batch->ending_deadline_ns) {
        return false;
    }
    for (size_t i = 0; i < batch->ending_count; i++) {
        if (batch->ending_fds[i] >= 0) {
            return true;
        }
    }
    return false;
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
        worker->deadline_ns = now_ns() + 2 * measuring_time_ns(&worker->request) + allowance_ns;
        if (write(worker->gate_fd, "g", 1) != 1 && errno != EPIPE) {
            fail_worker(worker, "gate", errno, "the worker could not be told to go");
            kill_worker(worker, launcher);
        }
    }
}

static int poll_timeout_ms(const struct batch *batch)
{
    const int64_t current_ns = now_ns();
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
        close_fd(fd);
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
            read_report(&batch->workers[i], launcher);
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
            fail_worker(worker, "stopped", 0, "stopped by a signal");
            kill_worker(worker, launcher);
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
        if (start_worker(&batch->workers[i], launcher, launcher_cpus) == -EPIPE) {
            lose_launcher(batch);
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

static void describe_death(const struct batch_worker *worker, struct failure *failure)
{
    const int status = worker->wait_status;
    if (WIFSIGNALED(status)) {
        const int signal_number = WTERMSIG(status);
        const char *hint = "";
        if (signal_number == SIGXCPU) {
            hint = " (RLIMIT_RTTIME: it ran too long without sleeping)";
        } else if (signal_number == SIGKILL) {
            hint = " (from outside, for want of memory, or by the hard RLIMIT_RTTIME)";
        }
        const char *name = sigabbrev_np(signal_number);
        (void)failure_set(failure, "worker", 0, "the worker was killed by SIG%s%s",
                          name != NULL ? name : "?", hint);
        return;
    }
    (void)failure_set(failure, "worker", 0, "the worker ended with status %d before it had reported",
                      WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

void batch_worker_finish(struct batch_worker *worker, struct visit *visit)
{
    struct timespec now = {0};
    *visit = worker->builder.visit;
    worker->builder.visit = (struct visit){0};
    visit->round = worker->request.round;
    visit->cell = (size_t)worker->request.cell;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    visit->ended_unix_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (worker->failure.text[0] != '\0') {
        visit->outcome = VISIT_FAILED;
        visit->failure = worker->failure;
        return;
    }
    if (!visit_builder_is_complete(&worker->builder)) {
        visit->outcome = VISIT_FAILED;
        describe_death(worker, &visit->failure);
    }
}
