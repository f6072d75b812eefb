/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Order statistics of samples.
 *
 * Percentiles are by nearest rank: the q-quantile of n sorted samples is the one at rank ceil(q * n),
 * counted from 1; the median is q = 0.5 (so for an even n the lower of the two middle ones). A high
 * percentile needs samples enough, at least 5 / (1 - q): 50 for p90, 500 for p99, 5000 for p99.9.
 * Percentiles and maxima are never averaged across CPUs.
 */
#ifndef NUMASWEEP_STATISTICS_H
#define NUMASWEEP_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum metric {
    METRIC_MEDIAN,
    METRIC_MEAN,
    METRIC_TRIMMED, /* mean without the largest max(1, n/20) samples (none dropped when n = 1) */
    METRIC_MIN,
    METRIC_MAX,
    METRIC_P90,
    METRIC_P99,
    METRIC_P99_9,
    METRIC_COUNT
};

const char *metric_name(enum metric metric);             /* "median", "p99.9", ... */
int metric_parse(const char *text, enum metric *metric); /* -EINVAL */

struct figure_summary {
    size_t sample_count;
    double values_ns[METRIC_COUNT];
    bool has_value[METRIC_COUNT]; /* false: no samples, or too few for this percentile */
};

/* `samples_ns` is left as it is. -ENOMEM. An empty set gives a summary without values. */
int figure_summary_compute(const int64_t *samples_ns, size_t count, struct figure_summary *summary);

/* Nearest rank on ascending samples; count must be at least 1, 0 < quantile <= 1. */
int64_t quantile_nearest_rank(const int64_t *ascending_ns, size_t count, double quantile);

/* Median of `count` values, the mean of the two in the middle for an even count; they are sorted. NAN
 * when there are none. */
double median_of(double *values, size_t count);

/* Sorts ascending in place. */
void samples_sort(int64_t *samples_ns, size_t count);

#endif
