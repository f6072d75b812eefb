/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Noise of visits as a share of their base, for simulations: six models that the statistics were made
 * with, and two (skewed, bursts) that they were not.
 */
#ifndef NUMASWEEP_TESTS_SIMULATE_NOISE_H
#define NUMASWEEP_TESTS_SIMULATE_NOISE_H

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stddef.h>

#define BASE_NS 100000.0

enum simulated_model {
    GAUSSIAN,
    ONE_SIDED,
    DRIFTING,
    BIMODAL,
    PERIODIC,
    UNEQUAL,
    SKEWED,
    BURSTS,
    SIMULATED_MODELS
};
static const char *const simulated_model_names[SIMULATED_MODELS] = {
    "gaussian", "one-sided", "drifting", "bimodal", "periodic", "unequal", "skewed", "bursts"};

enum { BURST_VISITS = 6, VISITS_PER_BURST = 60 };

struct simulated_noise {
    enum simulated_model model;
    double drift;       /* of the round */
    size_t visit;       /* since the start */
    size_t first_visit; /* of the round */
    int burst_left;
};

static inline void simulated_noise_next_round(struct simulated_noise *noise, gsl_rng *rng)
{
    noise->drift += gsl_ran_gaussian_ziggurat(rng, 0.1);
    noise->first_visit = noise->visit;
}

/* Whatever it is that disturbs stays for some visits, of whichever CPU. */
static inline double simulated_noise_burst(struct simulated_noise *noise, gsl_rng *rng)
{
    if (noise->burst_left == 0 && gsl_rng_uniform_int(rng, VISITS_PER_BURST) == 0) {
        noise->burst_left = BURST_VISITS;
    }
    const double more = noise->burst_left > 0 ? 0.5 + gsl_rng_uniform(rng) : 0;
    noise->burst_left -= noise->burst_left > 0;
    return more;
}

/* The next visit, of this unit out of so many. */
static inline double simulated_noise_draw(struct simulated_noise *noise, size_t unit, size_t units,
                                          gsl_rng *rng)
{
    const double place = (double)(noise->visit - noise->first_visit) / (double)units;
    const double now = (double)noise->visit;
    noise->visit++;
    switch (noise->model) {
    case GAUSSIAN:
        return gsl_ran_gaussian_ziggurat(rng, 0.06);
    case ONE_SIDED: {
        const double disturbed = gsl_rng_uniform(rng) < 1.0 / 12 ? 3 * gsl_rng_uniform(rng) : 0;
        return gsl_ran_gaussian_ziggurat(rng, 0.06) + disturbed;
    }
    case DRIFTING:
        return gsl_ran_gaussian_ziggurat(rng, 0.04) + noise->drift + 0.2 * place;
    case BIMODAL:
        return gsl_ran_gaussian_ziggurat(rng, 0.03) + (gsl_rng_uniform(rng) < 0.4 ? 0.4 : 0);
    case PERIODIC:
        return gsl_ran_gaussian_ziggurat(rng, 0.04) + 0.1 * sin(now * 2 * M_PI / 7.3);
    case UNEQUAL:
        return gsl_ran_gaussian_ziggurat(rng, unit % 8 == 5 ? 0.24 : 0.06);
    case SKEWED:
        return expm1(gsl_ran_gaussian_ziggurat(rng, 0.04)) + gsl_ran_exponential(rng, 0.05);
    case BURSTS:
        return gsl_ran_gaussian_ziggurat(rng, 0.05) + simulated_noise_burst(noise, rng);
    case SIMULATED_MODELS:
        break;
    }
    return 0;
}

#endif
