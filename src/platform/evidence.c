/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/evidence.h"

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
    FIRST_BUFFER_BYTES = 16 * 1024,
    SMALL_FILE_BYTES = 256,
    PATH_BYTES = 512,
    /* Idle states and throttling are files of each CPU: of a wider row they would cost more than they
       tell. */
    MOST_CPUS_BY_FILE = 64,
    MOST_IDLE_STATES = 16
};

/* Intel SDM volume 4: MSR_SMI_COUNT. */
enum { MSR_SMI_COUNT = 0x34 };

struct text_buffer {
    char *bytes;
    size_t capacity;
};

/* The whole file as a text; false where it cannot be read. /proc gives a consistent text only to one
 * read() that takes all of it, so the buffer is grown and the file read anew. */
static bool read_text(const char *path, struct text_buffer *buffer)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is_read = false;
    while (fd >= 0 && !is_read) {
        size_t size = 0;
        ssize_t part = 0;
        while (buffer->capacity > 1 && size < buffer->capacity - 1 &&
               (part = pread(fd, buffer->bytes + size, buffer->capacity - 1 - size, (off_t)size)) > 0) {
            size += (size_t)part;
        }
        if (part < 0) {
            break;
        }
        if (buffer->capacity > 1 && size < buffer->capacity - 1) {
            buffer->bytes[size] = '\0';
            is_read = true;
            break;
        }
        const size_t capacity = buffer->capacity == 0 ? FIRST_BUFFER_BYTES : 2 * buffer->capacity;
        char *bytes = realloc(buffer->bytes, capacity);
        if (bytes == NULL) {
            break;
        }
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_read;
}

static bool read_small(char text[SMALL_FILE_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool read_small(char text[SMALL_FILE_BYTES], const char *format, ...)
{
    char path[PATH_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const ssize_t size = read(fd, text, SMALL_FILE_BYTES - 1);
    (void)close(fd);
    if (size <= 0) {
        return false;
    }
    text[size] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return true;
}

static bool parse_count(const char *text, int64_t *value)
{
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    *value = number;
    return errno == 0 && end != text && *end == '\0';
}

static int add_idle_states(int cpu, struct counter_set *counters)
{
    for (int state = 0; state < MOST_IDLE_STATES; state++) {
        char name[SMALL_FILE_BYTES];
        char text[SMALL_FILE_BYTES];
        char key[COUNTER_NAME_SIZE];
        int64_t value = 0;
        int error = 0;
        if (!read_small(name, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name", cpu, state)) {
            return 0;
        }
        if (read_small(text, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/usage", cpu, state) &&
            parse_count(text, &value)) {
            (void)snprintf(key, sizeof key, "idle:%.20s:entries", name);
            error = counter_set_add(counters, key, value);
        }
        if (error == 0 &&
            read_small(text, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/time", cpu, state) &&
            parse_count(text, &value)) {
            (void)snprintf(key, sizeof key, "idle:%.20s:time_us", name);
            error = counter_set_add(counters, key, value);
        }
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static int add_throttling(int cpu, struct counter_set *counters)
{
    static const char *const scopes[] = {"core", "package"};
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        char text[SMALL_FILE_BYTES];
        char key[COUNTER_NAME_SIZE];
        int64_t value = 0;
        if (!read_small(text, "/sys/devices/system/cpu/cpu%d/thermal_throttle/%s_throttle_count", cpu,
                        scopes[i]) ||
            !parse_count(text, &value)) {
            continue;
        }
        (void)snprintf(key, sizeof key, "throttled:%s", scopes[i]);
        const int error = counter_set_add(counters, key, value);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

/* Only Intel has the register, and only where the msr driver is loaded and may be read. */
static int add_smi(int cpu, struct counter_set *counters)
{
    char path[PATH_BYTES];
    uint64_t value = 0;
    (void)snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    const ssize_t size = pread(fd, &value, sizeof value, MSR_SMI_COUNT);
    (void)close(fd);
    return size == (ssize_t)sizeof value
               ? counter_set_add(counters, "smi", (int64_t)(value & UINT32_MAX))
               : 0;
}

static int add_files_of_cpus(const struct id_list *cpus, struct counter_set *counters)
{
    int error = 0;
    if (cpus->count > MOST_CPUS_BY_FILE) {
        return 0;
    }
    for (size_t i = 0; i < cpus->count && error == 0; i++) {
        error = add_idle_states(cpus->ids[i], counters);
        if (error == 0) {
            error = add_throttling(cpus->ids[i], counters);
        }
        if (error == 0) {
            error = add_smi(cpus->ids[i], counters);
        }
    }
    return error;
}

static int add_usage(struct counter_set *counters)
{
    struct rusage usage = {0};
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return 0;
    }
    const struct counter own[] = {
        {.name = "voluntary_switches", .value = usage.ru_nvcsw},
        {.name = "involuntary_switches", .value = usage.ru_nivcsw},
        {.name = "minor_faults", .value = usage.ru_minflt},
        {.name = "major_faults", .value = usage.ru_majflt},
    };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        const int error = counter_set_add(counters, own[i].name, own[i].value);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static int add_migrations(struct text_buffer *buffer, struct counter_set *counters)
{
    int64_t value = 0;
    if (read_text("/proc/self/sched", buffer) &&
        (procfs_find_int64(buffer->bytes, "se.nr_migrations", &value) ||
         procfs_find_int64(buffer->bytes, "nr_migrations", &value))) {
        return counter_set_add(counters, "migrations", value);
    }
    return 0;
}

/* cgroup v2 has one tree, v1 one for each controller; both where they usually are mounted. */
static int add_bandwidth(struct text_buffer *buffer, struct counter_set *counters)
{
    char path[PATH_BYTES / 2];
    char file[PATH_BYTES];
    if (!read_text("/proc/self/cgroup", buffer)) {
        return 0;
    }
    if (procfs_find_cgroup(buffer->bytes, "cpu", path, sizeof path)) {
        (void)snprintf(file, sizeof file, "/sys/fs/cgroup/cpu%s/cpu.stat", path);
    } else if (procfs_find_cgroup(buffer->bytes, "", path, sizeof path)) {
        (void)snprintf(file, sizeof file, "/sys/fs/cgroup%s/cpu.stat", path);
    } else {
        return 0;
    }
    return read_text(file, buffer) ? procfs_parse_cpu_stat(buffer->bytes, counters) : 0;
}

int evidence_read(const struct id_list *cpus, struct counter_set *counters)
{
    struct text_buffer buffer = {0};
    int error = add_usage(counters);
    if (error == 0) {
        error = add_migrations(&buffer, counters);
    }
    if (error == 0) {
        error = add_bandwidth(&buffer, counters);
    }
    if (error == 0) {
        error = add_files_of_cpus(cpus, counters);
    }
    if (error == 0 && read_text("/proc/stat", &buffer)) {
        error = procfs_parse_stat(buffer.bytes, cpus, sysconf(_SC_CLK_TCK), counters);
    }
    if (error == 0 && read_text("/proc/interrupts", &buffer)) {
        error = procfs_parse_interrupts(buffer.bytes, cpus, counters);
    }
    free(buffer.bytes);
    return error;
}
