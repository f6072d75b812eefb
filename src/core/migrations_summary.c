/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the counts of migrations were spread over the runs. */
#include "numasweep/migrations.h"
#include "numasweep/statistics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int migration_spread_compute(const int64_t *values, size_t count, struct migration_spread *spread)
{
    *spread = (struct migration_spread){.count = count};
    if (count == 0) {
        return 0;
    }
    double *copies = calloc(count, sizeof *copies);
    if (copies == NULL) {
        return -ENOMEM;
    }
    spread->minimum = values[0];
    spread->maximum = values[0];
    for (size_t i = 0; i < count; i++) {
        copies[i] = (double)values[i];
        spread->mean += copies[i] / (double)count;
        spread->minimum = values[i] < spread->minimum ? values[i] : spread->minimum;
        spread->maximum = values[i] > spread->maximum ? values[i] : spread->maximum;
    }
    spread->median = median_of(copies, count);
    free(copies);
    return 0;
}

typedef int64_t (*run_value)(const struct migration_run *run, size_t position);

static int64_t total_of(const struct migration_run *run, size_t position)
{
    (void)position;
    return migration_run_total(run);
}

static int64_t crossings_of(const struct migration_run *run, size_t position)
{
    (void)position;
    return migration_run_crossings(run);
}

static int64_t node_of(const struct migration_run *run, size_t position)
{
    return position < run->node_count ? run->nodes[position].migrations : 0;
}

static int64_t worker_of(const struct migration_run *run, size_t position)
{
    return position < run->worker_count ? run->workers[position].migrations : 0;
}

static int spread_over(const struct migration_series *series, run_value value, size_t position,
                       struct migration_spread *spread)
{
    int64_t *values = calloc(series->run_count + 1, sizeof *values);
    if (values == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < series->run_count; i++) {
        values[i] = value(series->runs[i], position);
    }
    const int error = migration_spread_compute(values, series->run_count, spread);
    free(values);
    return error;
}

static int summarise(struct migration_series *series)
{
    const struct migration_run *first = series->runs[0];
    series->nodes = calloc(first->node_count + 1, sizeof *series->nodes);
    series->workers = calloc(first->worker_count + 1, sizeof *series->workers);
    if (series->nodes == NULL || series->workers == NULL) {
        return -ENOMEM;
    }
    int error = spread_over(series, total_of, 0, &series->total);
    if (error == 0) {
        error = spread_over(series, crossings_of, 0, &series->crossings);
    }
    for (size_t i = 0; i < first->node_count && error == 0; i++) {
        error = spread_over(series, node_of, i, &series->nodes[i]);
    }
    for (size_t i = 0; i < first->worker_count && error == 0; i++) {
        error = spread_over(series, worker_of, i, &series->workers[i]);
    }
    return error;
}

static struct migration_series *find_series(struct migration_summary *summary,
                                            const struct migration_run *run)
{
    for (size_t i = 0; i < summary->count; i++) {
        if (summary->series[i].pin == run->pin && summary->series[i].is_limited == run->is_limited) {
            return &summary->series[i];
        }
    }
    return NULL;
}

static int take_run(struct migration_summary *summary, const struct migration_run *run, size_t most)
{
    struct migration_series *series = find_series(summary, run);
    if (series == NULL) {
        series = &summary->series[summary->count];
        *series = (struct migration_series){.pin = run->pin,
                                            .is_limited = run->is_limited,
                                            .runs = calloc(most, sizeof(const struct migration_run *))};
        if (series->runs == NULL) {
            return -ENOMEM;
        }
        summary->count++;
    }
    series->runs[series->run_count] = run;
    series->run_count++;
    series->breach_count += run->breach[0] != '\0';
    return 0;
}

int migration_summary_create(const struct migration_list *list, struct migration_summary *summary)
{
    *summary = (struct migration_summary){.series = calloc(list->count + 1, sizeof *summary->series)};
    int error = summary->series == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < list->count && error == 0; i++) {
        error = take_run(summary, &list->runs[i], list->count);
    }
    for (size_t i = 0; i < summary->count && error == 0; i++) {
        error = summarise(&summary->series[i]);
    }
    if (error != 0) {
        migration_summary_destroy(summary);
    }
    return error;
}

void migration_summary_destroy(struct migration_summary *summary)
{
    for (size_t i = 0; i < summary->count; i++) {
        free(summary->series[i].runs);
        free(summary->series[i].nodes);
        free(summary->series[i].workers);
    }
    free(summary->series);
    *summary = (struct migration_summary){0};
}
