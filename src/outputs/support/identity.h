/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a CPU stands on its machine, and other words that several formats show. */
#ifndef NUMASWEEP_OUTPUTS_IDENTITY_H
#define NUMASWEEP_OUTPUTS_IDENTITY_H

#include "numasweep/columns.h"
#include "numasweep/plan.h"
#include "numasweep/report.h"
#include "numasweep/topology.h"

#include <stddef.h>

struct identity {
    int node; /* TOPOLOGY_NONE: none */
    int package;
    int l3;
    int core;
    char *siblings;   /* text of a list; owned */
    const char *kind; /* borrowed; "" when all CPUs are of one kind */
};

/* Of a CPU that the topology may not know. -ENOMEM. */
int identity_of_cpu(const struct topology *topology, int cpu, struct identity *identity);
int identity_of_row(const struct report_row *row, struct identity *identity);
void identity_destroy(struct identity *identity);

/* Whether a column of the CPUs' identities tells nothing: nothing in it, or all alike. */
struct identity_use {
    bool has_siblings;
    bool has_kinds;
    bool has_packages; /* several, and not the same numbers as the nodes */
};
struct identity_use identity_find_use(const struct topology *topology);
/* Whether a column may be left out where the width is short. */
bool identity_is_expendable(const struct identity_use *use, const char *column_name);

/* Fits default columns (positions in columns_table(), of room for all) to rows wider than a CPU: what
 * differs among the CPUs of a row is left out, and the row's CPUs are shown. */
void identity_fit_columns(enum row_level by, const struct column_row *columns, size_t column_count,
                          size_t *positions, size_t *count);

/* "CPU", or "ROW" where rows are wider; the heading of any other column as it is. */
const char *identity_heading(enum row_level by, const struct column_row *column);

/* The CPU list of a row as text; the caller frees; NULL when memory ran out. */
char *row_cpus_text(const struct plan_row *row);

/* The row of the plan that each CPU stands in, by position in topology->cpus; SIZE_MAX: in none. The
 * caller frees; NULL when memory ran out. `plan` may be NULL. */
size_t *rows_by_cpu(const struct plan *plan, const struct topology *topology);

/* "" for a planned row, else why it is not measured. */
const char *row_reason(const struct plan_row *row);

/* "measured", "incomplete", "missing", "not planned". */
const char *cell_state_word(enum report_cell_state state);

/* "node3", "not bound": a heading for a column of the plan. */
void column_heading(const struct plan_column *column, char heading[PLAN_LABEL_SIZE]);

#endif
