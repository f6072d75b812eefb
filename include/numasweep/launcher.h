/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The launcher: a small process, forked before any topology is loaded and any result is kept, from
 * which all workers are forked, so that a visit costs the same at the end of a long sweep as at its
 * start. It reaps the workers and kills them all when the coordinator is gone.
 */
#ifndef NUMASWEEP_LAUNCHER_H
#define NUMASWEEP_LAUNCHER_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"
#include "numasweep/visit.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum launcher_event_type {
    LAUNCHER_REFUSED, /* fork refused: error */
    LAUNCHER_EXITED,  /* a worker ended: wait_status */
    LAUNCHER_GONE     /* the launcher itself died, or could not go on: error */
};

struct launcher_event {
    enum launcher_event_type type;
    uint64_t visit;
    pid_t pid;
    int error;             /* positive errno */
    int wait_status;       /* as from waitpid() */
    int64_t worker_cpu_ns; /* user + system time of the worker */
};

struct launcher {
    pid_t pid;                      /* 0: none */
    int fd;                         /* SOCK_SEQPACKET; the coordinator may poll it for POLLIN */
    struct launcher_event *pending; /* taken in while a request had to wait */
    size_t pending_count;
    size_t pending_capacity;
};

int launcher_start(struct launcher *launcher, struct failure *failure);
/* Asks for a worker; the two descriptors are passed on and stay open here (the caller closes them).
 * `launcher_cpus`: where the launcher itself moves first, away from the measured CPUs (NULL: stays). */
int launcher_request(struct launcher *launcher, const struct visit_request *request,
                     const struct id_list *cpus, const struct id_list *launcher_cpus, int report_fd,
                     int gate_fd, struct failure *failure);
int launcher_kill(struct launcher *launcher, uint64_t visit); /* SIGKILL to that visit's worker */
/* Next event without blocking: 1 filled, 0 none. */
int launcher_next_event(struct launcher *launcher, struct launcher_event *event);
/* Ends it and all its workers; returns its CPU time (its own, not the workers'), 0 if unknown. */
int64_t launcher_stop(struct launcher *launcher);

#endif
