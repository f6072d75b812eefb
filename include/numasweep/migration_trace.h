/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every migration of certain processes, from the tracepoint sched:sched_migrate_task by way of perf. */
#ifndef NUMASWEEP_MIGRATION_TRACE_H
#define NUMASWEEP_MIGRATION_TRACE_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct migration_trace_buffer {
    int fd;
    void *pages; /* NULL: not mapped */
};

struct migration_trace {
    struct migration_trace_buffer *buffers; /* one for each CPU */
    size_t count;
    size_t pid_offset;
    size_t from_offset;
    size_t to_offset;
    int64_t lost;
};

typedef void (*migration_trace_take)(pid_t pid, int from_cpu, int to_cpu, void *context);

/* On all of `cpus`: a task is moved by whichever CPU looks for work. -EPERM with a text that says what
 * is missing (tracefs, rights). */
int migration_trace_open(struct migration_trace *trace, const struct id_list *cpus,
                         struct failure *failure);
/* Hands over all records that have come since. Often enough, or the kernel drops some (counted in lost).
 */
void migration_trace_drain(struct migration_trace *trace, migration_trace_take take, void *context);
void migration_trace_close(struct migration_trace *trace); /* accepts a zeroed struct */

#endif
