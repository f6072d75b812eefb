/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include "numasweep/columns.h"
#include "numasweep/number.h"
#include "omitted.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_LIMIT = 32 };
enum { GROUP_KEY, GROUP_IDENTITY, GROUP_NODES, GROUP_STATUS };

struct plan_view {
    const struct plan *plan;
    const struct topology *topology;
    const struct output_settings *settings;
    const struct column_row *columns;
    size_t *positions;
    size_t position_count;
    unsigned char *marks; /* row_count x column_count: enum cell_mark */
    size_t *cell_counts;  /* of each row */
    struct omitted omitted;
};

enum cell_mark { MARK_NONE, MARK_REMOTE, MARK_LOCAL };

static int count_cells(struct plan_view *view)
{
    const struct plan *plan = view->plan;
    view->marks = calloc(plan->row_count * plan->column_count + 1, sizeof *view->marks);
    view->cell_counts = calloc(plan->row_count + 1, sizeof *view->cell_counts);
    if (view->marks == NULL || view->cell_counts == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        view->marks[cell->row * plan->column_count + cell->column] = cell->is_local ? MARK_LOCAL
                                                                                    : MARK_REMOTE;
        view->cell_counts[cell->row]++;
    }
    return 0;
}

static int print_title(const struct plan_view *view, FILE *stream)
{
    const struct plan *plan = view->plan;
    const int width = view->settings->width;
    const bool use_ascii = view->settings->use_ascii;
    int64_t duration_ns = 0;
    int error = plan_duration_ns(plan, view->topology, &duration_ns);
    if (error == 0 && !view->settings->no_headings) {
        error = text_print_line(
            stream, width, use_ascii, 2,
            "Plan for %s: %zu cell%s x %" PRId64 " round%s, one row for each %s, seed %" PRIu64
            ", measured at the same time: %s",
            view->topology->source != NULL ? view->topology->source : "unknown machine",
            plan->cell_count, number_plural((int64_t)plan->cell_count), plan->round_count,
            number_plural(plan->round_count), row_level_name(plan->by), plan->seed,
            concurrency_name(plan->concurrent));
    }
    if (error == 0) {
        char rough[DURATION_TEXT_SIZE];
        error = text_print_line(stream, width, use_ascii, 2, "Predicted duration: %s",
                                duration_format_rough(duration_ns, rough));
    }
    return error;
}

static void add_slack(struct grid *grid, int64_t slack_ns)
{
    char text[DURATION_TEXT_SIZE];
    grid_add_text(grid,
                  slack_ns == OPTION_INHERIT_SLACK ? "inherited" : duration_format(slack_ns, text));
}

static void add_arm(struct grid *grid, const struct plan_arm *arm, const char *timeouts)
{
    grid_add_text(grid, arm->name);
    grid_add_text(grid, arm->kernel);
    grid_add_text(grid, timeouts);
    grid_add_format(grid, "%" PRId64, arm->sample_count);
    grid_add_format(grid, "%" PRId64, arm->warmup_count);
    grid_add_format(grid, "%" PRId64 "%%", arm->dither_percent);
    grid_add_format(grid, "%" PRId64, arm->touch_lines);
    grid_add_text(grid, sample_clock_name(arm->clock));
    if (arm->policy == POLICY_AUTO) {
        grid_add_format(grid, "auto, fifo %" PRId64, arm->priority);
    } else if (arm->policy == POLICY_FIFO || arm->policy == POLICY_RR) {
        grid_add_format(grid, "%s %" PRId64, policy_choice_name(arm->policy), arm->priority);
    } else {
        grid_add_text(grid, policy_choice_name(arm->policy));
    }
    add_slack(grid, arm->timer_slack_ns);
    grid_add_text(grid, arm->load);
}

static int join_timeouts(const struct plan *plan, char **timeouts)
{
    size_t size = 0;
    FILE *text = open_memstream(timeouts, &size);
    char one[DURATION_TEXT_SIZE];
    if (text == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < plan->timeout_count; i++) {
        (void)fprintf(text, "%s%s", i > 0 ? "," : "", duration_format(plan->timeouts_ns[i], one));
    }
    return fclose(text) == 0 ? 0 : -ENOMEM;
}

static int print_arms(const struct plan_view *view, FILE *stream)
{
    static const struct {
        const char *heading;
        bool is_number;
    } headings[] = {{.heading = "ARM"},
                    {.heading = "KERNEL"},
                    {.heading = "TIMEOUT"},
                    {.heading = "SAMPLES", .is_number = true},
                    {.heading = "WARMUP", .is_number = true},
                    {.heading = "DITHER", .is_number = true},
                    {.heading = "TOUCH", .is_number = true},
                    {.heading = "CLOCK"},
                    {.heading = "POLICY"},
                    {.heading = "SLACK"},
                    {.heading = "LOAD"}};
    struct grid grid;
    char *timeouts = NULL;
    int error = join_timeouts(view->plan, &timeouts);
    grid_init(&grid, view->settings);
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        const bool is_load = strcmp(headings[i].heading, "LOAD") == 0;
        grid_add_column(&grid, headings[i].heading, headings[i].is_number,
                        is_load && view->plan->arm_count == 1, i == 0 ? 0 : 1);
    }
    for (size_t i = 0; error == 0 && i < view->plan->arm_count; i++) {
        add_arm(&grid, &view->plan->arms[i], timeouts);
    }
    if (error == 0) {
        (void)fputc('\n', stream);
        error = grid_print(&grid, stream);
    }
    grid_destroy(&grid);
    free(timeouts);
    return error;
}

static void add_node_marks(const struct plan_view *view, struct grid *grid, size_t row)
{
    static const char *const marks[] = {
        [MARK_NONE] = "-", [MARK_REMOTE] = "yes", [MARK_LOCAL] = "local"};
    for (size_t i = 0; i < view->plan->column_count; i++) {
        const unsigned char mark = view->marks[row * view->plan->column_count + i];
        if (mark == MARK_LOCAL) {
            grid_add_strong(grid, marks[mark]);
        } else {
            grid_add_text(grid, marks[mark]);
        }
    }
}

static int add_row(const struct plan_view *view, struct grid *grid, size_t row)
{
    const struct plan_row *shown = &view->plan->rows[row];
    struct identity identity = {0};
    char *cpus = row_cpus_text(shown);
    int error = cpus == NULL ? -ENOMEM : identity_of_cpu(view->topology, shown->cpu, &identity);
    for (size_t i = 0; error == 0 && i < view->position_count; i++) {
        const char *name = view->columns[view->positions[i]].name;
        if (table_add_identity(grid, name, &identity)) {
            continue;
        }
        if (strcmp(name, "cpu") == 0) {
            grid_add_text(grid, shown->label);
        } else if (strcmp(name, "cpus") == 0) {
            grid_add_text(grid, cpus);
        } else if (strcmp(name, "nodes") == 0) {
            add_node_marks(view, grid, row);
        } else if (strcmp(name, "cells") == 0) {
            grid_add_format(grid, "%zu", view->cell_counts[row]);
        } else if (strcmp(name, "status") == 0) {
            grid_add_text(grid, shown->state == ROW_PLANNED ? "planned" : row_reason(shown));
        }
    }
    identity_destroy(&identity);
    free(cpus);
    return error;
}

static int group_of(const char *name)
{
    if (strcmp(name, "cpu") == 0) {
        return GROUP_KEY;
    }
    if (strcmp(name, "nodes") == 0) {
        return GROUP_NODES;
    }
    return strcmp(name, "cells") == 0 || strcmp(name, "status") == 0 ? GROUP_STATUS : GROUP_IDENTITY;
}

static bool has_equal_counts(const struct plan_view *view)
{
    size_t count = 0;
    for (size_t i = 0; i < view->plan->row_count; i++) {
        if (view->cell_counts[i] != 0 && count != 0 && view->cell_counts[i] != count) {
            return false;
        }
        count = view->cell_counts[i] != 0 ? view->cell_counts[i] : count;
    }
    return true;
}

static void add_columns(const struct plan_view *view, struct grid *grid)
{
    const struct identity_use use = identity_find_use(view->topology);
    for (size_t i = 0; i < view->position_count; i++) {
        const struct column_row *column = &view->columns[view->positions[i]];
        const int group = group_of(column->name);
        if (group != GROUP_NODES) {
            const bool tells_nothing = identity_is_expendable(&use, column->name) ||
                                       (strcmp(column->name, "cells") == 0 && has_equal_counts(view));
            grid_add_column(grid, identity_heading(view->plan->by, column), column->is_number,
                            view->settings->columns == NULL && tells_nothing, group);
            continue;
        }
        for (size_t node = 0; node < view->plan->column_count; node++) {
            char heading[PLAN_LABEL_SIZE];
            column_heading(&view->plan->columns[node], heading);
            grid_add_column(grid, heading, false, false, group);
        }
    }
}

static int print_rows(struct plan_view *view, FILE *stream)
{
    struct grid grid;
    int error = 0;
    grid_init(&grid, view->settings);
    add_columns(view, &grid);
    for (size_t row = 0; error == 0 && row < view->plan->row_count; row++) {
        if (row_is_collapsed(view->plan, row)) {
            omitted_add(&view->omitted, &view->plan->rows[row], row_reason(&view->plan->rows[row]));
            continue;
        }
        error = add_row(view, &grid, row);
    }
    if (error == 0) {
        (void)fputc('\n', stream);
        error = grid_print(&grid, stream);
    }
    if (error == 0) {
        error = omitted_print(&view->omitted, view->settings, stream);
    }
    grid_destroy(&grid);
    return error;
}

static int print_columns(const struct plan_view *view, FILE *stream)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < view->plan->column_count; i++) {
        if (!view->plan->columns[i].is_allowed) {
            error = text_print_line(stream, view->settings->width, view->settings->use_ascii, 2,
                                    "%s: not allowed (outside the memory nodes of the cpuset)",
                                    view->plan->columns[i].label);
        }
    }
    return error;
}

static int print_coordinator(const struct plan_view *view, FILE *stream)
{
    char *cpus = id_list_format(&view->plan->coordinator_cpus);
    if (cpus == NULL) {
        return -ENOMEM;
    }
    const int error = text_print_line(
        stream, view->settings->width, view->settings->use_ascii, 2,
        "Coordinator: within CPUs %s, never on the core that is measured while there is another", cpus);
    free(cpus);
    return error;
}

static int print_parts(struct plan_view *view, FILE *stream)
{
    int error = print_title(view, stream);
    if (error == 0) {
        error = print_arms(view, stream);
    }
    if (error == 0) {
        error = print_rows(view, stream);
    }
    if (error == 0) {
        error = print_columns(view, stream);
    }
    if (error == 0) {
        (void)fputc('\n', stream);
    }
    if (error == 0 && view->plan->cell_count > 0 && view->plan->round_count > 0) {
        error = table_print_order(view->plan, view->topology, 0, ORDER_LIMIT, view->settings, stream);
    }
    if (error == 0) {
        error = print_coordinator(view, stream);
    }
    return error != 0 ? error : text_stream_error(stream);
}

int table_print_plan(const struct plan *plan, const struct topology *topology,
                     const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    size_t table_count = 0;
    struct plan_view view = {.plan = plan, .topology = topology, .settings = settings};
    view.columns = columns_table(COLUMN_VIEW_PLAN, &table_count);
    int error = columns_resolve(COLUMN_VIEW_PLAN, settings->columns, &view.positions,
                                &view.position_count, failure);
    if (error == 0 && settings->columns == NULL) {
        identity_fit_columns(plan->by, view.columns, table_count, view.positions, &view.position_count);
    }
    if (error == 0) {
        error = count_cells(&view);
    }
    if (error == 0) {
        error = print_parts(&view, stream);
    }
    omitted_destroy(&view.omitted);
    free(view.positions);
    free(view.marks);
    free(view.cell_counts);
    return error;
}
