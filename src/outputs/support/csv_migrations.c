/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv_parts.h"
#include "migration_lines.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>

static void put_id(struct csv_line *line, int64_t number)
{
    if (number == MIGRATION_NONE) {
        csv_text(line, "");
    } else {
        csv_integer(line, number);
    }
}

static void put_run(struct csv_line *line, const struct migration_run *run)
{
    for (size_t i = 0; i < run->worker_count; i++) {
        const struct migration_worker *worker = &run->workers[i];
        csv_integer(line, run->run);
        csv_text(line, migration_pin_name(run->pin));
        csv_bool(line, run->is_limited);
        csv_integer(line, (int64_t)i + 1);
        put_id(line, worker->cpu);
        put_id(line, worker->node);
        put_id(line, worker->group);
        csv_integer(line, worker->migrations);
        csv_text(line, migration_counter_name(run->counter));
        csv_integer(line, worker->crossings);
        csv_text(line, migration_crossing_name(run->crossing));
        csv_integer(line, worker->cpu_ns);
        csv_integer(line, run->duration_ns);
        put_id(line, run->throttled);
        put_id(line, run->throttled_ns);
        csv_text(line, run->breach);
        csv_end(line);
    }
}

int csv_print_migrations(const struct migration_report *report, const struct output_settings *settings,
                         FILE *stream, struct failure *failure)
{
    const struct migration_list *list = &report->sweep->migrations;
    struct csv_line line = {.stream = stream};
    (void)failure;
    if (!settings->no_headings) {
        csv_names(&line,
                  "run,pin,limited,worker,cpu,node,group,migrations,counter,crossings,crossings_from,"
                  "cpu_ns,duration_ns,throttled,throttled_ns,breach");
        csv_end(&line);
    }
    for (size_t i = 0; i < list->count; i++) {
        put_run(&line, &list->runs[i]);
    }
    return text_stream_error(stream);
}

static int put_group(struct csv_line *line, const struct comparison_group *group,
                     const struct migration_key *key, size_t most)
{
    struct migration_runs runs = {0};
    const int error = migration_runs_collect(group, key, &runs);
    if (error != 0) {
        return error;
    }
    csv_text(line, migration_pin_name(key->pin));
    csv_bool(line, key->is_limited);
    csv_text(line, group->label);
    for (size_t i = 0; i < most; i++) {
        if (i < runs.count) {
            csv_integer(line, migration_run_total(runs.runs[i]));
        } else {
            csv_text(line, "");
        }
    }
    csv_end(line);
    migration_runs_destroy(&runs);
    return 0;
}

int csv_print_migration_groups(const struct comparison_groups *groups,
                               const struct output_settings *settings, FILE *stream,
                               struct failure *failure)
{
    const size_t most = migration_groups_most_runs(groups);
    struct csv_line line = {.stream = stream};
    int error = 0;
    (void)failure;
    if (!settings->no_headings) {
        csv_names(&line, "pin,limited");
        csv_text(&line, groups->field);
        for (size_t i = 0; i < most; i++) {
            char heading[32];
            (void)snprintf(heading, sizeof heading, "run%zu", i + 1);
            csv_text(&line, heading);
        }
        csv_end(&line);
    }
    for (size_t k = 0; k < MIGRATION_KEYS && error == 0; k++) {
        const struct migration_key key = migration_key_at(k);
        for (size_t i = 0; i < groups->group_count && error == 0; i++) {
            error = migration_groups_have(groups, &key)
                        ? put_group(&line, &groups->groups[i], &key, most)
                        : 0;
        }
    }
    return error != 0 ? error : text_stream_error(stream);
}
