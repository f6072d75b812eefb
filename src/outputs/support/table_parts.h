/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the format `table`; each prints one thing for people. 0, -ENOMEM or -EIO. */
#ifndef NUMASWEEP_OUTPUTS_TABLE_PARTS_H
#define NUMASWEEP_OUTPUTS_TABLE_PARTS_H

#include "grid.h"
#include "identity.h"
#include "numasweep/output.h"

int table_print_report(const struct report *report, const struct output_settings *settings, FILE *stream,
                       struct failure *failure);
int table_print_topology(const struct topology *topology, const struct plan *plan,
                         const struct output_settings *settings, FILE *stream, struct failure *failure);
int table_print_plan(const struct plan *plan, const struct topology *topology,
                     const struct output_settings *settings, FILE *stream, struct failure *failure);
int table_print_environment(const struct environment *environment,
                            const struct output_settings *settings, FILE *stream,
                            struct failure *failure);

int table_print_comparison(const struct comparison *comparison, const struct output_settings *settings,
                           FILE *stream, struct failure *failure);
int table_print_groups(const struct comparison_groups *groups, const struct output_settings *settings,
                       FILE *stream, struct failure *failure);

/* The cells of one arm and timeout by CPU, with legend, rows left out and summary. */
int table_print_cells(const struct report *report, const struct report_table *table,
                      const struct output_settings *settings, FILE *stream, struct failure *failure);
/* The matrices node by node, beside the firmware's distances. */
int table_print_matrix(const struct report *report, const struct report_table *table,
                       const struct output_settings *settings, FILE *stream);

/* Columns in front that name the table's arm and timeout, where no title does: --no-headings and several
 * tables. Both add nothing otherwise. */
void table_add_key_columns(struct grid *grid, const struct report *report, int group);
void table_add_key(struct grid *grid, const struct report *report, const struct report_table *table);

/* The verdict: the answer, the findings in order of importance, local against remote, advice. */
int table_print_verdict(const struct report *report, const struct output_settings *settings,
                        FILE *stream);

/* Which rows break which limit, and how many cells. */
int table_print_limits(const struct report *report, const struct output_settings *settings,
                       FILE *stream);

/* Adds the cell of a column that tells where a CPU stands; false when the column is another one. */
bool table_add_identity(struct grid *grid, const char *column_name, const struct identity *identity);
/* The order of round `round` in words, of its first `limit` cells. */
int table_print_order(const struct plan *plan, const struct topology *topology, int64_t round,
                      size_t limit, const struct output_settings *settings, FILE *stream);

int table_print_migrations(const struct migration_report *report, const struct output_settings *settings,
                           FILE *stream, struct failure *failure);
int table_print_migration_groups(const struct comparison_groups *groups,
                                 const struct output_settings *settings, FILE *stream,
                                 struct failure *failure);

#endif
