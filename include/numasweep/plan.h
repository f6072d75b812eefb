/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What will be measured, in which order: pure, from options and topology.
 *
 * cell = arm x timeout x row x column. A row is a placement of the worker (a CPU, or a wider set by
 * --by), a column a memory node, or TOPOLOGY_NONE for memory that is not bound. In each round every
 * cell is visited once, in an order shuffled anew from the seed.
 */
#ifndef NUMASWEEP_PLAN_H
#define NUMASWEEP_PLAN_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"
#include "numasweep/options.h"
#include "numasweep/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_LABEL_SIZE = 32 };

/* An arm: a named set of options measured side by side with others in the same rounds. A plain sweep
 * has one, named "default". */
struct plan_arm {
    char name[PLAN_LABEL_SIZE];
    const char *kernel; /* borrowed from options */
    int64_t sample_count;
    int64_t warmup_count;
    int64_t dither_percent;
    int64_t touch_lines;
    enum sample_clock clock;
    enum policy_choice policy;
    bool policy_is_required; /* a refusal fails the cell */
    int64_t priority;
    int64_t timer_slack_ns;
    const char *load; /* borrowed from options, as load_format() has it */
};

enum row_state {
    ROW_PLANNED,
    ROW_OFFLINE,
    ROW_DISALLOWED,   /* outside the cpuset */
    ROW_NOT_IN_MASK,  /* not asked for: outside the inherited mask */
    ROW_NOT_SELECTED, /* not asked for: an explicit list left it out (not printed as a gap) */
    ROW_NO_LOCAL_NODE /* --nodes local, but the row has no memory node of its own that is allowed */
};

/* With a wider `by`, planned rows are objects, and each CPU that none of them holds is a row of level
 * ROW_PU by itself, so that every CPU of the machine stands in exactly one row. */
struct plan_row {
    enum row_level level;
    int id;                      /* CPU, core, l3, node or package number; 0 for the machine */
    char label[PLAN_LABEL_SIZE]; /* "17", "core 3", "machine" */
    struct id_list cpus; /* what the worker is pinned to: the usable, selected CPUs of the object */
    int cpu;             /* the lowest of them (or of the object), by which the row is known */
    enum row_state state;
    bool is_asked_for; /* planned, or named by --cpus: if not planned, it is a gap */
    char reason[96];   /* why it is not measured; "" when planned */
};

struct plan_column {
    int node;          /* TOPOLOGY_NONE: memory not bound */
    bool is_allowed;   /* false: outside the cpuset's mems; the column says so and has no cells */
    bool is_asked_for; /* allowed, or asked for by option: if not allowed, it is a gap */
    char label[PLAN_LABEL_SIZE]; /* "node 3", "not bound" */
};

struct plan_cell {
    size_t arm;
    size_t timeout;
    size_t row;
    size_t column;
    bool is_local; /* the column is one of the row's own nodes (wider rows: a node inside it) */
};

struct plan_domains; /* what plan_next_batch() needs, prepared once */

struct plan {
    struct plan_arm *arms;
    size_t arm_count;
    int64_t *timeouts_ns;
    size_t timeout_count;
    struct plan_row *rows; /* planned ones and those left out, ascending by cpu */
    size_t row_count;
    struct plan_column *columns; /* ascending by node */
    size_t column_count;
    struct plan_cell *cells; /* only of planned rows and allowed columns */
    size_t cell_count;
    int64_t round_count;
    uint64_t seed;
    enum row_level by;
    enum concurrency concurrent;
    struct id_list measured_cpus;    /* all CPUs of planned rows */
    struct id_list coordinator_cpus; /* where the coordinator may sit: see plan_coordinator_cpus() */
    int coordinator_cpu;             /* asked for by option, or OPTION_COORDINATOR_AUTO */
    struct plan_domains *domains;    /* private; NULL with CONCURRENT_ONE */
};

/* `topology` and `options` must outlive the plan. seed: options->seed (main has drawn one if none was
 * given). -EINVAL (status 2) for CPUs or nodes that do not exist, for a coordinator CPU that cannot be
 * used, and for --cpus with --by machine where the list leaves a CPU out. A plan without any cell is no
 * error here. */
int plan_create(const struct options *options, const struct topology *topology, struct plan *plan,
                struct failure *failure);
void plan_destroy(struct plan *plan);

/* The cells of one round (0-based) in the order in which they are visited, as indices into cells.
 * `order` has room for cell_count. -ENOMEM. */
int plan_round_order(const struct plan *plan, int64_t round, size_t *order);

/* Cuts a round's order into batches whose cells are measured at the same time: the batch that starts
 * at `order[start]` has the returned number of cells (at least 1), and order[] is rearranged from
 * `start` on so that they stand next to one another, in a deterministic way. No two rows of a batch
 * share a domain of plan->concurrent, nor a CPU. With CONCURRENT_ONE always 1. */
size_t plan_next_batch(const struct plan *plan, const struct topology *topology, size_t *order,
                       size_t count, size_t start);

/* CPUs for the coordinator while `busy` CPUs are measured: the plan's coordinator_cpus less the busy
 * ones and their SMT siblings; else less the busy ones only; else (nothing left) coordinator_cpus
 * as it is. `quality` says which of the three it was: 0, 1, 2. With an explicit coordinator CPU it is
 * always that one, and quality still says how near it is. */
int plan_coordinator_cpus(const struct plan *plan, const struct topology *topology,
                          const struct id_list *busy, struct id_list *cpus, int *quality);

/* Predicted wall time of the whole sweep, and of one visit, in ns. */
int64_t plan_visit_duration_ns(const struct plan_arm *arm, int64_t timeout_ns);
int plan_duration_ns(const struct plan *plan, const struct topology *topology, int64_t *duration_ns);

const char *row_state_name(enum row_state state);

#endif
