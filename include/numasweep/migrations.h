/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often busy workers were moved from CPU to CPU: the runs of `numasweep migrations`, what they add
 * up to, and what disproves their placement. Pure.
 */
#ifndef NUMASWEEP_MIGRATIONS_H
#define NUMASWEEP_MIGRATIONS_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"
#include "numasweep/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum migration_pin { MIGRATION_UNPINNED, MIGRATION_PINNED_CPU, MIGRATION_PINNED_NODE, MIGRATION_PINS };

enum migration_counter { MIGRATION_COUNTER_SCHED, MIGRATION_COUNTER_PERF, MIGRATION_COUNTERS };

/* Where the moves between nodes were seen: in no counter. */
enum migration_crossing {
    MIGRATION_CROSSING_ONE_NODE,   /* there is no other node */
    MIGRATION_CROSSING_TRACEPOINT, /* every move was seen */
    MIGRATION_CROSSING_SAMPLES,    /* an estimate, and a lower bound */
    MIGRATION_CROSSINGS
};

enum { MIGRATION_NONE = -1, MIGRATION_BREACH_SIZE = 256 };

struct migration_worker {
    int cpu;   /* pinned to; MIGRATION_NONE: not to one CPU */
    int node;  /* pinned to, also by way of its CPU; MIGRATION_NONE: to none */
    int group; /* the bandwidth-limited cgroup that it is in; MIGRATION_NONE: in none */
    int64_t migrations;
    int64_t crossings; /* of these, from node to node, as far as seen */
    int64_t cpu_ns;
};

struct migration_node {
    int node;
    int64_t migrations; /* inside of the node, as far as seen */
};

struct migration_run {
    int64_t run; /* from 1 */
    enum migration_pin pin;
    bool is_limited; /* in cgroups with a CPU bandwidth limit */
    enum migration_counter counter;
    enum migration_crossing crossing;
    int64_t duration_ns;
    int64_t lost_records; /* of the tracepoint: what was not seen */
    int64_t throttled;    /* times that the groups were throttled (sum); MIGRATION_NONE: not known */
    int64_t throttled_ns; /* the same, in time */
    struct migration_worker *workers;
    size_t worker_count;
    struct migration_node *nodes; /* ascending; one at least */
    size_t node_count;
    char breach[MIGRATION_BREACH_SIZE]; /* what disproves the placement; "": nothing */
};

struct migration_list {
    bool is_experiment; /* the result file is one of migrations, even without any run */
    struct migration_run *runs;
    size_t count;
};

const char *migration_pin_name(enum migration_pin pin);             /* "none", "cpu", "node" */
const char *migration_pin_label(enum migration_pin pin);            /* "unpinned", "to a CPU", ... */
const char *migration_counter_name(enum migration_counter counter); /* "sched", "perf" */
const char *migration_counter_label(enum migration_counter counter);
const char *migration_crossing_name(enum migration_crossing crossing);
const char *migration_crossing_label(enum migration_crossing crossing);

void migration_run_destroy(struct migration_run *run); /* accepts a zeroed struct */
void migration_list_destroy(struct migration_list *list);
/* Takes the run over (the caller's struct is zeroed). -ENOMEM leaves it with the caller. */
int migration_list_add(struct migration_list *list, struct migration_run *run);

int64_t migration_run_total(const struct migration_run *run);
int64_t migration_run_crossings(const struct migration_run *run);
int64_t migration_run_cpu_ns(const struct migration_run *run);

/* The workers of one run, `per_cpu` for each of `cpus`, spread over `groups` cgroups in turn (0: none).
 * -ENOMEM. */
int migration_run_plan(const struct topology *topology, const struct id_list *cpus, int64_t per_cpu,
                       int64_t groups, enum migration_pin pin, struct migration_run *run);
/* The CPUs that a worker of the run is bound to. Replaces `bound`. -ENOMEM. */
int migration_worker_cpus(const struct topology *topology, const struct id_list *cpus,
                          const struct migration_worker *worker, struct id_list *bound);
/* Takes a move that was seen into the worker and the nodes. Unknown CPUs are passed over. */
void migration_run_take_move(const struct topology *topology, struct migration_run *run, size_t worker,
                             int from_cpu, int to_cpu);
/* Where the counters alone tell what happened inside of the nodes, they do, instead of the moves seen.
 */
void migration_run_settle(struct migration_run *run);
/* Fills run->breach with the first thing that a worker pinned to a CPU or to a node must never do. Keeps
 * one that is there. */
void migration_run_judge(struct migration_run *run);

/* How a figure was spread over the runs of one series. */
struct migration_spread {
    size_t count;
    int64_t minimum;
    int64_t maximum;
    double median;
    double mean;
};

/* One way of pinning, in or out of the limit. */
struct migration_series {
    enum migration_pin pin;
    bool is_limited;
    const struct migration_run **runs;
    size_t run_count;
    struct migration_spread total;
    struct migration_spread crossings;
    struct migration_spread *nodes;   /* as many as the first run has */
    struct migration_spread *workers; /* the same */
    size_t breach_count;
};

struct migration_summary {
    struct migration_series *series;
    size_t count;
};

int migration_spread_compute(const int64_t *values, size_t count, struct migration_spread *spread);
/* In the order of the first run of each. The list must outlive the summary. -ENOMEM. */
int migration_summary_create(const struct migration_list *list, struct migration_summary *summary);
void migration_summary_destroy(struct migration_summary *summary);

#endif
