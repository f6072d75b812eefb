/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the format `csv`. Without --columns every field is there; with it those that belong to
 * the named columns, in that order, after the fields that tell lines apart. 0, -ENOMEM, -EINVAL or -EIO.
 */
#ifndef NUMASWEEP_OUTPUTS_CSV_PARTS_H
#define NUMASWEEP_OUTPUTS_CSV_PARTS_H

#include "csv_line.h"
#include "identity.h"
#include "numasweep/columns.h"
#include "numasweep/output.h"

struct csv_selection {
    const struct column_row *columns;
    size_t *positions;
    size_t count;
};

/* Unlike a table's, the default is all columns. */
int csv_selection_make(enum column_view view, const struct output_settings *settings,
                       struct csv_selection *selection, struct failure *failure);
void csv_selection_destroy(struct csv_selection *selection);

/* The fields that tell where a CPU stands; false when the column is another one. */
bool csv_put_identity(struct csv_line *line, const char *column_name, const struct identity *identity);
/* The heading of a column of that kind is its name, but for "siblings". */
bool csv_put_identity_heading(struct csv_line *line, const char *column_name);

int csv_print_report(const struct report *report, const struct output_settings *settings, FILE *stream,
                     struct failure *failure);
int csv_print_comparison(const struct comparison *comparison, const struct output_settings *settings,
                         FILE *stream, struct failure *failure);
int csv_print_groups(const struct comparison_groups *groups, const struct output_settings *settings,
                     FILE *stream, struct failure *failure);
int csv_print_topology(const struct topology *topology, const struct plan *plan,
                       const struct output_settings *settings, FILE *stream, struct failure *failure);
int csv_print_plan(const struct plan *plan, const struct topology *topology,
                   const struct output_settings *settings, FILE *stream, struct failure *failure);

int csv_print_migrations(const struct migration_report *report, const struct output_settings *settings,
                         FILE *stream, struct failure *failure);
int csv_print_migration_groups(const struct comparison_groups *groups,
                               const struct output_settings *settings, FILE *stream,
                               struct failure *failure);

#endif
