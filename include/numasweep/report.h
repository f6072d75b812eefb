/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The immutable report that every output format is fed: figures per cell, row, node and machine, a
 * status for every CPU, the validity line. Pure, built from a sweep; it borrows from the sweep, which
 * must outlive it.
 */
#ifndef NUMASWEEP_REPORT_H
#define NUMASWEEP_REPORT_H

#include "numasweep/failure.h"
#include "numasweep/limits.h"
#include "numasweep/statistics.h"
#include "numasweep/sweep.h"

#include <stdbool.h>
#include <stddef.h>

enum report_cell_state {
    REPORT_CELL_MEASURED,    /* every planned visit gave its samples */
    REPORT_CELL_INCOMPLETE,  /* some visits failed or are missing */
    REPORT_CELL_MISSING,     /* planned, but there is no visit with samples */
    REPORT_CELL_NOT_PLANNED, /* not part of the sweep (row left out, --nodes local, node not allowed) */
};

struct report_cell {
    enum report_cell_state state;
    bool is_local;
    size_t visits_planned;
    size_t visits_measured;
    size_t visits_failed;
    struct figure_summary wake; /* over all valid samples of the cell */
    struct figure_summary touch;
    int64_t early_count;
    int64_t elsewhere_count; /* quarantined samples */
    int64_t unproved_count;  /* visits whose placement is not proved */
    bool breaks_limit;       /* any */
    int policy;              /* as read back; -1: none or not the same in all visits */
    int priority;
    char problem[FAILURE_TEXT_SIZE]; /* "" or the commonest failure: stage, errno name, text, how many */
};

struct report_row {
    const struct plan_row *row;
    int node; /* of the row's lowest CPU; TOPOLOGY_NONE */
    int package;
    int core;
    int l3;
    char *siblings;             /* "64", "1-3", "" (text of a list) */
    const char *kind;           /* name, or "" */
    int nearest_node;           /* set where the row has no local cell; else TOPOLOGY_NONE */
    struct figure_summary wake; /* over all columns of the row, samples merged */
    struct figure_summary touch;
    int64_t early_count;
    char status[FAILURE_TEXT_SIZE]; /* "ok", "offline", "not allowed (cpuset)", "2 of 8 cells missing:
                                       policy: EPERM", ... */
};

/* Nodes x columns: the median of the row medians of the node's rows. NAN where there is nothing. */
struct report_matrix {
    struct id_list from_nodes; /* nodes that have measured rows; TOPOLOGY_NONE is never in it */
    double *wake_ns;           /* from_nodes.count x column_count */
    double *touch_ns;
    int *distances; /* firmware; -1 unknown or not bound */
};

/* One limit over all cells that were planned. */
struct report_limit {
    const struct limit *limit; /* borrowed from the sweep's options */
    size_t cells;
    size_t cells_broken;
    size_t cells_too_few; /* not judged, as are those */
    size_t cells_without_samples;
};

struct analysis;

struct report_table {
    size_t arm;
    size_t timeout;
    struct report_cell *cells; /* plan.row_count x plan.column_count */
    struct report_row *rows;   /* plan.row_count */
    struct report_matrix matrix;
    struct figure_summary wake; /* all valid samples of the table */
    struct figure_summary touch;
    int64_t early_count;
};

struct report {
    const struct sweep *sweep;
    struct report_table *tables; /* arm_count x timeout_count */
    size_t table_count;
    bool has_touch;
    size_t cells_planned;
    size_t cells_measured; /* complete */
    size_t cells_missing;  /* without any samples */
    size_t visits_planned;
    size_t visits_measured;
    size_t visits_failed;
    size_t rows_unavailable; /* asked for, but offline or disallowed */
    size_t columns_unavailable;
    bool is_partial;
    bool has_invalid; /* a visit whose placement is not proved, or quarantined samples */
    struct report_limit *limits;
    size_t limit_count;
    bool breaks_limit;
    char **validity; /* lines: policy, slack, pinning, memory, clock, coordinator, what disturbed */
    size_t validity_count;
    struct analysis *analysis; /* owned; NULL until report_judge() */
};

/* -ENOMEM. */
int report_create(const struct sweep *sweep, struct report *report);
void report_destroy(struct report *report);

/* A planned cell by a limit. */
struct limit_judgement report_judge_cell(const struct limit *limit, const struct report_cell *cell);

/* Fills report->analysis (analysis.h), with the sizes and the error rate of `options`. -ENOMEM, -EINVAL.
 */
int report_judge(struct report *report, const struct options *options);

/* The status of a finished sweep by the report: complete, found (fail_on), not allowed (nothing at all
 * could be measured), partial. */
int report_exit_status(const struct report *report, unsigned fail_on);

#endif
