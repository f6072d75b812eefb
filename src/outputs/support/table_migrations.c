/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "migration_lines.h"
#include "numasweep/number.h"
#include "numasweep/saturated.h"
#include "table_parts.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_RUN_COLUMNS = 10 };

static const char *limit_word(bool is_limited)
{
    return is_limited ? "yes" : "no";
}

static void add_number(struct grid *grid, double value)
{
    grid_add_format(grid, value == floor(value) ? "%.0f" : "%.1f", value);
}

static size_t most_runs(const struct migration_summary *summary)
{
    size_t most = 0;
    for (size_t i = 0; i < summary->count; i++) {
        most = summary->series[i].run_count > most ? summary->series[i].run_count : most;
    }
    return most;
}

/* A file may say of one run what it does not say of another. */
static const struct migration_run *widest_run(const struct migration_summary *summary)
{
    const struct migration_run *widest = summary->series[0].runs[0];
    for (size_t i = 1; i < summary->count; i++) {
        const struct migration_run *run = summary->series[i].runs[0];
        widest = run->node_count > widest->node_count ? run : widest;
    }
    return widest;
}

static bool has_limit(const struct migration_summary *summary)
{
    for (size_t i = 0; i < summary->count; i++) {
        if (summary->series[i].is_limited) {
            return true;
        }
    }
    return false;
}

/* Of many runs the spread must do; csv and json have each. */
static size_t run_columns(const struct migration_summary *summary)
{
    const size_t most = most_runs(summary);
    return most <= MOST_RUN_COLUMNS ? most : 0;
}

static void add_columns(struct grid *grid, const struct migration_summary *summary)
{
    static const char *const spread[] = {"MIN", "MEDIAN", "MEAN", "MAX"};
    const size_t nodes = widest_run(summary)->node_count;
    char heading[32];
    grid_add_column(grid, "PINNED", false, false, 0);
    if (has_limit(summary)) {
        grid_add_column(grid, "LIMIT", false, false, 0);
    }
    for (size_t i = 0; i < run_columns(summary); i++) {
        (void)snprintf(heading, sizeof heading, "run%zu", i + 1);
        grid_add_column(grid, heading, true, false, 1);
    }
    for (size_t i = 0; i < sizeof spread / sizeof spread[0]; i++) {
        grid_add_column(grid, spread[i], true, false, 2);
    }
    for (size_t i = 0; nodes > 1 && i < nodes; i++) {
        (void)snprintf(heading, sizeof heading, "node%d", widest_run(summary)->nodes[i].node);
        grid_add_column(grid, heading, true, false, 3);
    }
    if (nodes > 1) {
        grid_add_column(grid, "ACROSS", true, false, 3);
    }
    grid_add_column(grid, "BUSY %", true, false, 4);
    if (has_limit(summary)) {
        grid_add_column(grid, "THROTTLED", true, false, 4);
        grid_add_column(grid, "FOR", true, false, 4);
    }
    grid_add_column(grid, "STATUS", false, false, 5);
}

static void add_nodes(struct grid *grid, const struct migration_series *series, size_t nodes)
{
    const bool is_estimate = series->runs[0]->crossing == MIGRATION_CROSSING_SAMPLES;
    const char *sign = is_estimate ? "~" : "";
    for (size_t i = 0; i < nodes; i++) {
        if (i < series->runs[0]->node_count) {
            grid_add_format(grid, "%s%.4g", series->pin == MIGRATION_UNPINNED ? sign : "",
                            series->nodes[i].median);
        } else {
            grid_add_text(grid, "-");
        }
    }
    grid_add_format(grid, "%s%.4g", sign, series->crossings.median);
}

/* Of the CPUs' whole time: the proof that the load was there. */
static double busy_percent(const struct migration_series *series, size_t cpus)
{
    double cpu_ns = 0;
    double wall_ns = 0;
    for (size_t i = 0; i < series->run_count; i++) {
        cpu_ns += (double)migration_run_cpu_ns(series->runs[i]);
        wall_ns += (double)series->runs[i]->duration_ns * (double)cpus;
    }
    return wall_ns > 0 ? 100 * cpu_ns / wall_ns : 0;
}

static void add_throttling(struct grid *grid, const struct migration_series *series)
{
    char text[DURATION_TEXT_SIZE];
    double times = 0;
    double time_ns = 0;
    bool is_known = series->is_limited;
    for (size_t i = 0; i < series->run_count; i++) {
        is_known = is_known && series->runs[i]->throttled != MIGRATION_NONE;
        times += (double)series->runs[i]->throttled / (double)series->run_count;
        time_ns += (double)series->runs[i]->throttled_ns / (double)series->run_count;
    }
    if (!is_known) {
        grid_add_text(grid, "-");
        grid_add_text(grid, "-");
        return;
    }
    grid_add_format(grid, "%.4g", times);
    grid_add_text(grid, duration_format_rough(saturated_from_double(time_ns), text));
}

static void add_series(struct grid *grid, const struct migration_report *report,
                       const struct migration_series *series)
{
    const struct migration_summary *summary = &report->summary;
    const size_t nodes = widest_run(summary)->node_count;
    grid_add_text(grid, migration_pin_label(series->pin));
    if (has_limit(summary)) {
        grid_add_text(grid, limit_word(series->is_limited));
    }
    for (size_t i = 0; i < run_columns(summary); i++) {
        if (i < series->run_count) {
            grid_add_format(grid, "%lld", (long long)migration_run_total(series->runs[i]));
        } else {
            grid_add_text(grid, "-");
        }
    }
    grid_add_format(grid, "%lld", (long long)series->total.minimum);
    add_number(grid, series->total.median);
    grid_add_format(grid, "%.1f", series->total.mean);
    grid_add_format(grid, "%lld", (long long)series->total.maximum);
    if (nodes > 1) {
        add_nodes(grid, series, nodes);
    }
    grid_add_format(grid, "%.1f", busy_percent(series, report->sweep->plan.measured_cpus.count));
    if (has_limit(summary)) {
        add_throttling(grid, series);
    }
    if (series->breach_count > 0) {
        grid_add_flag(grid, "BREACH");
    } else {
        grid_add_text(grid, series->pin == MIGRATION_UNPINNED ? "ok" : "ok, proved");
    }
}

static int print_series(const struct migration_report *report, const struct output_settings *settings,
                        FILE *stream)
{
    struct grid grid;
    grid_init(&grid, settings);
    if (report->summary.count > 0) {
        add_columns(&grid, &report->summary);
    }
    for (size_t i = 0; i < report->summary.count; i++) {
        add_series(&grid, report, &report->summary.series[i]);
    }
    const int error = grid_print(&grid, stream);
    grid_destroy(&grid);
    return error;
}

static int print_workers(const struct migration_report *report, const struct output_settings *settings,
                         FILE *stream)
{
    const struct migration_summary *summary = &report->summary;
    size_t workers = 0;
    struct grid grid;
    grid_init(&grid, settings);
    grid_add_column(&grid, "WORKER", true, false, 0);
    for (size_t i = 0; i < summary->count; i++) {
        char heading[64];
        const struct migration_series *series = &summary->series[i];
        (void)snprintf(heading, sizeof heading, "%s%s", migration_pin_label(series->pin),
                       series->is_limited ? ", limit" : "");
        grid_add_column(&grid, heading, true, false, 1);
        workers = series->runs[0]->worker_count > workers ? series->runs[0]->worker_count : workers;
    }
    for (size_t worker = 0; worker < workers; worker++) {
        grid_add_format(&grid, "%zu", worker + 1);
        for (size_t i = 0; i < summary->count; i++) {
            const struct migration_series *series = &summary->series[i];
            if (worker < series->runs[0]->worker_count) {
                grid_add_format(&grid, "%lld/%.4g/%lld", (long long)series->workers[worker].minimum,
                                series->workers[worker].median,
                                (long long)series->workers[worker].maximum);
            } else {
                grid_add_text(&grid, "-");
            }
        }
    }
    const int error = grid_print(&grid, stream);
    grid_destroy(&grid);
    return error;
}

static int print_head(const struct sweep *sweep, const struct output_settings *settings, FILE *stream)
{
    const struct options *options = &sweep->options;
    char duration[DURATION_TEXT_SIZE];
    char when[TEXT_TIME_SIZE];
    char *cpus = id_list_format(&sweep->plan.measured_cpus);
    int error = cpus == NULL ? -ENOMEM : 0;
    if (error == 0) {
        error = text_print_line(
            stream, settings->width, settings->use_ascii, 2,
            "migrations of %lld busy workers, %lld for each of the CPUs %s, in %s",
            (long long)options->hogs_per_cpu * (long long)sweep->plan.measured_cpus.count,
            (long long)options->hogs_per_cpu, cpus, duration_format(options->duration_ns, duration));
    }
    if (error == 0) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                "Linux %s, host %s, %s, numasweep %s",
                                environment_value(&sweep->environment, "kernel_release"), sweep->host,
                                text_format_utc(sweep->started_unix_ns, false, when), sweep->version);
    }
    if (error == 0 && options->quota_ns != OPTION_QUOTA_OFF) {
        char period[DURATION_TEXT_SIZE];
        error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                "limit: %s of CPU time in each %s, %lld cgroup%s",
                                duration_format(options->quota_ns, duration),
                                duration_format(options->period_ns, period), (long long)options->groups,
                                number_plural(options->groups));
    }
    free(cpus);
    return error;
}

static int print_sources(const struct migration_report *report, const struct output_settings *settings,
                         FILE *stream)
{
    const struct migration_run *run = &report->sweep->migrations.runs[0];
    int64_t lost = 0;
    int error = text_print_line(stream, settings->width, settings->use_ascii, 4, "  counted by: %s",
                                migration_counter_label(run->counter));
    if (error == 0) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 4, "  across nodes: %s",
                                migration_crossing_label(run->crossing));
    }
    for (size_t i = 0; i < report->sweep->migrations.count; i++) {
        lost += report->sweep->migrations.runs[i].lost_records > 0;
    }
    if (error == 0 && lost > 0) {
        error = text_print_line(
            stream, settings->width, settings->use_ascii, 4,
            "  in %lld run%s the tracepoint lost records: moves across nodes are missing",
            (long long)lost, number_plural(lost));
    }
    return error;
}

static int print_breaches(const struct migration_report *report, const struct output_settings *settings,
                          FILE *stream)
{
    int error = 0;
    for (size_t i = 0; i < report->sweep->migrations.count && error == 0; i++) {
        const struct migration_run *run = &report->sweep->migrations.runs[i];
        if (run->breach[0] != '\0') {
            error = text_print_line(stream, settings->width, settings->use_ascii, 4,
                                    "  BREACH in run %lld, %s%s: %s", (long long)run->run,
                                    migration_pin_label(run->pin), run->is_limited ? ", limit" : "",
                                    run->breach);
        }
    }
    return error;
}

int table_print_migrations(const struct migration_report *report, const struct output_settings *settings,
                           FILE *stream, struct failure *failure)
{
    (void)failure;
    int error = settings->no_headings ? 0 : print_head(report->sweep, settings, stream);
    if (error == 0) {
        error = print_series(report, settings, stream);
    }
    if (error == 0 && report->summary.count > 0) {
        (void)fputs("\nBy worker: least/median/most over the runs\n", stream);
        error = print_workers(report, settings, stream);
    }
    if (error == 0 && report->summary.count > 0) {
        (void)fputc('\n', stream);
        error = print_sources(report, settings, stream);
    }
    if (error == 0) {
        error = print_breaches(report, settings, stream);
    }
    return error != 0 ? error : text_stream_error(stream);
}

static int print_key(const struct comparison_groups *groups, const struct migration_key *key,
                     const struct output_settings *settings, FILE *stream)
{
    const size_t most = migration_groups_most_runs(groups);
    struct grid grid;
    int error = 0;
    grid_init(&grid, settings);
    grid_add_column(&grid, groups->field, false, false, 0);
    for (size_t i = 0; i < most; i++) {
        char heading[32];
        (void)snprintf(heading, sizeof heading, "run%zu", i + 1);
        grid_add_column(&grid, heading, true, false, 1);
    }
    for (size_t i = 0; i < groups->group_count && error == 0; i++) {
        struct migration_runs runs = {0};
        error = migration_runs_collect(&groups->groups[i], key, &runs);
        grid_add_text(&grid, groups->groups[i].label);
        for (size_t run = 0; run < most; run++) {
            if (run < runs.count) {
                grid_add_format(&grid, "%lld", (long long)migration_run_total(runs.runs[run]));
            } else {
                grid_add_text(&grid, "-");
            }
        }
        migration_runs_destroy(&runs);
    }
    if (error == 0) {
        error = grid_print(&grid, stream);
    }
    grid_destroy(&grid);
    return error;
}

int table_print_migration_groups(const struct comparison_groups *groups,
                                 const struct output_settings *settings, FILE *stream,
                                 struct failure *failure)
{
    int error = 0;
    bool is_first = true;
    (void)failure;
    for (size_t k = 0; k < MIGRATION_KEYS && error == 0; k++) {
        const struct migration_key key = migration_key_at(k);
        if (!migration_groups_have(groups, &key)) {
            continue;
        }
        if (!is_first) {
            (void)fputc('\n', stream);
        }
        if (!settings->no_headings) {
            error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                    "migrations, %s%s, by %s", migration_pin_label(key.pin),
                                    key.is_limited ? ", under the bandwidth limit" : "", groups->field);
        }
        if (error == 0) {
            error = print_key(groups, &key, settings, stream);
        }
        is_first = false;
    }
    return error != 0 ? error : text_stream_error(stream);
}
