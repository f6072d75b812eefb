/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv_parts.h"

#include "text.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void put_heading(struct csv_line *line, const struct csv_selection *selection)
{
    static const struct {
        const char *column;
        const char *fields;
    } names[] = {
        {.column = "cpu", .fields = "cpu"},
        {.column = "online", .fields = "state"},
        {.column = "allowed", .fields = "allowed"},
        {.column = "isolated", .fields = "isolated"},
        {.column = "nohz_full", .fields = "nohz_full"},
        {.column = "swept", .fields = "swept,reason"},
    };
    for (size_t i = 0; i < selection->count; i++) {
        const char *column = selection->columns[selection->positions[i]].name;
        if (csv_put_identity_heading(line, column)) {
            continue;
        }
        for (size_t name = 0; name < sizeof names / sizeof names[0]; name++) {
            if (strcmp(names[name].column, column) == 0) {
                csv_names(line, names[name].fields);
            }
        }
    }
    csv_end(line);
}

static void put_column(struct csv_line *line, const char *column, const struct topology_cpu *cpu,
                       const struct identity *identity, const struct plan_row *row)
{
    if (csv_put_identity(line, column, identity)) {
        return;
    }
    if (strcmp(column, "cpu") == 0) {
        csv_id(line, cpu->cpu);
    } else if (strcmp(column, "online") == 0) {
        csv_text(line, cpu_state_name(cpu->state));
    } else if (strcmp(column, "allowed") == 0) {
        csv_bool(line, cpu->state != CPU_DISALLOWED && cpu->is_in_inherited_mask);
    } else if (strcmp(column, "isolated") == 0) {
        csv_bool(line, cpu->is_isolated);
    } else if (strcmp(column, "nohz_full") == 0) {
        csv_bool(line, cpu->is_nohz_full);
    } else if (strcmp(column, "swept") == 0) {
        csv_bool(line, row != NULL && row->state == ROW_PLANNED);
        csv_text(line, row != NULL ? row_reason(row) : "");
    }
}

static int put_cpu(struct csv_line *line, const struct csv_selection *selection,
                   const struct topology *topology, const struct topology_cpu *cpu,
                   const struct plan_row *row)
{
    struct identity identity = {0};
    const int error = identity_of_cpu(topology, cpu->cpu, &identity);
    for (size_t i = 0; error == 0 && i < selection->count; i++) {
        put_column(line, selection->columns[selection->positions[i]].name, cpu, &identity, row);
    }
    csv_end(line);
    identity_destroy(&identity);
    return error;
}

int csv_print_topology(const struct topology *topology, const struct plan *plan,
                       const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    struct csv_line line = {.stream = stream};
    struct csv_selection selection = {0};
    size_t *rows = rows_by_cpu(plan, topology);
    int error = rows == NULL ? -ENOMEM
                             : csv_selection_make(COLUMN_VIEW_TOPOLOGY, settings, &selection, failure);
    if (error == 0 && !settings->no_headings) {
        put_heading(&line, &selection);
    }
    for (size_t i = 0; error == 0 && i < topology->cpu_count; i++) {
        const bool has_row = plan != NULL && rows[i] != SIZE_MAX;
        error = put_cpu(&line, &selection, topology, &topology->cpus[i],
                        has_row ? &plan->rows[rows[i]] : NULL);
    }
    csv_selection_destroy(&selection);
    free(rows);
    return error != 0 ? error : text_stream_error(stream);
}
