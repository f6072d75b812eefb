# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be refused to a sweep, and what must then be said."""

import collections
import errno
import os

COORDINATOR, LAUNCHER, LOADER, WORKER = "coordinator", "launcher", "loader", "worker"

# One way for the calls of one kind and role to go wrong. `error` is an errno's name, or "=VALUE" for a call that
# says VALUE and does nothing.
Fault = collections.namedtuple("Fault", "role call kind error")

# Calls that a sweep makes only when a process happens to be slow: a worker that is told to go has mostly gone.
BY_CHANCE = {(LAUNCHER, "kill")}

ERRORS = {
    "brk": ("=0",),
    "clock_nanosleep": ("EINTR", "ENOSYS", "=0"),
    "clone": ("EAGAIN", "ENOMEM"),
    "close": ("EIO",),
    "close_range": ("ENOSYS",),
    "dup2": ("EMFILE",),
    "faccessat2": ("EACCES",),
    "fcntl": ("EBADF",),
    "flock": ("EWOULDBLOCK", "ENOLCK", "EINTR"),
    "fsync": ("EIO", "ENOSPC", "EINVAL"),
    "getcpu": ("ENOSYS",),
    "getdents64": ("EIO",),
    "getrandom": ("ENOSYS", "EINTR"),
    "getrusage": ("EINVAL",),
    "get_mempolicy": ("EPERM", "ENOSYS", "=0"),
    "kill": ("EPERM", "ESRCH"),
    "madvise": ("EINVAL", "EAGAIN"),
    "mbind": ("EPERM", "ENOSYS", "EIO"),
    "mlock": ("ENOMEM", "EPERM", "EAGAIN"),
    "mmap": ("ENOMEM",),
    "move_pages": ("EPERM", "ENOSYS", "=0"),
    "newfstatat": ("EACCES",),
    "openat": ("ENOENT", "EACCES", "EMFILE"),
    "pipe2": ("EMFILE", "ENFILE"),
    "poll": ("ENOMEM", "EINTR"),
    "ppoll": ("ENOMEM", "EINTR"),
    "prctl": ("EINVAL", "EPERM"),
    "pread64": ("EIO", "=0"),
    "prlimit64": ("EPERM",),
    "pselect6": ("ENOMEM", "EINTR", "=0"),
    "read": ("EIO", "EINTR", "=0"),
    "recvfrom": ("ENOMEM", "EINTR"),
    "recvmsg": ("ENOMEM", "EINTR"),
    "rt_sigaction": ("EINVAL",),
    "rt_sigprocmask": ("EINVAL",),
    "sched_getaffinity": ("ENOSYS", "EPERM"),
    "sched_getparam": ("ENOSYS",),
    "sched_getscheduler": ("ENOSYS",),
    "sched_setaffinity": ("EINVAL", "EPERM", "=0"),
    "sched_setscheduler": ("EPERM", "ENOSYS", "=0"),
    "sendmsg": ("ETOOMANYREFS", "ENOBUFS", "EINTR"),
    "sendto": ("ENOMEM", "EINTR"),
    "setsockopt": ("ENOBUFS",),
    "set_mempolicy": ("EPERM", "ENOSYS", "EINVAL", "=0"),
    "signalfd4": ("EMFILE",),
    "socketpair": ("EMFILE", "ENFILE"),
    "sysinfo": ("EFAULT",),
    "uname": ("EFAULT",),
    "wait4": ("EINTR",),
    "write": ("EIO", "ENOSPC", "EINTR"),
}

# The stage that names a visit which was lost to it.
STAGES = {
    (COORDINATOR, "fcntl"): "pipe",
    (COORDINATOR, "pipe2"): "pipe",
    (COORDINATOR, "read"): "read",
    (COORDINATOR, "read", "=0"): "worker",
    (COORDINATOR, "recvfrom"): "launcher",
    (COORDINATOR, "sendmsg"): "launcher",
    (COORDINATOR, "write"): "gate",
    (LAUNCHER, "clone"): "fork",
    (LAUNCHER, "poll"): "launcher",
    (LAUNCHER, "recvfrom"): "launcher",
    (LAUNCHER, "recvmsg"): "launcher",
    (LAUNCHER, "signalfd4"): "launcher",
    (WORKER, "clock_nanosleep"): "measure",
    (WORKER, "get_mempolicy"): "bind",
    (WORKER, "getcpu"): "pin",
    (WORKER, "mmap"): "allocate",
    (WORKER, "pselect6"): "measure",
    (WORKER, "read"): "gate",
    (WORKER, "read", "=0"): "worker",
    (WORKER, "sched_getaffinity"): "pin",
    (WORKER, "sched_getparam"): "policy",
    (WORKER, "sched_getscheduler"): "policy",
    (WORKER, "sched_setaffinity"): "pin",
    (WORKER, "sched_setscheduler"): "policy",
    (WORKER, "set_mempolicy"): "bind",
    (WORKER, "write"): "report",
}

# What a sweep that goes on all the same must say when the call is refused to every worker.
WARNINGS = {
    "mlock": "memory could not be locked",
    "move_pages": "every page on its node in 0 of",
    "sched_setscheduler": "SCHED_OTHER",
    "set_mempolicy": "memory was not bound",
}

# hwloc tries again for ever; after its deadline it is loaded without the part that asks.
LONGER = {(LOADER, "sched_getaffinity")}

# Lies that can go on for ever without being a lie of something else: an end of file that never comes is none.
LASTING_LIES = {"brk", "clock_nanosleep", "get_mempolicy", "move_pages", "pselect6", "sched_setaffinity",
                "sched_setscheduler", "set_mempolicy"}


def is_possible(fault):
    """What the dynamic linker and the C library do, and refusals that leave a descriptor open, are no faults."""
    if fault.call == "close":
        return (fault.role, fault.kind) == (COORDINATOR, "file")
    if fault.error == "EINTR" and (fault.kind in ("stdout", "stderr") or
                                   fault[:3] == (COORDINATOR, "read", "file")):
        return False  # no signal handler is there
    if fault.call in ("brk", "madvise", "mmap") and os.environ.get("NUMASWEEP_SANITIZERS"):
        return False  # the sanitizers' own memory
    return fault.kind != "library"


def faults_of(role, call, kind):
    return [fault for fault in (Fault(role, call, kind, error) for error in ERRORS.get(call, ()))
            if is_possible(fault)]


def is_of_the_command_line(fault):
    """Another file would do: told with the status of bad input."""
    return fault.role == COORDINATOR and fault.kind == "file"


def can_last(fault):
    if fault.error.startswith("="):
        return fault.call in LASTING_LIES
    return fault.error != "EINTR"


def words_for(fault, occurrence):
    """Arguments of tests/support/inject.c."""
    action = ("-v", fault.error[1:]) if fault.error.startswith("=") else ("-e", getattr(errno, fault.error))
    return ("-r", fault.role, "-c", fault.call, "-k", fault.kind, "-n", occurrence, *action)


def names_of(error):
    """Texts of which one names the error."""
    if error == "EWOULDBLOCK":
        return ("another process",)
    return (error, os.strerror(getattr(errno, error)))


def stage_of(fault):
    return STAGES.get((fault.role, fault.call, fault.error), STAGES.get((fault.role, fault.call)))
