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

/* What is compared in one table. */
struct locality_input {
    double *values_ns; /* [column][round][unit] */
    int *local_column_of_unit;
};

static void locality_input_destroy(struct locality_input *input)
{
    free(input->values_ns);
    free(input->local_column_of_unit);
    *input = (struct locality_input){0};
}

/* A row with several local columns (HBM beside DRAM) is compared by the first; the others are left out.
 */
static void find_local_columns(const struct report *report, const struct analysis_values *values,
                               size_t table, struct locality_input *input)
{
    const size_t columns = report->sweep->plan.column_count;
    for (size_t unit = 0; unit < values->unit_count; unit++) {
        const struct report_cell *cells = &report->tables[table]
                                               .cells[values->row_of_unit[unit] * columns];
        input->local_column_of_unit[unit] = -1;
        for (size_t column = columns; column > 0; column--) {
            if (cells[column - 1].is_local) {
                input->local_column_of_unit[unit] = (int)column - 1;
            }
        }
    }
}

static int locality_input_create(const struct report *report, const struct analysis_values *values,
                                 size_t table, enum analysis_figure figure, struct locality_input *input)
{
    const size_t columns = report->sweep->plan.column_count;
    const size_t size = values->round_count * values->unit_count;
    *input = (struct locality_input){
        .values_ns = calloc(columns * size + 1, sizeof *input->values_ns),
        .local_column_of_unit = calloc(values->unit_count + 1, sizeof *input->local_column_of_unit),
    };
    if (input->values_ns == NULL || input->local_column_of_unit == NULL) {
        locality_input_destroy(input);
        return -ENOMEM;
    }
    find_local_columns(report, values, table, input);
    for (size_t i = 0; i < columns * size; i++) {
        const size_t column = i / size;
        const size_t unit = i % values->unit_count;
        const size_t index =
            values->figure_of_place[(table * columns + column) * ANALYSIS_FIGURES + figure];
        const bool is_other_local =
            report->tables[table].cells[values->row_of_unit[unit] * columns + column].is_local &&
            input->local_column_of_unit[unit] != (int)column;
        input->values_ns[i] = index == SIZE_MAX || is_other_local
                                  ? (double)NAN
                                  : analysis_value(values, index, i % size / values->unit_count, unit);
    }
    return 0;
}

static int take(const struct report *report, const struct analysis_values *values, size_t table,
                enum analysis_figure figure, const struct verdict_remote *remote,
                struct analysis *analysis)
{
    const struct plan *plan = &report->sweep->plan;
    struct locality_pair pair = {.table = table,
                                 .figure = figure,
                                 .from_node = TOPOLOGY_NONE,
                                 .to_node = TOPOLOGY_NONE,
                                 .cpu = TOPOLOGY_NONE,
                                 .distance = -1,
                                 .shift = remote->machine};
    int error = remote->machine.pair_count > 0
                    ? append(&analysis->machine, &analysis->machine_count, &pair)
                    : 0;
    for (size_t unit = 0; unit < values->unit_count && error == 0; unit++) {
        pair.cpu = plan->rows[values->row_of_unit[unit]].cpu;
        pair.shift = remote->units[unit];
        if (pair.shift.pair_count > 0) {
            error = append(&analysis->cpus, &analysis->cpu_count, &pair);
        }
    }
    pair.cpu = TOPOLOGY_NONE;
    for (size_t i = 0; i < remote->pair_count && error == 0; i++) {
        pair.from_node = plan->columns[remote->pairs[i].from].node;
        pair.to_node = plan->columns[remote->pairs[i].column].node;
        pair.distance = topology_distance(&report->sweep->topology, pair.from_node, pair.to_node);
        pair.shift = remote->pairs[i].shift;
        error = append(&analysis->node_pairs, &analysis->node_pair_count, &pair);
    }
    return error;
}

static int compare_table(const struct report *report, const struct analysis_values *values, size_t table,
                         const struct analysis_settings *settings, struct analysis *analysis)
{
    int error = 0;
    for (size_t i = 0; i < COMPARED && error == 0; i++) {
        struct locality_input made = {0};
        struct verdict_remote remote = {0};
        error = locality_input_create(report, values, table, compared[i], &made);
        const struct verdict_remote_input input = {
            .round_count = values->round_count,
            .unit_count = values->unit_count,
            .column_count = report->sweep->plan.column_count,
            .values_ns = made.values_ns,
            .local_column_of_unit = made.local_column_of_unit,
        };
        if (error == 0) {
            error = verdict_remote_compare(&input, settings->verdict.level, &remote);
        }
        if (error == 0) {
            error = take(report, values, table, compared[i], &remote, analysis);
        }
        verdict_remote_destroy(&remote);
        locality_input_destroy(&made);
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
    /* An imported file's nodes are taken at its word; the validity lines say so. */
    if (sweep->imported_from != NULL) {
        return true;
    }
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

static bool is_real(const struct verdict_shift *shift, const struct analysis_settings *settings,
                    size_t tests)
{
    return shift->p * (double)tests <= settings->verdict.level;
}

static bool is_costly(const struct verdict_shift *shift, const struct analysis_settings *settings,
                      size_t tests)
{
    return is_real(shift, settings, tests) && shift->size.has_share &&
           shift->size.share >= settings->verdict.minimum_share;
}

static void print_difference(const struct locality_pair *pair, const struct analysis_settings *settings,
                             size_t tests, FILE *stream)
{
    const struct verdict_shift *shift = &pair->shift;
    const char *name = pair->figure == ANALYSIS_TOUCH_MEDIAN ? "touch" : "wake";
    if (is_real(shift, settings, tests)) {
        (void)fprintf(stream, "%s %+.2f us (", name, shift->size.estimate_ns / 1000);
        if (shift->size.has_share) {
            (void)fprintf(stream, "%+.0f %%; ", 100 * shift->size.share);
        }
        (void)fprintf(stream, "%.2f..%.2f us, p %s %.3g)", shift->size.low_ns / 1000,
                      shift->size.high_ns / 1000, shift->p < 0.001 ? "<" : "=",
                      shift->p < 0.001 ? 0.001 : shift->p);
    } else if (shift->detectable_ns > 0) {
        (void)fprintf(stream, "%s shows no difference (%.2f us would have been seen)", name,
                      shift->detectable_ns / 1000);
    } else {
        (void)fprintf(stream, "%s cannot be judged: %zu round%s cannot confirm anything", name,
                      shift->pair_count, shift->pair_count == 1 ? "" : "s");
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
                                     is_costly(&pair->shift, settings, analysis->machine_count);
    }
    (void)fputc('.', stream);
    return fclose(stream) == 0 ? 0 : -ENOMEM;
}

int analysis_compare_nodes(const struct report *report, const struct analysis_values *values,
                           const struct analysis_settings *settings, struct analysis *analysis)
{
    int error = 0;
    for (size_t table = 0; table < report->table_count && error == 0 && why_not(report) == NULL;
         table++) {
        error = compare_table(report, values, table, settings, analysis);
    }
    return error != 0 ? error : write_sentence(report, settings, analysis);
}
