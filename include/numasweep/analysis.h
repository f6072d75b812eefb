/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the samples say: which CPUs are slow or fast, with what evidence, and whether the memory's node
 * matters. Pure, made from a report, which must outlive it. The statistics are those of
 * verdict_statistics.h and verdict_compare.h; here they get names, causes and sentences.
 */
#ifndef NUMASWEEP_ANALYSIS_H
#define NUMASWEEP_ANALYSIS_H

#include "numasweep/report.h"
#include "numasweep/verdict_compare.h"
#include "numasweep/verdict_statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum analysis_figure {
    ANALYSIS_WAKE_MEDIAN,
    ANALYSIS_WAKE_P90,
    ANALYSIS_TOUCH_MEDIAN,
    ANALYSIS_FIGURES
};
const char *analysis_figure_name(enum analysis_figure figure); /* "wake median", ... */

enum finding_type {
    FINDING_SLOW,      /* confirmed and at least the minimum size: a flag */
    FINDING_FAST,      /* likewise */
    FINDING_DIFFER,    /* two sides of equal size: which of them is odd cannot be told by figures */
    FINDING_SMALL,     /* confirmed, but smaller than what counts */
    FINDING_STANDS_OUT /* not confirmed */
};
const char *
finding_type_name(enum finding_type type); /* "slow", "fast", "differ", "small", "stands out" */

/* A counter of the evidence that differs between the subject and its peers. */
struct finding_cause {
    char name[COUNTER_NAME_SIZE];
    double own;    /* median over the subject's visits, for each sample; for "idle_exit_ns" the mean exit
                      latency of the idle states entered; of clocks per cent or kHz */
    double peers;  /* median over the peers */
    double weight; /* distance in units of the peers' spread */
    char text[200];
};
enum { CAUSES_MOST = 3 };

/* CPUs are compared in their cells with local memory, and in those with remote memory (the median over a
 * row's columns in each round): a column holds both, and a CPU is not fast because it is near. With one
 * column there is one relation. */
enum analysis_relation { ANALYSIS_LOCAL, ANALYSIS_REMOTE, ANALYSIS_RELATIONS };
const char *analysis_relation_name(enum analysis_relation relation); /* "local", "remote" */

/* Where it was seen. The first is the one with the largest size. */
struct finding_place {
    size_t table;
    enum analysis_relation relation;
    enum analysis_figure figure;
    struct verdict_size size;
    double p; /* adjusted; 1 for what is not confirmed */
    size_t rounds_beyond;
    size_t rounds_measured;
    double distance;      /* of what is not confirmed, in units of the peers' spread */
    size_t rounds_needed; /* likewise */
};

struct finding {
    enum finding_type type;
    enum verdict_direction direction;
    char *subject; /* "CPU 3", "core 4 (CPUs 4,68)", "node 1 (CPUs 8-15,72-79)" */
    const char
        *level;   /* "CPU", "core", "l3", "node", "package", "kind"; the row's level for wider rows */
    size_t *rows; /* of the plan */
    size_t row_count;
    struct finding_place *places;
    size_t place_count;
    struct finding_cause causes[CAUSES_MOST]; /* strongest first; for flags and differing pairs */
    size_t cause_count;
    char *sentence;
};

/* Remote against local memory, paired by round. */
struct locality_pair {
    size_t table;
    enum analysis_figure figure; /* ANALYSIS_WAKE_MEDIAN or ANALYSIS_TOUCH_MEDIAN */
    int from_node;               /* where the CPUs are; TOPOLOGY_NONE: the whole machine */
    int to_node;                 /* where the memory is; TOPOLOGY_NONE: all remote nodes */
    int cpu;      /* of a single row: its lowest CPU; TOPOLOGY_NONE: all rows of the node */
    int distance; /* firmware; -1 */
    struct verdict_shift shift;
};

struct analysis {
    double level; /* error rate of the whole answer */
    struct verdict verdict;
    struct finding *findings; /* in order of importance */
    size_t finding_count;
    size_t slow_count; /* flags among them, differing pairs included */
    size_t fast_count;
    char *verdict_sentence; /* the answer on CPUs in one sentence */

    struct locality_pair *machine; /* a figure each */
    size_t machine_count;
    struct locality_pair *node_pairs;
    size_t node_pair_count;
    struct locality_pair *cpus; /* each row: all its remote columns against its local ones */
    size_t cpu_count;
    char *locality_sentence;
    bool is_remote_slower; /* confirmed and at least the minimum share, for wake or touch */
    char **advice;         /* sentences */
    size_t advice_count;
    bool *row_is_slow; /* table_count x row_count: flagged, in that table */
    bool *row_is_fast;
    bool *row_differs; /* likewise: one of two sides, and neither figures nor evidence tell which */
};

struct analysis_settings {
    struct verdict_settings verdict;
};

void analysis_settings_init(struct analysis_settings *settings, const struct options *options);

/* -ENOMEM. */
int analysis_create(const struct report *report, const struct analysis_settings *settings,
                    struct analysis *analysis);
/* The mark of a row in a table: "slow", "fast", "differs"; "" for none, or no analysis. */
const char *analysis_row_mark(const struct report *report, size_t table, size_t row);
void analysis_destroy(struct analysis *analysis); /* accepts a zeroed struct */

#endif
