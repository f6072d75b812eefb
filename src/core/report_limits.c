/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report_parts.h"

#include <errno.h>
#include <stdlib.h>

struct limit_judgement report_judge_cell(const struct limit *limit, const struct report_cell *cell)
{
    return limit_judge(limit, &cell->wake, &cell->touch, cell->early_count);
}

static void judge_cell(struct report *report, struct report_cell *cell)
{
    for (size_t i = 0; i < report->limit_count; i++) {
        struct report_limit *const total = &report->limits[i];
        const enum limit_verdict verdict = report_judge_cell(total->limit, cell).verdict;
        total->cells++;
        total->cells_broken += verdict == LIMIT_BROKEN;
        total->cells_too_few += verdict == LIMIT_TOO_FEW;
        total->cells_without_samples += verdict == LIMIT_NO_SAMPLES;
        cell->breaks_limit = cell->breaks_limit || verdict == LIMIT_BROKEN;
    }
    report->breaks_limit = report->breaks_limit || cell->breaks_limit;
}

int report_fill_limits(struct report *report)
{
    const struct plan *plan = &report->sweep->plan;
    const struct limit_list *limits = &report->sweep->options.limits;
    const size_t cell_count = plan->row_count * plan->column_count;
    report->limits = calloc(limits->count + 1, sizeof *report->limits);
    if (report->limits == NULL) {
        return -ENOMEM;
    }
    report->limit_count = limits->count;
    for (size_t i = 0; i < limits->count; i++) {
        report->limits[i].limit = &limits->items[i];
    }
    for (size_t table = 0; table < report->table_count; table++) {
        for (size_t i = 0; i < cell_count; i++) {
            struct report_cell *const cell = &report->tables[table].cells[i];
            if (cell->state != REPORT_CELL_NOT_PLANNED) {
                judge_cell(report, cell);
            }
        }
    }
    return 0;
}
