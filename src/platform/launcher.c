/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coordinator's side of the launcher. */
#include "numasweep/launcher.h"

#include "launcher_messages.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STOP_WAIT_MS = 5000, SOCKET_BUFFER_BYTES = 1024 * 1024, MOST_TRIES = 50, TRY_AGAIN_MS = 10 };

int launcher_start(struct launcher *launcher, struct failure *failure)
{
    int sockets[2];
    const int buffer_bytes = SOCKET_BUFFER_BYTES;
    const pid_t coordinator = getpid();

    *launcher = (struct launcher){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        return failure_set(failure, "launcher", errno, "socketpair: %s", strerror(errno));
    }
    /* A row of thousands of CPUs is one message. */
    (void)setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
    (void)fflush(NULL);
    /* What comes before the launcher ignores it is kept back, or it would die of the first Ctrl-C. */
    sigset_t all;
    sigset_t original;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &original);
    const pid_t pid = fork();
    const int fork_error = errno;
    if (pid != 0) {
        (void)sigprocmask(SIG_SETMASK, &original, NULL);
    }
    if (pid < 0) {
        const int error = fork_error;
        (void)close(sockets[0]);
        (void)close(sockets[1]);
        return failure_set(failure, "launcher", error, "fork: %s%s", strerror(error),
                           error == EAGAIN ? " (RLIMIT_NPROC, the cgroup's pids.max, or SCHED_DEADLINE)"
                                           : "");
    }
    if (pid == 0) {
        (void)close(sockets[0]);
        launcher_serve(sockets[1], coordinator, &original);
    }
    (void)close(sockets[1]);
    launcher->pid = pid;
    launcher->fd = sockets[0];
    return 0;
}

static int keep_pending(struct launcher *launcher, const struct launcher_event *event)
{
    if (launcher->pending_count == launcher->pending_capacity) {
        const size_t capacity = launcher->pending_capacity == 0 ? 16 : 2 * launcher->pending_capacity;
        struct launcher_event *pending = realloc(launcher->pending, capacity * sizeof *pending);
        if (pending == NULL) {
            return -ENOMEM;
        }
        launcher->pending = pending;
        launcher->pending_capacity = capacity;
    }
    launcher->pending[launcher->pending_count] = *event;
    launcher->pending_count++;
    return 0;
}

static int receive_event(struct launcher *launcher, struct launcher_event *event)
{
    struct launcher_answer message;
    ssize_t size = -1;

    *event = (struct launcher_event){.type = LAUNCHER_GONE};
    if (launcher->fd < 0) {
        return 1;
    }
    /* ECONNRESET comes once where the launcher went with orders unread; what it said last comes after
     * it. */
    do {
        size = recv(launcher->fd, &message, sizeof message, MSG_DONTWAIT);
    } while (size < 0 && (errno == EINTR || errno == ECONNRESET));
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return 0;
    }
    if (size != (ssize_t)sizeof message) {
        event->error = size < 0 ? errno : 0;
        return 1;
    }
    *event = (struct launcher_event){
        .type = (enum launcher_event_type)message.type,
        .visit = message.visit,
        .pid = message.pid,
        .error = message.error,
        .wait_status = message.wait_status,
        .worker_cpu_ns = message.cpu_ns,
    };
    return 1;
}

int launcher_next_event(struct launcher *launcher, struct launcher_event *event)
{
    if (launcher->pending_count > 0) {
        *event = launcher->pending[0];
        launcher->pending_count--;
        memmove(launcher->pending, launcher->pending + 1,
                launcher->pending_count * sizeof *launcher->pending);
        return 1;
    }
    return receive_event(launcher, event);
}

/* Both directions may be full at once: what the launcher says must be taken in, or it never reads. */
static int wait_for_room(struct launcher *launcher)
{
    struct pollfd polled = {.fd = launcher->fd, .events = POLLIN | POLLOUT};
    struct launcher_event event;

    if (poll(&polled, 1, -1) < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    if ((polled.revents & (POLLERR | POLLHUP)) != 0) {
        return -EPIPE;
    }
    if ((polled.revents & POLLIN) != 0 && receive_event(launcher, &event) == 1) {
        return event.type == LAUNCHER_GONE ? -EPIPE : keep_pending(launcher, &event);
    }
    return 0;
}

static int send_message(struct launcher *launcher, const struct msghdr *header)
{
    for (int tries = 0;;) {
        if (sendmsg(launcher->fd, header, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
            return 0;
        }
        if (errno == EINTR) {
            continue;
        }
        if (errno == ENOBUFS && tries < MOST_TRIES) {
            /* No memory for the message: nothing tells when there is some. */
            tries++;
            (void)poll(NULL, 0, TRY_AGAIN_MS);
            continue;
        }
        if (errno != EAGAIN && errno != EWOULDBLOCK) {
            return errno == ECONNRESET ? -EPIPE : -errno;
        }
        const int error = wait_for_room(launcher);
        if (error != 0) {
            return error;
        }
    }
}

static void put_cpus(int32_t *numbers, const struct id_list *cpus)
{
    for (size_t i = 0; cpus != NULL && i < cpus->count; i++) {
        numbers[i] = cpus->ids[i];
    }
}

/* A launcher that could not go on said why before it went. */
static int why_it_went(struct launcher *launcher)
{
    struct launcher_event event = {0};
    while (receive_event(launcher, &event) == 1) {
        if (event.type == LAUNCHER_GONE) {
            return event.error;
        }
    }
    return 0;
}

static int refuse_request(struct launcher *launcher, int error, struct failure *failure)
{
    const int own_error = error == EPIPE ? why_it_went(launcher) : 0;
    if (own_error != 0) {
        (void)failure_set(failure, "launcher", own_error,
                          "the process that forks the workers failed: %s", strerror(own_error));
    } else {
        (void)failure_set(failure, "launcher", error, "the launcher could not be asked: %s",
                          strerror(error));
    }
    return -error;
}

int launcher_request(struct launcher *launcher, const struct visit_request *request,
                     const struct id_list *cpus, const struct id_list *launcher_cpus, int report_fd,
                     int gate_fd, struct failure *failure)
{
    struct launcher_order order = {
        .type = LAUNCHER_ORDER_FORK,
        .cpu_count = (uint32_t)cpus->count,
        .launcher_cpu_count = launcher_cpus != NULL ? (uint32_t)launcher_cpus->count : 0,
        .request = *request,
    };
    const size_t number_count = (size_t)order.cpu_count + order.launcher_cpu_count;
    int32_t *numbers = calloc(number_count + 1, sizeof *numbers);
    const int descriptors[2] = {report_fd, gate_fd};
    union {
        struct cmsghdr align;
        unsigned char bytes[CMSG_SPACE(sizeof descriptors)];
    } control = {0};

    if (numbers == NULL) {
        return failure_set(failure, "launcher", ENOMEM, "no memory for a request");
    }
    put_cpus(numbers, cpus);
    put_cpus(numbers + order.cpu_count, launcher_cpus);
    struct iovec parts[2] = {
        {.iov_base = &order, .iov_len = sizeof order},
        {.iov_base = numbers, .iov_len = number_count * sizeof *numbers},
    };
    struct msghdr header = {
        .msg_iov = parts,
        .msg_iovlen = 2,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof descriptors);
    memcpy(CMSG_DATA(rights), descriptors, sizeof descriptors);

    const int error = send_message(launcher, &header);
    free(numbers);
    return error != 0 ? refuse_request(launcher, -error, failure) : 0;
}

static int send_order(struct launcher *launcher, enum launcher_order_type type, uint64_t visit)
{
    struct launcher_order order = {.type = (int32_t)type, .request = {.visit = visit}};
    struct iovec part = {.iov_base = &order, .iov_len = sizeof order};
    const struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    return send_message(launcher, &header);
}

int launcher_kill(struct launcher *launcher, uint64_t visit)
{
    return send_order(launcher, LAUNCHER_ORDER_KILL, visit);
}

/* Its last word is its CPU time; the other events no longer matter. */
static int64_t wait_for_usage(struct launcher *launcher)
{
    for (;;) {
        struct pollfd polled = {.fd = launcher->fd, .events = POLLIN};
        struct launcher_event event;
        const int ready = poll(&polled, 1, STOP_WAIT_MS);
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0 || receive_event(launcher, &event) != 1 || event.type == LAUNCHER_GONE) {
            return 0;
        }
        if ((int)event.type == LAUNCHER_USAGE) {
            return event.worker_cpu_ns;
        }
    }
}

int64_t launcher_stop(struct launcher *launcher)
{
    int64_t cpu_ns = 0;
    if (launcher->pid > 0) {
        if (send_order(launcher, LAUNCHER_ORDER_STOP, 0) == 0) {
            cpu_ns = wait_for_usage(launcher);
        }
        (void)close(launcher->fd);
        /* It has gone by itself; if it hangs, its workers die with it (PR_SET_PDEATHSIG). */
        (void)kill(launcher->pid, SIGKILL);
        while (waitpid(launcher->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    free(launcher->pending);
    *launcher = (struct launcher){.fd = -1};
    return cpu_ns;
}
