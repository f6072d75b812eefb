/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tap_point.h"

#include "identity.h"
#include "limit_parts.h"
#include "numasweep/analysis.h"
#include "numasweep/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void tap_point_destroy(struct tap_point *point)
{
    for (size_t i = 0; i < point->problem_count; i++) {
        free(point->problems[i]);
    }
    free(point->problems);
}

/* Takes the text over; NULL: memory ran out. */
static int add_problem(struct tap_point *point, char *text)
{
    char **const grown = text == NULL
                             ? NULL
                             : reallocarray(point->problems, point->problem_count + 1, sizeof *grown);
    if (grown == NULL) {
        free(text);
        return -ENOMEM;
    }
    point->problems = grown;
    point->problems[point->problem_count] = text;
    point->problem_count++;
    return 0;
}

__attribute__((format(printf, 2, 3))) static int add_problem_of(struct tap_point *point,
                                                                const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return add_problem(point, length < 0 ? NULL : text);
}

/* The row's status tells the gravest of what is wrong only, so each kind is looked for by itself. */
static int find_gaps(struct tap_point *point)
{
    const struct plan *plan = &point->report->sweep->plan;
    int error = 0;
    if (plan->rows[point->row].state != ROW_PLANNED) {
        return add_problem_of(point, "not measured: %s", row_reason(&plan->rows[point->row]));
    }
    for (size_t i = 0; error == 0 && i < plan->column_count; i++) {
        const struct report_cell *cell = &point->cells[i];
        char heading[PLAN_LABEL_SIZE];
        column_heading(&plan->columns[i], heading);
        if (cell->state == REPORT_CELL_MISSING || cell->state == REPORT_CELL_INCOMPLETE) {
            error = add_problem_of(point, "%s: %s: %s", heading, cell_state_word(cell->state),
                                   cell->problem);
        }
    }
    return error;
}

static int find_unproved(struct tap_point *point)
{
    const struct plan *plan = &point->report->sweep->plan;
    int error = 0;
    for (size_t i = 0; error == 0 && i < plan->column_count; i++) {
        const struct report_cell *cell = &point->cells[i];
        char heading[PLAN_LABEL_SIZE];
        column_heading(&plan->columns[i], heading);
        if (cell->unproved_count > 0) {
            error = add_problem_of(point, "%s: placement not proved in %" PRId64 " visit%s", heading,
                                   cell->unproved_count, number_plural(cell->unproved_count));
        }
        if (error == 0 && cell->elsewhere_count > 0) {
            error = add_problem_of(point, "%s: %" PRId64 " sample%s taken on another CPU, left out",
                                   heading, cell->elsewhere_count, number_plural(cell->elsewhere_count));
        }
    }
    return error;
}

static int find_broken_limits(struct tap_point *point)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < point->report->limit_count; i++) {
        const struct limit *limit = point->report->limits[i].limit;
        const struct limit_breach breach = limit_find_breach(point->report, point->table, point->row,
                                                             limit);
        if (breach.cells_broken > 0) {
            error = add_problem(
                point, limit_breach_sentence(point->report, point->table, point->row, limit, &breach));
        }
    }
    return error;
}

static bool has_place(const struct finding *finding, size_t table, size_t row)
{
    bool has_table = false;
    bool has_row = false;
    for (size_t i = 0; i < finding->place_count; i++) {
        has_table = has_table || finding->places[i].table == table;
    }
    for (size_t i = 0; i < finding->row_count; i++) {
        has_row = has_row || finding->rows[i] == row;
    }
    return has_table && has_row;
}

static int find_slow(struct tap_point *point)
{
    const struct analysis *analysis = point->report->analysis;
    const size_t table = (size_t)(point->table - point->report->tables);
    int error = 0;
    for (size_t i = 0; error == 0 && analysis != NULL && i < analysis->finding_count; i++) {
        const struct finding *finding = &analysis->findings[i];
        const bool is_flag = finding->type == FINDING_SLOW || finding->type == FINDING_DIFFER;
        if (is_flag && finding->direction == VERDICT_SLOW && has_place(finding, table, point->row)) {
            error = add_problem_of(point, "flagged as slow: %s", finding->sentence);
        }
    }
    return error;
}

/* Whatever makes a point fail is one function here. */
int tap_point_find_problems(struct tap_point *point)
{
    static int (*const finders[])(struct tap_point * point) = {find_gaps, find_unproved,
                                                               find_broken_limits, find_slow};
    int error = 0;
    for (size_t i = 0; error == 0 && i < sizeof finders / sizeof finders[0]; i++) {
        error = finders[i](point);
    }
    return error;
}
