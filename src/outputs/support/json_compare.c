/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare_names.h"
#include "json_parts.h"

#include <math.h>

static json_t *json_of_side(const struct comparison_side *side)
{
    const struct sweep *sweep = side->report->sweep;
    return json_pack("{s:o, s:o, s:o, s:I, s:o}", "file", json_of_text(side->name), "host",
                     json_of_text(sweep->host), "fingerprint", json_of_text(sweep->topology.fingerprint),
                     "rounds", (json_int_t)sweep->plan.round_count, "kernel",
                     json_of_text(environment_value(&sweep->environment, "kernel_release")));
}

static json_t *json_of_line(const struct comparison *comparison, const struct comparison_line *line)
{
    const struct report *report = comparison->before.report;
    const struct plan *plan = &report->sweep->plan;
    const struct report_table *table = &report->tables[line->table];
    const bool is_cell = line->scope == COMPARISON_CELL;
    return json_pack(
        "{s:s, s:I, s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:f, s:b, s:b}", "arm",
        plan->arms[table->arm].name, "timeout_ns", (json_int_t)plan->timeouts_ns[table->timeout],
        "figure", comparison_figure_name(line->figure), "scope", comparison_scope_name(line->scope),
        "row", is_cell ? json_of_text(plan->rows[line->row].label) : json_null(), "cpu_node",
        json_of_id(line->node), "memory_node",
        is_cell ? json_of_id(plan->columns[line->column].node) : json_null(), "before_rounds",
        (json_int_t)line->change.before_count, "after_rounds", (json_int_t)line->change.after_count,
        "before_ns", json_of_ns(line->before_ns), "after_ns", json_of_ns(line->after_ns), "change",
        json_of_size(&line->change.size), "p", line->change.p, "is_confirmed", line->change.is_confirmed,
        "is_large", line->change.is_large);
}

json_t *json_of_comparison(const struct comparison *comparison)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < comparison->line_count; i++) {
        json_append(&lines, json_of_line(comparison, &comparison->lines[i]));
    }
    return json_pack("{s:s, s:o, s:o, s:b, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "schema",
                     "numasweep-comparison/1", "before", json_of_side(&comparison->before), "after",
                     json_of_side(&comparison->after), "is_same_machine", comparison->is_same_machine,
                     "differences", json_of_texts(comparison->differences, comparison->difference_count),
                     "sentence", json_of_text(comparison->sentence), "regressions",
                     (json_int_t)comparison->regression_count, "improvements",
                     (json_int_t)comparison->improvement_count, "unmatched_cells",
                     (json_int_t)comparison->unmatched_before_count, "unmatched_cells_after",
                     (json_int_t)comparison->unmatched_after_count, "rounds_needed",
                     (json_int_t)comparison->rounds_needed, "lines", lines);
}

static json_t *json_of_values(const struct report *report, bool is_touch)
{
    json_t *object = json_object();
    for (int metric = 0; metric < METRIC_COUNT && object != NULL; metric++) {
        char key[32];
        (void)snprintf(key, sizeof key, "%s_ns", metric_name((enum metric)metric));
        if (json_object_set_new(
                object, key, json_of_ns(comparison_run_value(report, is_touch, (enum metric)metric))) !=
            0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

json_t *json_of_groups(const struct comparison_groups *groups)
{
    json_t *array = json_array();
    for (size_t i = 0; i < groups->group_count; i++) {
        json_t *runs = json_array();
        for (size_t run = 0; run < groups->groups[i].report_count; run++) {
            const struct report *report = groups->groups[i].reports[run];
            json_append(&runs, json_pack("{s:o, s:o}", "wake", json_of_values(report, false), "touch",
                                         json_of_values(report, true)));
        }
        json_append(&array, json_pack("{s:o, s:o}", "value", json_of_text(groups->groups[i].label),
                                      "runs", runs));
    }
    return json_pack("{s:s, s:s, s:o}", "schema", "numasweep-groups/1", "field", groups->field, "groups",
                     array);
}
