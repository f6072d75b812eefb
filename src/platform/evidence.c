/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/evidence.h"

#include "evidence_pmu.h"
#include "numasweep/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    FIRST_TEXT_BYTES = 16 * 1024,
    PATH_BYTES = 512,
    MOST_CPUS_BY_FILE = 64,
    MOST_IDLE_STATES = 16,
    FEW_CPUS = 8
};

/* Intel SDM volume 4, AMD APM volume 2: MSR_SMI_COUNT (Intel only), IA32_MPERF, IA32_APERF. */
enum { MSR_SMI_COUNT = 0x34, MSR_MPERF = 0xE7, MSR_APERF = 0xE8 };

enum source_type {
    SOURCE_INTERRUPTS,
    SOURCE_STAT,
    SOURCE_SCHED,
    SOURCE_SCHEDSTAT,
    SOURCE_CPU_STAT,
    SOURCE_NUMBER,
    SOURCE_REGISTER
};

struct evidence_source {
    enum source_type type;
    int fd;
    int32_t unknown;              /* bit that says that it cannot be read, or 0 */
    off_t offset;                 /* of a register */
    char name[COUNTER_NAME_SIZE]; /* of a number or a register */
};

static int open_file(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int open_file(const char *format, ...)
{
    char path[PATH_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static int32_t unknown_of(enum source_type type, const char *name)
{
    switch (type) {
    case SOURCE_INTERRUPTS:
        return UNKNOWN_INTERRUPTS;
    case SOURCE_STAT:
        return UNKNOWN_STEAL;
    case SOURCE_SCHED:
        return UNKNOWN_MIGRATIONS;
    case SOURCE_SCHEDSTAT:
        return UNKNOWN_RUN_QUEUE;
    case SOURCE_CPU_STAT:
        return UNKNOWN_BANDWIDTH;
    case SOURCE_NUMBER:
        return strncmp(name, "idle:", 5) == 0 ? UNKNOWN_IDLE_STATES : 0;
    case SOURCE_REGISTER:
        break;
    }
    return 0;
}

/* Takes the descriptor; one below zero is a source that cannot be opened, errno says why. What is one of
 * many choices of Linux's configuration is no gap when it is not there. */
static int add_source(struct evidence *evidence, enum source_type type, int fd, const char *name)
{
    const int32_t unknown = unknown_of(type, name);
    if (fd < 0) {
        const bool is_choice = unknown == UNKNOWN_BANDWIDTH || unknown == UNKNOWN_IDLE_STATES;
        evidence->unknown |= is_choice && errno == ENOENT ? 0 : unknown;
        return 0;
    }
    if (evidence->source_count == evidence->source_capacity) {
        const size_t capacity = evidence->source_capacity == 0 ? 32 : 2 * evidence->source_capacity;
        struct evidence_source *sources = realloc(evidence->sources, capacity * sizeof *sources);
        if (sources == NULL) {
            (void)close(fd);
            return -ENOMEM;
        }
        evidence->sources = sources;
        evidence->source_capacity = capacity;
    }
    struct evidence_source *source = &evidence->sources[evidence->source_count];
    *source = (struct evidence_source){.type = type, .fd = fd, .unknown = unknown};
    (void)snprintf(source->name, sizeof source->name, "%s", name);
    evidence->source_count++;
    return 0;
}

static int reserve_text(struct evidence *evidence, size_t capacity)
{
    if (capacity <= evidence->text_capacity) {
        return 0;
    }
    char *text = realloc(evidence->text, capacity);
    if (text == NULL) {
        return -ENOMEM;
    }
    evidence->text = text;
    evidence->text_capacity = capacity;
    return 0;
}

/* The whole file as a text: 1, 0 where it cannot be read now or is empty, or -ENOMEM. A text from /proc
 * is consistent only within one read, so a buffer that was too small is grown and the file read anew. */
static int read_text(struct evidence *evidence, int fd)
{
    int error = reserve_text(evidence, FIRST_TEXT_BYTES);
    while (error == 0) {
        const size_t room = evidence->text_capacity - 1;
        size_t size = 0;
        ssize_t part = 0;
        while (size < room && (part = pread(fd, evidence->text + size, room - size, (off_t)size)) > 0) {
            size += (size_t)part;
        }
        if (part < 0 || size == 0) {
            return 0;
        }
        if (size < room) {
            evidence->text[size] = '\0';
            return 1;
        }
        error = reserve_text(evidence, 2 * evidence->text_capacity);
    }
    return error;
}

static ssize_t read_again(int fd, char *text, size_t size)
{
    ssize_t part = 0;
    do {
        part = read(fd, text, size);
    } while (part < 0 && errno == EINTR);
    return part;
}

static int open_idle_states(struct evidence *evidence, int cpu)
{
    static const char *const figures[][2] = {{"usage", "entries"}, {"time", "time_us"}};
    for (int state = 0; state < MOST_IDLE_STATES; state++) {
        char name[64];
        const int fd = open_file("/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name", cpu, state);
        if (fd < 0) {
            evidence->unknown |= errno == ENOENT ? 0 : UNKNOWN_IDLE_STATES;
            return 0;
        }
        const ssize_t size = read_again(fd, name, sizeof name - 1);
        (void)close(fd);
        if (size <= 0) {
            evidence->unknown |= UNKNOWN_IDLE_STATES;
            return 0;
        }
        name[size] = '\0';
        name[strcspn(name, "\n")] = '\0';
        for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
            char key[COUNTER_NAME_SIZE];
            (void)snprintf(key, sizeof key, "idle:%.20s:%s", name, figures[i][1]);
            const int error = add_source(
                evidence, SOURCE_NUMBER,
                open_file("/sys/devices/system/cpu/cpu%d/cpuidle/state%d/%s", cpu, state, figures[i][0]),
                key);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

/* By the performance unit, which needs no driver, or else by the register. */
static int open_register(struct evidence *evidence, int cpu, const char *name, off_t offset)
{
    int fd = evidence_pmu_open("msr", name, cpu);
    const bool is_pmu = fd >= 0;
    if (!is_pmu) {
        fd = open_file("/dev/cpu/%d/msr", cpu);
    }
    const int error = add_source(evidence, SOURCE_REGISTER, fd, name);
    if (error == 0 && fd >= 0) {
        evidence->sources[evidence->source_count - 1].offset = is_pmu ? 0 : offset;
    }
    return error;
}

/* How fast the processor ran: by its own counts where they can be read, which hold for the whole visit;
 * else by what Linux takes for its frequency, which several CPUs have no common one of. */
static int open_frequency(struct evidence *evidence, int cpu)
{
    int error = open_register(evidence, cpu, "aperf", MSR_APERF);
    if (error == 0) {
        error = open_register(evidence, cpu, "mperf", MSR_MPERF);
    }
    if (error == 0 && evidence->cpus->count == 1) {
        error = add_source(evidence, SOURCE_NUMBER,
                           open_file("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu),
                           COUNTER_LEVEL_PREFIX "frequency_khz");
    }
    return error;
}

static int add_siblings(struct evidence *evidence, int cpu)
{
    struct id_list siblings = {0};
    struct failure failure = {0};
    int error = 0;
    const int fd = open_file("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    if (fd < 0) {
        evidence->unknown |= errno == ENOENT ? 0 : UNKNOWN_SIBLINGS;
        return 0;
    }
    const int result = read_text(evidence, fd);
    (void)close(fd);
    if (result != 1) {
        evidence->unknown |= result == 0 ? UNKNOWN_SIBLINGS : 0;
        return result;
    }
    error = id_list_parse_kernel(evidence->text, &siblings, &failure);
    evidence->unknown |= error == -EINVAL ? UNKNOWN_SIBLINGS : 0;
    if (error == 0) {
        error = id_list_union(&evidence->siblings, &siblings);
    }
    id_list_destroy(&siblings);
    return error == -ENOMEM ? error : 0;
}

/* The threads beside the row's: work on them takes from its cores. */
static int find_siblings(struct evidence *evidence)
{
    int error = 0;
    for (size_t i = 0; i < evidence->cpus->count && error == 0; i++) {
        error = add_siblings(evidence, evidence->cpus->ids[i]);
    }
    return error == 0 ? id_list_subtract(&evidence->siblings, evidence->cpus) : error;
}

static int open_files_of_cpu(struct evidence *evidence, int cpu)
{
    int error = open_idle_states(evidence, cpu);
    if (error != 0) {
        return error;
    }
    const int throttle_fd = open_file(
        "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count", cpu);
    const bool has_throttle = throttle_fd >= 0;
    error = add_source(evidence, SOURCE_NUMBER, throttle_fd, "throttled:core");
    if (error == 0 && has_throttle) {
        error = add_source(
            evidence, SOURCE_NUMBER,
            open_file("/sys/devices/system/cpu/cpu%d/thermal_throttle/package_throttle_count", cpu),
            "throttled:package");
    }
    if (error == 0) {
        error = open_register(evidence, cpu, "smi", MSR_SMI_COUNT);
    }
    return error == 0 ? open_frequency(evidence, cpu) : error;
}

/* cgroup v2 has one tree, v1 one for each controller; both where they usually are mounted. */
static int open_bandwidth(struct evidence *evidence)
{
    char path[PATH_BYTES / 2];
    const int fd = open_file("/proc/self/cgroup");
    if (fd < 0) {
        evidence->unknown |= errno == ENOENT ? 0 : UNKNOWN_BANDWIDTH;
        return 0;
    }
    const int result = read_text(evidence, fd);
    (void)close(fd);
    if (result != 1) {
        evidence->unknown |= result == 0 ? UNKNOWN_BANDWIDTH : 0;
        return result;
    }
    if (procfs_find_cgroup(evidence->text, "cpu", path, sizeof path)) {
        return add_source(evidence, SOURCE_CPU_STAT, open_file("/sys/fs/cgroup/cpu%s/cpu.stat", path),
                          "");
    }
    if (procfs_find_cgroup(evidence->text, "", path, sizeof path)) {
        return add_source(evidence, SOURCE_CPU_STAT, open_file("/sys/fs/cgroup%s/cpu.stat", path), "");
    }
    return 0;
}

/* A wide row has many files. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int evidence_open(struct evidence *evidence, const struct id_list *cpus)
{
    *evidence = (struct evidence){.cpus = cpus};
    if (cpus->count > FEW_CPUS) {
        raise_descriptor_limit();
    }
    int error = add_source(evidence, SOURCE_SCHED, open_file("/proc/self/sched"), "");
    if (error == 0) {
        error = add_source(evidence, SOURCE_SCHEDSTAT, open_file("/proc/self/schedstat"), "");
    }
    if (error == 0) {
        error = open_bandwidth(evidence);
    }
    for (size_t i = 0; i < cpus->count && cpus->count <= MOST_CPUS_BY_FILE && error == 0; i++) {
        error = open_files_of_cpu(evidence, cpus->ids[i]);
    }
    if (error == 0 && cpus->count <= MOST_CPUS_BY_FILE) {
        error = find_siblings(evidence);
    }
    if (error == 0) {
        error = add_source(evidence, SOURCE_STAT, open_file("/proc/stat"), "");
    }
    if (error == 0) {
        error = add_source(evidence, SOURCE_INTERRUPTS, open_file("/proc/interrupts"), "");
    }
    return error;
}

static int add_migrations(const char *text, struct counter_set *counters)
{
    int64_t value = 0;
    if (procfs_find_int64(text, "se.nr_migrations", &value) ||
        procfs_find_int64(text, "nr_migrations", &value)) {
        return counter_set_add(counters, "migrations", value);
    }
    return 0;
}

static int add_number(struct evidence *evidence, const struct evidence_source *source,
                      struct counter_set *counters)
{
    char text[64];
    char *end = NULL;
    const ssize_t size = pread(source->fd, text, sizeof text - 1, 0);
    if (size <= 0) {
        evidence->unknown |= source->unknown;
        return 0;
    }
    text[size] = '\0';
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    return errno == 0 && end != text && (*end == '\0' || *end == '\n')
               ? counter_set_add(counters, source->name, value)
               : 0;
}

/* MSR_SMI_COUNT has 32 bits. */
static int add_register(const struct evidence_source *source, struct counter_set *counters)
{
    uint64_t value = 0;
    const ssize_t size = source->offset == 0 ? read(source->fd, &value, sizeof value)
                                             : pread(source->fd, &value, sizeof value, source->offset);
    if (size != (ssize_t)sizeof value) {
        return 0;
    }
    value &= source->offset == MSR_SMI_COUNT ? UINT32_MAX : INT64_MAX;
    return counter_set_add(counters, source->name, (int64_t)value);
}

static int add_stat(const struct evidence *evidence, struct counter_set *counters)
{
    const long ticks_per_second = sysconf(_SC_CLK_TCK);
    const int error = procfs_parse_stat(evidence->text, evidence->cpus, ticks_per_second, counters);
    return error == 0 ? procfs_parse_stat_busy(evidence->text, &evidence->siblings, ticks_per_second,
                                               "sibling_busy_ms", counters)
                      : error;
}

static int add_text(struct evidence *evidence, const struct evidence_source *source,
                    struct counter_set *counters)
{
    const int result = read_text(evidence, source->fd);
    if (result != 1) {
        evidence->unknown |= result == 0 ? source->unknown : 0;
        return result;
    }
    switch (source->type) {
    case SOURCE_SCHED:
        return add_migrations(evidence->text, counters);
    case SOURCE_SCHEDSTAT:
        return procfs_parse_schedstat(evidence->text, counters);
    case SOURCE_CPU_STAT:
        return procfs_parse_cpu_stat(evidence->text, counters);
    case SOURCE_STAT:
        return add_stat(evidence, counters);
    case SOURCE_INTERRUPTS:
        return procfs_parse_interrupts(evidence->text, evidence->cpus, counters);
    case SOURCE_NUMBER:
    case SOURCE_REGISTER:
        break;
    }
    return 0;
}

int evidence_read(struct evidence *evidence, struct counter_set *counters)
{
    int error = 0;
    for (size_t i = 0; i < evidence->source_count && error == 0; i++) {
        const struct evidence_source *source = &evidence->sources[i];
        if (source->type == SOURCE_NUMBER) {
            error = add_number(evidence, source, counters);
        } else if (source->type == SOURCE_REGISTER) {
            error = add_register(source, counters);
        } else {
            error = add_text(evidence, source, counters);
        }
    }
    return error;
}

void evidence_close(struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->source_count; i++) {
        (void)close(evidence->sources[i].fd);
    }
    free(evidence->sources);
    free(evidence->text);
    id_list_destroy(&evidence->siblings);
    *evidence = (struct evidence){0};
}
