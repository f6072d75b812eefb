/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include "text.h"

#include <math.h>

enum { GROUP_KEY, GROUP_WAKE, GROUP_TOUCH, GROUP_DISTANCE };

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

static bool shows_wake(const struct output_settings *settings)
{
    return settings->figure != FIGURE_TOUCH;
}

static bool shows_touch(const struct report *report, const struct output_settings *settings)
{
    return settings->figure != FIGURE_WAKE && report->has_touch;
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

static void fill_matrix(struct grid *grid, const struct report *report,
                        const struct report_matrix *matrix)
{
    const struct plan *plan = &report->sweep->plan;
    const size_t count = plan->column_count;
    grid_add_column(grid, "NODE", true, false, GROUP_KEY);
    if (shows_wake(grid->settings)) {
        add_group(grid, plan, "wake", GROUP_WAKE);
    }
    if (shows_touch(report, grid->settings)) {
        add_group(grid, plan, "touch", GROUP_TOUCH);
    }
    const bool has_distances = knows_distances(matrix, count);
    if (has_distances) {
        add_group(grid, plan, "dist", GROUP_DISTANCE);
    }
    for (size_t from = 0; from < matrix->from_nodes.count; from++) {
        grid_add_id(grid, matrix->from_nodes.ids[from]);
        if (shows_wake(grid->settings)) {
            add_figures(grid, matrix->wake_ns + from * count, count);
        }
        if (shows_touch(report, grid->settings)) {
            add_figures(grid, matrix->touch_ns + from * count, count);
        }
        for (size_t i = 0; has_distances && i < count; i++) {
            grid_add_id(grid, matrix->distances[from * count + i]);
        }
    }
}

int table_print_matrix(const struct report *report, const struct report_table *table,
                       const struct output_settings *settings, FILE *stream)
{
    struct grid grid;
    int error = 0;
    if (table->matrix.from_nodes.count == 0 || report->sweep->plan.column_count == 0) {
        return 0;
    }
    (void)fputc('\n', stream);
    if (!settings->no_headings) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                "Node by node (rows: where the CPUs are; columns: where the memory is): "
                                "median of the CPUs' medians in us%s",
                                knows_distances(&table->matrix, report->sweep->plan.column_count)
                                    ? ", and the firmware's distances"
                                    : "; the firmware's distances are not known");
    }
    grid_init(&grid, settings);
    fill_matrix(&grid, report, &table->matrix);
    if (error == 0) {
        error = grid_print(&grid, stream);
    }
    grid_destroy(&grid);
    return error;
}
