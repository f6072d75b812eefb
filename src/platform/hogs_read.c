/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel tells of the busy workers while they run. */
#include "numasweep/affinity.h"
#include "numasweep/hogs.h"
#include "numasweep/procfs.h"
#include "numasweep/small_file.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TEXT_BYTES = 16 * 1024, PATH_BYTES = 64 };

static int read_file_of(pid_t pid, const char *name, char *text, size_t size)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return small_file_read(path, text, size);
}

/* A zombie's files can still be read; it does no work. */
static bool is_alive(pid_t pid, int *cpu)
{
    char text[2048];
    char state = 'Z';
    return read_file_of(pid, "stat", text, sizeof text) == 0 &&
           procfs_find_last_cpu(text, &state, cpu) && state != 'Z' && state != 'X';
}

/* A counter for each worker is a descriptor for each. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int hogs_open_counters(struct hogs *hogs, struct failure *failure)
{
    raise_descriptor_limit();
    for (size_t i = 0; i < hogs->count; i++) {
        struct perf_event_attr attributes = {
            .size = sizeof attributes,
            .type = PERF_TYPE_SOFTWARE,
            .config = PERF_COUNT_SW_CPU_MIGRATIONS,
        };
        const long fd = syscall(SYS_perf_event_open, &attributes, hogs->list[i].pid, -1, -1,
                                PERF_FLAG_FD_CLOEXEC);
        if (fd < 0) {
            return failure_set(failure, "perf", EPERM,
                               "the perf software counter cpu-migrations cannot be had: %s "
                               "(kernel.perf_event_paranoid, CAP_PERFMON)",
                               strerror(errno));
        }
        hogs->list[i].counter_fd = (int)fd;
    }
    return 0;
}

bool hog_read_migrations(const struct hog *hog, bool from_counter, int64_t *migrations)
{
    char text[TEXT_BYTES];
    int cpu = 0;
    if (!is_alive(hog->pid, &cpu)) {
        return false;
    }
    if (from_counter) {
        uint64_t value = 0;
        if (hog->counter_fd < 0 ||
            read(hog->counter_fd, &value, sizeof value) != (ssize_t)sizeof value) {
            return false;
        }
        *migrations = (int64_t)value;
        return true;
    }
    return read_file_of(hog->pid, "sched", text, sizeof text) == 0 &&
           (procfs_find_int64(text, "se.nr_migrations", migrations) ||
            procfs_find_int64(text, "nr_migrations", migrations));
}

bool hog_read_run_time(const struct hog *hog, int64_t *run_ns)
{
    char text[256];
    return read_file_of(hog->pid, "schedstat", text, sizeof text) == 0 &&
           procfs_find_run_time(text, run_ns);
}

bool hog_read_cpu(const struct hog *hog, int *cpu)
{
    return is_alive(hog->pid, cpu);
}

bool hog_is_pinned(const struct hog *hog)
{
    struct id_list found = {0};
    const bool is_so = affinity_get_of(hog->pid, &found) == 0 && id_list_equal(&found, &hog->cpus);
    id_list_destroy(&found);
    return is_so;
}
