/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare_names.h"
#include "numasweep/number.h"
#include "table_parts.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST_CELL_TABLE = 64 };

static int print_side(const char *word, const struct comparison_side *side,
                      const struct output_settings *settings, FILE *stream)
{
    const struct sweep *sweep = side->report->sweep;
    char when[TEXT_TIME_SIZE];
    return text_print_line(stream, settings->width, settings->use_ascii, 2,
                           "%s: %s, host %s, %s, %lld round%s", word, side->name, sweep->host,
                           text_format_utc(sweep->started_unix_ns, false, when),
                           (long long)sweep->plan.round_count, number_plural(sweep->plan.round_count));
}

static int print_head(const struct comparison *comparison, const struct output_settings *settings,
                      FILE *stream)
{
    int error = print_side("Before", &comparison->before, settings, stream);
    if (error == 0) {
        error = print_side("After", &comparison->after, settings, stream);
    }
    for (size_t i = 0; i < comparison->difference_count && error == 0; i++) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 4, "  differs: %s",
                                comparison->differences[i]);
    }
    return error;
}

static void add_us(struct grid *grid, double value_ns, bool has_sign)
{
    char text[TEXT_NUMBER_SIZE];
    if (!isfinite(value_ns)) {
        grid_add_text(grid, "-");
        return;
    }
    (void)text_format_us(value_ns, text);
    grid_add_format(grid, "%s%s", has_sign && value_ns > 0 ? "+" : "", text);
}

static void add_columns(struct grid *grid, const struct comparison *comparison)
{
    static const char *const headings[] = {"FIGURE",  "WHERE", "MEMORY", "BEFORE", "AFTER", "CHANGE",
                                           "PERCENT", "LOW",   "HIGH",   "P",      "RESULT"};
    if (comparison->before.report->table_count > 1) {
        grid_add_column(grid, "TIMEOUT", true, false, 0);
    }
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        grid_add_column(grid, headings[i], i > 2 && i < 10, false, 0);
    }
}

static const char *result_of(const struct verdict_change *change)
{
    if (change->before_count == 0 || change->after_count == 0) {
        return "?";
    }
    if (!change->is_confirmed) {
        return "none";
    }
    if (!change->is_large) {
        return "small";
    }
    return change->size.estimate_ns > 0 ? "SLOWER" : "FASTER";
}

static void add_place(struct grid *grid, const struct comparison *comparison,
                      const struct comparison_line *line)
{
    const struct plan *plan = &comparison->before.report->sweep->plan;
    if (line->scope == COMPARISON_MACHINE) {
        grid_add_text(grid, "all");
    } else if (line->scope == COMPARISON_NODE) {
        grid_add_format(grid, "node %d", line->node);
    } else {
        grid_add_format(grid, "%s%s", plan->by == ROW_PU ? "CPU " : "", plan->rows[line->row].label);
    }
    grid_add_text(grid, line->scope == COMPARISON_CELL ? plan->columns[line->column].label : "-");
}

static void add_line(struct grid *grid, const struct comparison *comparison,
                     const struct comparison_line *line)
{
    const struct report *report = comparison->before.report;
    const struct verdict_change *change = &line->change;
    char timeout[DURATION_TEXT_SIZE];
    if (report->table_count > 1) {
        const size_t position = report->tables[line->table].timeout;
        grid_add_text(grid, duration_format(report->sweep->plan.timeouts_ns[position], timeout));
    }
    grid_add_text(grid, comparison_figure_name(line->figure));
    add_place(grid, comparison, line);
    add_us(grid, line->before_ns, false);
    add_us(grid, line->after_ns, false);
    add_us(grid, change->size.estimate_ns, true);
    if (change->size.has_share) {
        grid_add_format(grid, "%+.1f", 100 * change->size.share);
    } else {
        grid_add_text(grid, "-");
    }
    add_us(grid, change->size.low_ns, true);
    add_us(grid, change->size.high_ns, true);
    grid_add_format(grid, "%.2g", change->p);
    if (change->is_confirmed && change->is_large) {
        grid_add_flag(grid, result_of(change));
    } else {
        grid_add_text(grid, result_of(change));
    }
}

static size_t count_cells(const struct comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->line_count; i++) {
        count += comparison->lines[i].scope == COMPARISON_CELL;
    }
    return count;
}

/* Of many cells only those that changed: the others have nothing to say, and stand in csv and json. */
static bool is_shown(const struct comparison_line *line, size_t cells,
                     const struct output_settings *settings)
{
    if ((line->figure == ANALYSIS_TOUCH_MEDIAN && settings->figure == FIGURE_WAKE) ||
        (line->figure != ANALYSIS_TOUCH_MEDIAN && settings->figure == FIGURE_TOUCH)) {
        return false;
    }
    return line->scope != COMPARISON_CELL || cells <= LARGEST_CELL_TABLE || line->change.is_confirmed;
}

static int print_unmatched(size_t count, const char *here, const char *there,
                           const struct output_settings *settings, FILE *stream)
{
    return count == 0
               ? 0
               : text_print_line(stream, settings->width, settings->use_ascii, 2,
                                 "%zu cell%s of the %s file %s not in the %s: not compared", count,
                                 number_plural((int64_t)count), here, count == 1 ? "is" : "are", there);
}

int table_print_comparison(const struct comparison *comparison, const struct output_settings *settings,
                           FILE *stream, struct failure *failure)
{
    const size_t cells = count_cells(comparison);
    size_t hidden = 0;
    struct grid grid;
    (void)failure;
    int error = settings->no_headings ? 0 : print_head(comparison, settings, stream);
    grid_init(&grid, settings);
    add_columns(&grid, comparison);
    for (size_t i = 0; i < comparison->line_count; i++) {
        if (is_shown(&comparison->lines[i], cells, settings)) {
            add_line(&grid, comparison, &comparison->lines[i]);
        } else {
            hidden++;
        }
    }
    if (error == 0) {
        (void)fputs("\nMedians in us over rounds; the change with its 95 % interval (none: no change "
                    "found; small:\n"
                    "confirmed, but smaller than what counts; ?: no samples)\n",
                    stream);
        error = grid_print(&grid, stream);
    }
    grid_destroy(&grid);
    if (error == 0 && hidden > 0 && settings->figure == FIGURE_BOTH) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                "%zu cells in which no change was found are left out", hidden);
    }
    if (error == 0) {
        error = print_unmatched(comparison->unmatched_before_count, "first", "second", settings, stream);
    }
    if (error == 0) {
        error = print_unmatched(comparison->unmatched_after_count, "second", "first", settings, stream);
    }
    if (error == 0) {
        (void)fputc('\n', stream);
        error = text_print_line(stream, settings->width, settings->use_ascii, 2, "%s",
                                comparison->sentence);
    }
    return error != 0 ? error : text_stream_error(stream);
}

static int print_group_figure(const struct comparison_groups *groups, bool is_touch,
                              const struct output_settings *settings, FILE *stream)
{
    struct grid grid;
    grid_init(&grid, settings);
    grid_add_column(&grid, groups->field, false, false, 0);
    for (size_t run = 0; run < groups->run_count; run++) {
        char heading[32];
        (void)snprintf(heading, sizeof heading, "run%zu", run + 1);
        grid_add_column(&grid, heading, true, false, 1);
    }
    for (size_t i = 0; i < groups->group_count; i++) {
        const struct comparison_group *group = &groups->groups[i];
        grid_add_text(&grid, group->label);
        for (size_t run = 0; run < groups->run_count; run++) {
            const double value_ns = run < group->report_count
                                        ? comparison_run_value(group->reports[run], is_touch,
                                                               settings->metric)
                                        : (double)NAN;
            char text[TEXT_NUMBER_SIZE];
            grid_add_text(&grid, isfinite(value_ns) ? text_format_us(value_ns, text) : "-");
        }
    }
    int error = settings->no_headings ? 0
                                      : text_print_line(stream, settings->width, settings->use_ascii, 2,
                                                        "%s of %s in us over all cells, by %s",
                                                        metric_name(settings->metric),
                                                        is_touch ? "touch" : "wake", groups->field);
    if (error == 0) {
        error = grid_print(&grid, stream);
    }
    grid_destroy(&grid);
    return error;
}

static bool has_any_touch(const struct comparison_groups *groups)
{
    for (size_t i = 0; i < groups->group_count; i++) {
        for (size_t run = 0; run < groups->groups[i].report_count; run++) {
            if (groups->groups[i].reports[run]->has_touch) {
                return true;
            }
        }
    }
    return false;
}

int table_print_groups(const struct comparison_groups *groups, const struct output_settings *settings,
                       FILE *stream, struct failure *failure)
{
    int error = 0;
    (void)failure;
    if (settings->figure != FIGURE_TOUCH) {
        error = print_group_figure(groups, false, settings, stream);
    }
    /* Nobody asked for a table without any figure. */
    const bool has_touch = settings->figure == FIGURE_TOUCH ||
                           (settings->figure == FIGURE_BOTH && has_any_touch(groups));
    if (error == 0 && has_touch && settings->figure == FIGURE_BOTH) {
        (void)fputc('\n', stream);
    }
    if (error == 0 && has_touch) {
        error = print_group_figure(groups, true, settings, stream);
    }
    return error != 0 ? error : text_stream_error(stream);
}
