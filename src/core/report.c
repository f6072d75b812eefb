/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/report.h"

#include "numasweep/analysis.h"
#include "numasweep/exit_status.h"
#include "report_parts.h"

#include <errno.h>
#include <stdlib.h>

static void visit_index_destroy(struct visit_index *index)
{
    free(index->visits);
    free(index->first);
}

/* A counting sort by cell: visits of one cell stay in the order in which they ended. */
static int visit_index_create(const struct sweep *sweep, struct visit_index *index)
{
    const size_t cell_count = sweep->plan.cell_count;
    size_t *next = calloc(cell_count + 1, sizeof *next);
    index->first = calloc(cell_count + 2, sizeof *index->first);
    index->visits = calloc(sweep->visit_count + 1, sizeof *index->visits);
    if (next == NULL || index->first == NULL || index->visits == NULL) {
        free(next);
        return -ENOMEM;
    }
    for (size_t i = 0; i < sweep->visit_count; i++) {
        index->first[sweep->visits[i].cell + 1]++;
    }
    for (size_t cell = 0; cell < cell_count; cell++) {
        index->first[cell + 1] += index->first[cell];
        next[cell] = index->first[cell];
    }
    for (size_t i = 0; i < sweep->visit_count; i++) {
        index->visits[next[sweep->visits[i].cell]++] = &sweep->visits[i];
    }
    free(next);
    return 0;
}

static int create_table(struct report *report, const struct visit_index *index,
                        struct report_table *table)
{
    const struct plan *plan = &report->sweep->plan;
    table->cells = calloc(plan->row_count * plan->column_count + 1, sizeof *table->cells);
    table->rows = calloc(plan->row_count + 1, sizeof *table->rows);
    if (table->cells == NULL || table->rows == NULL) {
        return -ENOMEM;
    }
    int error = report_fill_cells(report, index, table);
    if (error == 0) {
        error = report_fill_rows(report, index, table);
    }
    return error != 0 ? error : report_fill_matrix(report, table);
}

static void count_gaps(struct report *report)
{
    const struct plan *plan = &report->sweep->plan;
    for (size_t i = 0; i < plan->row_count; i++) {
        report->rows_unavailable += plan->rows[i].is_asked_for && plan->rows[i].state != ROW_PLANNED;
    }
    for (size_t i = 0; i < plan->column_count; i++) {
        report->columns_unavailable += plan->columns[i].is_asked_for && !plan->columns[i].is_allowed;
    }
    report->is_partial = report->cells_measured < report->cells_planned ||
                         report->rows_unavailable > 0 || report->columns_unavailable > 0 ||
                         !report->sweep->has_ended;
}

int report_create(const struct sweep *sweep, struct report *report)
{
    const struct plan *plan = &sweep->plan;
    struct visit_index index = {0};
    *report = (struct report){
        .sweep = sweep,
        .table_count = plan->arm_count * plan->timeout_count,
    };
    int error = visit_index_create(sweep, &index);
    report->tables = calloc(report->table_count + 1, sizeof *report->tables);
    if (report->tables == NULL) {
        error = -ENOMEM;
    }
    for (size_t i = 0; i < report->table_count && error == 0; i++) {
        report->tables[i].arm = i / plan->timeout_count;
        report->tables[i].timeout = i % plan->timeout_count;
        error = create_table(report, &index, &report->tables[i]);
    }
    if (error == 0) {
        count_gaps(report);
        error = report_fill_limits(report);
    }
    if (error == 0) {
        error = report_fill_validity(report);
    }
    visit_index_destroy(&index);
    if (error != 0) {
        report_destroy(report);
    }
    return error;
}

static void destroy_table(struct report_table *table, size_t row_count)
{
    for (size_t i = 0; table->rows != NULL && i < row_count; i++) {
        free(table->rows[i].siblings);
    }
    id_list_destroy(&table->matrix.from_nodes);
    free(table->matrix.wake_ns);
    free(table->matrix.touch_ns);
    free(table->matrix.distances);
    free(table->rows);
    free(table->cells);
}

void report_destroy(struct report *report)
{
    for (size_t i = 0; report->tables != NULL && i < report->table_count; i++) {
        destroy_table(&report->tables[i], report->sweep->plan.row_count);
    }
    for (size_t i = 0; i < report->validity_count; i++) {
        free(report->validity[i]);
    }
    free(report->validity);
    free(report->limits);
    if (report->analysis != NULL) {
        analysis_destroy(report->analysis);
        free(report->analysis);
    }
    free(report->tables);
    *report = (struct report){0};
}

int report_judge(struct report *report, const struct options *options)
{
    struct analysis_settings settings;
    struct analysis *analysis = calloc(1, sizeof *analysis);
    if (analysis == NULL) {
        return -ENOMEM;
    }
    analysis_settings_init(&settings, options);
    const int error = analysis_create(report, &settings, analysis);
    if (error != 0) {
        free(analysis);
        return error;
    }
    report->analysis = analysis;
    return 0;
}

int report_exit_status(const struct report *report, unsigned fail_on)
{
    if (report->visits_measured == 0 && report->sweep->stop_signal == 0) {
        return EXIT_STATUS_NOT_ALLOWED;
    }
    if (report->is_partial) {
        return EXIT_STATUS_PARTIAL;
    }
    const struct analysis *analysis = report->analysis;
    const bool is_found = ((fail_on & FAIL_ON_INVALID) != 0 && report->has_invalid) ||
                          ((fail_on & FAIL_ON_LIMIT) != 0 && report->breaks_limit) ||
                          ((fail_on & FAIL_ON_SLOW) != 0 && analysis != NULL &&
                           analysis->slow_count > 0) ||
                          ((fail_on & FAIL_ON_REMOTE) != 0 && analysis != NULL &&
                           analysis->is_remote_slower);
    return is_found ? EXIT_STATUS_FOUND : EXIT_STATUS_COMPLETE;
}
