/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/saturated.h"
#include "report_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void take_policy(struct report_cell *cell, const struct placement *placement)
{
    if (cell->visits_measured == 0) {
        cell->policy = placement->policy;
        cell->priority = placement->priority;
    } else if (cell->policy != placement->policy || cell->priority != placement->priority) {
        cell->policy = -1;
        cell->priority = -1;
    }
}

static int take_visit(struct report_cell *cell, const struct visit *visit, bool is_imported,
                      bool is_one_cpu, bool is_bound, struct sample_buffer *buffer)
{
    const struct placement *placement = &visit->placement;
    if (visit->outcome == VISIT_FAILED) {
        cell->visits_failed++;
        return 0;
    }
    take_policy(cell, placement);
    cell->visits_measured++;
    cell->early_count = saturated_add(cell->early_count, placement->early_count);
    cell->elsewhere_count = saturated_add(cell->elsewhere_count, placement->elsewhere_count);
    /* Nobody tried to prove it. */
    cell->unproved_count += !is_imported && !placement_is_proved(placement, is_one_cpu, is_bound);
    return sample_buffer_add_visit(buffer, visit);
}

static bool is_same_failure(const struct failure *a, const struct failure *b)
{
    return a->errno_value == b->errno_value && strcmp(a->stage, b->stage) == 0 &&
           strcmp(a->text, b->text) == 0;
}

/* The commonest failure of the cell, the first of equals. Few visits fail, so counting anew is cheap. */
static const struct failure *find_commonest(const struct visit *const *visits, size_t count,
                                            size_t *times)
{
    const struct failure *commonest = NULL;
    *times = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        if (visits[i]->outcome != VISIT_FAILED) {
            continue;
        }
        for (size_t k = i; k < count; k++) {
            same += visits[k]->outcome == VISIT_FAILED &&
                    is_same_failure(&visits[i]->failure, &visits[k]->failure);
        }
        if (same > *times) {
            *times = same;
            commonest = &visits[i]->failure;
        }
    }
    return commonest;
}

static void describe_problem(struct report_cell *cell, const struct visit *const *visits, size_t count)
{
    size_t times = 0;
    const struct failure *failure = find_commonest(visits, count, &times);
    if (failure == NULL) {
        if (cell->visits_measured < cell->visits_planned) {
            (void)snprintf(cell->problem, sizeof cell->problem, "%zu of %zu rounds were not reached",
                           cell->visits_planned - cell->visits_measured, cell->visits_planned);
        }
        return;
    }
    const char *name = failure->errno_value != 0 ? strerrorname_np(failure->errno_value) : NULL;
    (void)snprintf(cell->problem, sizeof cell->problem, "%s: %s%s%.250s (%zu of %zu visits)",
                   failure->stage, name != NULL ? name : "", name != NULL ? ": " : "", failure->text,
                   times, cell->visits_planned);
}

static enum report_cell_state state_of(const struct report_cell *cell)
{
    if (cell->visits_measured >= cell->visits_planned && cell->visits_planned > 0) {
        return REPORT_CELL_MEASURED;
    }
    return cell->visits_measured > 0 ? REPORT_CELL_INCOMPLETE : REPORT_CELL_MISSING;
}

static int fill_cell(const struct sweep *sweep, const struct plan_cell *planned,
                     const struct visit *const *visits, size_t count, struct report_cell *cell,
                     struct sample_buffer *buffer)
{
    const struct plan *plan = &sweep->plan;
    const bool is_imported = sweep->imported_from != NULL;
    const bool is_one_cpu = plan->rows[planned->row].cpus.count == 1;
    const bool is_bound = plan->columns[planned->column].node != TOPOLOGY_NONE;

    *cell = (struct report_cell){
        .is_local = planned->is_local,
        .visits_planned = (size_t)plan->round_count,
        .policy = -1,
        .priority = -1,
    };
    sample_buffer_clear(buffer);
    for (size_t i = 0; i < count; i++) {
        const int error = take_visit(cell, visits[i], is_imported, is_one_cpu, is_bound, buffer);
        if (error != 0) {
            return error;
        }
    }
    cell->state = state_of(cell);
    describe_problem(cell, visits, count);
    return sample_buffer_summarize(buffer, &cell->wake, &cell->touch);
}

static void count_cell(struct report *report, struct report_table *table, const struct report_cell *cell)
{
    report->cells_planned++;
    report->cells_measured += cell->state == REPORT_CELL_MEASURED;
    report->cells_missing += cell->state == REPORT_CELL_MISSING;
    report->visits_planned += cell->visits_planned;
    report->visits_measured += cell->visits_measured;
    report->visits_failed += cell->visits_failed;
    report->has_invalid = report->has_invalid || cell->unproved_count > 0 || cell->elsewhere_count > 0;
    report->has_touch = report->has_touch || cell->touch.sample_count > 0;
    table->early_count = saturated_add(table->early_count, cell->early_count);
}

int report_fill_cells(struct report *report, const struct visit_index *index, struct report_table *table)
{
    const struct plan *plan = &report->sweep->plan;
    struct sample_buffer buffer = {0};
    int error = 0;

    for (size_t i = 0; i < plan->row_count * plan->column_count; i++) {
        table->cells[i] = (struct report_cell){
            .state = REPORT_CELL_NOT_PLANNED, .policy = -1, .priority = -1};
    }
    for (size_t i = 0; i < plan->cell_count && error == 0; i++) {
        const struct plan_cell *planned = &plan->cells[i];
        if (planned->arm != table->arm || planned->timeout != table->timeout) {
            continue;
        }
        struct report_cell *cell = &table->cells[planned->row * plan->column_count + planned->column];
        error = fill_cell(report->sweep, planned, index->visits + index->first[i],
                          index->first[i + 1] - index->first[i], cell, &buffer);
        count_cell(report, table, cell);
    }
    sample_buffer_destroy(&buffer);
    return error;
}
