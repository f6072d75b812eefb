/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this process may do, and what it has inherited. Of the running machine only. */
#include "environment_parts.h"
#include "numasweep/affinity.h"
#include "numasweep/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <numaif.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TRIED_PRIORITY = 50,
    SLACK_BY_DEFAULT_NS = 50000,
    LINUX_SCHED_DEADLINE = 6,
    USEFUL_LOCK_BYTES = 1 << 20
};

static const char group[] = "rights";

/* In a child: the caller must never be real-time itself. Returns 0, the errno, or a negative one where
 * it could not be tried. */
static int try_fifo(void)
{
    const pid_t pid = fork();
    int status = 0;
    if (pid < 0) {
        return -errno;
    }
    if (pid == 0) {
        const struct sched_param priority = {.sched_priority = TRIED_PRIORITY};
        _exit(sched_setscheduler(0, SCHED_FIFO, &priority) == 0 ? 0 : errno & 0xFF);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -EIO;
}

static const char *fifo_advice(int error)
{
    if (error == ENOSYS) {
        return "a sandbox without real-time scheduling: measure outside of it, or read the figures as "
               "SCHED_OTHER's";
    }
    if (error == EINVAL) {
        return "the kernel does not take the policy itself (EINVAL): one built without real-time "
               "scheduling, or a sandbox; the sweep runs as SCHED_OTHER";
    }
    if (geteuid() == 0) {
        return "refused to root: the cgroup has no real-time budget (see rt_group_scheduling), or the "
               "container lacks "
               "CAP_SYS_NICE";
    }
    return "give '- rtprio 98' in /etc/security/limits.conf and log in anew, or 'setcap "
           "cap_sys_nice,cap_ipc_lock=ep' "
           "to the program, or LimitRTPRIO=98 in a unit; until then the sweep runs as SCHED_OTHER";
}

static int add_fifo(struct environment_reader *reader)
{
    const int error = try_fifo();
    if (error == 0) {
        return environment_add_fact(reader, group, "fifo_is_allowed", FACT_INFORMATION, NULL,
                                    "yes, tried at priority %d", TRIED_PRIORITY);
    }
    if (error < 0) {
        return environment_add_fact(reader, group, "fifo_is_allowed", FACT_NOTICE, NULL,
                                    "could not be tried: %s", strerror(-error));
    }
    return environment_add_fact(reader, group, "fifo_is_allowed", FACT_WARNING, fifo_advice(error),
                                "no: %s", strerror(error));
}

static const char *limit_text(rlim_t limit, char text[32])
{
    if (limit == RLIM_INFINITY) {
        (void)snprintf(text, 32, "unlimited");
    } else {
        (void)snprintf(text, 32, "%llu", (unsigned long long)limit);
    }
    return text;
}

static int add_limit(struct environment_reader *reader, const char *name, __rlimit_resource_t resource,
                     rlim_t useful, const char *advice)
{
    struct rlimit limit;
    char soft[32];
    char hard[32];
    if (getrlimit(resource, &limit) != 0) {
        return environment_add_fact(reader, group, name, FACT_INFORMATION, NULL,
                                    ENVIRONMENT_NOT_READABLE);
    }
    const bool is_short = geteuid() != 0 && limit.rlim_cur < useful;
    return environment_add_fact(reader, group, name, is_short ? FACT_NOTICE : FACT_INFORMATION,
                                is_short ? advice : NULL, "%s (hard %s)",
                                limit_text(limit.rlim_cur, soft), limit_text(limit.rlim_max, hard));
}

static int add_inherited_policy(struct environment_reader *reader)
{
    struct sched_param parameter = {0};
    char text[32];
    const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    (void)sched_getparam(0, &parameter);
    const bool is_deadline = policy == LINUX_SCHED_DEADLINE;
    const bool is_normal = policy == SCHED_OTHER;
    return environment_add_fact(
        reader, group, "inherited_policy",
        is_normal     ? FACT_INFORMATION
        : is_deadline ? FACT_WARNING
                      : FACT_NOTICE,
        is_normal     ? NULL
        : is_deadline ? "deadline tasks can neither fork nor be pinned: start it without chrt -d"
                      : "workers reset it, but the coordinator keeps it: start it without chrt",
        "%s", policy_text(policy, parameter.sched_priority, text));
}

static int add_inherited_nice(struct environment_reader *reader)
{
    errno = 0;
    const int nice_value = getpriority(PRIO_PROCESS, 0);
    if (errno != 0) {
        return environment_add_fact(reader, group, "inherited_nice", FACT_NOTICE, NULL, "%s: %s",
                                    ENVIRONMENT_NOT_READABLE, strerror(errno));
    }
    return environment_add_fact(
        reader, group, "inherited_nice", nice_value > 0 ? FACT_NOTICE : FACT_INFORMATION,
        nice_value > 0 ? "normal tasks with a positive nice value have a timer slack of 0.5 % of the "
                         "sleep instead of 0.1 %: start it without nice"
                       : NULL,
        "%d", nice_value);
}

static int add_inherited_affinity(struct environment_reader *reader)
{
    struct id_list mask = {0};
    struct id_list usable = {0};
    int error = affinity_get(&mask);
    if (error == 0) {
        error = topology_usable_cpus(reader->topology, &usable);
    }
    char *text = error == 0 ? id_list_format(&mask) : NULL;
    if (text != NULL) {
        const bool is_narrow = !id_list_equal(&mask, &usable);
        error = environment_add_fact(
            reader, group, "inherited_affinity", is_narrow ? FACT_NOTICE : FACT_INFORMATION,
            is_narrow ? "the default sweep leaves out what the inherited mask hides (isolcpus, "
                        "taskset): --cpus all, or a list, reaches beyond it"
                      : NULL,
            "%s", text);
    }
    if (text == NULL && error != -ENOMEM) {
        error = environment_add_fact(reader, group, "inherited_affinity", FACT_NOTICE, NULL, "%s: %s",
                                     ENVIRONMENT_NOT_READABLE, strerror(-error));
    }
    free(text);
    id_list_destroy(&usable);
    id_list_destroy(&mask);
    return error;
}

static int add_slack(struct environment_reader *reader)
{
    const int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (slack_ns < 0) {
        return environment_add_fact(reader, group, "timer_slack_ns", FACT_NOTICE, NULL, "%s: %s",
                                    ENVIRONMENT_NOT_READABLE, strerror(errno));
    }
    return environment_add_fact(
        reader, group, "timer_slack_ns",
        slack_ns >= SLACK_BY_DEFAULT_NS ? FACT_NOTICE : FACT_INFORMATION,
        slack_ns >= SLACK_BY_DEFAULT_NS
            ? "a normal task's sleep may end this much later, or 0.1 % of it if that is more; workers "
              "set 1 ns (--timer-slack), real-time ones have none"
            : NULL,
        "%d", slack_ns);
}

static int add_memory_policy(struct environment_reader *reader)
{
    static const char *const names[] = {"default",    "preferred", "bind",
                                        "interleave", "local",     "preferred many"};
    int mode = 0;
    if (get_mempolicy(&mode, NULL, 0, NULL, 0) != 0) {
        return environment_add_fact(
            reader, group, "inherited_memory_policy", FACT_WARNING,
            "memory policies are refused here (a container's filter, or no NUMA in the kernel): the "
            "columns of the table will not differ by memory",
            "not readable: %s", strerror(errno));
    }
    mode &= 0xFF;
    const char *name = mode >= 0 && (size_t)mode < sizeof names / sizeof names[0] ? names[mode]
                                                                                  : "other";
    return environment_add_fact(
        reader, group, "inherited_memory_policy", mode == 0 ? FACT_INFORMATION : FACT_NOTICE,
        mode == 0 ? NULL
                  : "workers that bind memory replace it; with --nodes none it is what they "
                    "have: start it without numactl",
        "%s", name);
}

static int add_dma_latency(struct environment_reader *reader)
{
    int32_t latency_us = 0;
    const int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC);
    ssize_t size = -1;
    do {
        size = fd >= 0 ? read(fd, &latency_us, sizeof latency_us) : -1;
    } while (fd >= 0 && size < 0 && errno == EINTR);
    if (fd >= 0) {
        (void)close(fd);
    }
    if (size != (ssize_t)sizeof latency_us) {
        return environment_add_fact(reader, group, "cpu_dma_latency", FACT_INFORMATION, NULL,
                                    ENVIRONMENT_NOT_READABLE);
    }
    const bool is_held = latency_us < 1000000;
    return environment_add_fact(
        reader, group, "cpu_dma_latency", is_held ? FACT_NOTICE : FACT_INFORMATION,
        is_held ? "another program holds the idle states back: the figures are those of that setting"
                : NULL,
        is_held ? "%d us" : "not held (%d us)", latency_us);
}

int environment_read_rights(struct environment_reader *reader)
{
    static const char lock_advice[] =
        "memory of the workers may not be locked: '- memlock 65536' in limits.conf, or "
        "cap_ipc_lock";
    if (!environment_is_running_machine(reader)) {
        return 0;
    }
    int error = environment_add_fact(reader, group, "effective_uid", FACT_INFORMATION, NULL, "%u",
                                     (unsigned)geteuid());
    int (*const parts[])(struct environment_reader *) = {
        add_fifo,  add_inherited_policy, add_inherited_nice, add_inherited_affinity,
        add_slack, add_memory_policy,    add_dma_latency};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && error == 0; i++) {
        error = parts[i](reader);
    }
    if (error == 0) {
        error = add_limit(reader, "rlimit_rtprio", RLIMIT_RTPRIO, 0, NULL);
    }
    if (error == 0) {
        error = add_limit(reader, "rlimit_rttime_us", RLIMIT_RTTIME, 1000,
                          "a real-time worker that runs longer without sleeping is killed by SIGXCPU");
    }
    return error != 0 ? error
                      : add_limit(reader, "rlimit_memlock_bytes", RLIMIT_MEMLOCK, USEFUL_LOCK_BYTES,
                                  lock_advice);
}
