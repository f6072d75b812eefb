/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two sweeps beside one another, cell by cell and by node, or many sweeps in groups. Pure, made from
 * reports, which must outlive it.
 */
#ifndef NUMASWEEP_COMPARISON_H
#define NUMASWEEP_COMPARISON_H

#include "numasweep/analysis.h"
#include "numasweep/report.h"
#include "numasweep/verdict_compare.h"

#include <stdbool.h>
#include <stddef.h>

struct comparison_side {
    const char *name; /* of the file; borrowed */
    const struct report *report;
};

enum comparison_scope { COMPARISON_MACHINE, COMPARISON_NODE, COMPARISON_CELL };

struct comparison_line {
    enum comparison_scope scope;
    size_t table;                /* of before */
    enum analysis_figure figure; /* the medians of wake or touch */
    size_t row;                  /* of before's plan; of a cell */
    size_t column;               /* of before's plan; of a cell */
    int node;                    /* of the CPUs */
    double before_ns;            /* medians over rounds */
    double after_ns;
    struct verdict_change change; /* p is adjusted for all lines of the comparison */
};

struct comparison {
    struct comparison_side before;
    struct comparison_side after;
    bool is_same_machine; /* host and fingerprint */
    char **differences;   /* what else differs: options, Linux's release */
    size_t difference_count;
    struct comparison_line *lines; /* the machine, the nodes, the cells; by table and figure */
    size_t line_count;
    size_t unmatched_before_count; /* cells of one side only */
    size_t unmatched_after_count;
    size_t rounds_needed; /* 0: there are enough; else with how many each a change could be confirmed */
    size_t drift_rounds;  /* the longest drift within the sweeps; 1: they are steady */
    size_t regression_count; /* confirmed, slower and at least the minimum size */
    size_t improvement_count;
    char *sentence;
};

/* -ENOMEM, or -EINVAL with a failure where no cell is in both. */
int comparison_create(const struct comparison_side *before, const struct comparison_side *after,
                      const struct analysis_settings *settings, struct comparison *comparison,
                      struct failure *failure);
void comparison_destroy(struct comparison *comparison);

/* Many files: a line for each value of a header field, a column for each of its files. */
struct comparison_group {
    char *label;
    const struct report **reports; /* in the order of the command line; borrowed */
    size_t report_count;
};

struct comparison_groups {
    const char *field;
    struct comparison_group *groups; /* in the order in which their values came up */
    size_t group_count;
    size_t run_count; /* of the largest group */
};

/* The fields: "file", "host", "kernel" (Linux's release), "policy", "version". */
int comparison_groups_create(const struct comparison_side *sides, size_t count, const char *field,
                             struct comparison_groups *groups);
void comparison_groups_destroy(struct comparison_groups *groups);

#endif
