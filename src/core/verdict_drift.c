/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <math.h>

/* Further than this from none, in standard errors, is a drift. */
#define STANDARD_ERRORS 2.0
/* What is left when the rounds all but follow one another. */
#define CORRELATION_MOST 0.95

struct products {
    double neighbours;
    double squares;
    double count;
};

/* A sweep's own mean is taken off, so that the difference between two sweeps is no drift. */
static void add_products(const double *values, size_t rounds, struct products *products)
{
    double sum = 0;
    double count = 0;
    for (size_t round = 0; round < rounds; round++) {
        sum += isfinite(values[round]) ? values[round] : 0;
        count += isfinite(values[round]) ? 1 : 0;
    }
    const double mean = count > 0 ? sum / count : 0;
    for (size_t round = 0; round < rounds; round++) {
        const double here = isfinite(values[round]) ? values[round] - mean : 0;
        const bool has_next = round + 1 < rounds && isfinite(values[round + 1]);
        products->squares += here * here;
        products->neighbours += has_next ? here * (values[round + 1] - mean) : 0;
    }
    products->count += count;
}

size_t verdict_drift_length(const double *values, size_t before_rounds, size_t after_rounds)
{
    struct products products = {0};
    add_products(values, before_rounds, &products);
    add_products(values + before_rounds, after_rounds, &products);
    if (products.squares <= 0 || products.count < 2 * VERDICT_ROUNDS_MINIMUM) {
        return 1;
    }
    const double found = products.neighbours / products.squares;
    if (found * sqrt(products.count) < STANDARD_ERRORS) {
        return 1;
    }
    /* Few rounds around their own mean look less alike than they are. */
    const double unbiased = found + 2 * (1 + 3 * found) / products.count;
    const double correlation = unbiased < CORRELATION_MOST ? unbiased : CORRELATION_MOST;
    return (size_t)ceil((1 + correlation) / (1 - correlation));
}
