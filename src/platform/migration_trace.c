/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/migration_trace.h"

#include "numasweep/procfs.h"
#include "numasweep/small_file.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DATA_PAGES = 64, TEXT_BYTES = 8192, LARGEST_RECORD = 1024 };

static int read_event_file(const char *name, char *text, size_t size)
{
    static const char *const folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    int error = -ENOENT;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && error != 0; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s/events/sched/sched_migrate_task/%s", folders[i], name);
        error = small_file_read(path, text, size);
    }
    return error;
}

static int find_event(struct migration_trace *trace, uint64_t *id, struct failure *failure)
{
    char text[TEXT_BYTES];
    int error = read_event_file("id", text, sizeof text);
    if (error != 0) {
        return failure_set(
            failure, "tracepoint", EPERM,
            "the tracepoint sched_migrate_task cannot be had: tracefs is not mounted, or may "
            "not be read (%s)",
            strerror(-error));
    }
    *id = strtoull(text, NULL, 10);
    error = read_event_file("format", text, sizeof text);
    if (error != 0 || !procfs_find_trace_field(text, "pid", &trace->pid_offset) ||
        !procfs_find_trace_field(text, "orig_cpu", &trace->from_offset) ||
        !procfs_find_trace_field(text, "dest_cpu", &trace->to_offset)) {
        return failure_set(failure, "tracepoint", EPERM,
                           "the tracepoint sched_migrate_task has another format than is known");
    }
    return 0;
}

static int open_buffer(struct migration_trace_buffer *buffer, uint64_t id, int cpu,
                       struct failure *failure)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .type = PERF_TYPE_TRACEPOINT,
        .config = id,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_RAW,
    };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const long fd = syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) {
        return failure_set(failure, "tracepoint", EPERM,
                           "the tracepoint sched_migrate_task cannot be had on CPU %d: %s "
                           "(kernel.perf_event_paranoid, CAP_PERFMON)",
                           cpu, strerror(errno));
    }
    buffer->fd = (int)fd;
    void *pages = mmap(NULL, (DATA_PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->fd, 0);
    if (pages == MAP_FAILED) {
        return failure_set(failure, "tracepoint", EPERM, "perf's buffer of CPU %d: %s", cpu,
                           strerror(errno));
    }
    buffer->pages = pages;
    return 0;
}

int migration_trace_open(struct migration_trace *trace, const struct id_list *cpus,
                         struct failure *failure)
{
    uint64_t id = 0;
    *trace = (struct migration_trace){.buffers = calloc(cpus->count + 1, sizeof *trace->buffers)};
    if (trace->buffers == NULL) {
        return failure_set(failure, "tracepoint", ENOMEM, "out of memory");
    }
    int error = find_event(trace, &id, failure);
    for (size_t i = 0; i < cpus->count && error == 0; i++) {
        trace->buffers[i].fd = -1;
        trace->count = i + 1;
        error = open_buffer(&trace->buffers[i], id, cpus->ids[i], failure);
    }
    if (error != 0) {
        migration_trace_close(trace);
    }
    return error;
}

/* Records run over the end of the ring. */
static void copy_out(const unsigned char *data, uint64_t data_size, uint64_t position, void *bytes,
                     size_t size)
{
    unsigned char *target = bytes;
    for (size_t i = 0; i < size; i++) {
        target[i] = data[(position + i) % data_size];
    }
}

static int32_t field_at(const unsigned char *raw, size_t offset)
{
    int32_t value = 0;
    memcpy(&value, raw + offset, sizeof value);
    return value;
}

static void take_sample(const struct migration_trace *trace, const unsigned char *body, size_t size,
                        migration_trace_take take, void *context)
{
    uint32_t raw_size = 0;
    const size_t last = sizeof raw_size + sizeof(int32_t);
    if (size < sizeof raw_size || size < last + trace->pid_offset || size < last + trace->from_offset ||
        size < last + trace->to_offset) {
        return;
    }
    const unsigned char *raw = body + sizeof raw_size;
    take((pid_t)field_at(raw, trace->pid_offset), field_at(raw, trace->from_offset),
         field_at(raw, trace->to_offset), context);
}

static void take_record(struct migration_trace *trace, const struct perf_event_header *header,
                        const unsigned char *body, migration_trace_take take, void *context)
{
    const size_t size = header->size - sizeof *header;
    if (header->type == PERF_RECORD_SAMPLE) {
        take_sample(trace, body, size, take, context);
    } else if (header->type == PERF_RECORD_LOST && size >= 2 * sizeof(uint64_t)) {
        uint64_t lost = 0;
        memcpy(&lost, body + sizeof lost, sizeof lost);
        trace->lost += (int64_t)lost;
    }
}

static void drain_buffer(struct migration_trace *trace, struct migration_trace_buffer *buffer,
                         migration_trace_take take, void *context)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_mmap_page *control = buffer->pages;
    const unsigned char *data = (const unsigned char *)buffer->pages + page;
    const uint64_t data_size = DATA_PAGES * page;
    const uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = control->data_tail;
    while (tail < head) {
        struct perf_event_header header;
        unsigned char body[LARGEST_RECORD];
        copy_out(data, data_size, tail, &header, sizeof header);
        if (header.size < sizeof header || header.size > sizeof body) {
            tail = head;
            trace->lost++;
            break;
        }
        copy_out(data, data_size, tail + sizeof header, body, header.size - sizeof header);
        take_record(trace, &header, body, take, context);
        tail += header.size;
    }
    __atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
}

void migration_trace_drain(struct migration_trace *trace, migration_trace_take take, void *context)
{
    for (size_t i = 0; i < trace->count; i++) {
        drain_buffer(trace, &trace->buffers[i], take, context);
    }
}

void migration_trace_close(struct migration_trace *trace)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < trace->count; i++) {
        if (trace->buffers[i].pages != NULL) {
            (void)munmap(trace->buffers[i].pages, (DATA_PAGES + 1) * page);
        }
        if (trace->buffers[i].fd >= 0) {
            (void)close(trace->buffers[i].fd);
        }
    }
    free(trace->buffers);
    *trace = (struct migration_trace){0};
}
