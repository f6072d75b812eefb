/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coordinator's side of the busy workers. */
#include "numasweep/hogs.h"

#include "hogs_keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READY_WAIT_MS = 20000 };

int hogs_init(struct hogs *hogs, size_t count)
{
    *hogs = (struct hogs){
        .list = calloc(count + 1, sizeof *hogs->list), .count = count, .life_fd = -1, .gate_fd = -1};
    if (hogs->list == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        hogs->list[i] = (struct hog){.group = HOG_NO_GROUP, .counter_fd = -1};
    }
    return 0;
}

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0) {
            (void)close(pair[i]);
            pair[i] = -1;
        }
    }
}

struct pipes {
    int life[2];
    int gate[2];
    int report[2];
};

static int open_pipes(struct pipes *pipes, struct failure *failure)
{
    *pipes = (struct pipes){.life = {-1, -1}, .gate = {-1, -1}, .report = {-1, -1}};
    if (pipe2(pipes->life, O_CLOEXEC) == 0 && pipe2(pipes->gate, O_CLOEXEC) == 0 &&
        pipe2(pipes->report, O_CLOEXEC) == 0) {
        return 0;
    }
    const int error = errno;
    close_pair(pipes->life);
    close_pair(pipes->gate);
    close_pair(pipes->report);
    return failure_set(failure, "hogs", error, "pipe: %s", strerror(error));
}

static int fork_keeper(struct hogs *hogs, const struct bandwidth_limit *limit, struct pipes *pipes,
                       struct failure *failure)
{
    const struct hog_pipes ends = {
        .life_fd = pipes->life[0],
        .gate_fd = pipes->gate[0],
        .report_fd = pipes->report[1],
    };
    sigset_t all;
    sigset_t original;
    (void)fflush(NULL);
    /* What comes before the keeper ignores it is kept back, or it would die of the first Ctrl-C. */
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &original);
    const pid_t pid = fork();
    const int error = errno;
    if (pid == 0) {
        hogs_keep(hogs, limit, &ends);
    }
    (void)sigprocmask(SIG_SETMASK, &original, NULL);
    if (pid < 0) {
        return failure_set(failure, "hogs", error, "fork: %s", strerror(error));
    }
    hogs->keeper = pid;
    hogs->life_fd = pipes->life[1];
    hogs->gate_fd = pipes->gate[1];
    pipes->life[1] = -1;
    pipes->gate[1] = -1;
    return 0;
}

static int take_message(struct hogs *hogs, const struct hog_message *message,
                        const struct bandwidth_limit *limit, size_t *ready, struct failure *failure)
{
    switch ((enum hog_message_type)message->type) {
    case HOG_READY:
        if (message->hog < hogs->count) {
            hogs->list[message->hog].pid = message->pid;
            (*ready)++;
        }
        return 0;
    case HOG_GROUPS_READY:
        hogs->bandwidth.owner = message->pid;
        hogs->bandwidth.made = limit != NULL ? limit->group_count : 0;
        return 0;
    case HOG_REFUSED:
        return failure_set(failure, "hogs", message->error != 0 ? message->error : EPERM, "%s",
                           message->text);
    case HOG_GROUPS_LEFT:
        break;
    }
    return 0;
}

/* A CPU that a real-time spinner holds never lets its hogs come to the gate. */
static int wait_until_ready(struct hogs *hogs, int report_fd, const struct bandwidth_limit *limit,
                            struct failure *failure)
{
    size_t ready = 0;
    int error = 0;
    while (ready < hogs->count && error == 0) {
        struct pollfd polled = {.fd = report_fd, .events = POLLIN};
        struct hog_message message;
        const int count = poll(&polled, 1, READY_WAIT_MS);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return failure_set(failure, "hogs", ETIMEDOUT,
                               "%zu of %zu busy workers did not come to their CPU within %d s: does a "
                               "real-time task hold one?",
                               hogs->count - ready, hogs->count, READY_WAIT_MS / 1000);
        }
        const ssize_t size = read(report_fd, &message, sizeof message);
        if (size != (ssize_t)sizeof message) {
            return failure_set(failure, "hogs", ECHILD, "the keeper of the busy workers died");
        }
        error = take_message(hogs, &message, limit, &ready, failure);
    }
    return error;
}

int hogs_start(struct hogs *hogs, const struct bandwidth_limit *limit, struct failure *failure)
{
    struct pipes pipes;
    int error = limit != NULL ? bandwidth_find(&hogs->bandwidth, failure) : 0;
    if (error == 0) {
        error = open_pipes(&pipes, failure);
    }
    if (error != 0) {
        return error;
    }
    error = fork_keeper(hogs, limit, &pipes, failure);
    /* The other end of the report must be the keeper's alone, or its death would go unseen. */
    (void)close(pipes.report[1]);
    pipes.report[1] = -1;
    if (error == 0) {
        error = wait_until_ready(hogs, pipes.report[0], limit, failure);
    }
    if (error != 0 && hogs->keeper != 0) {
        (void)hogs_stop(hogs, NULL);
    }
    close_pair(pipes.life);
    close_pair(pipes.gate);
    close_pair(pipes.report);
    return error;
}

int hogs_go(struct hogs *hogs, struct failure *failure)
{
    for (size_t i = 0; i < hogs->count; i++) {
        ssize_t written = -1;
        do {
            written = write(hogs->gate_fd, "g", 1);
        } while (written < 0 && errno == EINTR);
        if (written != 1) {
            return failure_set(failure, "hogs", errno, "the busy workers' gate: %s", strerror(errno));
        }
    }
    return 0;
}

void hogs_pause(const struct hogs *hogs, bool is_paused)
{
    for (size_t i = 0; i < hogs->count; i++) {
        if (hogs->list[i].pid > 0) {
            (void)kill(hogs->list[i].pid, is_paused ? SIGSTOP : SIGCONT);
        }
    }
}

static int end_keeper(struct hogs *hogs, struct failure *failure)
{
    const pid_t keeper = hogs->keeper;
    int status = 0;
    pid_t found = -1;
    (void)close(hogs->life_fd);
    (void)close(hogs->gate_fd);
    hogs->life_fd = -1;
    hogs->gate_fd = -1;
    hogs->keeper = 0;
    do {
        found = waitpid(keeper, &status, 0);
    } while (found < 0 && errno == EINTR);
    if (found == keeper && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return 0;
    }
    if (hogs->bandwidth.made == 0) {
        return failure_set(failure, "hogs", EBUSY, "the keeper of the busy workers was killed");
    }
    return failure_set(failure, "hogs", EBUSY,
                       "cgroups numasweep-hogs-%d-* could not be removed again from %.200s", (int)keeper,
                       hogs->bandwidth.parent);
}

int hogs_stop(struct hogs *hogs, struct failure *failure)
{
    const int error = hogs->keeper != 0 ? end_keeper(hogs, failure) : 0;
    for (size_t i = 0; i < hogs->count; i++) {
        if (hogs->list[i].counter_fd >= 0) {
            (void)close(hogs->list[i].counter_fd);
            hogs->list[i].counter_fd = -1;
        }
        hogs->list[i].pid = 0;
    }
    return error;
}

void hogs_destroy(struct hogs *hogs)
{
    if (hogs->list == NULL) {
        return;
    }
    (void)hogs_stop(hogs, NULL);
    for (size_t i = 0; i < hogs->count; i++) {
        id_list_destroy(&hogs->list[i].cpus);
    }
    free(hogs->list);
    *hogs = (struct hogs){.life_fd = -1, .gate_fd = -1};
}
