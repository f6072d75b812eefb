/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker of a batch, as the coordinator sees it. Private to src/platform/coordinator*.c. */
#ifndef NUMASWEEP_COORDINATOR_WORKER_H
#define NUMASWEEP_COORDINATOR_WORKER_H

#include "coordinator_batch.h"

/* How long a worker that was killed, or has reported, may take to go. */
extern const int64_t batch_end_allowance_ns;

int64_t batch_now_ns(void);   /* CLOCK_MONOTONIC */
void batch_close_fd(int *fd); /* and sets it to -1; accepts -1 */

/* Asks the launcher for it. A worker that cannot be had has ended with its failure set; -EPIPE: no
 * launcher. */
int batch_worker_start(struct batch_worker *worker, struct launcher *launcher,
                       const struct id_list *launcher_cpus);
/* Takes in what its pipe holds; a report that makes no sense is its end. */
void batch_worker_read(struct batch_worker *worker, struct launcher *launcher);
/* What its measuring may take at most, from the gate on. */
int64_t batch_worker_time_limit_ns(const struct batch_worker *worker);
void batch_worker_miss_deadline(struct batch_worker *worker, struct launcher *launcher);
/* Keeps the first failure. */
void batch_worker_fail(struct batch_worker *worker, const char *stage, int error, const char *text);
void batch_worker_kill(struct batch_worker *worker, struct launcher *launcher);
void batch_worker_end(struct batch_worker *worker);
bool batch_worker_has_reported(const struct batch_worker *worker);

#endif
