/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis_internal.h"

#include "numasweep/saturated.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double p90 = 0.9;

double analysis_value(const struct analysis_values *values, size_t figure, size_t round, size_t unit)
{
    return values->values_ns[(figure * values->round_count + round) * values->unit_count + unit];
}

void analysis_values_destroy(struct analysis_values *values)
{
    free(values->row_of_unit);
    free(values->unit_of_row);
    free(values->figures);
    free(values->figure_of_place);
    free(values->values_ns);
    *values = (struct analysis_values){0};
}

static int list_units(const struct plan *plan, struct analysis_values *values)
{
    values->row_of_unit = calloc(plan->row_count + 1, sizeof *values->row_of_unit);
    values->unit_of_row = calloc(plan->row_count + 1, sizeof *values->unit_of_row);
    if (values->row_of_unit == NULL || values->unit_of_row == NULL) {
        return -ENOMEM;
    }
    for (size_t row = 0; row < plan->row_count; row++) {
        values->unit_of_row[row] = SIZE_MAX;
        if (plan->rows[row].state == ROW_PLANNED) {
            values->row_of_unit[values->unit_count] = row;
            values->unit_of_row[row] = values->unit_count;
            values->unit_count++;
        }
    }
    return 0;
}

static size_t place_index(const struct plan *plan, size_t table, size_t column)
{
    return (table * plan->column_count + column) * ANALYSIS_FIGURES;
}

static size_t table_of(const struct plan *plan, const struct plan_cell *cell)
{
    return cell->arm * plan->timeout_count + cell->timeout;
}

static bool has_samples(const struct report_table *table, const struct plan *plan, size_t column,
                        enum analysis_figure figure)
{
    for (size_t row = 0; row < plan->row_count; row++) {
        const struct report_cell *cell = &table->cells[row * plan->column_count + column];
        if ((figure == ANALYSIS_TOUCH_MEDIAN ? cell->touch.sample_count : cell->wake.sample_count) > 0) {
            return true;
        }
    }
    return false;
}

static int list_figures(const struct report *report, struct analysis_values *values)
{
    const struct plan *plan = &report->sweep->plan;
    const size_t most = report->table_count * plan->column_count * ANALYSIS_FIGURES;
    values->figures = calloc(most + 1, sizeof *values->figures);
    values->figure_of_place = calloc(most + 1, sizeof *values->figure_of_place);
    if (values->figures == NULL || values->figure_of_place == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < most; i++) {
        const struct value_place place = {.table = i / ANALYSIS_FIGURES / plan->column_count,
                                          .column = i / ANALYSIS_FIGURES % plan->column_count,
                                          .figure = (enum analysis_figure)(i % ANALYSIS_FIGURES)};
        values->figure_of_place[i] = SIZE_MAX;
        if (has_samples(&report->tables[place.table], plan, place.column, place.figure)) {
            values->figures[values->figure_count] = place;
            values->figure_of_place[i] = values->figure_count;
            values->figure_count++;
        }
    }
    return 0;
}

/* Cells with different policies are never compared: the commonest one stays. */
static void find_commonest_policy(const struct sweep *sweep, int *policy, int *priority)
{
    size_t most = 0;
    *policy = -1;
    *priority = -1;
    for (size_t i = 0; i < sweep->visit_count; i++) {
        const struct placement *wanted = &sweep->visits[i].placement;
        size_t count = 0;
        if (sweep->visits[i].outcome != VISIT_MEASURED ||
            (wanted->policy == *policy && wanted->priority == *priority)) {
            continue;
        }
        for (size_t k = i; k < sweep->visit_count; k++) {
            count += sweep->visits[k].outcome == VISIT_MEASURED &&
                     sweep->visits[k].placement.policy == wanted->policy &&
                     sweep->visits[k].placement.priority == wanted->priority;
        }
        if (count > most) {
            most = count;
            *policy = wanted->policy;
            *priority = wanted->priority;
        }
        if (2 * most > sweep->visit_count) {
            return;
        }
    }
}

struct gathering {
    int64_t *wake_ns;
    int64_t *touch_ns;
    size_t wake_count;
    size_t touch_count;
    size_t capacity;
};

static int gather(struct gathering *gathering, const struct visit *visit)
{
    gathering->wake_count = 0;
    gathering->touch_count = 0;
    if (visit->sample_count > gathering->capacity) {
        /* The contents need not be kept. */
        free(gathering->wake_ns);
        free(gathering->touch_ns);
        gathering->capacity = 0;
        gathering->wake_ns = calloc(visit->sample_count, sizeof *gathering->wake_ns);
        gathering->touch_ns = calloc(visit->sample_count, sizeof *gathering->touch_ns);
        if (gathering->wake_ns == NULL || gathering->touch_ns == NULL) {
            return -ENOMEM;
        }
        gathering->capacity = visit->sample_count;
    }
    for (size_t i = 0; i < visit->sample_count; i++) {
        const struct sample *sample = &visit->samples[i];
        if ((sample->flags & SAMPLE_ELSEWHERE) != 0) {
            continue;
        }
        gathering->wake_ns[gathering->wake_count++] = sample->elapsed_ns - sample->requested_ns;
        if (sample->touch_ns >= 0) {
            gathering->touch_ns[gathering->touch_count++] = sample->touch_ns;
        }
    }
    samples_sort(gathering->wake_ns, gathering->wake_count);
    samples_sort(gathering->touch_ns, gathering->touch_count);
    return 0;
}

static void set_value(struct analysis_values *values, size_t figure, size_t round, size_t unit,
                      const int64_t *ascending_ns, size_t count, double quantile)
{
    if (figure != SIZE_MAX && count > 0) {
        values->values_ns[(figure * values->round_count + round) * values->unit_count + unit] = (double)
            quantile_nearest_rank(ascending_ns, count, quantile);
    }
}

static int take_visit(const struct plan *plan, const struct visit *visit, struct gathering *gathering,
                      struct analysis_values *values)
{
    const struct plan_cell *cell = &plan->cells[visit->cell];
    const size_t unit = values->unit_of_row[cell->row];
    const size_t place = place_index(plan, table_of(plan, cell), cell->column);
    const size_t *figures = &values->figure_of_place[place];
    if (unit == SIZE_MAX || visit->round < 0 || (size_t)visit->round >= values->round_count) {
        return 0;
    }
    const int error = gather(gathering, visit);
    if (error != 0) {
        return error;
    }
    const size_t round = (size_t)visit->round;
    set_value(values, figures[ANALYSIS_WAKE_MEDIAN], round, unit, gathering->wake_ns,
              gathering->wake_count, 0.5);
    set_value(values, figures[ANALYSIS_WAKE_P90], round, unit, gathering->wake_ns, gathering->wake_count,
              p90);
    set_value(values, figures[ANALYSIS_TOUCH_MEDIAN], round, unit, gathering->touch_ns,
              gathering->touch_count, 0.5);
    return 0;
}

/* What could not be read is no reason: only what was read and is not as asked. */
static bool is_misplaced(const struct sweep *sweep, const struct visit *visit)
{
    const struct placement *placement = &visit->placement;
    const bool is_one_cpu = sweep->plan.rows[sweep->plan.cells[visit->cell].row].cpus.count == 1;
    if (sweep->imported_from != NULL) {
        return false;
    }
    return !placement->mask_matches_before || !placement->mask_matches_after ||
           placement->elsewhere_count > 0 || (is_one_cpu && placement->migrations > 0) ||
           (placement->memory_is_bound &&
            saturated_add(placement->pages_on_node, placement->pages_unknown) < placement->pages_total);
}

static int fill(const struct sweep *sweep, struct analysis_values *values)
{
    struct gathering gathering = {0};
    const size_t size = values->figure_count * values->round_count * values->unit_count;
    int policy = -1;
    int priority = -1;
    int error = 0;
    values->values_ns = calloc(size + 1, sizeof *values->values_ns);
    if (values->values_ns == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < size; i++) {
        values->values_ns[i] = (double)NAN;
    }
    find_commonest_policy(sweep, &policy, &priority);
    for (size_t i = 0; i < sweep->visit_count && error == 0; i++) {
        const struct visit *visit = &sweep->visits[i];
        if (visit->outcome != VISIT_MEASURED) {
            continue;
        }
        if (is_misplaced(sweep, visit)) {
            values->misplaced++;
            continue;
        }
        if (visit->placement.policy != policy || visit->placement.priority != priority) {
            values->other_policies++;
            continue;
        }
        error = take_visit(&sweep->plan, visit, &gathering, values);
    }
    free(gathering.wake_ns);
    free(gathering.touch_ns);
    return error;
}

/* A sweep of many rounds that was stopped in its first ones is judged by these, not by what it never
 * reached. */
static size_t rounds_reached(const struct sweep *sweep)
{
    int64_t rounds = 1;
    for (size_t i = 0; i < sweep->visit_count; i++) {
        const struct visit *visit = &sweep->visits[i];
        if (visit->round >= rounds && visit->round < sweep->plan.round_count) {
            rounds = visit->round + 1;
        }
    }
    return (size_t)rounds;
}

int analysis_values_create(const struct report *report, struct analysis_values *values)
{
    const struct plan *plan = &report->sweep->plan;
    *values = (struct analysis_values){.round_count = rounds_reached(report->sweep)};
    int error = list_units(plan, values);
    if (error == 0) {
        error = list_figures(report, values);
    }
    if (error == 0) {
        error = fill(report->sweep, values);
    }
    if (error != 0) {
        analysis_values_destroy(values);
    }
    return error;
}

/* The widest first, as verdict_judge() wants them. Levels at or below the rows' own are no groups. */
static int group_number(const struct report *report, size_t level, size_t row)
{
    const struct report_row *shown = &report->tables[0].rows[row];
    const struct topology_cpu *cpu = topology_find_cpu(&report->sweep->topology, shown->row->cpu);
    switch (level) {
    case 0:
        return cpu != NULL ? cpu->kind : TOPOLOGY_NONE;
    case 1:
        return shown->package;
    case 2:
        return shown->node;
    case 3:
        return shown->l3;
    default:
        return shown->core;
    }
}

int analysis_partitions_create(const struct report *report, const struct analysis_values *values,
                               struct analysis_partitions *partitions)
{
    static const struct {
        const char *name;
        enum row_level level;
    } levels[PARTITIONS_MOST] = {{.name = "kind", .level = ROW_MACHINE},
                                 {.name = "package", .level = ROW_PACKAGE},
                                 {.name = "node", .level = ROW_NODE},
                                 {.name = "l3", .level = ROW_L3},
                                 {.name = "core", .level = ROW_CORE}};
    *partitions = (struct analysis_partitions){0};
    for (size_t i = 0; i < PARTITIONS_MOST && report->sweep->plan.by != ROW_MACHINE; i++) {
        if (report->sweep->plan.by >= levels[i].level) {
            continue;
        }
        int *groups = calloc(values->unit_count + 1, sizeof *groups);
        if (groups == NULL) {
            return -ENOMEM;
        }
        for (size_t unit = 0; unit < values->unit_count; unit++) {
            groups[unit] = group_number(report, i, values->row_of_unit[unit]);
        }
        partitions->groups[partitions->count] = groups;
        partitions->partitions[partitions->count] = (struct verdict_partition){
            .name = levels[i].name, .group_of_unit = groups, .is_kind = i == 0};
        partitions->count++;
    }
    return 0;
}

void analysis_partitions_destroy(struct analysis_partitions *partitions)
{
    for (size_t i = 0; i < partitions->count; i++) {
        free(partitions->groups[i]);
    }
    *partitions = (struct analysis_partitions){0};
}
