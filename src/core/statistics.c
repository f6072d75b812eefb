/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/statistics.h"

#include <errno.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_FOR_A_QUANTILE = 5, TRIMMED_PART = 20 };

static const char *const metric_names[METRIC_COUNT] = {
    [METRIC_MEDIAN] = "median", [METRIC_MEAN] = "mean",   [METRIC_TRIMMED] = "trimmed",
    [METRIC_MIN] = "min",       [METRIC_MAX] = "max",     [METRIC_P90] = "p90",
    [METRIC_P99] = "p99",       [METRIC_P99_9] = "p99.9",
};

const char *metric_name(enum metric metric)
{
    return metric_names[metric];
}

int metric_parse(const char *text, enum metric *metric)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (strcmp(text, metric_names[i]) == 0) {
            *metric = (enum metric)i;
            return 0;
        }
    }
    return -EINVAL;
}

static int compare_samples(const void *first, const void *second)
{
    const int64_t a = *(const int64_t *)first;
    const int64_t b = *(const int64_t *)second;
    return (a > b) - (a < b);
}

void samples_sort(int64_t *samples_ns, size_t count)
{
    qsort(samples_ns, count, sizeof *samples_ns, compare_samples);
}

int64_t quantile_nearest_rank(const int64_t *ascending_ns, size_t count, double quantile)
{
    /* The product of a decimal fraction and a whole number may come out a hair above the whole number
     * that it is: 0.9 * 10 must be rank 9. */
    const double exact_rank = quantile * (double)count;
    const double rank = ceil(exact_rank - exact_rank * 1e-12);
    size_t index = rank < 1 ? 0 : (size_t)rank - 1;
    if (index >= count) {
        index = count - 1;
    }
    return ascending_ns[index];
}

static void set_value(struct figure_summary *summary, enum metric metric, double value_ns)
{
    summary->values_ns[metric] = value_ns;
    summary->has_value[metric] = true;
}

static void set_high_quantile(struct figure_summary *summary, enum metric metric,
                              const int64_t *ascending_ns, size_t count, size_t tail_denominator)
{
    /* 5 / (1 - q) samples, with 1 - q = 1 / tail_denominator, in whole numbers. */
    if (count < SAMPLES_FOR_A_QUANTILE * tail_denominator) {
        return;
    }
    const double quantile = 1.0 - 1.0 / (double)tail_denominator;
    set_value(summary, metric, (double)quantile_nearest_rank(ascending_ns, count, quantile));
}

int figure_summary_compute(const int64_t *samples_ns, size_t count, struct figure_summary *summary)
{
    *summary = (struct figure_summary){.sample_count = count};
    if (count == 0) {
        return 0;
    }
    int64_t *ascending_ns = malloc(count * sizeof *ascending_ns);
    double *values_ns = malloc(count * sizeof *values_ns);
    if (ascending_ns == NULL || values_ns == NULL) {
        free(ascending_ns);
        free(values_ns);
        return -ENOMEM;
    }
    memcpy(ascending_ns, samples_ns, count * sizeof *ascending_ns);
    samples_sort(ascending_ns, count);
    for (size_t i = 0; i < count; i++) {
        values_ns[i] = (double)ascending_ns[i];
    }
    const size_t tail = count / TRIMMED_PART > 0 ? count / TRIMMED_PART : 1;
    const size_t kept = count > 1 ? count - tail : count;
    set_value(summary, METRIC_MIN, values_ns[0]);
    set_value(summary, METRIC_MAX, values_ns[count - 1]);
    set_value(summary, METRIC_MEDIAN, (double)quantile_nearest_rank(ascending_ns, count, 0.5));
    set_value(summary, METRIC_MEAN, gsl_stats_mean(values_ns, 1, count));
    set_value(summary, METRIC_TRIMMED, gsl_stats_mean(values_ns, 1, kept));
    set_high_quantile(summary, METRIC_P90, ascending_ns, count, 10);
    set_high_quantile(summary, METRIC_P99, ascending_ns, count, 100);
    set_high_quantile(summary, METRIC_P99_9, ascending_ns, count, 1000);
    free(values_ns);
    free(ascending_ns);
    return 0;
}

double median_of(double *values, size_t count)
{
    if (count == 0) {
        return (double)NAN;
    }
    gsl_sort(values, 1, count);
    return gsl_stats_median_from_sorted_data(values, 1, count);
}
