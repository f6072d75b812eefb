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

static void add_ns(struct grid *grid, double value_ns)
{
    char text[TEXT_NUMBER_SIZE];
    grid_add_text(grid, isfinite(value_ns) ? text_format_us(value_ns, text) : "-");
}

static bool has_more_pairs(const struct analysis *analysis)
{
    return analysis->node_pair_count > analysis->machine_count;
}

/* One line for each pair of nodes and figure: with two nodes it is the machine's line over again. */
static int print_node_pairs(const struct report *report, const struct output_settings *settings,
                            FILE *stream)
{
    static const char *const headings[] = {"FIGURE",  "CPUS", "MEMORY", "LOCAL", "REMOTE",
                                           "PERCENT", "LOW",  "HIGH",   "P",     "DIST"};
    const struct analysis *analysis = report->analysis;
    struct grid grid;
    if (!has_more_pairs(analysis)) {
        return 0;
    }
    grid_init(&grid, settings);
    table_add_key_columns(&grid, report, 0);
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        grid_add_column(&grid, headings[i], i > 0, false, 0);
    }
    for (size_t i = 0; i < analysis->node_pair_count; i++) {
        const struct locality_pair *pair = &analysis->node_pairs[i];
        const struct paired_difference *difference = &pair->difference;
        table_add_key(&grid, report, &report->tables[pair->table]);
        grid_add_text(&grid, pair->figure == ANALYSIS_TOUCH_MEDIAN ? "touch" : "wake");
        grid_add_format(&grid, "node%d", pair->from_node);
        grid_add_format(&grid, "node%d", pair->to_node);
        add_ns(&grid, difference->base_ns);
        add_ns(&grid, difference->estimate_ns);
        grid_add_format(&grid, "%+.1f",
                        difference->base_ns > 0 ? 100 * difference->estimate_ns / difference->base_ns
                                                : 0);
        add_ns(&grid, difference->low_ns);
        add_ns(&grid, difference->high_ns);
        grid_add_format(&grid, "%.2g", difference->p);
        grid_add_id(&grid, pair->distance);
    }
    (void)fputc('\n', stream);
    int error = settings->no_headings
                    ? 0
                    : text_print_line(
                          stream, settings->width, settings->use_ascii, 2,
                          "Remote against local by node: LOCAL in us, REMOTE, LOW and HIGH are "
                          "the difference in us with its interval");
    if (error == 0) {
        error = grid_print(&grid, stream);
    }
    grid_destroy(&grid);
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
