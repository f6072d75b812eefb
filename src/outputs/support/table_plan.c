/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/columns.h"
#include "omitted.h"
#include "table_parts.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_CELLS = 32 };

/* Whether each cell of row x column is planned, and local, in the first arm and timeout. */
enum cell_mark { CELL_NONE, CELL_PLANNED, CELL_LOCAL };

static unsigned char *mark_cells(const struct plan *plan)
{
    unsigned char *marks = calloc(plan->row_count * plan->column_count + 1, sizeof *marks);
    for (size_t i = 0; marks != NULL && i < plan->cell_count; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        marks[cell->row * plan->column_count + cell->column] = cell->is_local ? CELL_LOCAL
                                                                              : CELL_PLANNED;
    }
    return marks;
}

static int print_arms(const struct plan *plan, const struct output_settings *settings, FILE *stream)
{
    int error = 0;
    for (size_t i = 0; i < plan->arm_count && error == 0; i++) {
        const struct plan_arm *arm = &plan->arms[i];
        error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                "Arm %s: kernel %s, %" PRId64 " samples after %" PRId64
                                " warm-ups a visit, dither "
                                "%" PRId64 " %%, touch %" PRId64 " lines, policy %s",
                                arm->name, arm->kernel, arm->sample_count, arm->warmup_count,
                                arm->dither_percent, arm->touch_lines, policy_choice_name(arm->policy));
    }
    return error;
}

static int print_title(const struct plan *plan, const struct topology *topology,
                       const struct output_settings *settings, FILE *stream)
{
    char rough[DURATION_TEXT_SIZE];
    int64_t duration_ns = 0;
    int error = plan_duration_ns(plan, topology, &duration_ns);
    if (error != 0) {
        return error;
    }
    error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                            "Plan for %s: %zu cells x %" PRId64
                            " rounds, one row for each %s, seed %" PRIu64
                            ", measured at the same time: %s",
                            topology->source, plan->cell_count, plan->round_count,
                            row_level_name(plan->by), plan->seed, concurrency_name(plan->concurrent));
    if (error == 0) {
        error = print_arms(plan, settings, stream);
    }
    if (error == 0) {
        (void)fputs("Timeouts:", stream);
        for (size_t i = 0; i < plan->timeout_count; i++) {
            char text[DURATION_TEXT_SIZE];
            (void)fprintf(stream, " %s", duration_format(plan->timeouts_ns[i], text));
        }
        (void)fprintf(stream, "\nPredicted duration: %s\n\n", duration_format_rough(duration_ns, rough));
    }
    return error;
}

static void add_mark(struct grid *grid, const struct plan_column *column, unsigned char mark)
{
    if (!column->is_allowed) {
        grid_add_text(grid, "not allowed");
        return;
    }
    grid_add_text(grid, mark == CELL_LOCAL ? "local" : mark == CELL_PLANNED ? "yes" : "");
}

static size_t count_marks(const unsigned char *marks, size_t count)
{
    size_t planned = 0;
    for (size_t i = 0; i < count; i++) {
        planned += marks[i] != CELL_NONE;
    }
    return planned;
}

static int add_row(struct grid *grid, const struct plan *plan, size_t row_index,
                   const unsigned char *marks, const struct column_row *columns, const size_t *positions,
                   size_t count, const struct topology *topology)
{
    const struct plan_row *row = &plan->rows[row_index];
    struct identity identity = {0};
    int error = identity_of_cpu(topology, row->cpu, &identity);
    for (size_t i = 0; i < count && error == 0; i++) {
        const char *name = columns[positions[i]].name;
        if (table_add_identity(grid, name, &identity)) {
            continue;
        }
        if (strcmp(name, "cpu") == 0) {
            grid_add_text(grid, row->label);
        } else if (strcmp(name, "cpus") == 0) {
            char *text = row_cpus_text(row);
            error = text == NULL ? -ENOMEM : 0;
            grid_add_text(grid, text != NULL ? text : "");
            free(text);
        } else if (strcmp(name, "nodes") == 0) {
            for (size_t column = 0; column < plan->column_count; column++) {
                add_mark(grid, &plan->columns[column], marks[column]);
            }
        } else if (strcmp(name, "cells") == 0) {
            grid_add_format(grid, "%zu", count_marks(marks, plan->column_count));
        } else {
            grid_add_text(grid, row->state == ROW_PLANNED ? "planned" : row_reason(row));
        }
    }
    identity_destroy(&identity);
    return error;
}

static void add_columns(struct grid *grid, const struct plan *plan, const struct topology *topology,
                        const struct output_settings *settings, const struct column_row *columns,
                        const size_t *positions, size_t count)
{
    const struct identity_use use = identity_find_use(topology);
    for (size_t i = 0; i < count; i++) {
        const struct column_row *column = &columns[positions[i]];
        if (strcmp(column->name, "nodes") != 0) {
            grid_add_column(grid, column->heading, column->is_number,
                            settings->columns == NULL && identity_is_expendable(&use, column->name),
                            i == 0 ? 0 : 1);
            continue;
        }
        for (size_t node = 0; node < plan->column_count; node++) {
            char heading[PLAN_LABEL_SIZE];
            column_heading(&plan->columns[node], heading);
            grid_add_column(grid, heading, false, false, 2);
        }
    }
}

static int print_rows(const struct plan *plan, const struct topology *topology,
                      const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    size_t column_count = 0;
    size_t count = 0;
    size_t *positions = NULL;
    const struct column_row *columns = columns_table(COLUMN_VIEW_PLAN, &column_count);
    struct omitted omitted = {0};
    struct grid grid;
    int error = columns_resolve(COLUMN_VIEW_PLAN, settings->columns, &positions, &count, failure);
    if (error != 0) {
        return error;
    }
    unsigned char *marks = mark_cells(plan);
    error = marks == NULL ? -ENOMEM : 0;
    grid_init(&grid, settings);
    add_columns(&grid, plan, topology, settings, columns, positions, count);
    for (size_t row = 0; row < plan->row_count && error == 0; row++) {
        if (row_is_collapsed(plan, row)) {
            omitted_add(&omitted, &plan->rows[row], row_reason(&plan->rows[row]));
            continue;
        }
        error = add_row(&grid, plan, row, marks + row * plan->column_count, columns, positions, count,
                        topology);
    }
    if (error == 0) {
        error = grid_print(&grid, stream);
    }
    grid_destroy(&grid);
    if (error == 0) {
        error = omitted_print(&omitted, settings, stream);
    }
    omitted_destroy(&omitted);
    free(marks);
    free(positions);
    return error;
}

int table_print_order(const struct plan *plan, const struct topology *topology, int64_t round,
                      size_t limit, const struct output_settings *settings, FILE *stream)
{
    (void)topology;
    size_t size = 0;
    char *text = NULL;
    size_t *order = calloc(plan->cell_count + 1, sizeof *order);
    FILE *line = open_memstream(&text, &size);
    int error = order == NULL || line == NULL ? -ENOMEM : plan_round_order(plan, round, order);
    const size_t shown = plan->cell_count < limit ? plan->cell_count : limit;
    for (size_t i = 0; i < shown && error == 0; i++) {
        const struct plan_cell *cell = &plan->cells[order[i]];
        char duration[DURATION_TEXT_SIZE];
        const struct plan_column *column = &plan->columns[cell->column];
        (void)fprintf(line, " %s", plan->rows[cell->row].label);
        if (column->node >= 0) {
            (void)fprintf(line, "@%d", column->node);
        }
        if (plan->timeout_count > 1) {
            (void)fprintf(line, "/%s", duration_format(plan->timeouts_ns[cell->timeout], duration));
        }
    }
    if (line != NULL && fclose(line) != 0 && error == 0) {
        error = -ENOMEM;
    }
    if (error == 0) {
        error = text_print_line(
            stream, settings->width, settings->use_ascii, 2, "Order of round %" PRId64 " (%s):%s%s",
            round + 1, plan->column_count > 0 && plan->columns[0].node >= 0 ? "CPU@node" : "CPU", text,
            shown < plan->cell_count ? " ..." : "");
    }
    free(text);
    free(order);
    return error;
}

static int print_coordinator(const struct plan *plan, const struct output_settings *settings,
                             FILE *stream)
{
    char *cpus = id_list_format(&plan->coordinator_cpus);
    const int error =
        cpus == NULL
            ? -ENOMEM
            : text_print_line(
                  stream, settings->width, settings->use_ascii, 2,
                  "Coordinator: on CPU %s, away from the measured core where there is another", cpus);
    free(cpus);
    return error;
}

int table_print_plan(const struct plan *plan, const struct topology *topology,
                     const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    int error = print_title(plan, topology, settings, stream);
    if (error == 0) {
        error = print_rows(plan, topology, settings, stream, failure);
    }
    (void)fputc('\n', stream);
    if (error == 0 && plan->cell_count > 0) {
        error = table_print_order(plan, topology, 0, SHOWN_CELLS, settings, stream);
    }
    if (error == 0) {
        error = print_coordinator(plan, settings, stream);
    }
    return error != 0 ? error : text_stream_error(stream);
}
