/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include "numasweep/number.h"

/* Titles tell several tables apart; without titles each line has to. */
static bool is_keyed(const struct report *report, const struct output_settings *settings)
{
    return settings->no_headings && report->table_count > 1;
}

void table_add_key_columns(struct grid *grid, const struct report *report, int group)
{
    if (!is_keyed(report, grid->settings)) {
        return;
    }
    if (report->sweep->plan.arm_count > 1) {
        grid_add_column(grid, "ARM", false, false, group);
    }
    grid_add_column(grid, "TIMEOUT", true, false, group);
}

void table_add_key(struct grid *grid, const struct report *report, const struct report_table *table)
{
    const struct plan *plan = &report->sweep->plan;
    char timeout[DURATION_TEXT_SIZE];
    if (!is_keyed(report, grid->settings)) {
        return;
    }
    if (plan->arm_count > 1) {
        grid_add_text(grid, plan->arms[table->arm].name);
    }
    grid_add_text(grid, duration_format(plan->timeouts_ns[table->timeout], timeout));
}
