/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/paired_statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

static const double wanted_coverage = 0.95;

double median_of(double *values, size_t count)
{
    if (count == 0) {
        return NAN;
    }
    gsl_sort(values, 1, count);
    return gsl_stats_median_from_sorted_data(values, 1, count);
}

/* P(Bin(n, 1/2) <= k) */
static double binomial_half(size_t k, size_t n)
{
    return gsl_cdf_binomial_P((unsigned)k, 0.5, (unsigned)n);
}

/* The k-th smallest and the k-th largest difference enclose the median unless fewer than k lie on one
 * side of it: coverage 1 - 2 P(Bin(n, 1/2) < k). */
static void set_interval(const double *ascending, size_t count, struct paired_difference *difference)
{
    size_t rank = 1;
    if (count < 2) {
        difference->low_ns = NAN;
        difference->high_ns = NAN;
        difference->detectable_ns = NAN;
        return;
    }
    while (rank < (count + 1) / 2 && 1 - 2 * binomial_half(rank, count) >= wanted_coverage) {
        rank++;
    }
    difference->coverage = 1 - 2 * binomial_half(rank - 1, count);
    difference->low_ns = ascending[rank - 1];
    difference->high_ns = ascending[count - rank];
    difference->detectable_ns = (difference->high_ns - difference->low_ns) / 2;
}

static double sign_test(const double *differences, size_t count, size_t *above)
{
    size_t below = 0;
    *above = 0;
    for (size_t i = 0; i < count; i++) {
        *above += differences[i] > 0;
        below += differences[i] < 0;
    }
    const size_t total = *above + below;
    const size_t fewer = *above < below ? *above : below;
    const double p = total == 0 ? 1 : 2 * binomial_half(fewer, total);
    return p < 1 ? p : 1;
}

void paired_difference_compute(const double *base_ns, const double *other_ns, size_t count,
                               double *scratch, struct paired_difference *difference)
{
    size_t kept = 0;
    *difference = (struct paired_difference){.p = 1};
    for (size_t i = 0; i < count; i++) {
        if (isfinite(base_ns[i]) && isfinite(other_ns[i])) {
            scratch[kept] = base_ns[i];
            kept++;
        }
    }
    difference->count = kept;
    difference->base_ns = median_of(scratch, kept);
    kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(base_ns[i]) && isfinite(other_ns[i])) {
            scratch[kept] = other_ns[i] - base_ns[i];
            kept++;
        }
    }
    difference->p = sign_test(scratch, kept, &difference->above);
    difference->estimate_ns = median_of(scratch, kept);
    set_interval(scratch, kept, difference);
}
