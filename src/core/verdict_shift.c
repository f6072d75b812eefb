/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include "numasweep/verdict_compare.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#define TAIL 0.025
#define POWER 0.8

/* Up to so many pairs all ways to swap them are counted; above, the sum is as good as normal. */
enum { EXACT_PAIRS = 60 };

struct ranked {
    double size;
    bool is_positive;
};

static int compare_ranked(const void *first, const void *second)
{
    const double a = ((const struct ranked *)first)->size;
    const double b = ((const struct ranked *)second)->size;
    return (a > b) - (a < b);
}

/* Twice the ranks, so that the shared ones are whole too. Returns how many differ from zero. */
static size_t rank_sizes(const double *differences, size_t count, struct ranked *ranked, size_t *doubled)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (differences[i] != 0) {
            ranked[kept++] = (struct ranked){fabs(differences[i]), differences[i] > 0};
        }
    }
    qsort(ranked, kept, sizeof *ranked, compare_ranked);
    size_t end = 0;
    for (size_t first = 0; first < kept; first = end) {
        end = first + 1;
        while (end < kept && ranked[end].size <= ranked[first].size) {
            end++;
        }
        for (size_t i = first; i < end; i++) {
            doubled[i] = first + 1 + end;
        }
    }
    return kept;
}

/* The share of all sign patterns whose sum of positive ranks is at most `sum`. */
static double share_at_most(const size_t *doubled, size_t count, size_t sum, double *ways)
{
    const size_t whole = count * (count + 1);
    for (size_t i = 0; i <= whole; i++) {
        ways[i] = i == 0 ? 1 : 0;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t total = whole; total + 1 > doubled[i]; total--) {
            ways[total] = ways[total] / 2 + ways[total - doubled[i]] / 2;
        }
        for (size_t total = 0; total < doubled[i]; total++) {
            ways[total] /= 2;
        }
    }
    double share = 0;
    for (size_t i = 0; i <= sum && i <= whole; i++) {
        share += ways[i];
    }
    return share;
}

static double p_of_ranks(const struct ranked *ranked, const size_t *doubled, size_t count, double *ways)
{
    if (count == 0) {
        return 1;
    }
    size_t positive = 0;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        positive += ranked[i].is_positive ? doubled[i] : 0;
        squares += (double)doubled[i] * (double)doubled[i];
    }
    const size_t whole = count * (count + 1);
    const size_t smaller = positive < whole - positive ? positive : whole - positive;
    double p;
    if (count > EXACT_PAIRS) {
        const double distance = (double)whole / 2 - (double)smaller - 1;
        p = 2 * gsl_cdf_ugaussian_Q(2 * distance / sqrt(squares));
    } else {
        p = 2 * share_at_most(doubled, count, smaller, ways);
    }
    return p < 1 ? p : 1;
}

static int compute_p(const double *differences, size_t count, double *p)
{
    struct ranked *ranked = calloc(count + 1, sizeof *ranked);
    size_t *doubled = calloc(count + 1, sizeof *doubled);
    double *ways = calloc(count * (count + 1) + 1, sizeof *ways);
    int status = -ENOMEM;
    if (ranked != NULL && doubled != NULL && ways != NULL) {
        const size_t kept = rank_sizes(differences, count, ranked, doubled);
        *p = p_of_ranks(ranked, doubled, kept, ways);
        status = 0;
    }
    free(ranked);
    free(doubled);
    free(ways);
    return status;
}

/* How many of the averages are left out at each end for the interval, from 0: without ties, the largest
 * number whose sum of ranks is reached by at most the tail's share of all sign patterns. */
static size_t averages_outside(size_t count, size_t *doubled, double *ways)
{
    if (count > EXACT_PAIRS) {
        const double mean = (double)count * ((double)count + 1) / 4;
        const double sigma = sqrt(mean * (2 * (double)count + 1) / 6);
        return (size_t)(mean - gsl_cdf_ugaussian_Qinv(TAIL) * sigma);
    }
    for (size_t i = 0; i < count; i++) {
        doubled[i] = 2 * (i + 1);
    }
    (void)share_at_most(doubled, count, 0, ways);
    double share = 0;
    size_t outside = 0;
    while (share + ways[2 * outside] <= TAIL) {
        share += ways[2 * outside];
        outside++;
    }
    return outside;
}

static int compute_size(const double *differences, size_t count, double level_ns,
                        struct verdict_size *size)
{
    const size_t pairs = count * (count + 1) / 2;
    double *averages = calloc(pairs + 1, sizeof *averages);
    size_t *doubled = calloc(count + 1, sizeof *doubled);
    double *ways = calloc(count * (count + 1) + 1, sizeof *ways);
    int status = -ENOMEM;
    if (averages != NULL && doubled != NULL && ways != NULL) {
        size_t made = 0;
        for (size_t i = 0; i < count; i++) {
            for (size_t k = i; k < count; k++) {
                averages[made++] = differences[i] + (differences[k] - differences[i]) / 2;
            }
        }
        const double estimate_ns = verdict_median_sorting(averages, pairs);
        const size_t outside = averages_outside(count, doubled, ways);
        /* The first that is inside has `outside` ones below it; with none, the interval spans all. */
        const size_t first = outside > 0 ? outside - 1 : 0;
        verdict_size_set(size, estimate_ns, averages[first], averages[pairs - 1 - first], level_ns);
        status = 0;
    }
    free(averages);
    free(doubled);
    free(ways);
    return status;
}

static double detectable(const struct verdict_shift *shift, double level)
{
    if (pow(2, 1 - (double)shift->pair_count) > level) {
        return 0;
    }
    const double error_ns = (shift->size.high_ns - shift->size.low_ns) /
                            (2 * gsl_cdf_ugaussian_Qinv(TAIL));
    return error_ns * (gsl_cdf_ugaussian_Qinv(level / 2) + gsl_cdf_ugaussian_Pinv(POWER));
}

int verdict_shift_compute(const double *differences_ns, size_t count, double level_ns, double level,
                          struct verdict_shift *shift)
{
    *shift = (struct verdict_shift){.p = 1, .p_adjusted = 1};
    double *finite = calloc(count + 1, sizeof *finite);
    if (finite == NULL) {
        return -ENOMEM;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(differences_ns[i])) {
            finite[kept++] = differences_ns[i];
        }
    }
    int status = 0;
    if (kept > 0) {
        status = compute_p(finite, kept, &shift->p);
    }
    if (kept > 0 && status == 0) {
        status = compute_size(finite, kept, level_ns, &shift->size);
        shift->pair_count = kept;
        shift->p_adjusted = shift->p;
        shift->detectable_ns = detectable(shift, level);
    }
    free(finite);
    return status;
}
