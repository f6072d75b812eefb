/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include "limit_parts.h"
#include "numasweep/number.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Sentences for each limit and table; the rows past them are only listed. */
enum { SENTENCES_MOST = 8 };

struct limit_rest {
    struct id_list cpus; /* of single CPUs */
    size_t row_count;
    double worst_value;
};

/* Takes the text over. */
static int print_text(char *text, const struct output_settings *settings, FILE *stream)
{
    if (text == NULL) {
        return -ENOMEM;
    }
    const int error = text_print_line(stream, settings->width, settings->use_ascii, 4, "  %s", text);
    free(text);
    return error;
}

static int add_rest(struct limit_rest *rest, const struct plan_row *row,
                    const struct limit_breach *breach)
{
    rest->worst_value = rest->row_count == 0 ? breach->worst_value
                                             : fmax(rest->worst_value, breach->worst_value);
    rest->row_count++;
    return row->level == ROW_PU ? id_list_add(&rest->cpus, row->cpu) : 0;
}

static int print_rest(const struct limit_rest *rest, const struct limit *limit,
                      const struct output_settings *settings, FILE *stream)
{
    if (rest->row_count == 0) {
        return 0;
    }
    char *cpus = id_list_format(&rest->cpus);
    char *value = limit_value_text(limit, rest->worst_value);
    char name[LIMIT_TEXT_SIZE];
    int error = -ENOMEM;
    if (cpus != NULL && value != NULL) {
        const bool has_cpus = rest->cpus.count > 0;
        error = text_print_line(stream, settings->width, settings->use_ascii, 4,
                                "  and %zu row%s more break%s %s%s%s: at worst %s", rest->row_count,
                                number_plural((int64_t)rest->row_count), rest->row_count == 1 ? "s" : "",
                                limit_format(limit, name), has_cpus ? ", CPUs " : "",
                                has_cpus ? cpus : "", value);
    }
    free(cpus);
    free(value);
    return error;
}

static int print_breaches(const struct report *report, const struct report_table *table,
                          const struct limit *limit, const struct output_settings *settings,
                          FILE *stream)
{
    struct limit_rest rest = {0};
    size_t printed = 0;
    int error = 0;
    for (size_t row = 0; error == 0 && row < report->sweep->plan.row_count; row++) {
        const struct limit_breach breach = limit_find_breach(report, table, row, limit);
        if (breach.cells_broken == 0) {
            continue;
        }
        if (printed == SENTENCES_MOST) {
            error = add_rest(&rest, &report->sweep->plan.rows[row], &breach);
            continue;
        }
        error = print_text(limit_breach_sentence(report, table, row, limit, &breach), settings, stream);
        printed++;
    }
    if (error == 0) {
        error = print_rest(&rest, limit, settings, stream);
    }
    id_list_destroy(&rest.cpus);
    return error;
}

int table_print_limits(const struct report *report, const struct output_settings *settings, FILE *stream)
{
    int error = 0;
    if (report->limit_count > 0) {
        (void)fputs("\nLimits\n", stream);
    }
    for (size_t i = 0; i < report->limit_count; i++) {
        for (size_t table = 0; error == 0 && table < report->table_count; table++) {
            error = print_breaches(report, &report->tables[table], report->limits[i].limit, settings,
                                   stream);
        }
    }
    for (size_t i = 0; error == 0 && i < report->limit_count; i++) {
        error = print_text(limit_total_sentence(&report->limits[i]), settings, stream);
    }
    return error;
}
