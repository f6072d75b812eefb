/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/analysis.h"
#include "numasweep/number.h"
#include "table_parts.h"
#include "text.h"

#include <math.h>

enum { FINDINGS_MOST = 20 };

static int print_findings(const struct analysis *analysis, const struct output_settings *settings,
                          FILE *stream)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < analysis->finding_count && i < FINDINGS_MOST; i++) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 6, "  %2zu. %s.", i + 1,
                                analysis->findings[i].sentence);
    }
    if (error == 0 && analysis->finding_count > FINDINGS_MOST) {
        const size_t more = analysis->finding_count - FINDINGS_MOST;
        error = text_print_line(stream, settings->width, settings->use_ascii, 6,
                                "      and %zu more finding%s: -o json has all of them", more,
                                number_plural((int64_t)more));
    }
    return error;
}

static bool is_confirmed(const struct analysis *analysis, const struct locality_pair *pair)
{
    return pair->shift.p_adjusted <= analysis->level;
}

static const struct locality_pair *find_pair(const struct analysis *analysis, size_t table,
                                             enum analysis_figure figure, int from, int to)
{
    for (size_t i = 0; i < analysis->node_pair_count; i++) {
        const struct locality_pair *pair = &analysis->node_pairs[i];
        if (pair->table == table && pair->figure == figure && pair->from_node == from &&
            pair->to_node == to) {
            return pair;
        }
    }
    return NULL;
}

static void add_difference(struct grid *grid, const struct analysis *analysis,
                           const struct locality_pair *pair)
{
    char text[TEXT_NUMBER_SIZE];
    if (pair == NULL || pair->shift.pair_count == 0) {
        grid_add_text(grid, "-");
        return;
    }
    const char *sign = pair->shift.size.estimate_ns > 0 ? "+" : "";
    const bool is_sure = is_confirmed(analysis, pair);
    (void)text_format_us(pair->shift.size.estimate_ns, text);
    grid_add_format(grid, "%s%s%s%s", is_sure ? "" : "(", sign, text, is_sure ? "" : ")");
}

static int print_differences_of(const struct report *report, size_t table, enum analysis_figure figure,
                                const char *name, const struct output_settings *settings, FILE *stream)
{
    const struct plan *plan = &report->sweep->plan;
    const struct id_list *nodes = &report->tables[table].matrix.from_nodes;
    struct grid grid;
    grid_init(&grid, settings);
    table_add_key_columns(&grid, report, 0);
    grid_add_column(&grid, "NODE", true, false, 0);
    for (size_t i = 0; i < plan->column_count; i++) {
        char heading[PLAN_LABEL_SIZE + 16];
        (void)snprintf(heading, sizeof heading, "%s:%d", name, plan->columns[i].node);
        grid_add_column(&grid, heading, true, false, 1);
    }
    for (size_t from = 0; from < nodes->count; from++) {
        table_add_key(&grid, report, &report->tables[table]);
        grid_add_id(&grid, nodes->ids[from]);
        for (size_t i = 0; i < plan->column_count; i++) {
            add_difference(
                &grid, report->analysis,
                find_pair(report->analysis, table, figure, nodes->ids[from], plan->columns[i].node));
        }
    }
    const int error = grid_print(&grid, stream);
    grid_destroy(&grid);
    return error;
}

static bool has_figure(const struct analysis *analysis, size_t table, enum analysis_figure figure)
{
    for (size_t i = 0; i < analysis->node_pair_count; i++) {
        if (analysis->node_pairs[i].table == table && analysis->node_pairs[i].figure == figure) {
            return true;
        }
    }
    return false;
}

/* The medians themselves stand in the matrices above; here is what is left of them when each round and
 * each CPU is compared with itself. */
static int print_node_pairs(const struct report *report, const struct output_settings *settings,
                            FILE *stream)
{
    static const struct {
        enum analysis_figure figure;
        const char *name;
    } figures[] = {{ANALYSIS_WAKE_MEDIAN, "wake"}, {ANALYSIS_TOUCH_MEDIAN, "touch"}};
    int error = 0;
    for (size_t table = 0; table < report->table_count && error == 0; table++) {
        for (size_t i = 0; i < 2 && error == 0; i++) {
            if (!has_figure(report->analysis, table, figures[i].figure)) {
                continue;
            }
            (void)fputc('\n', stream);
            if (!settings->no_headings) {
                error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                        "Remote minus local %s in us, paired by round and CPU (in "
                                        "parentheses: not confirmed)",
                                        figures[i].name);
            }
            if (error == 0) {
                error = print_differences_of(report, table, figures[i].figure, figures[i].name, settings,
                                             stream);
            }
        }
    }
    return error;
}

static int print_advice(const struct analysis *analysis, const struct output_settings *settings,
                        FILE *stream)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < analysis->advice_count; i++) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 5, "  -> %s",
                                analysis->advice[i]);
    }
    return error;
}

int table_print_verdict(const struct report *report, const struct output_settings *settings,
                        FILE *stream)
{
    const struct analysis *analysis = report->analysis;
    if (analysis->verdict_sentence == NULL) {
        return 0;
    }
    (void)fputs("\nVerdict\n", stream);
    int error = text_print_line(stream, settings->width, settings->use_ascii, 4, "  %s",
                                analysis->verdict_sentence);
    if (error == 0) {
        error = print_findings(analysis, settings, stream);
    }
    if (error == 0) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 4, "  %s",
                                analysis->locality_sentence);
    }
    if (error == 0) {
        error = print_advice(analysis, settings, stream);
    }
    return error == 0 ? print_node_pairs(report, settings, stream) : error;
}
