/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv_parts.h"

#include "limit_parts.h"
#include "numasweep/analysis.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report_line {
    const struct report *report;
    const struct report_table *table;
    const struct report_row *row;
    const struct report_cell *cell;
    int memory_node;
    char *cpus;
    char *limits_broken; /* of the cell, while its line is put */
    char *limits_not_judged;
    struct identity identity;
};

static void put_row(struct csv_line *line, const struct report_line *content)
{
    csv_text(line, content->row->row->label);
    csv_id(line, content->row->row->cpu);
}

static void put_cpus(struct csv_line *line, const struct report_line *content)
{
    csv_text(line, content->cpus);
}

static void put_nodes(struct csv_line *line, const struct report_line *content)
{
    const struct report_cell *cell = content->cell;
    csv_id(line, content->memory_node);
    csv_bool(line, cell->is_local);
    csv_text(line, cell_state_word(cell->state));
    csv_integer(line, (int64_t)cell->visits_planned);
    csv_integer(line, (int64_t)cell->visits_measured);
    csv_integer(line, (int64_t)cell->visits_failed);
}

static void put_samples(struct csv_line *line, const struct report_line *content)
{
    csv_integer(line, (int64_t)content->cell->wake.sample_count);
    csv_integer(line, (int64_t)content->cell->touch.sample_count);
}

static void put_early(struct csv_line *line, const struct report_line *content)
{
    csv_integer(line, content->cell->early_count);
    csv_integer(line, content->cell->elsewhere_count);
    csv_integer(line, content->cell->unproved_count);
}

static void put_limits(struct csv_line *line, const struct report_line *content)
{
    csv_text(line, content->limits_broken);
    csv_text(line, content->limits_not_judged);
}

static void put_verdict(struct csv_line *line, const struct report_line *content)
{
    const struct report *report = content->report;
    csv_text(line, analysis_row_mark(report, (size_t)(content->table - report->tables),
                                     (size_t)(content->row - content->table->rows)));
}

static void put_status(struct csv_line *line, const struct report_line *content)
{
    const struct report_cell *cell = content->cell;
    char policy[32] = "";
    csv_text(line, cell->policy >= 0 ? policy_text(cell->policy, cell->priority, policy) : "");
    csv_text(line, cell->problem);
    csv_text(line, content->row->status);
}

static const struct {
    const char *column;
    const char *fields;
    void (*put)(struct csv_line *line, const struct report_line *content);
} groups[] = {
    {.column = "cpu", .fields = "row,cpu", .put = put_row},
    {.column = "cpus", .fields = "cpus", .put = put_cpus},
    {.column = "nodes",
     .fields = "memory_node,is_local,state,visits_planned,visits_measured,visits_failed",
     .put = put_nodes},
    {.column = "samples", .fields = "wake_samples,touch_samples", .put = put_samples},
    {.column = "early", .fields = "early,elsewhere,unproved", .put = put_early},
    {.column = "limits", .fields = "limits_broken,limits_not_judged", .put = put_limits},
    {.column = "verdict", .fields = "verdict", .put = put_verdict},
    {.column = "status", .fields = "policy,problem,status", .put = put_status},
};

enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

static size_t find_group(const char *column)
{
    size_t i = 0;
    while (i < GROUP_COUNT && strcmp(groups[i].column, column) != 0) {
        i++;
    }
    return i;
}

static void put_heading_of(struct csv_line *line, const char *column)
{
    const size_t group = find_group(column);
    char name[64];
    if (csv_put_identity_heading(line, column)) {
        return;
    }
    if (group < GROUP_COUNT) {
        csv_names(line, groups[group].fields);
        return;
    }
    (void)snprintf(name, sizeof name, "wake_%.20s_ns,touch_%.20s_ns", column, column);
    csv_names(line, name);
}

static void put_figure(struct csv_line *line, const struct figure_summary *figure, enum metric metric)
{
    csv_number_ns(line, figure->has_value[metric] ? figure->values_ns[metric] : (double)NAN);
}

static void put_column(struct csv_line *line, const char *column, const struct report_line *content)
{
    const size_t group = find_group(column);
    enum metric metric = METRIC_COUNT;
    if (csv_put_identity(line, column, &content->identity)) {
        return;
    }
    if (group < GROUP_COUNT) {
        groups[group].put(line, content);
    } else if (metric_parse(column, &metric) == 0) {
        put_figure(line, &content->cell->wake, metric);
        put_figure(line, &content->cell->touch, metric);
    }
}

static int put_line(struct csv_line *line, const struct csv_selection *selection,
                    struct report_line *content)
{
    const struct plan *plan = &content->report->sweep->plan;
    content->limits_broken = limit_list_of_cells(content->report, content->cell, 1, true);
    content->limits_not_judged = limit_list_of_cells(content->report, content->cell, 1, false);
    if (content->limits_broken == NULL || content->limits_not_judged == NULL) {
        free(content->limits_broken);
        free(content->limits_not_judged);
        return -ENOMEM;
    }
    csv_text(line, plan->arms[content->table->arm].name);
    csv_integer(line, plan->timeouts_ns[content->table->timeout]);
    csv_text(line, plan->arms[content->table->arm].load);
    for (size_t i = 0; i < selection->count; i++) {
        put_column(line, selection->columns[selection->positions[i]].name, content);
    }
    csv_end(line);
    free(content->limits_broken);
    free(content->limits_not_judged);
    return 0;
}

static int put_cells(struct csv_line *line, const struct csv_selection *selection,
                     struct report_line *content, size_t row)
{
    static const struct report_cell none = {
        .state = REPORT_CELL_NOT_PLANNED, .policy = -1, .priority = -1, .problem = ""};
    const struct plan *plan = &content->report->sweep->plan;
    bool has_cell = false;
    int error = 0;
    for (size_t column = 0; error == 0 && column < plan->column_count; column++) {
        content->cell = &content->table->cells[row * plan->column_count + column];
        content->memory_node = plan->columns[column].node;
        if (content->cell->state != REPORT_CELL_NOT_PLANNED) {
            error = put_line(line, selection, content);
            has_cell = true;
        }
    }
    /* Nothing is silently missing: a row without cells is a line too. */
    if (error == 0 && !has_cell) {
        content->cell = &none;
        content->memory_node = TOPOLOGY_NONE;
        error = put_line(line, selection, content);
    }
    return error;
}

static int put_row_lines(struct csv_line *line, const struct csv_selection *selection,
                         const struct report *report, const struct report_table *table, size_t row)
{
    struct report_line content = {.report = report, .table = table, .row = &table->rows[row]};
    content.cpus = row_cpus_text(content.row->row);
    int error = content.cpus == NULL ? -ENOMEM : identity_of_row(content.row, &content.identity);
    if (error == 0) {
        error = put_cells(line, selection, &content, row);
    }
    identity_destroy(&content.identity);
    free(content.cpus);
    return error;
}

static void put_heading(struct csv_line *line, const struct csv_selection *selection)
{
    csv_names(line, "arm,timeout_ns,load");
    for (size_t i = 0; i < selection->count; i++) {
        put_heading_of(line, selection->columns[selection->positions[i]].name);
    }
    csv_end(line);
}

int csv_print_report(const struct report *report, const struct output_settings *settings, FILE *stream,
                     struct failure *failure)
{
    struct csv_line line = {.stream = stream};
    struct csv_selection selection = {0};
    int error = csv_selection_make(COLUMN_VIEW_REPORT, settings, &selection, failure);
    if (error == 0 && !settings->no_headings) {
        put_heading(&line, &selection);
    }
    for (size_t i = 0; error == 0 && i < report->table_count; i++) {
        for (size_t row = 0; error == 0 && row < report->sweep->plan.row_count; row++) {
            error = put_row_lines(&line, &selection, report, &report->tables[i], row);
        }
    }
    csv_selection_destroy(&selection);
    return error != 0 ? error : text_stream_error(stream);
}
