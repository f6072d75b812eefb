/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include "limit_parts.h"
#include "numasweep/analysis.h"
#include "numasweep/columns.h"
#include "numasweep/number.h"
#include "omitted.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_STATUS = 24, FLAG_TEXT_SIZE = 12, CELL_TEXT_SIZE = 2 * TEXT_NUMBER_SIZE + 8 };
enum { GROUP_KEY, GROUP_IDENTITY, GROUP_NODES, GROUP_SUMMARY };

struct marks {
    bool has_local;
    bool has_nearest;
    bool has_incomplete;
    bool has_unproved;
    bool has_broken;
    bool has_missing;
    bool has_unplanned;
    bool has_too_few;
    bool has_summary;
};

struct cells_view {
    const struct report *report;
    const struct report_table *table;
    const struct plan *plan;
    const struct output_settings *settings;
    const struct column_row *columns;
    size_t *positions;
    size_t position_count;
    struct omitted omitted;       /* rows without a line */
    struct omitted long_statuses; /* statuses too long for a column */
    struct marks marks;
};

static const char *figure_text(const struct cells_view *view)
{
    if (view->settings->figure == FIGURE_TOUCH) {
        return "touch";
    }
    return view->settings->figure == FIGURE_BOTH && view->report->has_touch ? "wake/touch" : "wake";
}

static int print_title(const struct cells_view *view, FILE *stream)
{
    const struct sweep *sweep = view->report->sweep;
    const struct plan_arm *arm = &view->plan->arms[view->table->arm];
    const bool has_load = strcmp(arm->load, "none") != 0;
    const bool has_arms = view->plan->arm_count > 1;
    char timeout[DURATION_TEXT_SIZE];
    char when[TEXT_TIME_SIZE];
    const int width = view->settings->width;
    const bool use_ascii = view->settings->use_ascii;

    int error = text_print_line(
        stream, width, use_ascii, 2, "%s, timeout %s%s%s%s%s: %s of %s in us, by CPU and memory node",
        sweep->imported_from != NULL ? sweep->imported_from : arm->kernel,
        duration_format(view->plan->timeouts_ns[view->table->timeout], timeout),
        has_arms ? ", arm " : "", has_arms ? arm->name : "", has_load ? ", load " : "",
        has_load ? arm->load : "", metric_name(view->settings->metric), figure_text(view));
    if (error != 0) {
        return error;
    }
    if (sweep->sweep_count > 1) {
        error = text_print_line(stream, width, use_ascii, 2,
                                "%" PRId64 " sweeps merged; seed and time are those of the first",
                                sweep->sweep_count);
    }
    if (error != 0) {
        return error;
    }
    if (sweep->imported_from != NULL) {
        return text_print_line(stream, width, use_ascii, 2,
                               "%" PRId64 " round%s, imported %s by numasweep %s",
                               view->plan->round_count, number_plural(view->plan->round_count),
                               text_format_utc(sweep->started_unix_ns, false, when),
                               sweep->version != NULL ? sweep->version : "unknown");
    }
    return text_print_line(stream, width, use_ascii, 2,
                           "%" PRId64 " round%s x %" PRId64 " sample%s, seed %" PRIu64
                           ", host %s, %s, numasweep %s",
                           view->plan->round_count, number_plural(view->plan->round_count),
                           arm->sample_count, number_plural(arm->sample_count), view->plan->seed,
                           sweep->host != NULL ? sweep->host : "unknown",
                           text_format_utc(sweep->started_unix_ns, false, when),
                           sweep->version != NULL ? sweep->version : "unknown");
}

static const char *figure_us(struct cells_view *view, const struct figure_summary *summary,
                             enum metric metric, char text[TEXT_NUMBER_SIZE])
{
    if (!summary->has_value[metric]) {
        view->marks.has_too_few = true;
        return text_format_us((double)NAN, text);
    }
    return text_format_us(summary->values_ns[metric], text);
}

static void mark_cell(struct cells_view *view, const struct report_cell *cell, bool is_nearest,
                      char marks[8])
{
    size_t count = 0;
    if (cell->is_local) {
        marks[count++] = '*';
        view->marks.has_local = true;
    } else if (is_nearest) {
        marks[count++] = '~';
        view->marks.has_nearest = true;
    }
    if (cell->state == REPORT_CELL_INCOMPLETE) {
        marks[count++] = '!';
        view->marks.has_incomplete = true;
    }
    if (cell->unproved_count > 0) {
        marks[count++] = '#';
        view->marks.has_unproved = true;
    }
    if (cell->breaks_limit) {
        marks[count++] = '>';
        view->marks.has_broken = true;
    }
    marks[count] = '\0';
}

static void make_cell(struct cells_view *view, const struct report_cell *cell, bool is_nearest,
                      char text[CELL_TEXT_SIZE])
{
    const enum figure_choice figure = view->settings->figure;
    const enum metric metric = view->settings->metric;
    char marks[8];
    char wake[TEXT_NUMBER_SIZE] = "";
    char touch[TEXT_NUMBER_SIZE] = "";

    if (cell->state == REPORT_CELL_NOT_PLANNED) {
        view->marks.has_unplanned = true;
        (void)snprintf(text, CELL_TEXT_SIZE, "-");
        return;
    }
    mark_cell(view, cell, is_nearest, marks);
    if (cell->state == REPORT_CELL_MISSING) {
        view->marks.has_missing = true;
        (void)snprintf(text, CELL_TEXT_SIZE, "%s?", marks);
        return;
    }
    if (figure != FIGURE_TOUCH) {
        (void)figure_us(view, &cell->wake, metric, wake);
    }
    if (figure == FIGURE_TOUCH || (figure == FIGURE_BOTH && view->report->has_touch)) {
        (void)figure_us(view, &cell->touch, metric, touch);
    }
    if (strcmp(wake, touch) == 0 && strcmp(wake, "n/a") == 0) {
        touch[0] = '\0';
    }
    (void)snprintf(text, CELL_TEXT_SIZE, "%s%s%s%s", marks, wake,
                   wake[0] != '\0' && touch[0] != '\0' ? "/" : "", touch);
}

static void add_node_cells(struct cells_view *view, struct grid *grid, size_t row)
{
    const struct report_row *shown = &view->table->rows[row];
    char text[CELL_TEXT_SIZE];
    for (size_t i = 0; i < view->plan->column_count; i++) {
        const struct report_cell *cell = &view->table->cells[row * view->plan->column_count + i];
        const int node = view->plan->columns[i].node;
        make_cell(view, cell, node != TOPOLOGY_NONE && node == shown->nearest_node, text);
        if (cell->is_local && cell->state != REPORT_CELL_NOT_PLANNED) {
            grid_add_strong(grid, text);
        } else {
            grid_add_text(grid, text);
        }
    }
}

static const char *mark_of(const struct cells_view *view, size_t row)
{
    return analysis_row_mark(view->report, (size_t)(view->table - view->report->tables), row);
}

/* In capitals, so that it survives a pipe. */
static void flag_text(const char *mark, char text[FLAG_TEXT_SIZE])
{
    (void)snprintf(text, FLAG_TEXT_SIZE, "%s", mark);
    for (size_t i = 0; text[i] != '\0'; i++) {
        text[i] = (char)toupper((unsigned char)text[i]);
    }
}

/* Beside a flag no more than that there is more. */
static void add_long_status(struct cells_view *view, struct grid *grid, size_t row, const char *flag)
{
    const char *status = view->table->rows[row].status;
    char brief[SHORT_STATUS + 8];
    omitted_add(&view->long_statuses, &view->plan->rows[row], status);
    const size_t length = strcspn(status, ":(");
    if (flag[0] != '\0') {
        (void)snprintf(brief, sizeof brief, "%s, see below", flag);
        grid_add_flag(grid, brief);
        return;
    }
    if (length > 0 && length <= SHORT_STATUS) {
        (void)snprintf(brief, sizeof brief, "%.*s...",
                       (int)(status[length - 1] == ' ' ? length - 1 : length), status);
    } else {
        (void)snprintf(brief, sizeof brief, "see below");
    }
    grid_add_text(grid, brief);
}

/* What fits into a column; the rest is told beneath the table. */
static int add_status(struct cells_view *view, struct grid *grid, size_t row)
{
    const char *status = view->table->rows[row].status;
    char flag[FLAG_TEXT_SIZE];
    char *both = NULL;
    flag_text(mark_of(view, row), flag);
    if (flag[0] != '\0' && strcmp(status, "ok") == 0) {
        grid_add_flag(grid, flag);
        return 0;
    }
    if (asprintf(&both, "%s%s%s", flag, flag[0] != '\0' ? ", " : "", status) < 0) {
        return -ENOMEM;
    }
    if (view->settings->width != 0 && text_width(both) > SHORT_STATUS) {
        add_long_status(view, grid, row, flag);
    } else if (flag[0] != '\0') {
        grid_add_flag(grid, both);
    } else {
        grid_add_text(grid, both);
    }
    free(both);
    return 0;
}

static void add_summary(struct cells_view *view, struct grid *grid, const struct report_row *row,
                        enum metric metric)
{
    const struct figure_summary *summary = view->settings->figure == FIGURE_TOUCH ? &row->touch
                                                                                  : &row->wake;
    char text[TEXT_NUMBER_SIZE];
    if (summary->sample_count == 0) {
        grid_add_text(grid, "-");
        return;
    }
    view->marks.has_summary = view->plan->column_count > 1;
    grid_add_text(grid, figure_us(view, summary, metric, text));
}

static int add_cpus(struct grid *grid, const struct plan_row *row)
{
    char *cpus = row_cpus_text(row);
    if (cpus == NULL) {
        return -ENOMEM;
    }
    grid_add_text(grid, cpus);
    free(cpus);
    return 0;
}

static int add_limits(struct cells_view *view, struct grid *grid, size_t row)
{
    const size_t column_count = view->plan->column_count;
    char *limits = limit_list_of_cells(view->report, &view->table->cells[row * column_count],
                                       column_count, true);
    if (limits == NULL) {
        return -ENOMEM;
    }
    grid_add_text(grid, limits[0] != '\0' ? limits : "-");
    free(limits);
    return 0;
}

static int add_cell_of(struct cells_view *view, struct grid *grid, const char *name, size_t row,
                       const struct identity *identity)
{
    const struct report_row *shown = &view->table->rows[row];
    enum metric metric = METRIC_COUNT;
    if (table_add_identity(grid, name, identity)) {
        return 0;
    }
    if (strcmp(name, "cpu") == 0) {
        grid_add_text(grid, view->plan->rows[row].label);
    } else if (strcmp(name, "cpus") == 0) {
        return add_cpus(grid, &view->plan->rows[row]);
    } else if (strcmp(name, "nodes") == 0) {
        add_node_cells(view, grid, row);
    } else if (strcmp(name, "samples") == 0) {
        grid_add_format(grid, "%zu", shown->wake.sample_count);
    } else if (strcmp(name, "early") == 0) {
        grid_add_format(grid, "%" PRId64, shown->early_count);
    } else if (strcmp(name, "limits") == 0) {
        return add_limits(view, grid, row);
    } else if (strcmp(name, "verdict") == 0) {
        grid_add_text(grid, mark_of(view, row));
    } else if (strcmp(name, "status") == 0) {
        return add_status(view, grid, row);
    } else if (metric_parse(name, &metric) == 0) {
        add_summary(view, grid, shown, metric);
    }
    return 0;
}

static int add_row(struct cells_view *view, struct grid *grid, size_t row)
{
    struct identity identity = {0};
    int error = identity_of_row(&view->table->rows[row], &identity);
    table_add_key(grid, view->report, view->table);
    for (size_t i = 0; error == 0 && i < view->position_count; i++) {
        error = add_cell_of(view, grid, view->columns[view->positions[i]].name, row, &identity);
    }
    identity_destroy(&identity);
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
    static const char *const identities[] = {"node", "package", "l3", "core", "sibling", "kind", "cpus"};
    for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++) {
        if (strcmp(name, identities[i]) == 0) {
            return GROUP_IDENTITY;
        }
    }
    return GROUP_SUMMARY;
}

static void add_columns(const struct cells_view *view, struct grid *grid)
{
    const struct identity_use use = identity_find_use(&view->report->sweep->topology);
    const bool may_drop = view->settings->columns == NULL;
    table_add_key_columns(grid, view->report, GROUP_KEY);
    for (size_t i = 0; i < view->position_count; i++) {
        const struct column_row *column = &view->columns[view->positions[i]];
        const int group = group_of(column->name);
        if (group != GROUP_NODES) {
            const bool tells_nothing = identity_is_expendable(&use, column->name) ||
                                       (strcmp(column->name, "early") == 0 &&
                                        view->table->early_count == 0);
            grid_add_column(grid, identity_heading(view->plan->by, column), column->is_number,
                            may_drop && tells_nothing, group);
            continue;
        }
        for (size_t node = 0; node < view->plan->column_count; node++) {
            char heading[PLAN_LABEL_SIZE];
            column_heading(&view->plan->columns[node], heading);
            grid_add_column(grid, heading, true, false, group);
        }
    }
}

static int print_grid(struct cells_view *view, FILE *stream)
{
    struct grid grid;
    int error = 0;
    grid_init(&grid, view->settings);
    add_columns(view, &grid);
    for (size_t row = 0; error == 0 && row < view->plan->row_count; row++) {
        if (row_is_collapsed(view->plan, row)) {
            omitted_add(&view->omitted, &view->plan->rows[row], view->table->rows[row].status);
            continue;
        }
        error = add_row(view, &grid, row);
    }
    if (error == 0) {
        error = grid_print(&grid, stream);
    }
    grid_destroy(&grid);
    return error;
}

static int print_legend(const struct cells_view *view, FILE *stream)
{
    const struct marks *marks = &view->marks;
    const char *const summary_text = view->settings->figure == FIGURE_TOUCH
                                         ? "MIN to MEAN of touch over all memory nodes"
                                         : "MIN to MEAN of wake over all memory nodes";
    const struct {
        bool is_used;
        const char *text;
    } entries[] = {
        {.is_used = marks->has_local, .text = "* local node"},
        {.is_used = marks->has_nearest, .text = "~ nearest node (no local memory)"},
        {.is_used = marks->has_incomplete, .text = "! some visits missing"},
        {.is_used = marks->has_unproved, .text = "# placement not proved"},
        {.is_used = marks->has_broken, .text = "> breaks a limit"},
        {.is_used = marks->has_missing, .text = "? no samples"},
        {.is_used = marks->has_unplanned, .text = "- not planned"},
        {.is_used = marks->has_too_few, .text = "n/a too few samples"},
        {.is_used = marks->has_summary, .text = summary_text},
    };
    char line[256] = "";
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        const size_t length = strlen(line);
        if (entries[i].is_used) {
            (void)snprintf(line + length, sizeof line - length, "%s%s", length > 0 ? "; " : "",
                           entries[i].text);
        }
    }
    if (line[0] == '\0') {
        return 0;
    }
    return text_print_line(stream, view->settings->width, view->settings->use_ascii, 2, "%s", line);
}

static int print_unavailable_columns(const struct cells_view *view, FILE *stream)
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

static void add_figure_row(struct cells_view *view, struct grid *grid, const char *name,
                           const struct figure_summary *summary)
{
    static const enum metric shown[] = {METRIC_MIN, METRIC_MAX, METRIC_MEDIAN, METRIC_MEAN,
                                        METRIC_P90, METRIC_P99, METRIC_P99_9};
    char text[TEXT_NUMBER_SIZE];
    table_add_key(grid, view->report, view->table);
    grid_add_text(grid, name);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        grid_add_text(grid, summary->has_value[shown[i]]
                                ? text_format_us(summary->values_ns[shown[i]], text)
                                : "n/a");
    }
    grid_add_format(grid, "%zu", summary->sample_count);
    if (summary == &view->table->wake) {
        grid_add_format(grid, "%" PRId64, view->table->early_count);
    } else {
        grid_add_text(grid, "-");
    }
}

static int print_summary(struct cells_view *view, FILE *stream)
{
    static const char *const headings[] = {"ALL CELLS", "MIN", "MAX",   "MEDIAN",  "MEAN",
                                           "P90",       "P99", "P99.9", "SAMPLES", "EARLY"};
    struct grid grid;
    grid_init(&grid, view->settings);
    table_add_key_columns(&grid, view->report, 0);
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        grid_add_column(&grid, headings[i], i > 0, false, 0);
    }
    if (view->settings->figure != FIGURE_TOUCH) {
        add_figure_row(view, &grid, "wake, us", &view->table->wake);
    }
    if (view->settings->figure != FIGURE_WAKE && view->report->has_touch) {
        add_figure_row(view, &grid, "touch, us", &view->table->touch);
    }
    if (grid.cell_count > 0) {
        (void)fputc('\n', stream);
    }
    const int error = grid_print(&grid, stream);
    grid_destroy(&grid);
    return error;
}

static int print_parts(struct cells_view *view, FILE *stream)
{
    int error = view->settings->no_headings ? 0 : print_title(view, stream);
    if (error == 0) {
        error = print_grid(view, stream);
    }
    if (error == 0) {
        error = print_legend(view, stream);
    }
    if (error == 0) {
        error = print_unavailable_columns(view, stream);
    }
    if (error == 0) {
        error = omitted_print(&view->long_statuses, view->settings, stream);
    }
    if (error == 0) {
        error = omitted_print(&view->omitted, view->settings, stream);
    }
    return error == 0 ? print_summary(view, stream) : error;
}

int table_print_cells(const struct report *report, const struct report_table *table,
                      const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    size_t table_count = 0;
    struct cells_view view = {
        .report = report, .table = table, .plan = &report->sweep->plan, .settings = settings};
    view.columns = columns_table(COLUMN_VIEW_REPORT, &table_count);
    int error = columns_resolve(COLUMN_VIEW_REPORT, settings->columns, &view.positions,
                                &view.position_count, failure);
    if (error == 0) {
        if (settings->columns == NULL) {
            identity_fit_columns(view.plan->by, view.columns, table_count, view.positions,
                                 &view.position_count);
        }
        error = print_parts(&view, stream);
    }
    omitted_destroy(&view.omitted);
    omitted_destroy(&view.long_statuses);
    free(view.positions);
    return error;
}
