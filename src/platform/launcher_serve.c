/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The launcher's own side: runs in the small process. */
#include "launcher_messages.h"
#include "numasweep/affinity.h"
#include "numasweep/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
    pid_t pid;
    uint64_t visit;
};

struct server {
    int fd;
    int signal_fd;
    pid_t self;
    sigset_t original_mask;
    struct child *children;
    size_t child_count;
    size_t child_capacity;
    struct id_list cpus; /* where it sits */
    unsigned char *buffer;
    size_t buffer_size;
};

struct received_order {
    struct launcher_order order;
    struct id_list cpus;
    struct id_list launcher_cpus;
    int report_fd;
    int gate_fd;
};

static int64_t timeval_ns(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

static int64_t usage_ns(const struct rusage *usage)
{
    return timeval_ns(usage->ru_utime) + timeval_ns(usage->ru_stime);
}

static void answer(struct server *server, const struct launcher_answer *message)
{
    ssize_t sent = -1;
    do {
        sent = send(server->fd, message, sizeof *message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
}

static void remember_child(struct server *server, pid_t pid, uint64_t visit)
{
    server->children[server->child_count] = (struct child){.pid = pid, .visit = visit};
    server->child_count++;
}

/* Before the fork: a child that could not be remembered could not be killed either. */
static int reserve_child(struct server *server)
{
    if (server->child_count < server->child_capacity) {
        return 0;
    }
    const size_t capacity = server->child_capacity == 0 ? 16 : 2 * server->child_capacity;
    struct child *children = realloc(server->children, capacity * sizeof *children);
    if (children == NULL) {
        return -ENOMEM;
    }
    server->children = children;
    server->child_capacity = capacity;
    return 0;
}

static void kill_all(struct server *server)
{
    for (size_t i = 0; i < server->child_count; i++) {
        (void)kill(server->children[i].pid, SIGKILL);
    }
}

static void kill_visit(const struct server *server, uint64_t visit)
{
    for (size_t i = 0; i < server->child_count; i++) {
        if (server->children[i].visit == visit) {
            (void)kill(server->children[i].pid, SIGKILL);
        }
    }
}

static void move_to(struct server *server, const struct id_list *cpus)
{
    if (cpus->count == 0 || id_list_equal(cpus, &server->cpus)) {
        return;
    }
    /* Where the coordinator could go, this process can; if not, it stays where it was. */
    if (affinity_set(cpus) == 0) {
        (void)id_list_copy(&server->cpus, cpus);
    }
}

static void close_order(struct received_order *received)
{
    if (received->report_fd >= 0) {
        (void)close(received->report_fd);
    }
    if (received->gate_fd >= 0) {
        (void)close(received->gate_fd);
    }
    id_list_destroy(&received->cpus);
    id_list_destroy(&received->launcher_cpus);
}

_Noreturn static void become_worker(const struct server *server, const struct received_order *received)
{
    (void)sigprocmask(SIG_SETMASK, &server->original_mask, NULL);
    worker_run(&received->order.request, &received->cpus, received->report_fd, received->gate_fd,
               server->self);
}

static void fork_worker(struct server *server, const struct received_order *received)
{
    struct launcher_answer message = {.type = LAUNCHER_REFUSED, .visit = received->order.request.visit};

    move_to(server, &received->launcher_cpus);
    message.error = -reserve_child(server);
    if (message.error == 0) {
        const pid_t pid = fork();
        if (pid == 0) {
            become_worker(server, received);
        }
        message.error = pid < 0 ? errno : 0;
        message.pid = pid;
        if (pid > 0) {
            remember_child(server, pid, message.visit);
        }
    }
    /* Success is told by the worker itself: a message would only wake the coordinator once more. */
    if (message.error != 0) {
        answer(server, &message);
    }
}

static void take_descriptors(struct msghdr *header, struct received_order *received)
{
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control != NULL;
         control = CMSG_NXTHDR(header, control)) {
        if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
            control->cmsg_len == CMSG_LEN(2 * sizeof(int))) {
            int descriptors[2];
            memcpy(descriptors, CMSG_DATA(control), sizeof descriptors);
            received->report_fd = descriptors[0];
            received->gate_fd = descriptors[1];
        }
    }
}

static int take_cpus(const unsigned char *bytes, size_t count, struct id_list *cpus)
{
    for (size_t i = 0; i < count; i++) {
        int32_t cpu = 0;
        memcpy(&cpu, bytes + i * sizeof cpu, sizeof cpu);
        const int error = id_list_add(cpus, cpu);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

/* The size of the next message, however many CPUs it names. */
static ssize_t wait_for_size(const struct server *server)
{
    ssize_t size = -1;
    do {
        size = recv(server->fd, NULL, 0, MSG_PEEK | MSG_TRUNC);
    } while (size < 0 && errno == EINTR);
    return size;
}

static int grow_buffer(struct server *server, size_t size)
{
    if (size <= server->buffer_size) {
        return 0;
    }
    unsigned char *buffer = realloc(server->buffer, size);
    if (buffer == NULL) {
        return -ENOMEM;
    }
    server->buffer = buffer;
    server->buffer_size = size;
    return 0;
}

/* 1: an order, 0: the coordinator is gone, or a negative errno. */
static int receive_order(struct server *server, struct received_order *received)
{
    union {
        struct cmsghdr align;
        unsigned char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    const ssize_t size = wait_for_size(server);
    if (size <= 0) {
        return size == 0 ? 0 : -errno;
    }
    if (grow_buffer(server, (size_t)size) != 0) {
        return -ENOMEM;
    }
    struct iovec part = {.iov_base = server->buffer, .iov_len = (size_t)size};
    struct msghdr header = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    ssize_t received_size = -1;
    do {
        received_size = recvmsg(server->fd, &header, MSG_CMSG_CLOEXEC);
    } while (received_size < 0 && errno == EINTR);
    if (received_size < (ssize_t)sizeof received->order) {
        return received_size < 0 ? -errno : -EPROTO;
    }
    take_descriptors(&header, received);
    memcpy(&received->order, server->buffer, sizeof received->order);
    const unsigned char *numbers = server->buffer + sizeof received->order;
    const size_t number_count = ((size_t)received_size - sizeof received->order) / sizeof(int32_t);
    const size_t cpu_count = received->order.cpu_count;
    if (number_count != cpu_count + received->order.launcher_cpu_count) {
        return -EPROTO;
    }
    int error = take_cpus(numbers, cpu_count, &received->cpus);
    if (error == 0) {
        error = take_cpus(numbers + cpu_count * sizeof(int32_t), number_count - cpu_count,
                          &received->launcher_cpus);
    }
    return error == 0 ? 1 : error;
}

/* 0 where no child has ended. */
static pid_t wait_for_child(int *status, struct rusage *usage)
{
    pid_t pid = -1;
    do {
        pid = wait4(-1, status, WNOHANG, usage);
    } while (pid < 0 && errno == EINTR);
    return pid;
}

static void reap(struct server *server)
{
    struct signalfd_siginfo information;
    struct rusage usage;
    int status = 0;
    pid_t pid = 0;

    (void)!read(server->signal_fd, &information, sizeof information);
    while ((pid = wait_for_child(&status, &usage)) > 0) {
        for (size_t i = 0; i < server->child_count; i++) {
            if (server->children[i].pid != pid) {
                continue;
            }
            const struct launcher_answer message = {
                .type = LAUNCHER_EXITED,
                .visit = server->children[i].visit,
                .pid = pid,
                .wait_status = status,
                .cpu_ns = usage_ns(&usage),
            };
            server->children[i] = server->children[server->child_count - 1];
            server->child_count--;
            answer(server, &message);
            break;
        }
    }
}

_Noreturn static void stop(struct server *server, bool is_asked)
{
    kill_all(server);
    while (wait(NULL) > 0 || errno == EINTR) {
    }
    if (is_asked) {
        struct rusage usage = {0};
        (void)getrusage(RUSAGE_SELF, &usage);
        const struct launcher_answer message = {.type = LAUNCHER_USAGE, .cpu_ns = usage_ns(&usage)};
        answer(server, &message);
    }
    _exit(EXIT_SUCCESS);
}

/* Without its orders it is of no use; a new one may have more luck. */
_Noreturn static void give_up(struct server *server, int error)
{
    const struct launcher_answer message = {.type = LAUNCHER_GONE, .error = error};
    answer(server, &message);
    stop(server, false);
}

static void serve_one(struct server *server)
{
    struct received_order received = {.report_fd = -1, .gate_fd = -1};
    const int result = receive_order(server, &received);
    if (result == 0) {
        stop(server, false);
    }
    if (result < 0) {
        /* Nothing here knows which visit it was. */
        give_up(server, -result);
    }
    switch (received.order.type) {
    case LAUNCHER_ORDER_FORK:
        fork_worker(server, &received);
        break;
    case LAUNCHER_ORDER_KILL:
        kill_visit(server, received.order.request.visit);
        break;
    case LAUNCHER_ORDER_STOP:
        stop(server, true);
    default:
        break;
    }
    close_order(&received);
}

static void prepare(struct server *server, const sigset_t *original_mask)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t child_signal;
    sigset_t own_mask = *original_mask;

    /* A terminal's Ctrl-C goes to the whole process group; the coordinator decides what ends. The
     * workers inherit all of this. */
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigaction(SIGINT, &ignore, NULL);
    (void)sigaction(SIGQUIT, &ignore, NULL);
    (void)sigaction(SIGTERM, &ignore, NULL);
    (void)sigaction(SIGHUP, &ignore, NULL);
    (void)sigemptyset(&child_signal);
    (void)sigaddset(&child_signal, SIGCHLD);
    (void)sigaddset(&own_mask, SIGCHLD);
    server->original_mask = *original_mask;
    (void)sigprocmask(SIG_SETMASK, &own_mask, NULL);
    server->signal_fd = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
}

_Noreturn void launcher_serve(int fd, pid_t coordinator, const sigset_t *original_mask)
{
    struct server server = {.fd = fd, .self = getpid()};

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != coordinator) {
        _exit(EXIT_FAILURE);
    }
    prepare(&server, original_mask);
    if (server.signal_fd < 0) {
        give_up(&server, errno);
    }
    worker_rehearse();
    for (;;) {
        struct pollfd polled[2] = {
            {.fd = server.fd, .events = POLLIN},
            {.fd = server.signal_fd, .events = POLLIN},
        };
        if (poll(polled, 2, -1) < 0) {
            if (errno == EINTR || errno == EAGAIN) {
                continue;
            }
            give_up(&server, errno);
        }
        if (polled[1].revents != 0) {
            reap(&server);
        }
        if (polled[0].revents != 0) {
            serve_one(&server);
        }
    }
}
