/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulated sweeps for the verdict: how often it accuses a healthy machine, how often it finds a slow
 * CPU or node, and how often the interval of a size holds the truth.
 *
 *   simulate_verdict            a reduced, seeded size that asserts (the test)
 *   simulate_verdict full [N]   all models and sizes, N sweeps each (1000), the figures of the manual
 *   simulate_verdict speed      4096 CPUs, 30 rounds
 *   simulate_verdict one MODEL UNITS COLUMNS ROUNDS CASE PERCENT SWEEPS
 */
#include "numasweep/verdict_statistics.h"
#include "simulate_noise.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum situation { HEALTHY, ONE_SLOW, THREE_SLOW, QUARTER_SLOW, HALF_SLOW, HYBRID, SITUATION_COUNT };
static const char *const situation_names[SITUATION_COUNT] = {"healthy", "one",  "three",
                                                             "quarter", "half", "hybrid"};

struct trial {
    enum simulated_model model;
    size_t units;
    size_t columns;
    size_t rounds;
    enum situation situation;
    double percent; /* slower, in all columns */
    size_t sweeps;
};

struct tally {
    size_t sweeps;
    size_t with_false; /* anything found that is not there */
    size_t found;      /* all that is there was found, in the first column */
    size_t flagged;    /* ... and large enough to be a flag */
    size_t covered;    /* intervals that hold the truth */
    size_t intervals;
};

struct machine {
    int *kinds;
    int *packages;
    int *nodes;
    int *cores;
    double *factors; /* of the unit's base */
    bool *is_slow;
    size_t *order;
    double *values_ns;
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        (void)fprintf(stderr, "simulate_verdict: out of memory\n");
        exit(2);
    }
    return memory;
}

static bool is_affected(const struct trial *trial, size_t unit)
{
    switch (trial->situation) {
    case ONE_SLOW:
    case HYBRID:
        return unit == trial->units / 3;
    case THREE_SLOW:
        return unit == 0 || unit == trial->units / 3 || unit == trial->units * 2 / 3 + 1;
    case QUARTER_SLOW:
        return unit / 2 * 8 / trial->units == 1;
    case HALF_SLOW:
        return unit * 2 >= trial->units;
    case HEALTHY:
    case SITUATION_COUNT:
        break;
    }
    return false;
}

static void machine_create(const struct trial *trial, struct machine *machine)
{
    const size_t units = trial->units;
    *machine = (struct machine){
        .kinds = allocate(units, sizeof(int)),
        .packages = allocate(units, sizeof(int)),
        .nodes = allocate(units, sizeof(int)),
        .cores = allocate(units, sizeof(int)),
        .factors = allocate(units, sizeof(double)),
        .is_slow = allocate(units, sizeof(bool)),
        .order = allocate(units, sizeof(size_t)),
        .values_ns = allocate(units * trial->columns * trial->rounds, sizeof(double)),
    };
    for (size_t unit = 0; unit < units; unit++) {
        machine->kinds[unit] = trial->situation == HYBRID && unit * 3 >= units * 2 ? 1 : 0;
        machine->packages[unit] = (int)(unit * 2 / units);
        machine->nodes[unit] = (int)(unit * 4 / units);
        machine->cores[unit] = (int)(unit / 2);
        machine->is_slow[unit] = is_affected(trial, unit);
        machine->factors[unit] = machine->kinds[unit] == 1 ? 1.6 : 1;
        machine->order[unit] = unit;
    }
}

static void machine_destroy(struct machine *machine)
{
    free(machine->kinds);
    free(machine->packages);
    free(machine->nodes);
    free(machine->cores);
    free(machine->factors);
    free(machine->is_slow);
    free(machine->order);
    free(machine->values_ns);
}

static void machine_sweep(const struct trial *trial, struct machine *machine, gsl_rng *rng)
{
    for (size_t column = 0; column < trial->columns; column++) {
        struct simulated_noise noise = {.model = trial->model};
        for (size_t round = 0; round < trial->rounds; round++) {
            simulated_noise_next_round(&noise, rng);
            gsl_ran_shuffle(rng, machine->order, trial->units, sizeof *machine->order);
            for (size_t i = 0; i < trial->units; i++) {
                const size_t unit = machine->order[i];
                const double more = machine->is_slow[unit] ? trial->percent / 100 : 0;
                const double share = simulated_noise_draw(&noise, unit, trial->units, rng);
                machine->values_ns[(column * trial->rounds + round) * trial->units + unit] =
                    BASE_NS * machine->factors[unit] * (1 + more + share);
            }
        }
    }
}

/* Where the group, or the unit, is all slow. Of two halves, naming the healthy one fast is as right. */
static bool is_true(const struct trial *trial, const struct machine *machine,
                    const struct verdict_finding *finding)
{
    if (finding->subject.partition == 0 && trial->situation == HYBRID) {
        return finding->direction == (finding->subject.group == 1 ? VERDICT_SLOW : VERDICT_FAST);
    }
    const int *const groups[] = {machine->kinds, machine->packages, machine->nodes, machine->cores};
    bool all_slow = true;
    bool all_healthy = true;
    for (size_t unit = 0; unit < trial->units; unit++) {
        const bool is_member = finding->subject.partition == VERDICT_SINGLE
                                   ? unit == finding->subject.unit
                                   : groups[finding->subject.partition][unit] == finding->subject.group;
        all_slow = all_slow && (!is_member || machine->is_slow[unit]);
        all_healthy = all_healthy && (!is_member || !machine->is_slow[unit]);
    }
    if (trial->situation == HALF_SLOW && all_healthy) {
        return finding->direction == VERDICT_FAST;
    }
    return all_slow && finding->direction == VERDICT_SLOW;
}

static bool names(const struct trial *trial, const struct machine *machine,
                  const struct verdict_finding *finding, size_t unit)
{
    if (trial->situation == QUARTER_SLOW) {
        return finding->subject.partition == 2 && finding->subject.group == machine->nodes[unit];
    }
    if (trial->situation == HALF_SLOW) {
        return finding->subject.partition == 1 && finding->subject.group == machine->packages[unit];
    }
    return finding->subject.partition == VERDICT_SINGLE && finding->subject.unit == unit;
}

static void tally_sweep(const struct trial *trial, const struct machine *machine,
                        const struct verdict *verdict, struct tally *tally)
{
    bool has_false = false;
    for (size_t i = 0; i < verdict->finding_count; i++) {
        has_false = has_false || !is_true(trial, machine, &verdict->findings[i]);
    }
    bool all_found = true;
    bool all_flagged = true;
    for (size_t unit = 0; unit < trial->units; unit++) {
        bool is_found = false;
        bool is_flagged = false;
        for (size_t i = 0; i < verdict->finding_count && machine->is_slow[unit]; i++) {
            const struct verdict_finding *const finding = &verdict->findings[i];
            if (finding->figure != 0 || !names(trial, machine, finding, unit)) {
                continue;
            }
            is_found = true;
            is_flagged = is_flagged || finding->is_large;
            const double truth_ns = trial->percent / 100 * BASE_NS;
            tally->covered += finding->size.low_ns <= truth_ns && truth_ns <= finding->size.high_ns;
            tally->intervals++;
        }
        all_found = all_found && (is_found || !machine->is_slow[unit]);
        all_flagged = all_flagged && (is_flagged || !machine->is_slow[unit]);
    }
    tally->sweeps++;
    tally->with_false += has_false;
    tally->found += all_found;
    tally->flagged += all_flagged;
}

static struct tally run_trial(const struct trial *trial)
{
    struct machine machine;
    machine_create(trial, &machine);
    const struct verdict_partition partitions[] = {
        {.name = "kind", .group_of_unit = machine.kinds, .is_kind = true},
        {.name = "package", .group_of_unit = machine.packages},
        {.name = "node", .group_of_unit = machine.nodes},
        {.name = "core", .group_of_unit = machine.cores},
    };
    const struct verdict_input input = {
        .round_count = trial->rounds,
        .unit_count = trial->units,
        .figure_count = trial->columns,
        .values_ns = machine.values_ns,
        .partitions = partitions,
        .partition_count = sizeof partitions / sizeof partitions[0],
    };
    struct verdict_settings settings;
    verdict_settings_init(&settings);
    settings.shuffle_count = 999;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng,
                20260101UL + (unsigned long)trial->model * 7919 + trial->units * 31 + trial->rounds);
    struct tally tally = {0};
    for (size_t sweep = 0; sweep < trial->sweeps; sweep++) {
        struct verdict verdict;
        machine_sweep(trial, &machine, rng);
        settings.seed = sweep + 1;
        if (verdict_judge(&input, &settings, &verdict) != 0) {
            (void)fprintf(stderr, "simulate_verdict: the verdict failed\n");
            exit(2);
        }
        tally_sweep(trial, &machine, &verdict, &tally);
        verdict_destroy(&verdict);
    }
    gsl_rng_free(rng);
    machine_destroy(&machine);
    return tally;
}

static double percent_of(size_t part, size_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void print_heading(void)
{
    printf("MODEL      CPUS COLS ROUNDS CASE     SLOW  SWEEPS FALSE%% FOUND%% FLAGGED%% COVERED%%\n");
}

static struct tally report_trial(const struct trial *trial)
{
    const struct tally tally = run_trial(trial);
    printf("%-10s %4zu %4zu %6zu %-8s %3.0f%% %7zu %6.2f", simulated_model_names[trial->model],
           trial->units, trial->columns, trial->rounds, situation_names[trial->situation],
           trial->percent, tally.sweeps, percent_of(tally.with_false, tally.sweeps));
    if (trial->situation == HEALTHY) {
        printf("      -        -        -\n");
    } else {
        printf(" %6.1f %8.1f", percent_of(tally.found, tally.sweeps),
               percent_of(tally.flagged, tally.sweeps));
        if (tally.intervals > 0) {
            printf(" %8.1f\n", percent_of(tally.covered, tally.intervals));
        } else {
            printf("        -\n");
        }
    }
    (void)fflush(stdout);
    return tally;
}

/* Whether so many of so many would be a rare sight (under 1 in 1000) if the true share were `share`. */
static bool is_more_than(size_t count, size_t all, double share)
{
    const double expected = share * (double)all;
    return (double)count > expected + 3.1 * sqrt(expected * (1 - share)) + 0.5;
}

static int check_false(const struct trial *trial)
{
    const struct tally tally = report_trial(trial);
    if (is_more_than(tally.with_false, tally.sweeps, 0.015)) {
        printf("FAILED: more than 1.5 %% of sweeps with a false alarm\n");
        return 1;
    }
    return 0;
}

static int check_found(const struct trial *trial, double share)
{
    const struct tally tally = report_trial(trial);
    int failures = 0;
    if (is_more_than(tally.sweeps - tally.found, tally.sweeps, 1 - share)) {
        printf("FAILED: found in less than %.0f %% of sweeps\n", 100 * share);
        failures++;
    }
    if (is_more_than(tally.with_false, tally.sweeps, 0.015)) {
        printf("FAILED: more than 1.5 %% of sweeps with a false alarm beside it\n");
        failures++;
    }
    if (is_more_than(tally.intervals - tally.covered, tally.intervals, 0.07)) {
        printf("FAILED: intervals cover less than 93 %%\n");
        failures++;
    }
    return failures;
}

static int run_reduced(void)
{
    int failures = 0;
    print_heading();
    for (int model = 0; model < SIMULATED_MODELS; model++) {
        const struct trial small = {(enum simulated_model)model, 16, 2, 10, HEALTHY, 0, 400};
        const struct trial large = {(enum simulated_model)model, 64, 1, 20, HEALTHY, 0, 200};
        failures += check_false(&small);
        failures += check_false(&large);
    }
    static const struct {
        struct trial trial;
        double share;
    } powers[] = {
        {{GAUSSIAN, 32, 1, 20, ONE_SLOW, 20, 100}, 0.99},
        {{GAUSSIAN, 32, 1, 20, ONE_SLOW, 10, 100}, 0.8},
        {{ONE_SIDED, 32, 1, 20, ONE_SLOW, 20, 100}, 0.97},
        {{SKEWED, 32, 1, 20, ONE_SLOW, 10, 100}, 0.8},
        {{BURSTS, 32, 1, 20, ONE_SLOW, 20, 100}, 0.97},
        {{BIMODAL, 32, 1, 20, ONE_SLOW, 40, 300}, 0.95},
        {{PERIODIC, 32, 1, 20, ONE_SLOW, 10, 300}, 0.3},
        {{GAUSSIAN, 32, 1, 20, THREE_SLOW, 20, 60}, 0.97},
        {{GAUSSIAN, 32, 1, 20, QUARTER_SLOW, 20, 60}, 0.99},
        {{GAUSSIAN, 32, 1, 20, HALF_SLOW, 20, 60}, 0.99},
        {{GAUSSIAN, 24, 1, 20, HYBRID, 20, 60}, 0.95},
    };
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        failures += check_found(&powers[i].trial, powers[i].share);
    }
    return failures == 0 ? 0 : 1;
}

static int run_full(size_t sweeps)
{
    static const struct {
        size_t units;
        size_t columns;
        size_t rounds;
    } sizes[] = {{2, 1, 10},  {3, 1, 10},  {4, 2, 20},   {8, 1, 5},   {8, 8, 10},
                 {16, 2, 10}, {32, 1, 5},  {32, 1, 10},  {32, 1, 20}, {32, 8, 20},
                 {64, 2, 30}, {128, 1, 5}, {128, 8, 10}, {512, 1, 20}};
    print_heading();
    for (int model = 0; model < SIMULATED_MODELS; model++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const struct trial trial = {(enum simulated_model)model,
                                        sizes[i].units,
                                        sizes[i].columns,
                                        sizes[i].rounds,
                                        HEALTHY,
                                        0,
                                        sweeps};
            (void)report_trial(&trial);
        }
    }
    static const double percents[] = {5, 10, 20, 40};
    static const size_t rounds[] = {5, 10, 20, 30};
    for (int model = 0; model < SIMULATED_MODELS; model++) {
        for (size_t r = 0; r < sizeof rounds / sizeof rounds[0]; r++) {
            for (size_t p = 0; p < sizeof percents / sizeof percents[0]; p++) {
                const struct trial trial = {(enum simulated_model)model,
                                            32,
                                            1,
                                            rounds[r],
                                            ONE_SLOW,
                                            percents[p],
                                            sweeps / 5 + 1};
                (void)report_trial(&trial);
            }
        }
        for (int situation = THREE_SLOW; situation < SITUATION_COUNT; situation++) {
            const struct trial trial = {
                (enum simulated_model)model, 32, 1, 20, (enum situation)situation, 20, sweeps / 5 + 1};
            (void)report_trial(&trial);
        }
    }
    return 0;
}

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int run_speed(void)
{
    print_heading();
    for (size_t columns = 1; columns <= 4; columns *= 4) {
        const struct trial trials[] = {{GAUSSIAN, 4096, columns, 30, HEALTHY, 0, 1},
                                       {GAUSSIAN, 4096, columns, 30, ONE_SLOW, 40, 1}};
        for (size_t i = 0; i < 2; i++) {
            const double started_s = now_s();
            (void)report_trial(&trials[i]);
            printf("%.1f s\n", now_s() - started_s);
        }
    }
    return 0;
}

static size_t find_name(const char *const *names_of, size_t count, const char *text)
{
    size_t i = 0;
    while (i < count && strcmp(names_of[i], text) != 0) {
        i++;
    }
    return i;
}

static int run_one(char **words)
{
    const struct trial trial = {
        .model = (enum simulated_model)find_name(simulated_model_names, SIMULATED_MODELS, words[0]),
        .units = strtoul(words[1], NULL, 10),
        .columns = strtoul(words[2], NULL, 10),
        .rounds = strtoul(words[3], NULL, 10),
        .situation = (enum situation)find_name(situation_names, SITUATION_COUNT, words[4]),
        .percent = strtod(words[5], NULL),
        .sweeps = strtoul(words[6], NULL, 10),
    };
    if (trial.model == SIMULATED_MODELS || trial.situation == SITUATION_COUNT || trial.units == 0 ||
        trial.columns == 0 || trial.rounds == 0) {
        (void)fprintf(stderr, "simulate_verdict: no such model, case or size\n");
        return 2;
    }
    print_heading();
    (void)report_trial(&trial);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        return run_reduced();
    }
    if (strcmp(argv[1], "full") == 0) {
        return run_full(argc > 2 ? strtoul(argv[2], NULL, 10) : 1000);
    }
    if (strcmp(argv[1], "speed") == 0) {
        return run_speed();
    }
    if (strcmp(argv[1], "one") == 0 && argc == 9) {
        return run_one(argv + 2);
    }
    (void)fprintf(stderr,
                  "usage: simulate_verdict [full [SWEEPS] | speed | one MODEL CPUS COLUMNS ROUNDS CASE "
                  "PERCENT SWEEPS]\n");
    return 2;
}
