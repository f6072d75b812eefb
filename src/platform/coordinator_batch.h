/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One batch: the workers that measure at the same time. Private to src/platform/coordinator*.c. */
#ifndef NUMASWEEP_COORDINATOR_BATCH_H
#define NUMASWEEP_COORDINATOR_BATCH_H

#include "numasweep/coordinator.h"
#include "numasweep/frame.h"
#include "numasweep/launcher.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum batch_worker_state {
    BATCH_WORKER_STARTING, /* asked for; no HELLO yet */
    BATCH_WORKER_READY,    /* waits at the gate */
    BATCH_WORKER_RUNNING,  /* measures and reports */
    BATCH_WORKER_ENDING,   /* killed; its end is awaited */
    BATCH_WORKER_ENDED
};

struct batch_worker {
    enum batch_worker_state state;
    struct visit_request request;
    const struct id_list *cpus; /* the row's */
    int report_fd;              /* -1 when closed */
    int gate_fd;
    int64_t deadline_ns; /* CLOCK_MONOTONIC; when it must have got out of its state */
    bool has_exited;     /* the launcher has reaped it */
    int wait_status;
    struct failure failure; /* what the coordinator saw; text "" while all is well */
    struct frame_reader reader;
    struct visit_builder builder;
};

struct batch {
    struct batch_worker *workers;
    size_t count;
    bool is_launcher_gone;
    int launcher_error;    /* why it could not go on, or 0 where it was killed */
    bool is_stopped;       /* by a signal: unfinished visits are not failures */
    struct pollfd *polled; /* count + ending_count + 1 */
    int *ending_fds; /* report pipes of the batch before, whose workers have reported but not yet gone */
    size_t ending_count;
    int64_t ending_deadline_ns;
};

/* Room for `count` workers. -ENOMEM. */
int batch_create(struct batch *batch, size_t count);
/* Hands the pipes of workers that have reported but not yet gone to the next batch, whose gates stay
 * shut until they have. -ENOMEM. */
int batch_pass_on_ending(struct batch *batch, struct batch *next);
void batch_destroy(struct batch *batch);

/* Runs the workers whose requests and cpus are set, all from one gate. `take` is called for each as it
 * ends. A negative errno is the coordinator's own trouble, or take's. */
typedef int (*batch_take)(struct batch_worker *worker, void *context, struct failure *failure);
/* Called once, when all have been asked for; may be NULL. */
typedef int (*batch_after_start)(void *context, struct failure *failure);
int batch_run(struct batch *batch, struct launcher *launcher, const struct id_list *launcher_cpus,
              const struct coordinator_callbacks *callbacks, batch_after_start after_start,
              batch_take take, void *context, struct failure *failure);

/* What the plan asks of one visit; `visit` (its running number) is left to the caller. */
void coordinator_fill_request(const struct sweep *sweep, size_t cell_index, int64_t round,
                              struct visit_request *request);

/* Moves the finished worker's visit out, with its outcome and, for a failed one, the cause. */
void batch_worker_finish(struct batch_worker *worker, struct visit *visit);

#endif
