/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discovery_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* hwloc moves its caller over every CPU and can stall behind a real-time task that never sleeps. */
static const int64_t load_deadline_ns = 10 * INT64_C(1000000000);

struct buffer {
    char *bytes;
    size_t size;
    size_t capacity;
};

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

/* What hwloc has to say about odd machines it would say on stderr. */
static void be_quiet(void)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
        (void)dup2(null, STDERR_FILENO);
    }
    (void)setenv("HWLOC_HIDE_ERRORS", "2", 1);
}

_Noreturn static void load_and_export(int fd, bool without_x86)
{
    hwloc_topology_t topology;
    char *xml = NULL;
    int size = 0;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    be_quiet();
    /* The status is an errno. hwloc's own says nothing: what it tried in vain may have left one. */
    if (hwloc_topology_init(&topology) != 0) {
        _exit(EIO);
    }
    if (without_x86) {
        (void)hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    }
    (void)hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    (void)hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
        hwloc_topology_load(topology) != 0 ||
        hwloc_topology_export_xmlbuffer(topology, &xml, &size, 0) != 0) {
        _exit(EIO);
    }
    const char is_this_machine = hwloc_topology_is_thissystem(topology) ? 'y' : 'n';
    if (!write_all(fd, &is_this_machine, 1) || !write_all(fd, xml, (size_t)size)) {
        _exit(errno);
    }
    _exit(EXIT_SUCCESS);
}

static int reserve(struct buffer *buffer)
{
    enum { FIRST_CAPACITY = 1 << 16 };
    if (buffer->size < buffer->capacity) {
        return 0;
    }
    const size_t capacity = buffer->capacity == 0 ? FIRST_CAPACITY : 2 * buffer->capacity;
    char *bytes = realloc(buffer->bytes, capacity);
    if (bytes == NULL) {
        return -ENOMEM;
    }
    memset(bytes + buffer->capacity, 0, capacity - buffer->capacity);
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return 0;
}

/* Until the end of file or the deadline. */
static int read_export(int fd, struct buffer *buffer)
{
    const int64_t deadline_ns = now_ns() + load_deadline_ns;
    for (;;) {
        struct pollfd polled = {.fd = fd, .events = POLLIN};
        const int64_t left_ms = (deadline_ns - now_ns()) / 1000000;
        if (left_ms <= 0) {
            return -ETIMEDOUT;
        }
        const int ready = poll(&polled, 1, (int)left_ms);
        if (ready < 0 && errno != EINTR) {
            return -errno;
        }
        if (ready <= 0) {
            continue;
        }
        if (reserve(buffer) != 0) {
            return -ENOMEM;
        }
        const ssize_t size = read(fd, buffer->bytes + buffer->size, buffer->capacity - buffer->size);
        if (size == 0) {
            return 0;
        }
        if (size < 0 && errno != EINTR) {
            return -errno;
        }
        buffer->size += size > 0 ? (size_t)size : 0;
    }
}

/* A loader behind a real-time task that never sleeps does not even die: it is not waited for without
 * limit. */
static void reap(pid_t pid, bool has_ended, int *status)
{
    enum { MOST_TRIES = 100 };
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int attempt = 0; has_ended || attempt < MOST_TRIES; attempt++) {
        const pid_t reaped = waitpid(pid, status, has_ended ? 0 : WNOHANG);
        if (reaped == pid || (reaped < 0 && errno != EINTR)) {
            return;
        }
        if (!has_ended) {
            (void)nanosleep(&pause, NULL);
        }
    }
}

static int load_in_child(bool without_x86, struct buffer *buffer)
{
    int ends[2];
    int status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -errno;
    }
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) {
        const int error = errno;
        (void)close(ends[0]);
        (void)close(ends[1]);
        return -error;
    }
    if (pid == 0) {
        (void)close(ends[0]);
        load_and_export(ends[1], without_x86);
    }
    (void)close(ends[1]);
    int error = read_export(ends[0], buffer);
    (void)close(ends[0]);
    if (error != 0) {
        (void)kill(pid, SIGKILL);
    }
    reap(pid, error == 0, &status);
    if (error == 0 && WIFEXITED(status) && WEXITSTATUS(status) != 0) {
        error = -WEXITSTATUS(status);
    }
    if (error == 0 && (status != 0 || buffer->size < 2)) {
        error = -EIO;
    }
    return error;
}

int discovery_load_this(struct loaded_topology *loaded, struct failure *failure)
{
    struct buffer buffer = {0};
    int error = load_in_child(false, &buffer);
    *loaded = (struct loaded_topology){.is_without_x86 = error == -ETIMEDOUT};
    if (loaded->is_without_x86) {
        /* The x86 part is what visits every CPU; Linux's own files say nearly the same. */
        buffer.size = 0;
        error = load_in_child(true, &buffer);
    }
    if (error == 0 && reserve(&buffer) != 0) {
        error = -ENOMEM;
    }
    if (error != 0) {
        free(buffer.bytes);
        return failure_set(
            failure, "topology", -error,
            error == -ETIMEDOUT
                ? "hwloc did not finish loading the topology within twice 10 s (%s): a real-time task "
                  "that never sleeps holds a CPU"
                : "hwloc could not load the topology of this machine: %s",
            strerror(-error));
    }
    loaded->is_this_machine = buffer.bytes[0] == 'y';
    memmove(buffer.bytes, buffer.bytes + 1, buffer.size - 1);
    loaded->xml_size = buffer.size - 1;
    if (loaded->xml_size == 0 || buffer.bytes[loaded->xml_size - 1] != '\0') {
        buffer.bytes[loaded->xml_size] = '\0';
        loaded->xml_size++;
    }
    loaded->xml = buffer.bytes;
    return 0;
}
