/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of analysis_create(), private to src/core/analysis*.c. Each returns 0 or -ENOMEM. */
#ifndef NUMASWEEP_ANALYSIS_INTERNAL_H
#define NUMASWEEP_ANALYSIS_INTERNAL_H

#include "numasweep/analysis.h"

/* The figures of all visits: unit = planned row, figure = table x column x enum analysis_figure. */
struct analysis_values {
    size_t round_count;
    size_t unit_count;
    size_t *row_of_unit;
    size_t *unit_of_row; /* SIZE_MAX: not planned */
    size_t figure_count;
    struct value_place {
        size_t table;
        size_t column;
        enum analysis_figure figure;
    } * figures;
    size_t *figure_of_place; /* [table][column][enum]; SIZE_MAX: nothing measured */
    double *values_ns;       /* [figure][round][unit]; NAN: no such visit */
    size_t misplaced;        /* visits left out: what was read back says that they were elsewhere */
    size_t other_policies;   /* visits left out, since most have another policy */
};

int analysis_values_create(const struct report *report, struct analysis_values *values);
void analysis_values_destroy(struct analysis_values *values);
/* NAN: none. */
double analysis_value(const struct analysis_values *values, size_t figure, size_t round, size_t unit);

/* The same by relation instead of by column: what CPUs are judged by. */
struct analysis_relations {
    size_t figure_count;
    struct finding_place *figures; /* table, relation and figure of each */
    double *values_ns;             /* [figure][round][unit]; NAN: no such visit */
};

int analysis_relations_create(const struct report *report, const struct analysis_values *values,
                              struct analysis_relations *relations);
void analysis_relations_destroy(struct analysis_relations *relations);

enum { PARTITIONS_MOST = 5 };
struct analysis_partitions {
    struct verdict_partition partitions[PARTITIONS_MOST];
    int *groups[PARTITIONS_MOST];
    size_t count;
};
int analysis_partitions_create(const struct report *report, const struct analysis_values *values,
                               struct analysis_partitions *partitions);
void analysis_partitions_destroy(struct analysis_partitions *partitions);

/* Names beside those of counters: the mean exit latency of the idle states entered, whether the
 * coordinator sat on the core, and how fast the clock ran while the CPU was not idle, in per cent of its
 * base frequency. */
extern const char analysis_exit_name[];
extern const char analysis_coordinator_name[];
extern const char analysis_clock_name[];
#define ANALYSIS_IDLE_PREFIX "idle:"

bool analysis_is_entries(const char *name); /* "idle:C6:entries" */
size_t analysis_state_length(const char *entries_name);
/* The exit latency of a state, from the environment's "C6 exit 133 us residency 400 us". -1: not known.
 */
double analysis_exit_latency_us(const struct environment *environment, const char *state, size_t length);
/* Of one visit: counts for each sample, states as they are. NAN: not known. */
double analysis_rate(const struct visit *visit, const char *name, const struct environment *environment);

struct analysis_yardstick {
    bool less_is_slow;     /* a slow CPU has less of it, not more */
    double smallest;       /* with the next: below this a difference explains nothing */
    double smallest_share; /* of the peers' value */
    double spread_share;   /* of the peers' value, added to their spread */
};
struct analysis_yardstick analysis_yardstick(const char *name);

/* Findings with subject, rows and places; neither causes nor sentences. */
int analysis_collect_findings(const struct report *report, const struct analysis_values *values,
                              const struct analysis_relations *relations,
                              const struct analysis_partitions *partitions, struct analysis *analysis);
int analysis_find_causes(const struct report *report, const struct analysis_values *values,
                         struct analysis *analysis);
/* Flags by row; needs the causes. */
void analysis_mark_rows(const struct report *report, struct analysis *analysis);
int analysis_write_sentences(const struct report *report, const struct analysis_values *values,
                             struct analysis *analysis);
int analysis_compare_nodes(const struct report *report, const struct analysis_values *values,
                           const struct analysis_settings *settings, struct analysis *analysis);

#endif
