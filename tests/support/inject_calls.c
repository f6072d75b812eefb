/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inject_calls.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

enum { MMAP_DESCRIPTOR_ARGUMENT = 4 };

#define CALL(name, object)                                                                              \
    {                                                                                                   \
        SYS_##name, #name, object, NULL                                                                 \
    }
#define EXEMPT(name, reason)                                                                            \
    {                                                                                                   \
        SYS_##name, #name, OBJECT_NONE, reason                                                          \
    }

static const struct call calls[] = {
#ifdef SYS_poll
    CALL(poll, OBJECT_NONE),
    CALL(access, OBJECT_FIRST_PATH),
    CALL(readlink, OBJECT_FIRST_PATH),
    CALL(rename, OBJECT_FIRST_PATH),
    CALL(unlink, OBJECT_FIRST_PATH),
    CALL(dup2, OBJECT_NONE),
#endif
    CALL(brk, OBJECT_NONE),
    CALL(clock_nanosleep, OBJECT_NONE),
    CALL(clone, OBJECT_NONE),
    CALL(close, OBJECT_DESCRIPTOR),
    CALL(close_range, OBJECT_NONE),
    CALL(faccessat2, OBJECT_PATH),
    CALL(fcntl, OBJECT_DESCRIPTOR),
    CALL(flock, OBJECT_DESCRIPTOR),
    CALL(fchmod, OBJECT_DESCRIPTOR),
    CALL(fsync, OBJECT_DESCRIPTOR),
    CALL(ftruncate, OBJECT_DESCRIPTOR),
    CALL(getdents64, OBJECT_DESCRIPTOR),
    CALL(getpriority, OBJECT_NONE),
    CALL(getrandom, OBJECT_NONE),
    CALL(getrusage, OBJECT_NONE),
    CALL(get_mempolicy, OBJECT_NONE),
    CALL(ioctl, OBJECT_DESCRIPTOR),
    CALL(kill, OBJECT_NONE),
    CALL(lseek, OBJECT_DESCRIPTOR),
    CALL(madvise, OBJECT_NONE),
    CALL(mlock, OBJECT_NONE),
    CALL(mmap, OBJECT_MEMORY),
    CALL(move_pages, OBJECT_NONE),
    CALL(newfstatat, OBJECT_PATH),
    CALL(openat, OBJECT_PATH),
    CALL(perf_event_open, OBJECT_NONE),
    CALL(pipe2, OBJECT_NONE),
    CALL(prctl, OBJECT_NONE),
    CALL(pread64, OBJECT_DESCRIPTOR),
    CALL(prlimit64, OBJECT_NONE),
    CALL(pselect6, OBJECT_NONE),
    CALL(read, OBJECT_DESCRIPTOR),
    CALL(recvfrom, OBJECT_NONE),
    CALL(recvmsg, OBJECT_NONE),
    CALL(rt_sigaction, OBJECT_NONE),
    CALL(rt_sigprocmask, OBJECT_NONE),
    CALL(sched_getaffinity, OBJECT_NONE),
    CALL(sched_getparam, OBJECT_NONE),
    CALL(sched_getscheduler, OBJECT_NONE),
    CALL(sched_setaffinity, OBJECT_NONE),
    CALL(sched_setscheduler, OBJECT_NONE),
    CALL(sendmsg, OBJECT_NONE),
    CALL(sendto, OBJECT_NONE),
    CALL(setsockopt, OBJECT_NONE),
    CALL(set_mempolicy, OBJECT_NONE),
    CALL(signalfd4, OBJECT_NONE),
    CALL(socketpair, OBJECT_NONE),
    CALL(sysinfo, OBJECT_NONE),
    CALL(uname, OBJECT_NONE),
    CALL(wait4, OBJECT_NONE),
    CALL(write, OBJECT_DESCRIPTOR),
#ifdef SYS_arch_prctl
    EXEMPT(arch_prctl, "only the C library makes it, before main()"),
#endif
    EXEMPT(execve, "the harness starts the program with it"),
    EXEMPT(exit_group, "does not return"),
    EXEMPT(geteuid, "cannot fail"),
    EXEMPT(getpid, "cannot fail"),
    EXEMPT(getppid, "cannot fail"),
    EXEMPT(futex, "the C library's locks; a process of one thread never waits at one"),
    EXEMPT(mprotect, "the C library's, for its heap and the stack's guard"),
    EXEMPT(munmap, "what it leaves behind is memory of a process that goes on or ends"),
    EXEMPT(restart_syscall, "Linux makes it for a call that is listed"),
    EXEMPT(rseq, "only the C library makes it, before main()"),
    EXEMPT(rt_sigreturn, "does not return"),
    EXEMPT(set_robust_list, "only the C library makes it, at fork()"),
    EXEMPT(set_tid_address, "only the C library makes it, before main()"),
};

struct kind {
    const char *beginning;
    const char *name;
};

/* The first that fits. hwloc opens relative to the root. */
static const struct kind kinds[] = {
    {"pipe:", "pipe"},       {"socket:", "socket"},     {"anon_inode:", "anonymous"},
    {"/proc", "proc"},       {"proc/", "proc"},         {"/sys", "sys"},
    {"sys/", "sys"},         {"/dev", "dev"},           {"/lib", "library"},
    {"/usr/lib", "library"}, {"/etc/ld.so", "library"}, {"", "file"},
};

const struct call *call_find(long number)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (calls[i].number == number) {
            return &calls[i];
        }
    }
    return NULL;
}

static const char *kind_of_path(const char *path)
{
    const struct kind *kind = kinds;
    while (strncmp(path, kind->beginning, strlen(kind->beginning)) != 0) {
        kind++;
    }
    return kind->name;
}

static const char *kind_of_descriptor(pid_t pid, int fd, char path[CALL_PATH_SIZE])
{
    static const char *const standard[] = {"stdin", "stdout", "stderr"};
    char link[64];
    if (fd >= STDIN_FILENO && fd <= STDERR_FILENO) {
        return standard[fd];
    }
    (void)snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, fd);
    const ssize_t size = readlink(link, path, CALL_PATH_SIZE - 1);
    path[size > 0 ? size : 0] = '\0';
    return size > 0 ? kind_of_path(path) : "-";
}

/* To the end of its page at the most: what lies behind may not be there. */
static const char *kind_of_argument(pid_t pid, uint64_t address, char path[CALL_PATH_SIZE])
{
    const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    const size_t left = page_size - (size_t)(address % page_size);
    const struct iovec here = {path, left < CALL_PATH_SIZE - 1 ? left : CALL_PATH_SIZE - 1};
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    const struct iovec there = {(void *)(uintptr_t)address, here.iov_len};
    const ssize_t size = process_vm_readv(pid, &here, 1, &there, 1, 0);
    path[size > 0 ? size : 0] = '\0';
    return size > 0 ? kind_of_path(path) : "-";
}

const char *call_kind(const struct call *call, pid_t pid, const unsigned long long *arguments,
                      char path[CALL_PATH_SIZE])
{
    path[0] = '\0';
    switch (call->object) {
    case OBJECT_DESCRIPTOR:
        return kind_of_descriptor(pid, (int)arguments[0], path);
    case OBJECT_FIRST_PATH:
        return kind_of_argument(pid, arguments[0], path);
    case OBJECT_PATH:
        return kind_of_argument(pid, arguments[1], path);
    case OBJECT_MEMORY:
        return (int)arguments[MMAP_DESCRIPTOR_ARGUMENT] < 0 ? "memory" : "library";
    case OBJECT_NONE:
        break;
    }
    return "-";
}

#if defined(__x86_64__)
bool call_replace(pid_t pid)
{
    return ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, orig_rax), -1L) == 0;
}

void call_set_result(pid_t pid, long result)
{
    (void)ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rax), result);
}
#elif defined(__aarch64__)
bool call_replace(pid_t pid)
{
    int number = -1;
    struct iovec part = {&number, sizeof number};
    return ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &part) == 0;
}

void call_set_result(pid_t pid, long result)
{
    struct user_regs_struct registers;
    struct iovec part = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &part) == 0) {
        registers.regs[0] = (unsigned long long)result;
        (void)ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &part);
    }
}
#else
bool call_replace(pid_t pid)
{
    (void)pid;
    (void)fputs("inject: the registers of this processor are not known\n", stderr);
    exit(EXIT_FAILURE);
}

void call_set_result(pid_t pid, long result)
{
    (void)pid;
    (void)result;
}
#endif
