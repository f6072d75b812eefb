/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* With fewer values a unit's scatter is not known at all. */
enum { VALUES_MINIMUM = 4 };

struct distance {
    double value;
    size_t unit;
};

struct unit_scores {
    double *sums;
    double *counts;
};

static int compare_distances(const void *first, const void *second)
{
    const double a = ((const struct distance *)first)->value;
    const double b = ((const struct distance *)second)->value;
    return (a > b) - (a < b);
}

/* The distances of a unit's deviations from their own median, so that a slow unit does not count as an
 * uneven one. The least of them is the median's own, and says nothing. */
static size_t unit_distances(const struct verdict_column *column, size_t unit, double *values,
                             struct distance *distances)
{
    size_t count = 0;
    for (size_t round = 0; round < column->rounds; round++) {
        const double deviation_ns = column->deviations_ns[round * column->units + unit];
        if (isfinite(deviation_ns)) {
            values[count++] = deviation_ns;
        }
    }
    if (count < VALUES_MINIMUM) {
        return 0;
    }
    const double middle = verdict_median(values, count);
    size_t least = 0;
    for (size_t i = 0; i < count; i++) {
        distances[i] = (struct distance){fabs(values[i] - middle), unit};
        least = distances[i].value < distances[least].value ? i : least;
    }
    distances[least] = distances[count - 1];
    return count - 1;
}

/* Adds each distance's rank, in standard units; equal ones share theirs. */
static void add_ranks(struct distance *distances, size_t count, struct unit_scores *scores)
{
    if (count < 2) {
        return;
    }
    qsort(distances, count, sizeof *distances, compare_distances);
    const double sigma = sqrt(((double)count * (double)count - 1) / 12);
    size_t end = 0;
    for (size_t first = 0; first < count; first = end) {
        end = first + 1;
        while (end < count && distances[end].value <= distances[first].value) {
            end++;
        }
        const double rank = (double)(first + end - 1) / 2;
        for (size_t i = first; i < end; i++) {
            scores->sums[distances[i].unit] += (rank - (double)(count - 1) / 2) / sigma;
            scores->counts[distances[i].unit]++;
        }
    }
}

static void add_column(const struct verdict_column *column, double *values, struct distance *distances,
                       struct unit_scores *scores)
{
    for (size_t stratum = 0; stratum < column->strata; stratum++) {
        size_t count = 0;
        for (size_t unit = 0; unit < column->units; unit++) {
            if (column->stratum_of_unit == NULL || column->stratum_of_unit[unit] == (int)stratum) {
                count += unit_distances(column, unit, values, distances + count);
            }
        }
        add_ranks(distances, count, scores);
    }
}

static double p_of_scores(const struct unit_scores *scores, size_t units, size_t strata)
{
    double sum = 0;
    double freedom = -(double)strata;
    for (size_t unit = 0; unit < units; unit++) {
        if (scores->counts[unit] > 0) {
            sum += scores->sums[unit] * scores->sums[unit] / scores->counts[unit];
            freedom++;
        }
    }
    return freedom > 0 ? gsl_cdf_chisq_Q(sum, freedom) : 1;
}

int verdict_scatter_p(const struct verdict_column *columns, size_t column_count, double *p)
{
    const size_t units = columns[0].units;
    double *values = calloc(columns[0].rounds + 1, sizeof *values);
    struct distance *distances = calloc(units * columns[0].rounds + 1, sizeof *distances);
    struct unit_scores scores = {.sums = calloc(units, sizeof(double)),
                                 .counts = calloc(units, sizeof(double))};
    int status = -ENOMEM;
    if (values != NULL && distances != NULL && scores.sums != NULL && scores.counts != NULL) {
        for (size_t i = 0; i < column_count; i++) {
            add_column(&columns[i], values, distances, &scores);
        }
        *p = p_of_scores(&scores, units, columns[0].strata);
        status = 0;
    }
    free(values);
    free(distances);
    free(scores.sums);
    free(scores.counts);
    return status;
}
