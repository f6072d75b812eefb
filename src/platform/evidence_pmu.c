/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evidence_pmu.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_BYTES = 256 };

/* The number behind `key` at the start of the file's text. */
static bool read_number(const char *path, const char *key, unsigned long long *number)
{
    char text[64];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const ssize_t size = read(fd, text, sizeof text - 1);
    (void)close(fd);
    if (size <= 0) {
        return false;
    }
    text[size] = '\0';
    const size_t key_length = strlen(key);
    char *end = NULL;
    if (strncmp(text, key, key_length) != 0) {
        return false;
    }
    errno = 0;
    *number = strtoull(text + key_length, &end, 0);
    return errno == 0 && end != text + key_length && (*end == '\0' || *end == '\n');
}

int evidence_pmu_open(const char *unit, const char *event, int cpu)
{
    char path[PATH_BYTES];
    unsigned long long type = 0;
    unsigned long long config = 0;
    (void)snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/type", unit);
    if (!read_number(path, "", &type)) {
        return -ENOENT;
    }
    (void)snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/events/%s", unit, event);
    if (!read_number(path, "event=", &config)) {
        return -ENOENT;
    }
    struct perf_event_attr attributes = {
        .type = (unsigned)type, .size = sizeof attributes, .config = config};
    const long fd = syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}
