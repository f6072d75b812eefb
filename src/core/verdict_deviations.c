/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* Of a normal distribution: its standard deviation in units of the median and of the mean absolute one.
 */
#define SIGMA_PER_MEDIAN_DEVIATION 1.4826
#define SIGMA_PER_MEAN_DEVIATION 1.2533
#define INTERVAL_COVERAGE 0.95

static double middle_of(const double *ascending, size_t count)
{
    const double low = ascending[(count - 1) / 2];
    const double high = ascending[count / 2];
    return low + (high - low) / 2;
}

double verdict_median_sorting(double *values, size_t count)
{
    if (count == 0) {
        return NAN;
    }
    gsl_sort(values, 1, count);
    return middle_of(values, count);
}

double verdict_median(double *values, size_t count)
{
    /* Few are sorted sooner than they are parted. */
    enum { FEW = 16 };
    if (count <= FEW) {
        return verdict_median_sorting(values, count);
    }
    const double low = gsl_stats_select(values, 1, count, (count - 1) / 2);
    const double high = count % 2 == 1 ? low : gsl_stats_select(values, 1, count, count / 2);
    return low + (high - low) / 2;
}

double verdict_spread(double *values, size_t count)
{
    if (count == 0) {
        return 0;
    }
    const double middle = verdict_median(values, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        values[i] = fabs(values[i] - middle);
        sum += values[i];
    }
    const double robust = SIGMA_PER_MEDIAN_DEVIATION * verdict_median(values, count);
    /* More than half are equal, as with a coarse clock: the others still say something. */
    return robust > 0 ? robust : SIGMA_PER_MEAN_DEVIATION * sum / (double)count;
}

struct placed_value {
    double value;
    size_t unit;
};

static int compare_placed(const void *first, const void *second)
{
    const double a = ((const struct placed_value *)first)->value;
    const double b = ((const struct placed_value *)second)->value;
    return (a > b) - (a < b);
}

/* The median of all but the one at `left_out`. */
static double median_of_others(const struct placed_value *ascending, size_t count, size_t left_out)
{
    const size_t others = count - 1;
    size_t low = (others - 1) / 2;
    size_t high = others / 2;
    low += low >= left_out;
    high += high >= left_out;
    return ascending[low].value + (ascending[high].value - ascending[low].value) / 2;
}

int verdict_deviations(const double *values_ns, const bool *is_active, const int *stratum_of_unit,
                       size_t strata, size_t units, double *deviations_ns, double *levels_ns)
{
    struct placed_value *placed = calloc(units + 1, sizeof *placed);
    if (placed == NULL) {
        return -ENOMEM;
    }
    for (size_t unit = 0; unit < units; unit++) {
        deviations_ns[unit] = NAN;
        levels_ns[unit] = NAN;
    }
    for (size_t stratum = 0; stratum < strata; stratum++) {
        size_t count = 0;
        for (size_t unit = 0; unit < units; unit++) {
            const bool is_here = stratum_of_unit == NULL || stratum_of_unit[unit] == (int)stratum;
            if (is_here && is_active[unit] && isfinite(values_ns[unit])) {
                placed[count++] = (struct placed_value){values_ns[unit], unit};
            }
        }
        if (count < 2) {
            continue;
        }
        qsort(placed, count, sizeof *placed, compare_placed);
        for (size_t i = 0; i < count; i++) {
            levels_ns[placed[i].unit] = median_of_others(placed, count, i);
            deviations_ns[placed[i].unit] = placed[i].value - levels_ns[placed[i].unit];
        }
    }
    free(placed);
    return 0;
}

/* The values at the ranks `order` and count + 1 - `order` hold the median between them with this
 * probability, whatever the distribution. */
static double order_coverage(size_t count, size_t order)
{
    return 1 - 2 * gsl_cdf_binomial_P((unsigned)order - 1, 0.5, (unsigned)count);
}

/* Between the two pairs of ranks whose coverages bracket the nominal one, the ends are interpolated,
 * with the weights that hold for symmetric distributions and nearly for others. */
static void interval_compute(const double *ascending, size_t count, double *low, double *high)
{
    size_t order = 1;
    while (order < count / 2 && order_coverage(count, order + 1) >= INTERVAL_COVERAGE) {
        order++;
    }
    *low = ascending[order - 1];
    *high = ascending[count - order];
    if (2 * (order + 1) > count + 1) {
        return;
    }
    const double wide = order_coverage(count, order);
    const double narrow = order_coverage(count, order + 1);
    if (wide <= INTERVAL_COVERAGE) {
        return;
    }
    const double part = (wide - INTERVAL_COVERAGE) / (wide - narrow);
    const double rest = (double)(count - order);
    const double weight = rest * part / ((double)order + (rest - (double)order) * part);
    *low += weight * (ascending[order] - *low);
    *high -= weight * (*high - ascending[count - order - 1]);
}

void verdict_size_set(struct verdict_size *size, double estimate_ns, double low_ns, double high_ns,
                      double level_ns)
{
    *size = (struct verdict_size){
        .estimate_ns = estimate_ns, .low_ns = low_ns, .high_ns = high_ns, .level_ns = level_ns};
    size->has_share = level_ns > 0;
    if (size->has_share) {
        size->share = estimate_ns / level_ns;
        size->share_low = low_ns / level_ns;
        size->share_high = high_ns / level_ns;
    }
}

bool verdict_size_is_large(const struct verdict_settings *settings, const struct verdict_size *size)
{
    return fabs(size->estimate_ns) >= settings->minimum_ns &&
           (!size->has_share || fabs(size->share) >= settings->minimum_share);
}

void verdict_size_compute(double *deviations_ns, size_t count, double level_ns,
                          struct verdict_size *size)
{
    *size = (struct verdict_size){
        .estimate_ns = NAN, .low_ns = NAN, .high_ns = NAN, .level_ns = level_ns};
    if (count == 0) {
        return;
    }
    double low_ns;
    double high_ns;
    const double estimate_ns = verdict_median_sorting(deviations_ns, count);
    interval_compute(deviations_ns, count, &low_ns, &high_ns);
    verdict_size_set(size, estimate_ns, low_ns, high_ns, level_ns);
}
