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
    "access": ("EACCES",),
    "brk": ("=0",),
    "clock_nanosleep": ("EINTR", "ENOSYS", "=0"),
    "clone": ("EAGAIN", "ENOMEM"),
    "close": ("EIO",),
    "close_range": ("ENOSYS",),
    "dup2": ("EMFILE",),
    "faccessat2": ("EACCES",),
    "fchmod": ("EPERM",),
    "fcntl": ("EBADF",),
    "flock": ("EWOULDBLOCK", "ENOLCK", "EINTR"),
    "fsync": ("EIO", "ENOSPC", "EINVAL"),
    "getdents64": ("EIO",),
    "getpriority": ("ENOSYS",),
    "getrandom": ("ENOSYS", "EINTR"),
    "getrusage": ("EINVAL",),
    "get_mempolicy": ("EPERM", "ENOSYS", "=0"),
    "ioctl": ("ENOTTY",),
    "kill": ("EPERM", "ESRCH"),
    "lseek": ("ESPIPE",),
    "madvise": ("EINVAL", "EAGAIN"),
    "mlock": ("ENOMEM", "EPERM", "EAGAIN"),
    "mmap": ("ENOMEM",),
    "move_pages": ("EPERM", "ENOSYS", "=0"),
    "newfstatat": ("EACCES",),
    "openat": ("ENOENT", "EACCES", "EMFILE"),
    "perf_event_open": ("EACCES", "EMFILE"),
    "pipe2": ("EMFILE", "ENFILE"),
    "poll": ("ENOMEM", "EINTR"),
    "prctl": ("EINVAL", "EPERM"),
    "pread64": ("EIO", "=0"),
    "prlimit64": ("EPERM",),
    "pselect6": ("ENOMEM", "EINTR", "=0"),
    "read": ("EIO", "EINTR", "=0"),
    "readlink": ("EACCES",),
    "recvfrom": ("ENOMEM", "EINTR"),
    "recvmsg": ("ENOMEM", "EINTR"),
    "rename": ("EACCES", "ENOSPC"),
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
    "unlink": ("EACCES",),
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

# What a sweep that goes on all the same must say of a worker's call that was refused: among its warnings or in its
# validity, as a regular expression. A worker's fault is told here, or costs its visit, or stands below.
TOLD = {
    ("clock_nanosleep", "-"): "early wake-up",
    ("get_mempolicy", "-"): r"could not be read: .*get_mempolicy",
    ("getrusage", "-"): r"could not be read: .*getrusage",
    ("mlock", "-"): "memory could not be locked",
    ("move_pages", "-"): "could not be read on which node",
    ("openat", "proc"): r"could not be read: .*/proc|cgroup",
    ("openat", "sys"): r"could not be read: .*(/sys|cgroup)",
    ("prctl", "-"): "timer slack could not be read|timer slack 50000|slack [0-9]+ to",
    ("pread64", "proc"): r"could not be read: .*/proc|cgroup",
    ("pread64", "sys"): r"could not be read: .*(/sys|cgroup)",
    ("prlimit64", "-"): "could not be set: RLIMIT_RTTIME",
    ("pselect6", "-"): "early wake-up",
    ("read", "sys"): r"could not be read: .*/sys",
    ("sched_getaffinity", "-"): "mask read back before and after in [0-9]+ of",
    ("sched_setscheduler", "-"): "SCHED_OTHER",
    ("set_mempolicy", "-"): "memory was not bound",
}

# A worker's faults of which nothing needs to be said: (call, part of the object's path or "", single or lasting), why.
SINGLE, LASTING = "single", "lasting"
UNTOLD = [
    ("clock_nanosleep", "", SINGLE, "with pselect it only sets the phase at which the samples begin"),
    ("clock_nanosleep", "", LASTING, "the same, and with the kernel of that name the visit fails"),
    ("close_range", "", SINGLE, "other workers' descriptors stay open for a visit"),
    ("close_range", "", LASTING, "the same"),
    ("madvise", "", SINGLE, "advice"),
    ("madvise", "", LASTING, "advice"),
    ("move_pages", "", SINGLE, "pages are looked at twice, and the second look is the proof"),
    ("openat", "/dev/cpu/", SINGLE, "SMIs are counted by few processors, and to few users"),
    ("openat", "/dev/cpu/", LASTING, "the same"),
    ("openat", "oom_score_adj", SINGLE, "where memory runs out, Linux then chooses by size alone"),
    ("openat", "thermal_throttle", SINGLE, "few processors count it"),
    ("pread64", "thermal_throttle", SINGLE, "the same"),
    ("openat", "cpufreq", SINGLE, "a level beside the counters, which few virtual machines have"),
    ("pread64", "cpufreq", SINGLE, "the same"),
    ("perf_event_open", "", SINGLE, "frequency and SMIs are counted by few processors, and to few users"),
    ("perf_event_open", "", LASTING, "the same"),
    ("pread64", "perf_event", SINGLE, "the same"),
    ("read", "perf_event", SINGLE, "the same"),
    ("read", "perf_event", LASTING, "the same"),
    ("prctl", "", SINGLE, "death of the launcher: the gate's end says so too; slack: what was had is read back"),
    ("prlimit64", "", SINGLE, "it is read and then set; either is told where it is the workers' own"),
    ("pselect6", "", SINGLE, "under the tracer's stop even a sleep that is left out may take its time"),
    ("rt_sigprocmask", "", SINGLE, "signals stay blocked, SIGKILL excepted"),
    ("rt_sigprocmask", "", LASTING, "the same"),
    ("sched_setscheduler", "", SINGLE, "what was inherited is reset, and what was had returned; between, it is told"),
    ("write", "oom_score_adj", SINGLE, "as above"),
    ("write", "oom_score_adj", LASTING, "as above"),
]

# hwloc tries again for ever; after its deadline it is loaded without the part that asks.
LONGER = {(LOADER, "sched_getaffinity")}

# Lies that can go on for ever without being a lie of something else: an end of file that never comes is none.
LASTING_LIES = {"brk", "clock_nanosleep", "get_mempolicy", "move_pages", "pselect6", "sched_setaffinity",
                "sched_setscheduler", "set_mempolicy"}


def is_possible(fault):
    """What the dynamic linker and the C library do, and refusals that leave a descriptor open, are no faults."""
    if fault.call == "close":
        return (fault.role, fault.kind) == (COORDINATOR, "file")
    if fault.error == "EINTR" and (fault.kind == "stderr" or
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


def names_of(error, call=""):
    """Texts of which one names the error."""
    if call == "access":
        return ("no right",)
    if error == "EWOULDBLOCK":
        return ("another process",)
    return (error, os.strerror(getattr(errno, error)))


def is_untold(fault, occurrence, paths):
    length = LASTING if "+" in occurrence else SINGLE
    return fault.error == "EINTR" or any(
        fault.call == call and length == wanted and all(part in path for path in paths)
        for call, part, wanted, _ in UNTOLD)


def stage_of(fault):
    return STAGES.get((fault.role, fault.call, fault.error), STAGES.get((fault.role, fault.call)))
