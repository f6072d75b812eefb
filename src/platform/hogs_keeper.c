/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keeper's own side, and the hogs'. */
#include "hogs_keeper.h"

#include "numasweep/affinity.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(int fd, const struct hog_message *message)
{
    ssize_t written = -1;
    do {
        written = write(fd, message, sizeof *message);
    } while (written < 0 && errno == EINTR);
}

_Noreturn static void refuse(const struct hog_pipes *pipes, size_t hog, int error, const char *what)
{
    struct hog_message message = {.type = HOG_REFUSED, .error = error, .hog = (uint32_t)hog};
    (void)snprintf(message.text, sizeof message.text, "%s: %s", what, strerror(error));
    tell(pipes->report_fd, &message);
    _exit(EXIT_FAILURE);
}

static void close_from_to(int first, int last)
{
    if (first > last || close_range((unsigned)first, (unsigned)last, 0) == 0) {
        return;
    }
    /* Linux before 5.9. */
    const long most = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd <= last && fd < most; fd++) {
        (void)close(fd);
    }
}

static int compare_ints(const void *a, const void *b)
{
    const int *first = a;
    const int *second = b;
    return (*first > *second) - (*first < *second);
}

/* A descriptor that stayed open here would keep alive what waits for its end: the launcher's socket, the
 * lock of a result file. */
static void close_others(const struct hog_pipes *pipes)
{
    int kept[] = {pipes->life_fd, pipes->gate_fd, pipes->report_fd};
    const size_t count = sizeof kept / sizeof kept[0];
    int first = STDERR_FILENO + 1;
    qsort(kept, count, sizeof kept[0], compare_ints);
    for (size_t i = 0; i < count; i++) {
        close_from_to(first, kept[i] - 1);
        first = kept[i] + 1;
    }
    close_from_to(first, INT_MAX);
}

static void be_normal(const struct hog_pipes *pipes, size_t index)
{
    const struct sched_param none = {0};
    if (sched_setscheduler(0, SCHED_OTHER, &none) != 0) {
        refuse(pipes, index, errno, "a busy worker cannot have SCHED_OTHER");
    }
    errno = 0;
    if (getpriority(PRIO_PROCESS, 0) != 0 && setpriority(PRIO_PROCESS, 0, 0) != 0) {
        refuse(pipes, index, errno, "a busy worker cannot have nice 0 (start numasweep without 'nice')");
    }
    errno = 0;
    const int nice_value = getpriority(PRIO_PROCESS, 0);
    if (sched_getscheduler(0) != SCHED_OTHER || nice_value != 0 || errno != 0) {
        refuse(pipes, index, EPERM, "a busy worker reads back another policy or nice than was set");
    }
}

static void be_pinned(const struct hog_pipes *pipes, size_t index, const struct id_list *cpus)
{
    struct id_list found = {0};
    int error = affinity_set(cpus);
    if (error != 0) {
        refuse(pipes, index, -error, "a busy worker cannot be pinned");
    }
    error = affinity_get(&found);
    if (error != 0 || !id_list_equal(&found, cpus)) {
        refuse(
            pipes, index, error != 0 ? -error : EPERM,
            "a busy worker reads back another CPU mask than was set: a CPU went offline, or out of the "
            "cpuset");
    }
    id_list_destroy(&found);
}

_Noreturn static void be_hog(const struct hogs *hogs, size_t index, const struct hog_pipes *pipes,
                             pid_t keeper)
{
    const struct hog_message ready = {.type = HOG_READY, .hog = (uint32_t)index, .pid = getpid()};
    volatile uint64_t work = 0;
    char byte = 0;
    ssize_t size = -1;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != keeper) {
        _exit(EXIT_FAILURE);
    }
    (void)prctl(PR_SET_NAME, "numasweep-hog", 0, 0, 0);
    (void)close(pipes->life_fd);
    if (hogs->list[index].group != HOG_NO_GROUP) {
        const int error = bandwidth_enter(&hogs->bandwidth, (size_t)hogs->list[index].group);
        if (error != 0) {
            refuse(pipes, index, -error, "a busy worker cannot be put into its cgroup");
        }
    }
    be_normal(pipes, index);
    be_pinned(pipes, index, &hogs->list[index].cpus);
    tell(pipes->report_fd, &ready);
    (void)close(pipes->report_fd);
    do {
        size = read(pipes->gate_fd, &byte, 1);
    } while (size < 0 && errno == EINTR);
    if (size != 1) {
        _exit(EXIT_FAILURE);
    }
    for (;;) {
        work = work + 1;
    }
}

/* They are reaped only here: until then their numbers belong to nobody else, and what /proc says of them
 * can be read. */
_Noreturn static void end(struct hogs *hogs, const struct hog_pipes *pipes)
{
    for (size_t i = 0; i < hogs->count; i++) {
        if (hogs->list[i].pid > 0) {
            (void)kill(hogs->list[i].pid, SIGKILL);
        }
    }
    while (wait(NULL) > 0 || errno == EINTR) {
    }
    const int error = bandwidth_remove(&hogs->bandwidth);
    if (error != 0) {
        const struct hog_message message = {.type = HOG_GROUPS_LEFT, .error = -error};
        tell(pipes->report_fd, &message);
    }
    _exit(error != 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void make_groups(struct hogs *hogs, const struct bandwidth_limit *limit,
                        const struct hog_pipes *pipes)
{
    struct failure failure = {0};
    struct hog_message message = {.type = HOG_GROUPS_READY, .pid = getpid()};
    const int error = bandwidth_create(&hogs->bandwidth, limit, &failure);
    if (error != 0) {
        message.type = HOG_REFUSED;
        message.error = -error;
        (void)snprintf(message.text, sizeof message.text, "%.500s", failure.text);
    }
    tell(pipes->report_fd, &message);
    if (error != 0) {
        end(hogs, pipes);
    }
}

static void fork_hogs(struct hogs *hogs, const struct hog_pipes *pipes)
{
    const pid_t self = getpid();
    for (size_t i = 0; i < hogs->count; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            be_hog(hogs, i, pipes, self);
        }
        if (pid < 0) {
            struct hog_message message = {.type = HOG_REFUSED, .error = errno, .hog = (uint32_t)i};
            (void)snprintf(message.text, sizeof message.text,
                           "a busy worker cannot be forked: %s (RLIMIT_NPROC, or the cgroup's pids.max)",
                           strerror(message.error));
            tell(pipes->report_fd, &message);
            end(hogs, pipes);
        }
        hogs->list[i].pid = pid;
    }
}

static void ignore_signals(void)
{
    static const int ignored[] = {SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t none;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) {
        (void)sigaction(ignored[i], &ignore, NULL);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn void hogs_keep(struct hogs *hogs, const struct bandwidth_limit *limit,
                         const struct hog_pipes *pipes)
{
    char byte = 0;
    ssize_t size = -1;
    ignore_signals();
    /* A signal to the coordinator's process group must not take the one that cleans up. */
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_NAME, BANDWIDTH_OWNER_NAME, 0, 0, 0);
    close_others(pipes);
    if (limit != NULL) {
        make_groups(hogs, limit, pipes);
    }
    fork_hogs(hogs, pipes);
    do {
        size = read(pipes->life_fd, &byte, 1);
    } while (size > 0 || (size < 0 && errno == EINTR));
    end(hogs, pipes);
}
