/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coordinator_worker.h"

#include "numasweep/number.h"
#include "numasweep/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Small enough for a stack that ulimit -s keeps small; a visit's report is a few KiB. */
enum { READ_BYTES = 8192 };

/* A worker that got this far behind never runs: its CPU is monopolised, or the machine is. */
static const int64_t allowance_ns = 10 * INT64_C(1000000000);
const int64_t batch_end_allowance_ns = 3 * INT64_C(1000000000);

int64_t batch_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void batch_close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

int64_t batch_worker_time_limit_ns(const struct batch_worker *worker)
{
    return 2 * visit_request_duration_ns(&worker->request) + allowance_ns;
}

void batch_worker_fail(struct batch_worker *worker, const char *stage, int error, const char *text)
{
    if (worker->failure.text[0] == '\0') {
        (void)failure_set(&worker->failure, stage, error, "%s", text);
    }
}

void batch_worker_end(struct batch_worker *worker)
{
    batch_close_fd(&worker->report_fd);
    batch_close_fd(&worker->gate_fd);
    worker->state = BATCH_WORKER_ENDED;
}

void batch_worker_kill(struct batch_worker *worker, struct launcher *launcher)
{
    batch_close_fd(&worker->gate_fd);
    if (worker->has_exited) {
        batch_worker_end(worker);
        return;
    }
    (void)launcher_kill(launcher, worker->request.visit);
    worker->state = BATCH_WORKER_ENDING;
    worker->deadline_ns = batch_now_ns() + batch_end_allowance_ns;
}

int batch_worker_start(struct batch_worker *worker, struct launcher *launcher,
                       const struct id_list *launcher_cpus)
{
    int report[2] = {-1, -1};
    int gate[2] = {-1, -1};
    int error = 0;

    worker->state = BATCH_WORKER_STARTING;
    worker->deadline_ns = batch_now_ns() + allowance_ns;
    if (pipe2(report, O_CLOEXEC) != 0 || pipe2(gate, O_CLOEXEC) != 0 ||
        fcntl(report[0], F_SETFL, O_NONBLOCK) != 0) {
        error = errno;
        (void)failure_set(&worker->failure, "pipe", error, "a pipe for the worker: %s", strerror(error));
        batch_close_fd(&report[0]);
        batch_close_fd(&gate[1]);
        error = 0;
    } else {
        error = launcher_request(launcher, &worker->request, worker->cpus, launcher_cpus, report[1],
                                 gate[0], &worker->failure);
    }
    batch_close_fd(&report[1]);
    batch_close_fd(&gate[0]);
    worker->report_fd = report[0];
    worker->gate_fd = gate[1];
    if (worker->failure.text[0] != '\0') {
        batch_worker_end(worker);
    }
    return error;
}

/* Takes in what is there. The pipe is closed at the end of file. */
void batch_worker_read(struct batch_worker *worker, struct launcher *launcher)
{
    unsigned char bytes[READ_BYTES];
    struct frame frame;
    const ssize_t size = read(worker->report_fd, bytes, sizeof bytes);

    if (size < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (size <= 0) {
        if (size < 0) {
            batch_worker_fail(worker, "read", errno, "the worker's pipe could not be read");
            batch_worker_kill(worker, launcher);
        } else if (worker->state != BATCH_WORKER_ENDING && !worker->has_exited) {
            /* Only its death closes the pipe: what tells of that is on its way. */
            worker->deadline_ns = batch_now_ns() + batch_end_allowance_ns;
        }
        batch_close_fd(&worker->report_fd);
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
            batch_worker_fail(worker, "report", EPROTO, "the worker wrote something that is no report");
        }
        if (result < 0) {
            batch_worker_fail(worker, "report", -result, strerror(-result));
            batch_worker_kill(worker, launcher);
            return;
        }
    }
}

bool batch_worker_has_reported(const struct batch_worker *worker)
{
    return visit_builder_is_complete(&worker->builder) && worker->failure.text[0] == '\0';
}

void batch_worker_miss_deadline(struct batch_worker *worker, struct launcher *launcher)
{
    char limit[DURATION_TEXT_SIZE];
    if (worker->state == BATCH_WORKER_ENDING || worker->has_exited) {
        /* It does not even die (or its pipe does not close): leave it to the launcher. */
        batch_worker_end(worker);
        return;
    }
    if (worker->report_fd < 0) {
        (void)failure_set(&worker->failure, "worker", 0,
                          "the worker's pipe ended before its report, and the worker did not");
    } else if (worker->state == BATCH_WORKER_STARTING) {
        (void)failure_set(
            &worker->failure, "deadline", ETIMEDOUT,
            "the worker did not get ready within %s: something else holds its CPU, or it hangs",
            duration_format_rough(allowance_ns, limit));
    } else {
        const int64_t allowed_ns = batch_worker_time_limit_ns(worker);
        (void)failure_set(
            &worker->failure, "deadline", ETIMEDOUT,
            "no result within %s, where %s would do: something else holds its CPU, or it hangs",
            duration_format_rough(allowed_ns, limit),
            duration_format_rough(visit_request_duration_ns(&worker->request),
                                  (char[DURATION_TEXT_SIZE]){0}));
    }
    batch_worker_kill(worker, launcher);
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
    if (WIFEXITED(status) && WEXITSTATUS(status) > WORKER_EXIT_CANNOT_REPORT) {
        const int error = WEXITSTATUS(status) - WORKER_EXIT_CANNOT_REPORT;
        (void)failure_set(failure, "report", error, "the worker could not write its report: %s",
                          strerror(error));
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
