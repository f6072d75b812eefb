/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remote against local memory: paired by round, within each row, so that what differs between CPUs and
 * what hits a whole round cancels. */
#include "analysis_internal.h"
#include "numasweep/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum analysis_figure compared[] = {ANALYSIS_WAKE_MEDIAN, ANALYSIS_TOUCH_MEDIAN};
enum { COMPARED = sizeof compared / sizeof compared[0] };

struct comparing {
    const struct report *report;
    const struct analysis_values *values;
    double *local;   /* [round][unit]: of the row's local columns; NAN */
    double *base;    /* by round */
    double *other;   /* by round */
    double *scratch; /* for medians: units x columns, or rounds */
    double *differences;
};

static size_t figure_of(const struct comparing *comparing, size_t table, size_t column,
                        enum analysis_figure figure)
{
    const size_t columns = comparing->report->sweep->plan.column_count;
    return comparing->values->figure_of_place[(table * columns + column) * ANALYSIS_FIGURES + figure];
}

static bool is_local(const struct comparing *comparing, size_t table, size_t unit, size_t column)
{
    const size_t row = comparing->values->row_of_unit[unit];
    const size_t columns = comparing->report->sweep->plan.column_count;
    return comparing->report->tables[table].cells[row * columns + column].is_local;
}

static double value_at(const struct comparing *comparing, size_t table, size_t column,
                       enum analysis_figure figure, size_t round, size_t unit)
{
    const size_t index = figure_of(comparing, table, column, figure);
    return index == SIZE_MAX ? (double)NAN : analysis_value(comparing->values, index, round, unit);
}

static void fill_local(struct comparing *comparing, size_t table, enum analysis_figure figure)
{
    const struct analysis_values *values = comparing->values;
    const size_t columns = comparing->report->sweep->plan.column_count;
    for (size_t round = 0; round < values->round_count; round++) {
        for (size_t unit = 0; unit < values->unit_count; unit++) {
            size_t count = 0;
            for (size_t column = 0; column < columns; column++) {
                const double value = is_local(comparing, table, unit, column)
                                         ? value_at(comparing, table, column, figure, round, unit)
                                         : (double)NAN;
                if (isfinite(value)) {
                    comparing->scratch[count++] = value;
                }
            }
            comparing->local[round * values->unit_count + unit] = median_of(comparing->scratch, count);
        }
    }
}

static bool is_of(const struct comparing *comparing, size_t unit, const struct locality_pair *pair)
{
    const struct report_row *row = &comparing->report->tables[pair->table]
                                        .rows[comparing->values->row_of_unit[unit]];
    return (pair->from_node == TOPOLOGY_NONE || row->node == pair->from_node) &&
           (pair->cpu == TOPOLOGY_NONE || row->row->cpu == pair->cpu);
}

/* Per round: the median over the rows of the base, and of the differences. */
static void fill_round(struct comparing *comparing, const struct locality_pair *pair, size_t round)
{
    const struct analysis_values *values = comparing->values;
    const struct plan *plan = &comparing->report->sweep->plan;
    size_t count = 0;
    for (size_t unit = 0; unit < values->unit_count; unit++) {
        const double local = comparing->local[round * values->unit_count + unit];
        if (!isfinite(local) || !is_of(comparing, unit, pair)) {
            continue;
        }
        for (size_t column = 0; column < plan->column_count; column++) {
            if (is_local(comparing, pair->table, unit, column) ||
                (pair->to_node != TOPOLOGY_NONE && plan->columns[column].node != pair->to_node)) {
                continue;
            }
            const double value = value_at(comparing, pair->table, column, pair->figure, round, unit);
            if (isfinite(value)) {
                comparing->scratch[count] = local;
                comparing->differences[count] = value - local;
                count++;
            }
        }
    }
    comparing->base[round] = median_of(comparing->scratch, count);
    comparing->other[round] = comparing->base[round] + median_of(comparing->differences, count);
}

/* True when there is anything to compare. */
static bool compare(struct comparing *comparing, struct locality_pair *pair)
{
    for (size_t round = 0; round < comparing->values->round_count; round++) {
        fill_round(comparing, pair, round);
    }
    paired_difference_compute(comparing->base, comparing->other, comparing->values->round_count,
                              comparing->scratch, &pair->difference);
    return pair->difference.count > 0;
}

static int append(struct locality_pair **pairs, size_t *count, const struct locality_pair *pair)
{
    if ((*count & (*count - 1)) == 0) {
        struct locality_pair *grown = realloc(*pairs, (*count == 0 ? 1 : 2 * *count) * sizeof *grown);
        if (grown == NULL) {
            return -ENOMEM;
        }
        *pairs = grown;
    }
    (*pairs)[*count] = *pair;
    (*count)++;
    return 0;
}

static int compare_pair(struct comparing *comparing, struct locality_pair *pair,
                        struct locality_pair **pairs, size_t *count)
{
    pair->distance = pair->from_node == TOPOLOGY_NONE
                         ? -1
                         : topology_distance(&comparing->report->sweep->topology, pair->from_node,
                                             pair->to_node);
    return compare(comparing, pair) ? append(pairs, count, pair) : 0;
}

static int compare_node_pairs(struct comparing *comparing, size_t table, enum analysis_figure figure,
                              struct analysis *analysis)
{
    const struct plan *plan = &comparing->report->sweep->plan;
    const struct id_list *nodes = &comparing->report->tables[table].matrix.from_nodes;
    int error = 0;
    for (size_t from = 0; from < nodes->count && error == 0; from++) {
        for (size_t column = 0; column < plan->column_count && error == 0; column++) {
            struct locality_pair pair = {.table = table,
                                         .figure = figure,
                                         .from_node = nodes->ids[from],
                                         .to_node = plan->columns[column].node,
                                         .cpu = TOPOLOGY_NONE};
            error = compare_pair(comparing, &pair, &analysis->node_pairs, &analysis->node_pair_count);
        }
    }
    return error;
}

static int compare_rows(struct comparing *comparing, size_t table, enum analysis_figure figure,
                        struct analysis *analysis)
{
    const struct analysis_values *values = comparing->values;
    int error = 0;
    for (size_t unit = 0; unit < values->unit_count && error == 0; unit++) {
        const struct plan_row *row = &comparing->report->sweep->plan.rows[values->row_of_unit[unit]];
        struct locality_pair pair = {.table = table,
                                     .figure = figure,
                                     .from_node = TOPOLOGY_NONE,
                                     .to_node = TOPOLOGY_NONE,
                                     .cpu = row->cpu};
        error = compare_pair(comparing, &pair, &analysis->cpus, &analysis->cpu_count);
    }
    return error;
}

static int compare_table(struct comparing *comparing, size_t table, struct analysis *analysis)
{
    int error = 0;
    for (size_t i = 0; i < COMPARED && error == 0; i++) {
        struct locality_pair machine = {.table = table,
                                        .figure = compared[i],
                                        .from_node = TOPOLOGY_NONE,
                                        .to_node = TOPOLOGY_NONE,
                                        .cpu = TOPOLOGY_NONE};
        fill_local(comparing, table, compared[i]);
        error = compare_pair(comparing, &machine, &analysis->machine, &analysis->machine_count);
        if (error == 0) {
            error = compare_node_pairs(comparing, table, compared[i], analysis);
        }
        if (error == 0) {
            error = compare_rows(comparing, table, compared[i], analysis);
        }
    }
    return error;
}

static bool nodes_share_their_cpus(const struct topology *topology)
{
    const struct topology_node *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        if (!topology_node_has_memory(node)) {
            continue;
        }
        count++;
        if (first != NULL && !id_list_equal(&first->near_cpus, &node->near_cpus)) {
            return false;
        }
        first = first != NULL ? first : node;
    }
    return count > 1;
}

static bool is_bound_anywhere(const struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->visit_count; i++) {
        if (sweep->visits[i].outcome == VISIT_MEASURED && sweep->visits[i].placement.memory_is_bound) {
            return true;
        }
    }
    return false;
}

/* NULL: it can be shown. */
static const char *why_not(const struct report *report)
{
    const struct plan *plan = &report->sweep->plan;
    if (plan->column_count == 1 && plan->columns[0].node == TOPOLOGY_NONE) {
        return "memory was not bound (--nodes none)";
    }
    if (!is_bound_anywhere(report->sweep)) {
        return "memory was not bound: the columns do not differ by it";
    }
    if (nodes_share_their_cpus(&report->sweep->topology)) {
        return "the nodes have the same CPUs (emulated nodes), so that none is nearer";
    }
    if (plan->column_count < 2) {
        return "there is one memory node";
    }
    return NULL;
}

static bool is_real(const struct paired_difference *difference, const struct analysis_settings *settings,
                    size_t tests)
{
    return difference->p * (double)tests < settings->verdict.level;
}

static bool is_costly(const struct paired_difference *difference,
                      const struct analysis_settings *settings, size_t tests)
{
    return is_real(difference, settings, tests) && difference->base_ns > 0 &&
           difference->estimate_ns >= settings->verdict.minimum_share * difference->base_ns;
}

static void print_difference(const struct locality_pair *pair, const struct analysis_settings *settings,
                             size_t tests, FILE *stream)
{
    const struct paired_difference *difference = &pair->difference;
    const char *name = pair->figure == ANALYSIS_TOUCH_MEDIAN ? "touch" : "wake";
    if (is_real(difference, settings, tests)) {
        (void)fprintf(stream, "%s %+.2f us (%+.0f %%; %.2f..%.2f us, p %s %.3g)", name,
                      difference->estimate_ns / 1000,
                      difference->base_ns > 0 ? 100 * difference->estimate_ns / difference->base_ns : 0,
                      difference->low_ns / 1000, difference->high_ns / 1000,
                      difference->p < 0.001 ? "<" : "=", difference->p < 0.001 ? 0.001 : difference->p);
    } else if (isfinite(difference->detectable_ns)) {
        (void)fprintf(stream, "%s shows no difference (%.2f us would have been seen)", name,
                      difference->detectable_ns / 1000);
    } else {
        (void)fprintf(stream, "%s cannot be judged from one round", name);
    }
}

static int write_sentence(const struct report *report, const struct analysis_settings *settings,
                          struct analysis *analysis)
{
    size_t size = 0;
    FILE *stream = open_memstream(&analysis->locality_sentence, &size);
    const char *reason = why_not(report);
    if (stream == NULL) {
        return -ENOMEM;
    }
    if (reason == NULL && analysis->machine_count == 0) {
        reason = "no CPU has samples both with local and with remote memory";
    }
    if (reason != NULL) {
        (void)fprintf(stream, "Local against remote cannot be shown: %s.", reason);
        return fclose(stream) == 0 ? 0 : -ENOMEM;
    }
    (void)fputs("Remote against local memory: ", stream);
    for (size_t i = 0; i < analysis->machine_count; i++) {
        const struct locality_pair *pair = &analysis->machine[i];
        (void)fputs(i > 0 ? "; " : "", stream);
        if (report->table_count > 1) {
            char timeout[DURATION_TEXT_SIZE];
            const size_t position = report->tables[pair->table].timeout;
            (void)fprintf(stream, "at %s ",
                          duration_format(report->sweep->plan.timeouts_ns[position], timeout));
        }
        print_difference(pair, settings, analysis->machine_count, stream);
        analysis->is_remote_slower = analysis->is_remote_slower ||
                                     is_costly(&pair->difference, settings, analysis->machine_count);
    }
    (void)fputc('.', stream);
    return fclose(stream) == 0 ? 0 : -ENOMEM;
}

int analysis_compare_nodes(const struct report *report, const struct analysis_values *values,
                           const struct analysis_settings *settings, struct analysis *analysis)
{
    const size_t columns = report->sweep->plan.column_count;
    const size_t most = values->unit_count * (columns + 1) + values->round_count + 1;
    struct comparing comparing = {
        .report = report,
        .values = values,
        .local = calloc(values->round_count * values->unit_count + 1, sizeof *comparing.local),
        .base = calloc(values->round_count + 1, sizeof *comparing.base),
        .other = calloc(values->round_count + 1, sizeof *comparing.other),
        .scratch = calloc(most, sizeof *comparing.scratch),
        .differences = calloc(most, sizeof *comparing.differences),
    };
    int error = comparing.local == NULL || comparing.base == NULL || comparing.other == NULL ||
                        comparing.scratch == NULL || comparing.differences == NULL
                    ? -ENOMEM
                    : 0;
    for (size_t table = 0; table < report->table_count && error == 0 && why_not(report) == NULL;
         table++) {
        error = compare_table(&comparing, table, analysis);
    }
    if (error == 0) {
        error = write_sentence(report, settings, analysis);
    }
    free(comparing.differences);
    free(comparing.scratch);
    free(comparing.other);
    free(comparing.base);
    free(comparing.local);
    return error;
}
