/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/saturated.h"
#include "report_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row_state_counts {
    size_t planned;
    size_t missing;
    size_t incomplete;
    int64_t elsewhere;
    int64_t unproved;
    const char *problem;
    bool has_local;
};

static struct row_state_counts count_cells(const struct report_cell *cells, size_t count)
{
    struct row_state_counts counts = {.problem = ""};
    for (size_t i = 0; i < count; i++) {
        const struct report_cell *cell = &cells[i];
        if (cell->state == REPORT_CELL_NOT_PLANNED) {
            continue;
        }
        counts.planned++;
        counts.missing += cell->state == REPORT_CELL_MISSING;
        counts.incomplete += cell->state == REPORT_CELL_INCOMPLETE;
        counts.elsewhere = saturated_add(counts.elsewhere, cell->elsewhere_count);
        counts.unproved += cell->unproved_count;
        counts.has_local = counts.has_local || cell->is_local;
        if (counts.problem[0] == '\0') {
            counts.problem = cell->problem;
        }
    }
    return counts;
}

static void describe_measured(struct report_row *row, const struct row_state_counts *counts)
{
    if (counts->missing > 0) {
        (void)snprintf(row->status, sizeof row->status, "%zu of %zu cells missing: %.300s",
                       counts->missing, counts->planned, counts->problem);
    } else if (counts->incomplete > 0) {
        (void)snprintf(row->status, sizeof row->status, "incomplete: %.340s", counts->problem);
    } else if (counts->elsewhere > 0) {
        (void)snprintf(row->status, sizeof row->status,
                       "%" PRId64 " samples taken on another CPU, left out", counts->elsewhere);
    } else if (counts->unproved > 0) {
        (void)snprintf(row->status, sizeof row->status, "placement not proved in %" PRId64 " visits",
                       counts->unproved);
    } else {
        (void)snprintf(row->status, sizeof row->status, "ok");
    }
}

static int describe_place(const struct topology *topology, struct report_row *row)
{
    const struct topology_cpu *cpu = topology_find_cpu(topology, row->row->cpu);
    struct id_list siblings = {0};
    row->node = cpu != NULL ? cpu->node : TOPOLOGY_NONE;
    row->package = cpu != NULL ? cpu->package : TOPOLOGY_NONE;
    row->core = cpu != NULL ? cpu->core : TOPOLOGY_NONE;
    row->l3 = cpu != NULL ? cpu->l3 : TOPOLOGY_NONE;
    const struct topology_kind *kind = cpu != NULL ? topology_find_kind(topology, cpu->kind) : NULL;
    row->kind = kind != NULL ? kind->name : "";
    int error = 0;
    if (row->row->level == ROW_PU) {
        error = topology_smt_siblings(topology, row->row->cpu, &siblings);
    }
    if (error == 0) {
        row->siblings = id_list_format(&siblings);
        error = row->siblings == NULL ? -ENOMEM : 0;
    }
    id_list_destroy(&siblings);
    return error;
}

static int add_cells_of_row(const struct visit_index *index, const struct plan *plan, size_t *next_cell,
                            size_t row, struct sample_buffer *buffer)
{
    for (; *next_cell < plan->cell_count && plan->cells[*next_cell].row == row; (*next_cell)++) {
        for (size_t i = index->first[*next_cell]; i < index->first[*next_cell + 1]; i++) {
            if (index->visits[i]->outcome == VISIT_FAILED) {
                continue;
            }
            const int error = sample_buffer_add_visit(buffer, index->visits[i]);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

static int fill_row(const struct report *report, struct report_table *table, size_t row_index,
                    struct sample_buffer *buffer)
{
    const struct plan *plan = &report->sweep->plan;
    const struct report_cell *cells = &table->cells[row_index * plan->column_count];
    struct report_row *row = &table->rows[row_index];
    const struct row_state_counts counts = count_cells(cells, plan->column_count);

    row->row = &plan->rows[row_index];
    row->nearest_node = counts.has_local
                            ? TOPOLOGY_NONE
                            : topology_nearest_node(&report->sweep->topology, row->row->cpu);
    for (size_t i = 0; i < plan->column_count; i++) {
        row->early_count = saturated_add(row->early_count, cells[i].early_count);
    }
    if (row->row->state == ROW_PLANNED) {
        describe_measured(row, &counts);
    } else {
        (void)snprintf(row->status, sizeof row->status, "%s", row->row->reason);
    }
    const int error = describe_place(&report->sweep->topology, row);
    return error != 0 ? error : sample_buffer_summarize(buffer, &row->wake, &row->touch);
}

static size_t first_cell_of(const struct plan *plan, const struct report_table *table)
{
    size_t cell = 0;
    while (cell < plan->cell_count &&
           (plan->cells[cell].arm != table->arm || plan->cells[cell].timeout != table->timeout)) {
        cell++;
    }
    return cell;
}

static int append(struct sample_buffer *all, const struct visit_index *index, size_t first, size_t last)
{
    for (size_t i = index->first[first]; i < index->first[last]; i++) {
        if (index->visits[i]->outcome == VISIT_MEASURED) {
            const int error = sample_buffer_add_visit(all, index->visits[i]);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

/* The cells of a table stand row by row. */
int report_fill_rows(struct report *report, const struct visit_index *index, struct report_table *table)
{
    const struct plan *plan = &report->sweep->plan;
    struct sample_buffer buffer = {0};
    struct sample_buffer all = {0};
    const size_t first = first_cell_of(plan, table);
    size_t next_cell = first;
    int error = 0;

    for (size_t row = 0; row < plan->row_count && error == 0; row++) {
        sample_buffer_clear(&buffer);
        error = add_cells_of_row(index, plan, &next_cell, row, &buffer);
        if (error == 0) {
            error = fill_row(report, table, row, &buffer);
        }
    }
    if (error == 0) {
        error = append(&all, index, first, next_cell);
    }
    if (error == 0) {
        error = sample_buffer_summarize(&all, &table->wake, &table->touch);
    }
    sample_buffer_destroy(&all);
    sample_buffer_destroy(&buffer);
    return error;
}

static int list_nodes(const struct report *report, const struct report_table *table,
                      struct id_list *nodes)
{
    const struct plan *plan = &report->sweep->plan;
    for (size_t row = 0; row < plan->row_count; row++) {
        if (table->rows[row].wake.sample_count > 0 && table->rows[row].node != TOPOLOGY_NONE) {
            const int error = id_list_add(nodes, table->rows[row].node);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

/* The median, by nearest rank, of the medians of the node's rows in one column; NAN where there is none.
 */
static double median_of_medians(const struct plan *plan, const struct report_table *table, int node,
                                size_t column, bool is_touch, int64_t *medians_ns)
{
    size_t count = 0;
    for (size_t row = 0; row < plan->row_count; row++) {
        const struct report_cell *cell = &table->cells[row * plan->column_count + column];
        const struct figure_summary *figure = is_touch ? &cell->touch : &cell->wake;
        if (table->rows[row].node == node && figure->has_value[METRIC_MEDIAN]) {
            medians_ns[count] = (int64_t)figure->values_ns[METRIC_MEDIAN];
            count++;
        }
    }
    if (count == 0) {
        return NAN;
    }
    samples_sort(medians_ns, count);
    return (double)quantile_nearest_rank(medians_ns, count, 0.5);
}

int report_fill_matrix(const struct report *report, struct report_table *table)
{
    const struct plan *plan = &report->sweep->plan;
    struct report_matrix *matrix = &table->matrix;
    int64_t *medians_ns = calloc(plan->row_count + 1, sizeof *medians_ns);
    int error = medians_ns == NULL ? -ENOMEM : list_nodes(report, table, &matrix->from_nodes);
    const size_t size = matrix->from_nodes.count * plan->column_count + 1;

    matrix->wake_ns = calloc(size, sizeof *matrix->wake_ns);
    matrix->touch_ns = calloc(size, sizeof *matrix->touch_ns);
    matrix->distances = calloc(size, sizeof *matrix->distances);
    if (matrix->wake_ns == NULL || matrix->touch_ns == NULL || matrix->distances == NULL) {
        error = -ENOMEM;
    }
    for (size_t from = 0; from < matrix->from_nodes.count && error == 0; from++) {
        for (size_t column = 0; column < plan->column_count; column++) {
            const size_t position = from * plan->column_count + column;
            const int node = matrix->from_nodes.ids[from];
            matrix->wake_ns[position] = median_of_medians(plan, table, node, column, false, medians_ns);
            matrix->touch_ns[position] = median_of_medians(plan, table, node, column, true, medians_ns);
            matrix->distances[position] = topology_distance(&report->sweep->topology, node,
                                                            plan->columns[column].node);
        }
    }
    free(medians_ns);
    return error;
}
