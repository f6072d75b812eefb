/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A whole sweep, running or read back: header, plan and visits. What the report is made from and what a
 * result file holds. The plan is always derived from options and topology by plan_create().
 */
#ifndef NUMASWEEP_SWEEP_H
#define NUMASWEEP_SWEEP_H

#include "numasweep/environment.h"
#include "numasweep/migrations.h"
#include "numasweep/options.h"
#include "numasweep/plan.h"
#include "numasweep/topology.h"
#include "numasweep/visit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sweep {
    char *version;      /* of the numasweep that measured */
    char *command_line; /* words joined by spaces, quoted where needed */
    char *host;
    char *imported_from; /* the file that samples of another program came from; NULL: measured here */
    int64_t started_unix_ns;
    int64_t sweep_count; /* 1, or how many saved sweeps were merged into this; the rest of the header is
                          * the first one's */
    struct options options;
    struct topology topology;
    struct environment environment;
    struct plan plan; /* points into options and topology: a sweep is never copied or moved by value */

    struct visit *visits; /* in the order in which they ended */
    size_t visit_count;
    size_t visit_capacity;

    struct migration_list migrations; /* of the other experiment that a result file may hold */

    bool has_ended;             /* the end record is there (or the sweep ran to its end) */
    bool is_cut;                /* read back: the last line was cut off */
    int stop_signal;            /* 0, or the signal that stopped it */
    int64_t wall_ns;            /* of the measuring part; 0: not known */
    int64_t asleep_ns;          /* time workers spent sleeping and touching (sum) */
    int64_t coordinator_cpu_ns; /* CPU time of coordinator and launcher */
    int64_t load_workers;       /* busy workers of --load; 0: none */
    int64_t load_cpu_ns;        /* CPU time they used while visits ran */
    int64_t load_wall_ns;       /* the time that the CPUs they ran on had meanwhile */
    char **warnings;            /* sentences for stderr and the report */
    size_t warning_count;
};

/* Heap-allocated and zeroed; NULL when memory ran out. */
struct sweep *sweep_create(void);
void sweep_destroy(struct sweep *sweep); /* accepts NULL */

/* Takes the visit over (the caller's struct is zeroed). -ENOMEM leaves it with the caller. */
int sweep_add_visit(struct sweep *sweep, struct visit *visit);
/* The same sentence is kept once. */
int sweep_add_warning(struct sweep *sweep, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Joins `other` (same machine, same measurement) into `sweep`: its rounds follow. Refuses with -EINVAL
 * and a failure that names what differs (fingerprint, kernel, timeouts, touch, policy, clock, dither,
 * ...). `other` is left without visits. */
int sweep_merge(struct sweep *sweep, struct sweep *other, struct failure *failure);

#endif
