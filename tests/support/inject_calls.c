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

enum { PATH_BYTES = 512, MMAP_DESCRIPTOR_ARGUMENT = 4 };

#define CALL(name, object)                                                                              \
    {                                                                                                   \
        SYS_##name, #name, object                                                                       \
    }

static const struct call calls[] = {
#ifdef SYS_poll
    CALL(poll, OBJECT_NONE),
    CALL(access, OBJECT_NONE),
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
    CALL(fsync, OBJECT_DESCRIPTOR),
    CALL(getcpu, OBJECT_NONE),
    CALL(getdents64, OBJECT_DESCRIPTOR),
    CALL(getrandom, OBJECT_NONE),
    CALL(getrusage, OBJECT_NONE),
    CALL(get_mempolicy, OBJECT_NONE),
    CALL(kill, OBJECT_NONE),
    CALL(madvise, OBJECT_NONE),
    CALL(mbind, OBJECT_NONE),
    CALL(mlock, OBJECT_NONE),
    CALL(mmap, OBJECT_MEMORY),
    CALL(move_pages, OBJECT_NONE),
    CALL(newfstatat, OBJECT_PATH),
    CALL(openat, OBJECT_PATH),
    CALL(pipe2, OBJECT_NONE),
    CALL(ppoll, OBJECT_NONE),
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
};

struct kind {
    const char *beginning;
    const char *name;
};

/* The first that fits. hwloc opens relative to the root. */
static const struct kind kinds[] = {
    {"pipe:", "pipe"},       {"socket:", "socket"}, {"anon_inode:", "anonymous"},
    {"/proc", "proc"},       {"proc/", "proc"},     {"/sys", "sys"},
    {"sys/", "sys"},         {"/dev", "dev"},       {"/lib", "library"},
    {"/usr/lib", "library"}, {"/etc", "library"},   {"", "file"},
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

static const char *kind_of_descriptor(pid_t pid, int fd)
{
    static const char *const standard[] = {"stdin", "stdout", "stderr"};
    char link[64];
    char path[PATH_BYTES] = "";
    if (fd >= STDIN_FILENO && fd <= STDERR_FILENO) {
        return standard[fd];
    }
    (void)snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, fd);
    return readlink(link, path, sizeof path - 1) > 0 ? kind_of_path(path) : "-";
}

/* To the end of its page at the most: what lies behind may not be there. */
static const char *kind_of_argument(pid_t pid, uint64_t address)
{
    char path[PATH_BYTES] = "";
    const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    const size_t left = page_size - (size_t)(address % page_size);
    const struct iovec here = {path, left < sizeof path - 1 ? left : sizeof path - 1};
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    const struct iovec there = {(void *)(uintptr_t)address, here.iov_len};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) > 0 ? kind_of_path(path) : "-";
}

const char *call_kind(const struct call *call, pid_t pid, const unsigned long long *arguments)
{
    switch (call->object) {
    case OBJECT_DESCRIPTOR:
        return kind_of_descriptor(pid, (int)arguments[0]);
    case OBJECT_PATH:
        return kind_of_argument(pid, arguments[1]);
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
