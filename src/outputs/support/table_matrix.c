/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include "text.h"

#include <math.h>

enum { GROUP_KEY, GROUP_WAKE, GROUP_TOUCH, GROUP_DISTANCE, GROUP_END };

static void add_group(struct grid *grid, const struct plan *plan, const char *name, int group)
{
    for (size_t i = 0; i < plan->column_count; i++) {
        char heading[PLAN_LABEL_SIZE + 16];
        if (plan->columns[i].node == TOPOLOGY_NONE) {
            (void)snprintf(heading, sizeof heading, "%s", name);
        } else {
            (void)snprintf(heading, sizeof heading, "%s:%d", name, plan->columns[i].node);
        }
        grid_add_column(grid, heading, true, false, group);
    }
}

static void add_figures(struct grid *grid, const double *figures, size_t count)
{
    char text[TEXT_NUMBER_SIZE];
    for (size_t i = 0; i < count; i++) {
        grid_add_text(grid, isfinite(figures[i]) ? text_format_us(figures[i], text) : "-");
    }
}

static bool knows_distances(const struct report_matrix *matrix, size_t column_count)
{
    for (size_t i = 0; i < matrix->from_nodes.count * column_count; i++) {
        if (matrix->distances[i] >= 0) {
            return true;
        }
    }
    return false;
}

static bool is_shown(const struct report *report, const struct report_matrix *matrix,
                     const struct output_settings *settings, int group)
{
    switch (group) {
    case GROUP_WAKE:
        return settings->figure != FIGURE_TOUCH;
    case GROUP_TOUCH:
        return settings->figure != FIGURE_WAKE && report->has_touch;
    case GROUP_DISTANCE:
    default:
        return knows_distances(matrix, report->sweep->plan.column_count);
    }
}

static void add_cells(struct grid *grid, const struct report_matrix *matrix, int group, size_t from,
                      size_t count)
{
    if (group == GROUP_WAKE) {
        add_figures(grid, matrix->wake_ns + from * count, count);
    } else if (group == GROUP_TOUCH) {
        add_figures(grid, matrix->touch_ns + from * count, count);
    } else {
        for (size_t i = 0; i < count; i++) {
            grid_add_id(grid, matrix->distances[from * count + i]);
        }
    }
}

/* The groups from `first` up to `end`, side by side. */
static void fill_matrix(struct grid *grid, const struct report *report, const struct report_table *table,
                        int first, int end)
{
    static const char *const names[] = {
        [GROUP_WAKE] = "wake", [GROUP_TOUCH] = "touch", [GROUP_DISTANCE] = "dist"};
    const struct plan *plan = &report->sweep->plan;
    const struct report_matrix *matrix = &table->matrix;
    table_add_key_columns(grid, report, GROUP_KEY);
    grid_add_column(grid, "NODE", true, false, GROUP_KEY);
    for (int group = first; group < end; group++) {
        if (is_shown(report, matrix, grid->settings, group)) {
            add_group(grid, plan, names[group], group);
        }
    }
    for (size_t from = 0; from < matrix->from_nodes.count; from++) {
        table_add_key(grid, report, table);
        grid_add_id(grid, matrix->from_nodes.ids[from]);
        for (int group = first; group < end; group++) {
            if (is_shown(report, matrix, grid->settings, group)) {
                add_cells(grid, matrix, group, from, plan->column_count);
            }
        }
    }
}

/* Matrices that do not fit beside one another stand below one another, so that each begins a panel. */
static int print_apart(const struct report *report, const struct report_table *table,
                       const struct output_settings *settings, FILE *stream)
{
    const char *separator = "";
    int error = 0;
    for (int group = GROUP_WAKE; error == 0 && group < GROUP_END; group++) {
        struct grid grid;
        if (!is_shown(report, &table->matrix, settings, group)) {
            continue;
        }
        (void)fputs(separator, stream);
        separator = "\n";
        grid_init(&grid, settings);
        fill_matrix(&grid, report, table, group, group + 1);
        error = grid_print(&grid, stream);
        grid_destroy(&grid);
    }
    return error;
}

/* Memory that is not bound has no node, and so no distance. */
static const char *distance_text(const struct report_matrix *matrix, const struct plan *plan)
{
    if (knows_distances(matrix, plan->column_count)) {
        return ", and the firmware's distances";
    }
    return plan->column_count == 1 && plan->columns[0].node < 0
               ? ""
               : "; the firmware's distances are not known";
}

static int print_title(const struct report *report, const struct report_matrix *matrix,
                       const struct output_settings *settings, FILE *stream)
{
    if (settings->no_headings) {
        return 0;
    }
    return text_print_line(stream, settings->width, settings->use_ascii, 2,
                           "Node by node (rows: where the CPUs are; columns: where the memory is): "
                           "median of the CPUs' medians in us%s",
                           distance_text(matrix, &report->sweep->plan));
}

int table_print_matrix(const struct report *report, const struct report_table *table,
                       const struct output_settings *settings, FILE *stream)
{
    const struct report_matrix *matrix = &table->matrix;
    struct grid grid;
    if (matrix->from_nodes.count == 0 || report->sweep->plan.column_count == 0) {
        return 0;
    }
    (void)fputc('\n', stream);
    int error = print_title(report, matrix, settings, stream);
    grid_init(&grid, settings);
    fill_matrix(&grid, report, table, GROUP_WAKE, GROUP_END);
    if (error == 0) {
        error = grid_fits(&grid) ? grid_print(&grid, stream)
                                 : print_apart(report, table, settings, stream);
    }
    grid_destroy(&grid);
    return error;
}
