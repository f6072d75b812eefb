/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_parts.h"
#include "migration_lines.h"
#include "text.h"

#include <errno.h>

static json_t *json_of_count(int64_t value)
{
    return value == MIGRATION_NONE ? json_null() : json_integer((json_int_t)value);
}

static json_t *json_of_worker(const struct migration_worker *worker)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "cpu", json_of_id(worker->cpu), "node",
                     json_of_id(worker->node), "group", json_of_id(worker->group), "migrations",
                     (json_int_t)worker->migrations, "crossings", (json_int_t)worker->crossings,
                     "cpu_ns", (json_int_t)worker->cpu_ns);
}

static json_t *json_of_run(const struct migration_run *run)
{
    json_t *workers = json_array();
    json_t *nodes = json_array();
    for (size_t i = 0; i < run->worker_count; i++) {
        json_append(&workers, json_of_worker(&run->workers[i]));
    }
    for (size_t i = 0; i < run->node_count; i++) {
        json_append(&nodes, json_pack("{s:o, s:I}", "node", json_of_id(run->nodes[i].node), "migrations",
                                      (json_int_t)run->nodes[i].migrations));
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "run",
                     (json_int_t)run->run, "migrations", (json_int_t)migration_run_total(run),
                     "crossings", (json_int_t)migration_run_crossings(run), "duration_ns",
                     (json_int_t)run->duration_ns, "cpu_ns", (json_int_t)migration_run_cpu_ns(run),
                     "counter", migration_counter_name(run->counter), "crossings_from",
                     migration_crossing_name(run->crossing), "lost_records",
                     (json_int_t)run->lost_records, "throttled", json_of_count(run->throttled),
                     "throttled_ns", json_of_count(run->throttled_ns), "breach",
                     run->breach[0] != '\0' ? json_of_text(run->breach) : json_null(), "nodes", nodes,
                     "workers", workers);
}

static json_t *json_of_spread(const struct migration_spread *spread)
{
    return json_pack("{s:I, s:f, s:f, s:I}", "min", (json_int_t)spread->minimum, "median",
                     spread->median, "mean", spread->mean, "max", (json_int_t)spread->maximum);
}

static json_t *json_of_series(const struct migration_series *series)
{
    json_t *runs = json_array();
    json_t *workers = json_array();
    json_t *nodes = json_array();
    for (size_t i = 0; i < series->run_count; i++) {
        json_append(&runs, json_of_run(series->runs[i]));
    }
    for (size_t i = 0; i < series->runs[0]->worker_count; i++) {
        json_append(&workers, json_of_spread(&series->workers[i]));
    }
    for (size_t i = 0; i < series->runs[0]->node_count; i++) {
        json_append(&nodes, json_pack("{s:o, s:o}", "node", json_of_id(series->runs[0]->nodes[i].node),
                                      "migrations", json_of_spread(&series->nodes[i])));
    }
    return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:I, s:o}", "pin", migration_pin_name(series->pin),
                     "limited", series->is_limited, "migrations", json_of_spread(&series->total),
                     "crossings", json_of_spread(&series->crossings), "nodes", nodes, "workers", workers,
                     "breaches", (json_int_t)series->breach_count, "runs", runs);
}

json_t *json_of_migrations(const struct migration_report *report)
{
    const struct sweep *sweep = report->sweep;
    json_t *series = json_array();
    for (size_t i = 0; i < report->summary.count; i++) {
        json_append(&series, json_of_series(&report->summary.series[i]));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:b, s:i, s:o}", "schema",
                     "numasweep-migrations/1", "version", json_of_text(sweep->version), "command_line",
                     json_of_text(sweep->command_line), "host", json_of_text(sweep->host),
                     "started_unix_ns", (json_int_t)sweep->started_unix_ns, "options",
                     json_of_options(&sweep->options), "cpus", json_of_ids(&sweep->plan.measured_cpus),
                     "series", series, "complete", sweep->has_ended, "signal", sweep->stop_signal,
                     "environment", json_of_environment(&sweep->environment));
}

static json_t *json_of_group(const struct comparison_group *group, const struct migration_key *key)
{
    struct migration_runs runs = {0};
    json_t *array = json_array();
    if (migration_runs_collect(group, key, &runs) != 0) {
        json_decref(array);
        return NULL;
    }
    for (size_t i = 0; i < runs.count; i++) {
        json_append(&array,
                    json_pack("{s:I, s:I, s:s}", "migrations",
                              (json_int_t)migration_run_total(runs.runs[i]), "crossings",
                              (json_int_t)migration_run_crossings(runs.runs[i]), "crossings_from",
                              migration_crossing_name(runs.runs[i]->crossing)));
    }
    migration_runs_destroy(&runs);
    return json_pack("{s:o, s:o}", "value", json_of_text(group->label), "runs", array);
}

json_t *json_of_migration_groups(const struct comparison_groups *groups)
{
    json_t *tables = json_array();
    for (size_t k = 0; k < MIGRATION_KEYS; k++) {
        const struct migration_key key = migration_key_at(k);
        json_t *array = json_array();
        if (!migration_groups_have(groups, &key)) {
            json_decref(array);
            continue;
        }
        for (size_t i = 0; i < groups->group_count; i++) {
            json_append(&array, json_of_group(&groups->groups[i], &key));
        }
        json_append(&tables, json_pack("{s:s, s:b, s:o}", "pin", migration_pin_name(key.pin), "limited",
                                       key.is_limited, "groups", array));
    }
    return json_pack("{s:s, s:s, s:o}", "schema", "numasweep-migration-groups/1", "field", groups->field,
                     "tables", tables);
}
