/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulated pairs of sweeps and remote memory: how often an interval holds the true difference, how
 * often a difference is found that is not there, and how often one that is.
 *
 *   simulate_compare        a reduced, seeded size that asserts (the test)
 *   simulate_compare N      N sweeps of each, the figures of the manual
 */
#include "numasweep/verdict_compare.h"
#include "simulate_noise.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 16, ROUNDS = 20, COLUMNS = 2, REDUCED_SWEEPS = 200 };
#define LEVEL 0.01

struct tally {
    size_t sweeps;
    size_t found; /* sweeps in which anything was found */
    size_t covered;
    size_t intervals;
    size_t covered_all; /* of all cells together */
};

static double values[COLUMNS][ROUNDS * CELLS];

static void fail(const char *what)
{
    (void)fprintf(stderr, "simulate_compare: %s failed\n", what);
    exit(2);
}

static void fill(double *sweep, enum simulated_model model, double more, gsl_rng *rng)
{
    struct simulated_noise noise = {.model = model};
    size_t order[CELLS];
    for (size_t cell = 0; cell < CELLS; cell++) {
        order[cell] = cell;
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        simulated_noise_next_round(&noise, rng);
        gsl_ran_shuffle(rng, order, CELLS, sizeof order[0]);
        for (size_t visit = 0; visit < CELLS; visit++) {
            const size_t cell = order[visit];
            const double share = simulated_noise_draw(&noise, cell, CELLS, rng);
            sweep[round * CELLS + cell] = BASE_NS * (1 + more + share);
        }
    }
}

static bool holds(const struct verdict_size *size, double truth_ns)
{
    return size->low_ns <= truth_ns && truth_ns <= size->high_ns;
}

/* Two sweeps, all cells slower by the same share after. */
static void compare_sweeps(enum simulated_model model, double share, uint64_t seed, gsl_rng *rng,
                           struct tally *tally)
{
    fill(values[0], model, 0, rng);
    fill(values[1], model, share, rng);
    const struct verdict_change_input input = {.before_rounds = ROUNDS,
                                               .after_rounds = ROUNDS,
                                               .cell_count = CELLS,
                                               .before_ns = values[0],
                                               .after_ns = values[1]};
    struct verdict_settings settings;
    struct verdict_changes changes;
    verdict_settings_init(&settings);
    settings.shuffle_count = 999;
    settings.seed = seed;
    if (verdict_changes_compute(&input, &settings, &changes) != 0) {
        fail("the comparison");
    }
    for (size_t i = 0; i < changes.count; i++) {
        const bool is_covered = holds(&changes.items[i].size, share * BASE_NS);
        const bool is_all = changes.items[i].subject.partition == VERDICT_ALL;
        tally->covered_all += is_all && is_covered;
        tally->covered += !is_all && is_covered;
        tally->intervals += !is_all;
    }
    tally->found += changes.confirmed_count > 0;
    tally->sweeps++;
    verdict_changes_destroy(&changes);
}

/* Half of the CPUs in each node. The noise of a remote visit is its own; what hits the round hits both.
 */
static void compare_memory(enum simulated_model model, double share, uint64_t seed, gsl_rng *rng,
                           struct tally *tally)
{
    static double columns[COLUMNS * ROUNDS * CELLS];
    size_t order[COLUMNS * CELLS];
    int local[CELLS];
    struct simulated_noise noise = {.model = model};
    (void)seed;
    for (size_t cell = 0; cell < CELLS; cell++) {
        local[cell] = cell < CELLS / 2 ? 0 : 1;
    }
    for (size_t visit = 0; visit < (size_t)COLUMNS * CELLS; visit++) {
        order[visit] = visit;
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        simulated_noise_next_round(&noise, rng);
        gsl_ran_shuffle(rng, order, (size_t)COLUMNS * CELLS, sizeof order[0]);
        for (size_t visit = 0; visit < (size_t)COLUMNS * CELLS; visit++) {
            const size_t cell = order[visit] % CELLS;
            const size_t column = order[visit] / CELLS;
            const double more = (int)column == local[cell] ? 0 : share;
            columns[(column * ROUNDS + round) * CELLS + cell] =
                BASE_NS * (1 + more + simulated_noise_draw(&noise, cell, (size_t)COLUMNS * CELLS, rng));
        }
    }
    const struct verdict_remote_input input = {.round_count = ROUNDS,
                                               .unit_count = CELLS,
                                               .column_count = COLUMNS,
                                               .values_ns = columns,
                                               .local_column_of_unit = local};
    struct verdict_remote remote;
    if (verdict_remote_compare(&input, LEVEL, &remote) != 0) {
        fail("local against remote");
    }
    bool is_found = false;
    for (size_t i = 0; i < CELLS; i++) {
        tally->covered += holds(&remote.units[i].size, share * BASE_NS);
        tally->intervals++;
    }
    for (size_t i = 0; i < remote.pair_count; i++) {
        is_found = is_found || remote.pairs[i].shift.p_adjusted <= LEVEL;
    }
    tally->covered_all += holds(&remote.machine.size, share * BASE_NS);
    tally->found += is_found;
    tally->sweeps++;
    verdict_remote_destroy(&remote);
}

static double percent_of(size_t part, size_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

/* Whether so few of so many would be a rare sight (under 1 in 1000) if the true share were `share`. */
static bool is_less_than(size_t count, size_t all, double share)
{
    const double expected = share * (double)all;
    return (double)count < expected - 3.1 * sqrt(expected * (1 - share)) - 0.5;
}

static int check(enum simulated_model model, double share, bool is_of_sweeps, const struct tally *tally)
{
    int failures = 0;
    printf("%-8s %-10s %4.0f%% %7zu %7.2f %9.1f %9.1f\n", is_of_sweeps ? "compare" : "remote",
           simulated_model_names[model], 100 * share, tally->sweeps,
           percent_of(tally->found, tally->sweeps), percent_of(tally->covered, tally->intervals),
           percent_of(tally->covered_all, tally->sweeps));
    const double kept = model == DRIFTING && is_of_sweeps ? 0.96 : 0.985;
    if (share <= 0 && is_less_than(tally->sweeps - tally->found, tally->sweeps, kept)) {
        printf("FAILED: too many sweeps with a false alarm\n");
        failures++;
    }
    if (share > 0 && model == GAUSSIAN && is_less_than(tally->found, tally->sweeps, 0.99)) {
        printf("FAILED: found in less than 99 %% of sweeps\n");
        failures++;
    }
    /* The cells of a sweep share its drift, so that they are no trials of their own: a wider bound. */
    /* A walk at random from round to round goes further than any part of it shows. */
    const double covered = model == DRIFTING && is_of_sweeps ? 0.8 : 0.9;
    if (percent_of(tally->covered, tally->intervals) < 100 * covered ||
        is_less_than(tally->covered_all, tally->sweeps, covered)) {
        printf("FAILED: intervals cover less than %.0f %%\n", 100 * covered);
        failures++;
    }
    (void)fflush(stdout);
    return failures;
}

int main(int argc, char **argv)
{
    static const double shares[] = {0, 0.1};
    const size_t sweeps = argc > 1 ? strtoul(argv[1], NULL, 10) : REDUCED_SWEEPS;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    int failures = 0;
    if (sweeps == 0 || rng == NULL) {
        (void)fprintf(stderr, "usage: simulate_compare [SWEEPS]\n");
        return 2;
    }
    printf("WHAT     MODEL      MORE  SWEEPS  FOUND%% COVERED%% MACHINE%%\n");
    for (int model = 0; model < SIMULATED_MODELS; model++) {
        for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
            struct tally change = {0};
            struct tally memory = {0};
            gsl_rng_set(rng, 20260201UL + (unsigned long)model * 31 + i);
            for (size_t sweep = 0; sweep < sweeps; sweep++) {
                compare_sweeps((enum simulated_model)model, shares[i], sweep + 1, rng, &change);
                compare_memory((enum simulated_model)model, shares[i], sweep + 1, rng, &memory);
            }
            failures += check((enum simulated_model)model, shares[i], true, &change);
            failures += check((enum simulated_model)model, shares[i], false, &memory);
        }
    }
    gsl_rng_free(rng);
    return failures == 0 ? 0 : 1;
}
