/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare_names.h"
#include "csv_parts.h"
#include "text.h"

#include <math.h>

static void put_line(struct csv_line *out, const struct comparison *comparison,
                     const struct comparison_line *line)
{
    const struct report *report = comparison->before.report;
    const struct plan *plan = &report->sweep->plan;
    const struct report_table *table = &report->tables[line->table];
    const struct verdict_change *change = &line->change;
    const bool is_cell = line->scope == COMPARISON_CELL;
    csv_text(out, plan->arms[table->arm].name);
    csv_integer(out, plan->timeouts_ns[table->timeout]);
    csv_text(out, comparison_figure_name(line->figure));
    csv_text(out, comparison_scope_name(line->scope));
    csv_text(out, is_cell ? plan->rows[line->row].label : "");
    csv_id(out, line->node);
    csv_id(out, is_cell ? plan->columns[line->column].node : TOPOLOGY_NONE);
    csv_integer(out, (int64_t)change->before_count);
    csv_integer(out, (int64_t)change->after_count);
    csv_number_ns(out, line->before_ns);
    csv_number_ns(out, line->after_ns);
    csv_number_ns(out, change->size.estimate_ns);
    csv_number_ns(out, change->size.low_ns);
    csv_number_ns(out, change->size.high_ns);
    csv_number_ns(out, change->p);
    csv_bool(out, change->is_confirmed);
    csv_bool(out, change->is_large);
    csv_end(out);
}

int csv_print_comparison(const struct comparison *comparison, const struct output_settings *settings,
                         FILE *stream, struct failure *failure)
{
    struct csv_line line = {.stream = stream};
    (void)failure;
    if (!settings->no_headings) {
        csv_names(&line,
                  "arm,timeout_ns,figure,scope,row,cpu_node,memory_node,before_rounds,after_rounds,"
                  "before_ns,after_ns,change_ns,low_ns,high_ns,p,is_confirmed,is_large");
        csv_end(&line);
    }
    for (size_t i = 0; i < comparison->line_count; i++) {
        put_line(&line, comparison, &comparison->lines[i]);
    }
    return text_stream_error(stream);
}

int csv_print_groups(const struct comparison_groups *groups, const struct output_settings *settings,
                     FILE *stream, struct failure *failure)
{
    struct csv_line line = {.stream = stream};
    (void)failure;
    if (!settings->no_headings) {
        csv_text(&line, groups->field);
        csv_names(&line, "run,wake_ns,touch_ns");
        csv_end(&line);
    }
    for (size_t i = 0; i < groups->group_count; i++) {
        for (size_t run = 0; run < groups->groups[i].report_count; run++) {
            const struct report *report = groups->groups[i].reports[run];
            csv_text(&line, groups->groups[i].label);
            csv_integer(&line, (int64_t)run + 1);
            csv_number_ns(&line, comparison_run_value(report, false, settings->metric));
            csv_number_ns(&line, comparison_run_value(report, true, settings->metric));
            csv_end(&line);
        }
    }
    return text_stream_error(stream);
}
