/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv_parts.h"

#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct plan_printer {
    const struct plan *plan;
    struct csv_line line;
    struct csv_selection selection;
    struct identity *identities; /* of each row: made once, shown in every round */
    char **cpus;
    size_t *cell_counts;
};

static int prepare(struct plan_printer *printer, const struct topology *topology)
{
    const struct plan *plan = printer->plan;
    int error = 0;
    printer->identities = calloc(plan->row_count + 1, sizeof *printer->identities);
    printer->cpus = calloc(plan->row_count + 1, sizeof *printer->cpus);
    printer->cell_counts = calloc(plan->row_count + 1, sizeof *printer->cell_counts);
    if (printer->identities == NULL || printer->cpus == NULL || printer->cell_counts == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; error == 0 && i < plan->row_count; i++) {
        error = identity_of_cpu(topology, plan->rows[i].cpu, &printer->identities[i]);
        if (error == 0) {
            printer->cpus[i] = row_cpus_text(&plan->rows[i]);
            error = printer->cpus[i] == NULL ? -ENOMEM : 0;
        }
    }
    for (size_t i = 0; i < plan->cell_count; i++) {
        printer->cell_counts[plan->cells[i].row]++;
    }
    return error;
}

static void release(struct plan_printer *printer)
{
    for (size_t i = 0; i < printer->plan->row_count; i++) {
        if (printer->identities != NULL) {
            identity_destroy(&printer->identities[i]);
        }
        if (printer->cpus != NULL) {
            free(printer->cpus[i]);
        }
    }
    free(printer->identities);
    free(printer->cpus);
    free(printer->cell_counts);
    csv_selection_destroy(&printer->selection);
}

static void put_heading(struct plan_printer *printer)
{
    csv_names(&printer->line, "round,position,arm,timeout_ns");
    for (size_t i = 0; i < printer->selection.count; i++) {
        const char *column = printer->selection.columns[printer->selection.positions[i]].name;
        if (csv_put_identity_heading(&printer->line, column)) {
            continue;
        }
        if (strcmp(column, "cpu") == 0) {
            csv_names(&printer->line, "row,cpu");
        } else if (strcmp(column, "nodes") == 0) {
            csv_names(&printer->line, "memory_node,is_local");
        } else {
            csv_names(&printer->line, column);
        }
    }
    csv_end(&printer->line);
}

/* `cell` is NULL for a row that is not measured. */
static void put_columns(struct plan_printer *printer, size_t row, const struct plan_cell *cell)
{
    const struct plan *plan = printer->plan;
    struct csv_line *line = &printer->line;
    for (size_t i = 0; i < printer->selection.count; i++) {
        const char *column = printer->selection.columns[printer->selection.positions[i]].name;
        if (csv_put_identity(line, column, &printer->identities[row])) {
            continue;
        }
        if (strcmp(column, "cpu") == 0) {
            csv_text(line, plan->rows[row].label);
            csv_id(line, plan->rows[row].cpu);
        } else if (strcmp(column, "cpus") == 0) {
            csv_text(line, printer->cpus[row]);
        } else if (strcmp(column, "nodes") == 0) {
            csv_id(line, cell != NULL ? plan->columns[cell->column].node : TOPOLOGY_NONE);
            csv_bool(line, cell != NULL && cell->is_local);
        } else if (strcmp(column, "cells") == 0) {
            csv_integer(line, (int64_t)printer->cell_counts[row]);
        } else if (strcmp(column, "status") == 0) {
            csv_text(line, cell != NULL ? "planned" : row_reason(&plan->rows[row]));
        }
    }
    csv_end(line);
}

static void put_visit(struct plan_printer *printer, int64_t round, size_t position, size_t cell_index)
{
    const struct plan_cell *cell = &printer->plan->cells[cell_index];
    csv_integer(&printer->line, round + 1);
    csv_integer(&printer->line, (int64_t)position + 1);
    csv_text(&printer->line, printer->plan->arms[cell->arm].name);
    csv_integer(&printer->line, printer->plan->timeouts_ns[cell->timeout]);
    put_columns(printer, cell->row, cell);
}

static void put_left_out(struct plan_printer *printer)
{
    for (size_t row = 0; row < printer->plan->row_count; row++) {
        if (printer->cell_counts[row] > 0) {
            continue;
        }
        for (int field = 0; field < 4; field++) {
            csv_text(&printer->line, "");
        }
        put_columns(printer, row, NULL);
    }
}

static int put_rounds(struct plan_printer *printer)
{
    const struct plan *plan = printer->plan;
    int error = 0;
    size_t *order = calloc(plan->cell_count + 1, sizeof *order);
    if (order == NULL) {
        return -ENOMEM;
    }
    for (int64_t round = 0; error == 0 && round < plan->round_count && ferror(printer->line.stream) == 0;
         round++) {
        error = plan_round_order(plan, round, order);
        for (size_t i = 0; error == 0 && i < plan->cell_count; i++) {
            put_visit(printer, round, i, order[i]);
        }
    }
    free(order);
    return error;
}

int csv_print_plan(const struct plan *plan, const struct topology *topology,
                   const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    struct plan_printer printer = {.plan = plan, .line = {.stream = stream}};
    int error = csv_selection_make(COLUMN_VIEW_PLAN, settings, &printer.selection, failure);
    if (error == 0) {
        error = prepare(&printer, topology);
    }
    if (error == 0) {
        if (!settings->no_headings) {
            put_heading(&printer);
        }
        put_left_out(&printer);
        error = put_rounds(&printer);
    }
    release(&printer);
    return error != 0 ? error : text_stream_error(stream);
}
