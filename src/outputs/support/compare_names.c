/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare_names.h"

#include <math.h>

const char *comparison_scope_name(enum comparison_scope scope)
{
    static const char *const names[] = {
        [COMPARISON_MACHINE] = "machine", [COMPARISON_NODE] = "node", [COMPARISON_CELL] = "cell"};
    return names[scope];
}

const char *comparison_figure_name(enum analysis_figure figure)
{
    return figure == ANALYSIS_TOUCH_MEDIAN ? "touch" : "wake";
}

double comparison_run_value(const struct report *report, bool is_touch, enum metric metric)
{
    if (report->table_count == 0) {
        return (double)NAN;
    }
    const struct figure_summary *figure = is_touch ? &report->tables[0].touch : &report->tables[0].wake;
    return figure->has_value[metric] ? figure->values_ns[metric] : (double)NAN;
}
