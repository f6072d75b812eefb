/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_parts.h"

static json_t *json_of_judgement(const struct report *report, const struct report_table *table,
                                 size_t row, size_t column, const struct limit *limit)
{
    const struct plan *plan = &report->sweep->plan;
    const struct report_cell *cell = &table->cells[row * plan->column_count + column];
    const struct limit_judgement judgement = report_judge_cell(limit, cell);
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:s}", "arm", plan->arms[table->arm].name, "timeout_ns",
                     (json_int_t)plan->timeouts_ns[table->timeout], "row",
                     json_of_text(plan->rows[row].label), "node", json_of_id(plan->columns[column].node),
                     "value", json_of_ns(judgement.value), "verdict",
                     limit_verdict_text(judgement.verdict));
}

static void append_judgements(const struct report *report, const struct report_table *table,
                              const struct limit *limit, json_t **judgements)
{
    const struct plan *plan = &report->sweep->plan;
    for (size_t i = 0; i < plan->row_count * plan->column_count; i++) {
        if (table->cells[i].state != REPORT_CELL_NOT_PLANNED) {
            json_append(judgements, json_of_judgement(report, table, i / plan->column_count,
                                                      i % plan->column_count, limit));
        }
    }
}

static json_t *json_of_limit(const struct report *report, const struct report_limit *total)
{
    static const char *const figures[] = {
        [LIMIT_WAKE] = "wake", [LIMIT_TOUCH] = "touch", [LIMIT_EARLY] = "early"};
    const struct limit *limit = total->limit;
    const bool is_count = limit->figure == LIMIT_EARLY;
    char text[LIMIT_TEXT_SIZE];
    json_t *judgements = json_array();
    for (size_t i = 0; i < report->table_count; i++) {
        append_judgements(report, &report->tables[i], limit, &judgements);
    }
    return json_pack("{s:s, s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "limit",
                     limit_format(limit, text), "figure", figures[limit->figure], "metric",
                     json_of_text(is_count ? NULL : metric_name(limit->metric)), "unit",
                     is_count ? "count" : "ns", "most", (json_int_t)limit->most, "cells",
                     (json_int_t)total->cells, "cells_broken", (json_int_t)total->cells_broken,
                     "cells_too_few_samples", (json_int_t)total->cells_too_few, "cells_without_samples",
                     (json_int_t)total->cells_without_samples, "judgements", judgements);
}

json_t *json_of_limits(const struct report *report)
{
    json_t *limits = json_array();
    for (size_t i = 0; i < report->limit_count; i++) {
        json_append(&limits, json_of_limit(report, &report->limits[i]));
    }
    return limits;
}
