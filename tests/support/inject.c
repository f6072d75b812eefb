/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes one system call of one process of a sweep fail, lie or hang:
 *
 *   inject -o LOG [-r ROLE -c CALL [-k KIND] [-n FIRST[+]] (-e ERRNO | -v VALUE | -h)] PROGRAM
 * [ARGUMENT...]
 *
 * ROLE is coordinator, launcher, loader or worker; all workers count together. KIND narrows the calls
 * down to those on one kind of object. strace counts in each process apart and knows no roles, so that
 * it breaks all visits at once. The exit status is the program's; LOG says what was called, hit, killed
 * and left behind.
 */
#include "inject_calls.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/ptrace.h>

enum { MOST_PROCESSES = 4096, MOST_COUNTS = 1024, CANNOT_TRACE = 77, LEFT_BEHIND_TRIES = 300 };

enum role { ROLE_COORDINATOR, ROLE_LAUNCHER, ROLE_LOADER, ROLE_WORKER, ROLE_OTHER };
static const char *const role_names[] = {"coordinator", "launcher", "loader", "worker", "other"};

enum action { ACTION_NONE, ACTION_RESULT, ACTION_HANG };

struct process {
    pid_t pid;
    enum role role;
    bool has_role;
    bool is_stopped; /* came before the event that tells whose child it is */
    bool is_hit;     /* in an altered call */
    bool has_begun;  /* main() runs */
    bool socket_is_last;
};

struct count {
    enum role role;
    const char *call;
    const char *kind;
    long calls;
};

struct injection {
    enum action action;
    int role;
    const char *call;
    const char *kind;
    long first;
    bool is_lasting;
    long result;
};

struct tracer {
    struct injection injection;
    struct process *processes;
    size_t process_count;
    struct count *counts;
    size_t count_count;
    long seen;
    pid_t root;
    int status;
    FILE *log;
};

static struct process *find_process(struct tracer *tracer, pid_t pid)
{
    for (size_t i = 0; i < tracer->process_count; i++) {
        if (tracer->processes[i].pid == pid) {
            return &tracer->processes[i];
        }
    }
    if (tracer->process_count == MOST_PROCESSES) {
        (void)fputs("inject: too many processes\n", stderr);
        exit(EXIT_FAILURE);
    }
    struct process *added = &tracer->processes[tracer->process_count];
    tracer->process_count++;
    *added = (struct process){.pid = pid, .role = ROLE_OTHER};
    return added;
}

static void forget_process(struct tracer *tracer, struct process *process)
{
    tracer->process_count--;
    *process = tracer->processes[tracer->process_count];
}

static void resume(pid_t pid, int signal_number)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    (void)ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)signal_number);
}

static void count_call(struct tracer *tracer, enum role role, const char *call, const char *kind)
{
    for (size_t i = 0; i < tracer->count_count; i++) {
        struct count *count = &tracer->counts[i];
        if (count->role == role && count->call == call && strcmp(count->kind, kind) == 0) {
            count->calls++;
            return;
        }
    }
    if (tracer->count_count < MOST_COUNTS) {
        tracer->counts[tracer->count_count] = (struct count){role, call, kind, 1};
        tracer->count_count++;
    }
}

static bool is_wanted(struct tracer *tracer, enum role role, const char *call, const char *kind)
{
    const struct injection *injection = &tracer->injection;
    if (injection->action == ACTION_NONE || (int)role != injection->role ||
        strcmp(call, injection->call) != 0 ||
        (injection->kind != NULL && strcmp(kind, injection->kind) != 0)) {
        return false;
    }
    tracer->seen++;
    return tracer->seen == injection->first ||
           (injection->is_lasting && tracer->seen > injection->first);
}

static void enter_call(struct tracer *tracer, struct process *process,
                       const struct ptrace_syscall_info *information)
{
    char path[CALL_PATH_SIZE];
    const struct call *call = call_find((long)information->entry.nr);
    if (call == NULL) {
        (void)fprintf(tracer->log, "unknown %s %llu\n", role_names[process->role],
                      (unsigned long long)information->entry.nr);
    }
    if (call == NULL || call->exemption != NULL) {
        resume(process->pid, 0);
        return;
    }
    /* What the dynamic linker does is not the program's. Its first own call is this one. */
    process->has_begun = process->has_begun || process->role != ROLE_COORDINATOR ||
                         strcmp(call->name, "fcntl") == 0;
    if (strcmp(call->name, "socketpair") == 0 || strcmp(call->name, "pipe2") == 0) {
        process->socket_is_last = strcmp(call->name, "socketpair") == 0;
    }
    if (!process->has_begun) {
        resume(process->pid, 0);
        return;
    }
    const char *kind = call_kind(call, process->pid, information->entry.args, path);
    count_call(tracer, process->role, call->name, kind);
    if (!is_wanted(tracer, process->role, call->name, kind)) {
        resume(process->pid, 0);
        return;
    }
    (void)fprintf(tracer->log, "hit %s %s %s %ld %s\n", role_names[process->role], call->name, kind,
                  tracer->seen, path);
    if (tracer->injection.action == ACTION_HANG) {
        /* Left as it is: only SIGKILL ends it. */
        return;
    }
    process->is_hit = call_replace(process->pid);
    resume(process->pid, 0);
}

static void take_call(struct tracer *tracer, struct process *process)
{
    struct ptrace_syscall_info information = {0};
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    if (ptrace(PTRACE_GET_SYSCALL_INFO, process->pid, (void *)sizeof information, &information) <= 0) {
        resume(process->pid, 0);
        return;
    }
    if (information.op == PTRACE_SYSCALL_INFO_ENTRY) {
        enter_call(tracer, process, &information);
        return;
    }
    if (process->is_hit && information.op == PTRACE_SYSCALL_INFO_EXIT) {
        call_set_result(process->pid, tracer->injection.result);
        process->is_hit = false;
    }
    resume(process->pid, 0);
}

/* The launcher has a socket to the coordinator, the loader of the topology a pipe. */
static enum role role_of_child(const struct process *parent)
{
    if (parent->role == ROLE_COORDINATOR) {
        return parent->socket_is_last ? ROLE_LAUNCHER : ROLE_LOADER;
    }
    return parent->role == ROLE_LAUNCHER ? ROLE_WORKER : ROLE_OTHER;
}

static void take_fork(struct tracer *tracer, struct process *parent)
{
    unsigned long message = 0;
    const pid_t parent_pid = parent->pid;
    const enum role role = role_of_child(parent);
    if (ptrace(PTRACE_GETEVENTMSG, parent_pid, NULL, &message) == 0) {
        struct process *child = find_process(tracer, (pid_t)message);
        child->role = role;
        child->has_role = true;
        if (child->is_stopped) {
            child->is_stopped = false;
            resume(child->pid, 0);
        }
    }
    resume(parent_pid, 0);
}

static void take_stop(struct tracer *tracer, struct process *process, int status)
{
    const int signal_number = WSTOPSIG(status);
    const int event = status >> 16;
    switch (event) {
    case 0:
        if (signal_number == (SIGTRAP | 0x80)) {
            take_call(tracer, process);
            return;
        }
        resume(process->pid, signal_number);
        return;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
        take_fork(tracer, process);
        return;
    case PTRACE_EVENT_STOP:
        if (!process->has_role) {
            process->is_stopped = true;
            return;
        }
        if (signal_number != SIGTRAP) {
            (void)ptrace(PTRACE_LISTEN, process->pid, NULL, NULL);
            return;
        }
        resume(process->pid, 0);
        return;
    default:
        resume(process->pid, 0);
        return;
    }
}

static void take_end(struct tracer *tracer, struct process *process, int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
        (void)fprintf(tracer->log, "killed %s SIG%s\n", role_names[process->role],
                      sigabbrev_np(WTERMSIG(status)));
    }
    if (process->pid == tracer->root) {
        tracer->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        tracer->root = 0;
    }
    forget_process(tracer, process);
}

/* What still runs a while after the coordinator has gone is an orphan. */
static bool wait_a_little(struct tracer *tracer, int *tries)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    (*tries)++;
    if (*tries < LEFT_BEHIND_TRIES) {
        (void)nanosleep(&pause, NULL);
        return true;
    }
    for (size_t i = 0; i < tracer->process_count; i++) {
        (void)fprintf(tracer->log, "orphan %s\n", role_names[tracer->processes[i].role]);
        (void)kill(tracer->processes[i].pid, SIGKILL);
    }
    return false;
}

static void trace(struct tracer *tracer)
{
    int tries = 0;
    for (;;) {
        int status = 0;
        const pid_t pid = waitpid(-1, &status, __WALL | (tracer->root == 0 ? WNOHANG : 0));
        if (pid < 0) {
            return;
        }
        if (pid == 0) {
            if (!wait_a_little(tracer, &tries)) {
                return;
            }
            continue;
        }
        struct process *process = find_process(tracer, pid);
        if (WIFSTOPPED(status)) {
            take_stop(tracer, process, status);
        } else {
            take_end(tracer, process, status);
        }
    }
}

static int start(struct tracer *tracer, char **words)
{
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                         PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    int gate[2];
    char go = 0;
    if (pipe2(gate, O_CLOEXEC) != 0) {
        return -errno;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        (void)close(gate[1]);
        if (read(gate[0], &go, 1) == 1) {
            (void)execv(words[0], words);
        }
        _exit(EXIT_FAILURE);
    }
    (void)close(gate[0]);
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    void *const seize_options = (void *)options;
    int error = pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, seize_options) != 0 ||
                        ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0
                    ? -errno
                    : 0;
    struct process *process = find_process(tracer, pid);
    process->role = ROLE_COORDINATOR;
    process->has_role = true;
    tracer->root = pid;
    if (write(gate[1], "g", 1) != 1) {
        error = -errno;
    }
    (void)close(gate[1]);
    return error;
}

static int role_number(const char *name)
{
    for (int role = 0; role <= ROLE_OTHER; role++) {
        if (strcmp(role_names[role], name) == 0) {
            return role;
        }
    }
    return -1;
}

static bool take_option(struct tracer *tracer, int letter, char *value)
{
    struct injection *injection = &tracer->injection;
    switch (letter) {
    case 'o':
        tracer->log = fopen(value, "we");
        return tracer->log != NULL;
    case 'r':
        injection->role = role_number(value);
        return injection->role >= 0;
    case 'c':
        injection->call = value;
        return true;
    case 'k':
        injection->kind = value;
        return true;
    case 'n':
        injection->first = strtol(value, NULL, 10);
        injection->is_lasting = strchr(value, '+') != NULL;
        return injection->first > 0;
    case 'e':
    case 'v':
        injection->action = ACTION_RESULT;
        injection->result = letter == 'e' ? -strtol(value, NULL, 10) : strtol(value, NULL, 10);
        return true;
    case 'h':
        injection->action = ACTION_HANG;
        return true;
    default:
        return false;
    }
}

static int run(struct tracer *tracer, int argc, char **argv)
{
    bool is_good = tracer->processes != NULL && tracer->counts != NULL;
    int letter = 0;
    while (is_good && (letter = getopt(argc, argv, "+o:r:c:k:n:e:v:h")) != -1) {
        is_good = take_option(tracer, letter, optarg);
    }
    if (!is_good || tracer->log == NULL || optind >= argc ||
        (tracer->injection.action != ACTION_NONE && tracer->injection.call == NULL)) {
        (void)fputs("inject: wrong arguments\n", stderr);
        return EXIT_FAILURE;
    }
    const int error = start(tracer, argv + optind);
    if (error != 0) {
        (void)fprintf(stderr, "inject: %s\n", strerror(-error));
        return CANNOT_TRACE;
    }
    trace(tracer);
    for (size_t i = 0; i < tracer->count_count; i++) {
        const struct count *count = &tracer->counts[i];
        (void)fprintf(tracer->log, "calls %s %s %s %ld\n", role_names[count->role], count->call,
                      count->kind, count->calls);
    }
    return tracer->status;
}

int main(int argc, char **argv)
{
    struct tracer tracer = {
        .injection = {.first = 1},
        .processes = calloc(MOST_PROCESSES, sizeof *tracer.processes),
        .counts = calloc(MOST_COUNTS, sizeof *tracer.counts),
    };
    int status = run(&tracer, argc, argv);
    if (tracer.log != NULL && fclose(tracer.log) != 0) {
        status = EXIT_FAILURE;
    }
    free(tracer.processes);
    free(tracer.counts);
    return status;
}
