/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "identity.h"
#include "json_parts.h"
#include "numasweep/analysis.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static json_t *json_of_figure(const struct figure_summary *figure)
{
    json_t *object = json_pack("{s:I}", "samples", (json_int_t)figure->sample_count);
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        char key[32];
        (void)snprintf(key, sizeof key, "%s_ns", metric_name((enum metric)metric));
        if (json_object_set_new(
                object, key,
                json_of_ns(figure->has_value[metric] ? figure->values_ns[metric] : (double)NAN)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *json_of_cell(const struct report *report, const struct report_cell *cell, size_t column)
{
    char policy[32] = "";
    return json_pack(
        "{s:o, s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "node",
        json_of_id(report->sweep->plan.columns[column].node), "state", cell_state_word(cell->state),
        "is_local", cell->is_local, "visits_planned", (json_int_t)cell->visits_planned,
        "visits_measured", (json_int_t)cell->visits_measured, "visits_failed",
        (json_int_t)cell->visits_failed, "wake", json_of_figure(&cell->wake), "touch",
        cell->touch.sample_count > 0 ? json_of_figure(&cell->touch) : json_null(), "early",
        (json_int_t)cell->early_count, "elsewhere", (json_int_t)cell->elsewhere_count, "unproved",
        (json_int_t)cell->unproved_count, "policy",
        cell->policy >= 0 ? json_string(policy_text(cell->policy, cell->priority, policy)) : json_null(),
        "problem", json_of_text(cell->problem));
}

/* Which of a row's CPUs the kernel was told to keep its work away from: such a row is compared with
 * care. */
static json_t *json_of_kept_apart(const struct report *report, const struct id_list *cpus, bool by_tick)
{
    json_t *array = json_array();
    for (size_t i = 0; i < cpus->count; i++) {
        const struct topology_cpu *cpu = topology_find_cpu(&report->sweep->topology, cpus->ids[i]);
        if (cpu != NULL && (by_tick ? cpu->is_nohz_full : cpu->is_isolated)) {
            json_append(&array, json_integer(cpu->cpu));
        }
    }
    return array;
}

static json_t *json_of_row(const struct report *report, const struct report_table *table,
                           size_t row_index)
{
    const struct plan *plan = &report->sweep->plan;
    const struct report_row *row = &table->rows[row_index];
    json_t *cells = json_array();
    for (size_t column = 0; column < plan->column_count; column++) {
        const struct report_cell *cell = &table->cells[row_index * plan->column_count + column];
        if (cell->state != REPORT_CELL_NOT_PLANNED) {
            json_append(&cells, json_of_cell(report, cell, column));
        }
    }
    const char *mark = analysis_row_mark(report, (size_t)(table - report->tables), row_index);
    return json_pack(
        "{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:I, s:o, "
        "s:o, s:o}",
        "row", json_of_text(row->row->label), "cpu", row->row->cpu, "cpus", json_of_ids(&row->row->cpus),
        "node", json_of_id(row->node), "package", json_of_id(row->package), "l3", json_of_id(row->l3),
        "core", json_of_id(row->core), "siblings", json_of_text(row->siblings), "kind",
        json_of_text(row->kind), "isolated", json_of_kept_apart(report, &row->row->cpus, false),
        "nohz_full", json_of_kept_apart(report, &row->row->cpus, true), "nearest_node",
        json_of_id(row->nearest_node), "state", row_state_name(row->row->state), "wake",
        json_of_figure(&row->wake), "touch",
        row->touch.sample_count > 0 ? json_of_figure(&row->touch) : json_null(), "early",
        (json_int_t)row->early_count, "status", json_of_text(row->status), "verdict",
        mark[0] != '\0' ? json_of_text(mark) : json_null(), "cells", cells);
}

static json_t *json_of_matrix(const struct report *report, const struct report_matrix *matrix)
{
    const struct plan *plan = &report->sweep->plan;
    json_t *entries = json_array();
    for (size_t from = 0; from < matrix->from_nodes.count; from++) {
        for (size_t column = 0; column < plan->column_count; column++) {
            const size_t position = from * plan->column_count + column;
            json_append(&entries,
                        json_pack("{s:i, s:o, s:o, s:o, s:o}", "cpu_node", matrix->from_nodes.ids[from],
                                  "memory_node", json_of_id(plan->columns[column].node),
                                  "wake_median_ns", json_of_ns(matrix->wake_ns[position]),
                                  "touch_median_ns", json_of_ns(matrix->touch_ns[position]), "distance",
                                  json_of_id(matrix->distances[position])));
        }
    }
    return entries;
}

static json_t *json_of_table(const struct report *report, const struct report_table *table)
{
    const struct plan *plan = &report->sweep->plan;
    json_t *rows = json_array();
    for (size_t row = 0; row < plan->row_count; row++) {
        json_append(&rows, json_of_row(report, table, row));
    }
    return json_pack(
        "{s:s, s:s, s:s, s:I, s:o, s:o, s:I, s:o, s:o}", "arm", plan->arms[table->arm].name, "load",
        plan->arms[table->arm].load, "kernel", plan->arms[table->arm].kernel, "timeout_ns",
        (json_int_t)plan->timeouts_ns[table->timeout], "wake", json_of_figure(&table->wake), "touch",
        table->touch.sample_count > 0 ? json_of_figure(&table->touch) : json_null(), "early",
        (json_int_t)table->early_count, "rows", rows, "matrix", json_of_matrix(report, &table->matrix));
}

json_t *json_of_options(const struct options *options)
{
    const enum option_command command = options->command == FOR_MIGRATIONS ? FOR_MIGRATIONS : FOR_RUN;
    size_t count = 0;
    const struct option_row *rows = options_table(&count);
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        if (!option_is_recorded_by(&rows[i], command)) {
            continue;
        }
        char *text = rows[i].get(options, &rows[i]);
        const int error = json_object_set_new(object, rows[i].name,
                                              text != NULL ? json_of_text(text) : NULL);
        free(text);
        if (error != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *json_of_totals(const struct report *report)
{
    const struct sweep *sweep = report->sweep;
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:i, s:I, s:I, s:I}", "cells_planned",
        (json_int_t)report->cells_planned, "cells_measured", (json_int_t)report->cells_measured,
        "cells_missing", (json_int_t)report->cells_missing, "visits_planned",
        (json_int_t)report->visits_planned, "visits_measured", (json_int_t)report->visits_measured,
        "visits_failed", (json_int_t)report->visits_failed, "rows_unavailable",
        (json_int_t)report->rows_unavailable, "columns_unavailable",
        (json_int_t)report->columns_unavailable, "is_partial", report->is_partial, "has_invalid",
        report->has_invalid, "stop_signal", sweep->stop_signal, "wall_ns", (json_int_t)sweep->wall_ns,
        "asleep_ns", (json_int_t)sweep->asleep_ns, "coordinator_cpu_ns",
        (json_int_t)sweep->coordinator_cpu_ns);
}

json_t *json_of_report(const struct report *report)
{
    const struct sweep *sweep = report->sweep;
    char started[TEXT_TIME_SIZE];
    char seed[32];
    json_t *tables = json_array();
    for (size_t i = 0; i < report->table_count; i++) {
        json_append(&tables, json_of_table(report, &report->tables[i]));
    }
    (void)snprintf(seed, sizeof seed, "%" PRIu64, sweep->plan.seed);
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:s, s:I, s:s, s:I, s:o, s:{s:o, s:o, s:b, s:I, s:I}, s:o, s:o, s:o, "
        "s:o, "
        "s:o, "
        "s:o, s:o, s:o}",
        "schema", "numasweep-report/1", "version", json_of_text(sweep->version), "command_line",
        json_of_text(sweep->command_line), "host", json_of_text(sweep->host), "imported_from",
        sweep->imported_from != NULL ? json_of_text(sweep->imported_from) : json_null(), "started",
        text_format_utc(sweep->started_unix_ns, true, started), "sweeps", (json_int_t)sweep->sweep_count,
        "seed", seed, "rounds", (json_int_t)sweep->plan.round_count, "options",
        json_of_options(&sweep->options), "topology", "source", json_of_text(sweep->topology.source),
        "fingerprint", json_of_text(sweep->topology.fingerprint), "has_numa", sweep->topology.has_numa,
        "cpu_count", (json_int_t)sweep->topology.cpu_count, "node_count",
        (json_int_t)sweep->topology.node_count, "environment", json_of_environment(&sweep->environment),
        "columns", json_of_columns(&sweep->plan), "tables", tables, "validity",
        json_of_texts(report->validity, report->validity_count), "warnings",
        json_of_texts(sweep->warnings, sweep->warning_count), "totals", json_of_totals(report),
        "verdict", json_of_verdict(report), "limits", json_of_limits(report));
}
