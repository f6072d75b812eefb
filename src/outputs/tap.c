/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A test point for each row of each table, for test harnesses. The version is 13 because harnesses that
 * know no later one refuse the whole stream; nothing in it reads otherwise in version 14.
 */
#include "numasweep/output.h"

#include "numasweep/number.h"
#include "support/identity.h"
#include "support/limit_parts.h"
#include "support/tap_point.h"
#include "support/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* On one line, without control characters, and with every character of `special` behind a backslash. */
static int put_escaped(FILE *stream, const char *text, const char *special)
{
    char *printable = text_printable(text, false);
    if (printable == NULL) {
        return -ENOMEM;
    }
    for (const char *character = printable; *character != '\0'; character++) {
        if (strchr(special, *character) != NULL) {
            (void)fputc('\\', stream);
        }
        (void)fputc(*character, stream);
    }
    free(printable);
    return 0;
}

static int put_text(FILE *stream, const char *before, const char *text)
{
    (void)fprintf(stream, "%s\"", before);
    const int error = put_escaped(stream, text, "\\\"");
    (void)fputs("\"\n", stream);
    return error;
}

static int put_texts(FILE *stream, const char *name, char *const *texts, size_t count)
{
    int error = 0;
    (void)fprintf(stream, "  %s:%s\n", name, count == 0 ? " []" : "");
    for (size_t i = 0; error == 0 && i < count; i++) {
        error = put_text(stream, "    - ", texts[i]);
    }
    return error;
}

/* Figures that are not known are left out. */
static void put_figure(FILE *stream, const char *name, const struct figure_summary *figure)
{
    char number[TEXT_NUMBER_SIZE];
    if (figure->sample_count == 0) {
        return;
    }
    (void)fprintf(stream, "  %s:\n    samples: %zu\n", name, figure->sample_count);
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (figure->has_value[i]) {
            (void)fprintf(stream, "    %s: %s\n", metric_name((enum metric)i),
                          text_format_ns(figure->values_ns[i] / 1000.0, number));
        }
    }
}

static void put_median(FILE *stream, const char *name, const struct figure_summary *figure)
{
    char number[TEXT_NUMBER_SIZE];
    if (figure->has_value[METRIC_MEDIAN]) {
        (void)fprintf(stream, "      %s: %s\n", name,
                      text_format_ns(figure->values_ns[METRIC_MEDIAN] / 1000.0, number));
    }
}

static int put_cells(const struct tap_point *point, FILE *stream)
{
    const struct plan *plan = &point->report->sweep->plan;
    const char *heading = "  cells:\n";
    int error = 0;
    for (size_t i = 0; error == 0 && i < plan->column_count; i++) {
        const struct report_cell *cell = &point->cells[i];
        char memory[PLAN_LABEL_SIZE];
        if (cell->state == REPORT_CELL_NOT_PLANNED) {
            continue;
        }
        (void)fputs(heading, stream);
        heading = "";
        column_heading(&plan->columns[i], memory);
        error = put_text(stream, "    - memory: ", memory);
        (void)fprintf(stream, "      is_local: %s\n      state: \"%s\"\n",
                      cell->is_local ? "true" : "false", cell_state_word(cell->state));
        put_median(stream, "wake_median_us", &cell->wake);
        put_median(stream, "touch_median_us", &cell->touch);
    }
    return error;
}

static int put_limits(const struct tap_point *point, FILE *stream)
{
    const size_t column_count = point->report->sweep->plan.column_count;
    if (point->report->limit_count == 0) {
        return 0;
    }
    char *broken = limit_list_of_cells(point->report, point->cells, column_count, true);
    char *not_judged = limit_list_of_cells(point->report, point->cells, column_count, false);
    int error = -ENOMEM;
    if (broken != NULL && not_judged != NULL) {
        error = put_text(stream, "  limits_broken: ", broken);
    }
    if (error == 0) {
        error = put_text(stream, "  limits_not_judged: ", not_judged);
    }
    free(not_judged);
    free(broken);
    return error;
}

static int put_diagnostics(const struct tap_point *point, FILE *stream)
{
    const struct plan *plan = &point->report->sweep->plan;
    const struct plan_row *row = &plan->rows[point->row];
    char *cpus = row_cpus_text(row);
    char number[TEXT_NUMBER_SIZE];
    (void)fputs("  ---\n", stream);
    int error = cpus == NULL ? -ENOMEM : put_text(stream, "  row: ", row->label);
    if (error == 0) {
        error = put_text(stream, "  cpus: ", cpus);
    }
    if (error == 0) {
        (void)fprintf(stream, "  timeout_us: %s\n",
                      text_format_ns((double)plan->timeouts_ns[point->table->timeout] / 1000.0, number));
        error = put_text(stream, "  status: ", point->shown->status);
    }
    if (error == 0) {
        error = put_texts(stream, "problems", point->problems, point->problem_count);
    }
    if (error == 0) {
        error = put_limits(point, stream);
    }
    if (error == 0) {
        put_figure(stream, "wake_us", &point->shown->wake);
        put_figure(stream, "touch_us", &point->shown->touch);
        (void)fprintf(stream, "  early: %" PRId64 "\n", point->shown->early_count);
        error = put_cells(point, stream);
    }
    (void)fputs("  ...\n", stream);
    free(cpus);
    return error;
}

static int put_heading(const struct tap_point *point, size_t number, FILE *stream)
{
    char *place = row_place_text(point->report, point->table, point->row, true);
    int error = -ENOMEM;
    if (place != NULL) {
        (void)fprintf(stream, "%sok %zu - ", point->problem_count > 0 ? "not " : "", number);
        error = put_escaped(stream, place, "\\#");
    }
    free(place);
    return error;
}

static int put_point(struct tap_point *point, size_t number, FILE *stream)
{
    const struct plan_row *row = &point->report->sweep->plan.rows[point->row];
    const bool is_skipped = row->state != ROW_PLANNED && !row->is_asked_for;
    int error = is_skipped ? 0 : tap_point_find_problems(point);
    if (error == 0) {
        error = put_heading(point, number, stream);
    }
    if (error == 0 && is_skipped) {
        (void)fputs(" # SKIP ", stream);
        error = put_escaped(stream, row_reason(row), "\\#");
    }
    (void)fputc('\n', stream);
    return error == 0 && !is_skipped ? put_diagnostics(point, stream) : error;
}

static int put_table(const struct report *report, const struct report_table *table, size_t *number,
                     FILE *stream)
{
    const struct plan *plan = &report->sweep->plan;
    int error = 0;
    for (size_t row = 0; error == 0 && row < plan->row_count; row++) {
        struct tap_point point = {.report = report,
                                  .table = table,
                                  .row = row,
                                  .shown = &table->rows[row],
                                  .cells = &table->cells[row * plan->column_count]};
        (*number)++;
        error = put_point(&point, *number, stream);
        tap_point_destroy(&point);
    }
    return error;
}

static int put_comment(FILE *stream, const char *text)
{
    (void)fputs("# ", stream);
    const int error = put_escaped(stream, text, "");
    (void)fputc('\n', stream);
    return error;
}

/* What holds for all points. */
static int put_comments(const struct report *report, FILE *stream)
{
    const struct sweep *sweep = report->sweep;
    char when[TEXT_TIME_SIZE];
    (void)fprintf(stream, "# seed %" PRIu64 ", %" PRId64 " round%s, %s\n", sweep->plan.seed,
                  sweep->plan.round_count, number_plural(sweep->plan.round_count),
                  text_format_utc(sweep->started_unix_ns, false, when));
    int error = put_comment(stream, sweep->host != NULL ? sweep->host : "unknown host");
    for (size_t i = 0; error == 0 && i < sweep->warning_count; i++) {
        error = put_comment(stream, sweep->warnings[i]);
    }
    for (size_t i = 0; error == 0 && i < report->validity_count; i++) {
        error = put_comment(stream, report->validity[i]);
    }
    for (size_t i = 0; error == 0 && i < report->limit_count; i++) {
        char *total = limit_total_sentence(&report->limits[i]);
        error = total == NULL ? -ENOMEM : put_comment(stream, total);
        free(total);
    }
    return error;
}

static int print_report(const struct report *report, const struct output_settings *settings,
                        FILE *stream, struct failure *failure)
{
    const size_t count = report->table_count * report->sweep->plan.row_count;
    size_t number = 0;
    (void)settings;
    (void)failure;
    (void)fprintf(stream, "TAP version 13\n1..%zu%s\n", count, count == 0 ? " # SKIP no rows" : "");
    int error = put_comments(report, stream);
    for (size_t i = 0; error == 0 && i < report->table_count; i++) {
        error = put_table(report, &report->tables[i], &number, stream);
    }
    return error != 0 ? error : text_stream_error(stream);
}

const struct output_format output_tap = {
    .name = "tap",
    .summary = "a test point for each row (TAP 13), diagnostics as YAML",
    .print_report = print_report,
};
