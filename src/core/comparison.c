/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/comparison.h"

#include "analysis_internal.h"
#include "numasweep/number.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum analysis_figure compared[] = {ANALYSIS_WAKE_MEDIAN, ANALYSIS_TOUCH_MEDIAN};
enum { COMPARED = sizeof compared / sizeof compared[0] };

/* A cell that both sides have. */
struct match {
    size_t before_unit;
    size_t before_figure;
    size_t after_unit;
    size_t after_figure;
    size_t row;
    size_t column;
};

struct comparing {
    struct comparison *comparison;
    struct analysis_values before;
    struct analysis_values after;
    struct match *matches;
    size_t match_count;
    size_t matched_count; /* cells that both sides have planned, of all tables */
};

static int add_difference(struct comparison *comparison, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int add_difference(struct comparison *comparison, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    char **texts = realloc(comparison->differences, (comparison->difference_count + 1) * sizeof *texts);
    if (texts != NULL) {
        comparison->differences = texts;
    }
    if (length < 0 || texts == NULL) {
        free(length < 0 ? NULL : text);
        return -ENOMEM;
    }
    texts[comparison->difference_count] = text;
    comparison->difference_count++;
    return 0;
}

static int compare_option(struct comparison *comparison, const struct option_row *row)
{
    char *before = row->get(&comparison->before.report->sweep->options, row);
    char *after = row->get(&comparison->after.report->sweep->options, row);
    int error = before == NULL || after == NULL ? -ENOMEM : 0;
    if (error == 0 && strcmp(before, after) != 0) {
        error = add_difference(comparison, "--%s: %s before, %s after", row->name, before, after);
    }
    free(after);
    free(before);
    return error;
}

/* Seeds and files differ always. */
static bool is_of_interest(const struct option_row *row)
{
    return row->is_config_key && (row->commands & FOR_RUN) != 0 && (row->commands & FOR_REPORT) == 0 &&
           strcmp(row->name, "seed") != 0 && strcmp(row->name, "progress") != 0;
}

static int describe_sides(struct comparison *comparison)
{
    const struct sweep *before = comparison->before.report->sweep;
    const struct sweep *after = comparison->after.report->sweep;
    const char *release[2] = {environment_value(&before->environment, "kernel_release"),
                              environment_value(&after->environment, "kernel_release")};
    size_t count = 0;
    const struct option_row *rows = options_table(&count);
    int error = 0;
    comparison->is_same_machine = strcmp(before->host, after->host) == 0 &&
                                  strcmp(before->topology.fingerprint, after->topology.fingerprint) == 0;
    if (strcmp(before->host, after->host) != 0) {
        error = add_difference(comparison, "host: %s before, %s after", before->host, after->host);
    }
    if (error == 0 && strcmp(before->topology.fingerprint, after->topology.fingerprint) != 0) {
        error = add_difference(comparison, "shape of the machine (fingerprint): %s before, %s after",
                               before->topology.fingerprint, after->topology.fingerprint);
    }
    if (error == 0 && strcmp(release[0], release[1]) != 0) {
        error = add_difference(comparison, "Linux: %s before, %s after", release[0], release[1]);
    }
    for (size_t i = 0; i < count && error == 0; i++) {
        error = is_of_interest(&rows[i]) ? compare_option(comparison, &rows[i]) : 0;
    }
    return error;
}

/* The table of `after` with the same arm and timeout; SIZE_MAX: none. */
static size_t find_table(const struct report *before, size_t table, const struct report *after)
{
    const struct plan *plan = &before->sweep->plan;
    const struct plan *other = &after->sweep->plan;
    const struct report_table *wanted = &before->tables[table];
    for (size_t i = 0; i < after->table_count; i++) {
        if (strcmp(plan->arms[wanted->arm].name, other->arms[after->tables[i].arm].name) == 0 &&
            plan->timeouts_ns[wanted->timeout] == other->timeouts_ns[after->tables[i].timeout]) {
            return i;
        }
    }
    return SIZE_MAX;
}

static size_t find_row(const struct plan *plan, const char *label)
{
    for (size_t i = 0; i < plan->row_count; i++) {
        if (strcmp(plan->rows[i].label, label) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static size_t find_column(const struct plan *plan, int node)
{
    for (size_t i = 0; i < plan->column_count; i++) {
        if (plan->columns[i].node == node) {
            return i;
        }
    }
    return SIZE_MAX;
}

static size_t figure_of(const struct analysis_values *values, const struct plan *plan, size_t table,
                        size_t column, enum analysis_figure figure)
{
    return values->figure_of_place[(table * plan->column_count + column) * ANALYSIS_FIGURES + figure];
}

static bool is_planned(const struct report *report, size_t table, size_t row, size_t column)
{
    const size_t position = row * report->sweep->plan.column_count + column;
    return report->tables[table].cells[position].state != REPORT_CELL_NOT_PLANNED;
}

static int match_cells(struct comparing *comparing, size_t table, size_t other_table,
                       enum analysis_figure figure)
{
    struct comparison *comparison = comparing->comparison;
    const struct plan *plan = &comparison->before.report->sweep->plan;
    const struct plan *other = &comparison->after.report->sweep->plan;
    free(comparing->matches);
    comparing->match_count = 0;
    comparing->matches = calloc(plan->row_count * plan->column_count + 1, sizeof *comparing->matches);
    if (comparing->matches == NULL) {
        return -ENOMEM;
    }
    for (size_t row = 0; row < plan->row_count; row++) {
        const size_t other_row = find_row(other, plan->rows[row].label);
        if (plan->rows[row].state != ROW_PLANNED) {
            continue;
        }
        for (size_t column = 0; column < plan->column_count; column++) {
            const size_t other_column = find_column(other, plan->columns[column].node);
            if (!is_planned(comparison->before.report, table, row, column)) {
                continue;
            }
            if (other_row == SIZE_MAX || other_column == SIZE_MAX ||
                !is_planned(comparison->after.report, other_table, other_row, other_column)) {
                comparison->unmatched_before_count += figure == ANALYSIS_WAKE_MEDIAN;
                continue;
            }
            comparing->matched_count += figure == ANALYSIS_WAKE_MEDIAN;
            const struct match match = {
                .before_unit = comparing->before.unit_of_row[row],
                .before_figure = figure_of(&comparing->before, plan, table, column, figure),
                .after_unit = comparing->after.unit_of_row[other_row],
                .after_figure = figure_of(&comparing->after, other, other_table, other_column, figure),
                .row = row,
                .column = column,
            };
            if (match.before_figure != SIZE_MAX && match.after_figure != SIZE_MAX) {
                comparing->matches[comparing->match_count] = match;
                comparing->match_count++;
            }
        }
    }
    return 0;
}

static size_t count_planned(const struct report *report, size_t table)
{
    const struct plan *plan = &report->sweep->plan;
    size_t count = 0;
    for (size_t cell = 0; cell < plan->row_count * plan->column_count; cell++) {
        count += report->tables[table].cells[cell].state != REPORT_CELL_NOT_PLANNED;
    }
    return count;
}

static void fill(const struct comparing *comparing, double *before_ns, double *after_ns, int *nodes,
                 size_t table)
{
    const size_t cells = comparing->match_count;
    for (size_t cell = 0; cell < cells; cell++) {
        const struct match *match = &comparing->matches[cell];
        nodes[cell] = comparing->comparison->before.report->tables[table].rows[match->row].node;
        for (size_t round = 0; round < comparing->before.round_count; round++) {
            before_ns[round * cells + cell] = analysis_value(&comparing->before, match->before_figure,
                                                             round, match->before_unit);
        }
        for (size_t round = 0; round < comparing->after.round_count; round++) {
            after_ns[round * cells + cell] = analysis_value(&comparing->after, match->after_figure,
                                                            round, match->after_unit);
        }
    }
}

static int add_line(struct comparison *comparison, const struct comparison_line *line)
{
    const size_t count = comparison->line_count;
    if ((count & (count - 1)) == 0) {
        struct comparison_line *lines = realloc(comparison->lines,
                                                (count == 0 ? 1 : 2 * count) * sizeof *lines);
        if (lines == NULL) {
            return -ENOMEM;
        }
        comparison->lines = lines;
    }
    comparison->lines[comparison->line_count] = *line;
    comparison->line_count++;
    return 0;
}

static enum comparison_scope scope_of(const struct verdict_change *change)
{
    if (change->subject.partition == VERDICT_ALL) {
        return COMPARISON_MACHINE;
    }
    return change->subject.partition == VERDICT_SINGLE ? COMPARISON_CELL : COMPARISON_NODE;
}

static int take_change(struct comparing *comparing, const struct verdict_change *found, size_t table,
                       enum analysis_figure figure, const struct analysis_settings *settings,
                       size_t families)
{
    struct comparison *comparison = comparing->comparison;
    struct comparison_line line = {.scope = scope_of(found),
                                   .table = table,
                                   .figure = figure,
                                   .node = TOPOLOGY_NONE,
                                   .change = *found};
    struct verdict_change *change = &line.change;
    change->p = change->p * (double)families < 1 ? change->p * (double)families : 1;
    change->is_confirmed = change->before_count > 0 && change->after_count > 0 &&
                           change->p <= settings->verdict.level;
    if (line.scope == COMPARISON_NODE) {
        line.node = change->subject.group;
    } else if (line.scope == COMPARISON_CELL) {
        const struct match *match = &comparing->matches[change->subject.unit];
        line.row = match->row;
        line.column = match->column;
        line.node = comparison->before.report->tables[table].rows[match->row].node;
    }
    line.before_ns = change->size.level_ns;
    line.after_ns = change->size.level_ns + change->size.estimate_ns;
    if (change->is_confirmed && change->is_large) {
        comparison->regression_count += change->size.estimate_ns > 0;
        comparison->improvement_count += change->size.estimate_ns < 0;
    }
    return add_line(comparison, &line);
}

/* The machine first, then its nodes, then the cells. */
static int take_changes(struct comparing *comparing, const struct verdict_changes *changes, size_t table,
                        enum analysis_figure figure, const struct analysis_settings *settings,
                        size_t families)
{
    int error = 0;
    for (int scope = COMPARISON_MACHINE; scope <= COMPARISON_CELL; scope++) {
        for (size_t i = 0; i < changes->count && error == 0; i++) {
            if ((int)scope_of(&changes->items[i]) == scope) {
                error = take_change(comparing, &changes->items[i], table, figure, settings, families);
            }
        }
    }
    return error;
}

static int compare_matches(struct comparing *comparing, size_t table, enum analysis_figure figure,
                           const struct analysis_settings *settings, size_t families)
{
    const size_t cells = comparing->match_count;
    double *before_ns = calloc(cells * comparing->before.round_count + 1, sizeof *before_ns);
    double *after_ns = calloc(cells * comparing->after.round_count + 1, sizeof *after_ns);
    int *nodes = calloc(cells + 1, sizeof *nodes);
    struct verdict_changes changes = {0};
    int error = before_ns == NULL || after_ns == NULL || nodes == NULL ? -ENOMEM : 0;
    if (error == 0) {
        const struct verdict_partition by_node = {.name = "node", .group_of_unit = nodes};
        const struct verdict_change_input input = {
            .before_rounds = comparing->before.round_count,
            .after_rounds = comparing->after.round_count,
            .cell_count = cells,
            .before_ns = before_ns,
            .after_ns = after_ns,
            .partitions = &by_node,
            .partition_count = 1,
        };
        struct verdict_settings one_of_many = settings->verdict;
        one_of_many.level /= (double)families;
        fill(comparing, before_ns, after_ns, nodes, table);
        error = verdict_changes_compute(&input, &one_of_many, &changes);
        if (error == 0 && changes.smallest_possible_p > one_of_many.level) {
            comparing->comparison->rounds_needed = verdict_changes_rounds_needed(one_of_many.level);
        }
    }
    if (error == 0) {
        error = take_changes(comparing, &changes, table, figure, settings, families);
    }
    verdict_changes_destroy(&changes);
    free(nodes);
    free(after_ns);
    free(before_ns);
    return error;
}

static int compare_tables(struct comparing *comparing, const struct analysis_settings *settings)
{
    const struct report *before = comparing->comparison->before.report;
    const struct report *after = comparing->comparison->after.report;
    const size_t families = before->table_count * (before->has_touch && after->has_touch ? 2 : 1);
    struct comparison *const comparison = comparing->comparison;
    int error = 0;
    for (size_t i = 0; i < before->table_count * COMPARED && error == 0; i++) {
        const size_t table = i / COMPARED;
        const enum analysis_figure figure = compared[i % COMPARED];
        const size_t other_table = find_table(before, table, after);
        const bool is_counted = figure == ANALYSIS_WAKE_MEDIAN;
        if (other_table == SIZE_MAX) {
            comparison->unmatched_before_count += is_counted ? count_planned(before, table) : 0;
            continue;
        }
        error = match_cells(comparing, table, other_table, figure);
        if (error == 0 && comparing->match_count > 0) {
            error = compare_matches(comparing, table, figure, settings, families);
        }
    }
    for (size_t table = 0; table < after->table_count; table++) {
        comparison->unmatched_after_count += count_planned(after, table);
    }
    comparison->unmatched_after_count -= comparing->matched_count;
    return error;
}

static int write_sentence(struct comparison *comparison, const struct analysis_settings *settings)
{
    size_t size = 0;
    FILE *stream = open_memstream(&comparison->sentence, &size);
    if (stream == NULL) {
        return -ENOMEM;
    }
    (void)fprintf(stream,
                  "%s: ", comparison->is_same_machine ? "The same machine" : "NOT the same machine");
    if (comparison->rounds_needed > 0) {
        (void)fprintf(stream,
                      "not judged: %s no change can be confirmed; about %zu rounds in each could",
                      comparison->drift_rounds > 1
                          ? "since the figures drift within the sweeps, with so few rounds"
                          : "with so few rounds",
                      comparison->rounds_needed);
    } else if (comparison->regression_count + comparison->improvement_count == 0) {
        (void)fprintf(stream, "no change found of %g %% and more",
                      100 * settings->verdict.minimum_share);
    } else {
        (void)fprintf(stream, "%zu line%s slower and %zu faster by %g %% and more",
                      comparison->regression_count, number_plural((int64_t)comparison->regression_count),
                      comparison->improvement_count, 100 * settings->verdict.minimum_share);
    }
    (void)fprintf(stream, ", at an error rate of %g %% for the whole comparison.",
                  100 * settings->verdict.level);
    return fclose(stream) == 0 ? 0 : -ENOMEM;
}

int comparison_create(const struct comparison_side *before, const struct comparison_side *after,
                      const struct analysis_settings *settings, struct comparison *comparison,
                      struct failure *failure)
{
    struct comparing comparing = {.comparison = comparison};
    *comparison = (struct comparison){.before = *before, .after = *after};
    int error = analysis_values_create(before->report, &comparing.before);
    if (error == 0) {
        error = analysis_values_create(after->report, &comparing.after);
    }
    if (error == 0) {
        error = describe_sides(comparison);
    }
    if (error == 0) {
        error = compare_tables(&comparing, settings);
    }
    if (error == 0 && comparison->line_count == 0) {
        error = failure_set(failure, "compare", 0,
                            "%.150s and %.150s have no cell in common: the same CPU, memory node and "
                            "timeout must have been measured in both",
                            before->name, after->name);
    }
    if (error == 0) {
        error = write_sentence(comparison, settings);
    }
    if (error == -ENOMEM) {
        (void)failure_set(failure, "compare", ENOMEM, "out of memory");
    }
    free(comparing.matches);
    analysis_values_destroy(&comparing.after);
    analysis_values_destroy(&comparing.before);
    if (error != 0) {
        comparison_destroy(comparison);
    }
    return error;
}

void comparison_destroy(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->difference_count; i++) {
        free(comparison->differences[i]);
    }
    free(comparison->differences);
    free(comparison->lines);
    free(comparison->sentence);
    *comparison = (struct comparison){0};
}
