/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "limit_parts.h"

#include "identity.h"
#include "numasweep/number.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct limit_breach limit_find_breach(const struct report *report, const struct report_table *table,
                                      size_t row, const struct limit *limit)
{
    const size_t column_count = report->sweep->plan.column_count;
    struct limit_breach breach = {0};
    for (size_t column = 0; column < column_count; column++) {
        const struct report_cell *cell = &table->cells[row * column_count + column];
        if (cell->state == REPORT_CELL_NOT_PLANNED) {
            continue;
        }
        breach.cells_planned++;
        const struct limit_judgement judgement = report_judge_cell(limit, cell);
        if (judgement.verdict != LIMIT_BROKEN) {
            continue;
        }
        if (breach.cells_broken == 0 || judgement.value > breach.worst_value) {
            breach.worst_value = judgement.value;
            breach.worst_column = column;
        }
        breach.cells_broken++;
    }
    return breach;
}

/* NULL when memory ran out. */
__attribute__((format(printf, 1, 2))) static char *make_text(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

char *limit_value_text(const struct limit *limit, double value)
{
    char number[TEXT_NUMBER_SIZE];
    if (limit->figure == LIMIT_EARLY) {
        return make_text("%" PRId64 " early sleep%s", (int64_t)value, number_plural((int64_t)value));
    }
    /* Thousandths of a microsecond are the nanoseconds. */
    return make_text("%s us", text_format_ns(value / 1000.0, number));
}

char *row_place_text(const struct report *report, const struct report_table *table, size_t row,
                     bool has_timeout)
{
    const struct plan *plan = &report->sweep->plan;
    const struct plan_row *planned = &plan->rows[row];
    const struct plan_arm *arm = &plan->arms[table->arm];
    const char *const noun = planned->level == ROW_PU ? "CPU " : "";
    char timeout[DURATION_TEXT_SIZE];
    if (!has_timeout) {
        return make_text("%s%s", noun, planned->label);
    }
    const bool has_load = strcmp(arm->load, "none") != 0;
    return make_text("%s%s, timeout %s%s%s%s%s", noun, planned->label,
                     duration_format(plan->timeouts_ns[table->timeout], timeout),
                     plan->arm_count > 1 ? ", arm " : "", plan->arm_count > 1 ? arm->name : "",
                     has_load ? ", load " : "", has_load ? arm->load : "");
}

char *limit_breach_sentence(const struct report *report, const struct report_table *table, size_t row,
                            const struct limit *limit, const struct limit_breach *breach)
{
    const struct plan_column *column = &report->sweep->plan.columns[breach->worst_column];
    char heading[PLAN_LABEL_SIZE];
    char name[LIMIT_TEXT_SIZE];
    char *place = row_place_text(report, table, row, report->table_count > 1);
    char *value = limit_value_text(limit, breach->worst_value);
    char *sentence = NULL;
    column_heading(column, heading);
    if (place != NULL && value != NULL) {
        const bool is_bound = column->node != TOPOLOGY_NONE;
        sentence = make_text("%s breaks %s in %zu of %zu cell%s%s %s%s%s", place,
                             limit_format(limit, name), breach->cells_broken, breach->cells_planned,
                             number_plural((int64_t)breach->cells_planned),
                             breach->cells_broken > 1 ? ", at worst" : ":", value,
                             is_bound ? " with memory on " : "", is_bound ? heading : "");
    }
    free(place);
    free(value);
    return sentence;
}

char *limit_total_sentence(const struct report_limit *total)
{
    char name[LIMIT_TEXT_SIZE];
    char too_few[80] = "";
    char without[80] = "";
    if (total->cells_too_few > 0) {
        (void)snprintf(too_few, sizeof too_few, ", %zu %s", total->cells_too_few,
                       limit_verdict_text(LIMIT_TOO_FEW));
    }
    if (total->cells_without_samples > 0) {
        (void)snprintf(without, sizeof without, ", %zu %s", total->cells_without_samples,
                       limit_verdict_text(LIMIT_NO_SAMPLES));
    }
    return make_text("limit %s: broken by %zu of %zu cell%s%s%s", limit_format(total->limit, name),
                     total->cells_broken, total->cells, number_plural((int64_t)total->cells), too_few,
                     without);
}

static bool has_cell(const struct limit *limit, const struct report_cell *cells, size_t count,
                     bool is_judged)
{
    for (size_t i = 0; i < count; i++) {
        if (cells[i].state == REPORT_CELL_NOT_PLANNED) {
            continue;
        }
        const enum limit_verdict verdict = report_judge_cell(limit, &cells[i]).verdict;
        if (is_judged ? verdict == LIMIT_BROKEN
                      : verdict == LIMIT_TOO_FEW || verdict == LIMIT_NO_SAMPLES) {
            return true;
        }
    }
    return false;
}

char *limit_list_of_cells(const struct report *report, const struct report_cell *cells, size_t count,
                          bool is_judged)
{
    char *text = NULL;
    size_t size = 0;
    bool is_first = true;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < report->limit_count; i++) {
        const struct limit *limit = report->limits[i].limit;
        char name[LIMIT_TEXT_SIZE];
        if (has_cell(limit, cells, count, is_judged)) {
            (void)fprintf(stream, "%s%s", is_first ? "" : " ", limit_format(limit, name));
            is_first = false;
        }
    }
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
