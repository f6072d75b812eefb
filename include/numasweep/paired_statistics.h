/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Differences between two conditions that were measured in the same rounds, and between two independent
 * sets of rounds. Distribution-free: what is used of the differences is their order and their signs.
 */
#ifndef NUMASWEEP_PAIRED_STATISTICS_H
#define NUMASWEEP_PAIRED_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct paired_difference {
    size_t count;       /* pairs (rounds) */
    double base_ns;     /* median of the base condition */
    double estimate_ns; /* median of the differences: other minus base */
    double low_ns;      /* interval of the median difference by order statistics (binomial) */
    double high_ns;
    double coverage; /* of the interval: at least 0.95 where there are six pairs or more, else what the
                        range of all pairs covers; 0 for fewer than two */
    double p;        /* sign test, two-sided, zeros left out; 1 where there is nothing to test */
    size_t above;    /* pairs with a positive difference */
    double detectable_ns; /* the smallest difference that would have been seen: half of the interval's
                             width; NAN where there is no interval */
};

/* NAN (or infinite) values leave their pair out. `scratch` has room for `count`. */
void paired_difference_compute(const double *base_ns, const double *other_ns, size_t count,
                               double *scratch, struct paired_difference *difference);

/* Median of `count` finite values (mean of the middle two for an even count); they are sorted. */
double median_of(double *values, size_t count);

#endif
