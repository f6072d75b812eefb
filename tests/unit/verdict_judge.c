/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../../src/core/verdict_internal.h"
#include "numasweep/verdict_statistics.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { UNITS = 16, ROUNDS = 12, BASE_NS = 100000, NOISE_NS = 5000 };

/* A table of the test's own numbers, the same on every machine: noise that is even, of +-NOISE_NS. */
struct table {
    size_t rounds;
    size_t units;
    double values_ns[ROUNDS * UNITS];
    int halves[UNITS];
    int pairs[UNITS];
};

static void table_fill(struct table *table, size_t rounds, size_t units)
{
    *table = (struct table){.rounds = rounds, .units = units};
    uint64_t state = 12345;
    for (size_t i = 0; i < rounds * units; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double uniform = (double)(state >> 11) / 9007199254740992.0;
        /* Each round has a level of its own. */
        const double level_ns = (double)(i / units % 3) * 20000;
        table->values_ns[i] = BASE_NS + level_ns + NOISE_NS * (2 * uniform - 1);
    }
    for (size_t unit = 0; unit < units; unit++) {
        table->halves[unit] = unit < units / 2 ? 0 : 1;
        table->pairs[unit] = (int)(unit / 2);
    }
}

static void table_slow(struct table *table, size_t unit, double more_ns)
{
    for (size_t round = 0; round < table->rounds; round++) {
        table->values_ns[round * table->units + unit] += more_ns;
    }
}

static void table_judge(const struct table *table, struct verdict *verdict)
{
    const struct verdict_partition partitions[] = {{.name = "node", .group_of_unit = table->halves},
                                                   {.name = "core", .group_of_unit = table->pairs}};
    const struct verdict_input input = {
        .round_count = table->rounds,
        .unit_count = table->units,
        .figure_count = 1,
        .values_ns = table->values_ns,
        .partitions = partitions,
        .partition_count = 2,
    };
    struct verdict_settings settings;
    verdict_settings_init(&settings);
    assert_int_equal(verdict_judge(&input, &settings, verdict), 0);
}

static void assert_one_unit(const struct verdict *verdict, size_t unit, enum verdict_direction direction)
{
    assert_int_equal(verdict->finding_count, 1);
    assert_int_equal(verdict->findings[0].subject.partition, VERDICT_SINGLE);
    assert_int_equal(verdict->findings[0].subject.unit, unit);
    assert_int_equal(verdict->findings[0].direction, direction);
    assert_int_equal(verdict->findings[0].rounds_beyond, verdict->findings[0].rounds_measured);
    assert_true(verdict->findings[0].p <= 0.01);
}

static void nothing_is_found_in_noise(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    table_judge(&table, &verdict);
    assert_int_equal(verdict.state, VERDICT_JUDGED);
    assert_int_equal(verdict.finding_count, 0);
    assert_int_equal(verdict.outlier_count, 0);
    assert_true(verdict.smallest_p > 0.01);
    /* 16 units and 8 pairs and 2 halves, slow and fast. */
    assert_int_equal(verdict.comparison_count, 2 * (16 + 8 + 2));
    verdict_destroy(&verdict);
}

static void one_slow_unit_is_found_with_its_size(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    table_slow(&table, 7, 30000);
    table_judge(&table, &verdict);
    assert_one_unit(&verdict, 7, VERDICT_SLOW);
    const struct verdict_finding *const finding = &verdict.findings[0];
    assert_true(finding->is_large);
    assert_false(finding->is_mutual);
    assert_false(finding->is_repeat);
    assert_true(finding->size.low_ns < finding->size.estimate_ns);
    assert_true(finding->size.high_ns > finding->size.estimate_ns);
    assert_true(finding->size.low_ns > 20000 && finding->size.high_ns < 40000);
    assert_true(fabs(finding->size.level_ns - BASE_NS - 20000) < NOISE_NS);
    assert_true(fabs(finding->size.share - 0.25) < 0.05);
    assert_int_equal(verdict.outlier_count, 0);
    verdict_destroy(&verdict);
}

static void one_fast_unit_is_found(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    table_slow(&table, 3, -30000);
    table_judge(&table, &verdict);
    assert_one_unit(&verdict, 3, VERDICT_FAST);
    assert_true(verdict.findings[0].size.high_ns < 0);
    verdict_destroy(&verdict);
}

static void a_small_difference_is_no_flag(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    table_slow(&table, 3, 9000);
    table_judge(&table, &verdict);
    assert_one_unit(&verdict, 3, VERDICT_SLOW);
    assert_false(verdict.findings[0].is_large);
    verdict_destroy(&verdict);
}

static void a_half_is_named_once_and_as_mutual(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    for (size_t unit = 0; unit < UNITS / 2; unit++) {
        table_slow(&table, unit, 30000);
    }
    table_judge(&table, &verdict);
    assert_int_equal(verdict.finding_count, 1);
    assert_int_equal(verdict.findings[0].subject.partition, 0);
    assert_int_equal(verdict.findings[0].subject.group, 0);
    assert_int_equal(verdict.findings[0].direction, VERDICT_SLOW);
    assert_true(verdict.findings[0].is_mutual);
    assert_true(fabs(verdict.findings[0].size.estimate_ns - 30000) < 3000);
    verdict_destroy(&verdict);
}

static void siblings_are_named_together_and_a_member_beside_its_group(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    table_slow(&table, 4, 40000);
    table_slow(&table, 5, 40000);
    table_judge(&table, &verdict);
    assert_int_equal(verdict.finding_count, 1);
    assert_int_equal(verdict.findings[0].subject.partition, 1);
    assert_int_equal(verdict.findings[0].subject.group, 2);
    assert_int_equal(verdict.findings[0].subject.unit, 4);
    assert_false(verdict.findings[0].is_mutual);
    verdict_destroy(&verdict);
    table_slow(&table, 5, 40000);
    table_slow(&table, 12, 60000);
    table_judge(&table, &verdict);
    assert_int_equal(verdict.finding_count, 3);
    verdict_destroy(&verdict);
}

static void several_slow_units_are_all_found(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    table_slow(&table, 1, 60000);
    table_slow(&table, 6, 30000);
    table_slow(&table, 11, 20000);
    table_judge(&table, &verdict);
    assert_int_equal(verdict.finding_count, 3);
    assert_int_equal(verdict.findings[0].subject.unit, 1);
    assert_int_equal(verdict.findings[1].subject.unit, 6);
    assert_int_equal(verdict.findings[2].subject.unit, 11);
    verdict_destroy(&verdict);
}

static void two_units_differ_and_no_more_is_said(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, 2);
    table_slow(&table, 1, 30000);
    table_judge(&table, &verdict);
    assert_one_unit(&verdict, 1, VERDICT_SLOW);
    assert_true(verdict.findings[0].is_mutual);
    verdict_destroy(&verdict);
    /* 2 / 2^8 is too near to 1 %, 2 / 2^9 is not. */
    table_fill(&table, 8, 2);
    table_slow(&table, 1, 30000);
    table_judge(&table, &verdict);
    assert_int_equal(verdict.state, VERDICT_TOO_FEW_ROUNDS);
    assert_int_equal(verdict.rounds_needed, 9);
    assert_int_equal(verdict.finding_count, 0);
    verdict_destroy(&verdict);
}

static void nothing_is_said_of_one_unit_or_equal_values(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, 1);
    table_judge(&table, &verdict);
    assert_int_equal(verdict.state, VERDICT_TOO_FEW_UNITS);
    assert_int_equal(verdict.finding_count + verdict.outlier_count, 0);
    verdict_destroy(&verdict);
    table_fill(&table, ROUNDS, UNITS);
    for (size_t i = 0; i < (size_t)ROUNDS * UNITS; i++) {
        table.values_ns[i] = -17;
    }
    table_judge(&table, &verdict);
    assert_int_equal(verdict.state, VERDICT_JUDGED);
    assert_int_equal(verdict.finding_count + verdict.outlier_count, 0);
    assert_true(verdict.smallest_p == 1);
    verdict_destroy(&verdict);
}

static void a_single_odd_unit_among_ties_is_found(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    for (size_t i = 0; i < (size_t)ROUNDS * UNITS; i++) {
        table.values_ns[i] = i % UNITS == 9 ? 5000 : 3000;
    }
    table_judge(&table, &verdict);
    assert_one_unit(&verdict, 9, VERDICT_SLOW);
    assert_true(verdict.findings[0].size.low_ns == 2000 && verdict.findings[0].size.high_ns == 2000);
    verdict_destroy(&verdict);
}

static void levels_of_zero_and_below_have_no_share(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    for (size_t i = 0; i < (size_t)ROUNDS * UNITS; i++) {
        table.values_ns[i] -= 300000;
    }
    table_slow(&table, 2, 30000);
    table_judge(&table, &verdict);
    assert_one_unit(&verdict, 2, VERDICT_SLOW);
    assert_false(verdict.findings[0].size.has_share);
    assert_true(verdict.findings[0].is_large);
    verdict_destroy(&verdict);
}

static void missing_visits_are_left_out(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    table_slow(&table, 7, 30000);
    for (size_t round = 0; round < ROUNDS; round++) {
        table.values_ns[round * UNITS + round] = NAN;
        table.values_ns[round * UNITS + 15] = NAN;
        if (round >= VERDICT_ROUNDS_MINIMUM - 1) {
            table.values_ns[round * UNITS + 14] = INFINITY;
        }
    }
    table_judge(&table, &verdict);
    assert_one_unit(&verdict, 7, VERDICT_SLOW);
    assert_int_equal(verdict.findings[0].rounds_measured, ROUNDS - 1);
    verdict_destroy(&verdict);
    for (size_t i = 0; i < (size_t)ROUNDS * UNITS; i++) {
        table.values_ns[i] = NAN;
    }
    table_judge(&table, &verdict);
    assert_int_equal(verdict.finding_count + verdict.outlier_count, 0);
    verdict_destroy(&verdict);
}

static void kinds_are_compared_as_groups_and_members_among_themselves(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    table_fill(&table, ROUNDS, UNITS);
    int kinds[UNITS];
    for (size_t unit = 0; unit < UNITS; unit++) {
        kinds[unit] = unit < 10 ? 1 : 0;
        table_slow(&table, unit, unit < 10 ? 0 : 70000);
    }
    /* Slow for its kind, though far from the other's figures. */
    table_slow(&table, 4, 30000);
    const struct verdict_partition partitions[] = {
        {.name = "kind", .group_of_unit = kinds, .is_kind = true},
        {.name = "core", .group_of_unit = table.pairs},
    };
    const struct verdict_input input = {.round_count = ROUNDS,
                                        .unit_count = UNITS,
                                        .figure_count = 1,
                                        .values_ns = table.values_ns,
                                        .partitions = partitions,
                                        .partition_count = 2};
    struct verdict_settings settings;
    verdict_settings_init(&settings);
    assert_int_equal(verdict_judge(&input, &settings, &verdict), 0);
    assert_int_equal(verdict.finding_count, 2);
    assert_int_equal(verdict.findings[0].subject.partition, 0);
    assert_int_equal(verdict.findings[0].subject.group, 0);
    assert_int_equal(verdict.findings[0].direction, VERDICT_SLOW);
    assert_int_equal(verdict.findings[1].subject.partition, VERDICT_SINGLE);
    assert_int_equal(verdict.findings[1].subject.unit, 4);
    verdict_destroy(&verdict);
}

static void one_answer_for_a_seed(void **state)
{
    (void)state;
    struct table table;
    struct verdict first;
    struct verdict second;
    table_fill(&table, ROUNDS, UNITS);
    table_judge(&table, &first);
    table_judge(&table, &second);
    assert_true(first.smallest_p == second.smallest_p);
    verdict_destroy(&first);
    verdict_destroy(&second);
}

static void senseless_input_is_refused(void **state)
{
    (void)state;
    struct table table;
    struct verdict verdict;
    struct verdict_settings settings;
    table_fill(&table, ROUNDS, UNITS);
    verdict_settings_init(&settings);
    const struct verdict_input empty = {.values_ns = table.values_ns, .round_count = 1, .unit_count = 1};
    assert_int_equal(verdict_judge(&empty, &settings, &verdict), -EINVAL);
    settings.level = 0;
    const struct verdict_input input = {
        .values_ns = table.values_ns, .round_count = 1, .unit_count = 1, .figure_count = 1};
    assert_int_equal(verdict_judge(&input, &settings, &verdict), -EINVAL);
    verdict_destroy(&verdict);
}

static void what_is_confirmed_is_judged_however_few_rounds(void **state)
{
    size_t found = 0;
    (void)state;
    for (size_t rounds = 1; rounds <= ROUNDS; rounds++) {
        struct table table;
        struct verdict verdict;
        table_fill(&table, rounds, 2);
        table_slow(&table, 1, 900000);
        table_judge(&table, &verdict);
        if (verdict.finding_count > 0) {
            found++;
            assert_int_equal(verdict.state, VERDICT_JUDGED);
            assert_int_equal(verdict.rounds_needed, 0);
        } else {
            assert_true(verdict.rounds_needed > rounds);
        }
        verdict_destroy(&verdict);
    }
    assert_true(found >= 2);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the contrast has them without const */
static bool is_common(double *effects_ns, double *balances, size_t count)
{
    const struct verdict_contrast contrast = {.member_effects_ns = effects_ns,
                                              .member_balances = balances};
    return verdict_contrast_is_common(&contrast, count, VERDICT_SLOW);
}

/* Of a core whose one CPU is slow the other is healthy, though it lies above its peers in most rounds.
 */
static void one_slow_unit_makes_no_slow_core(void **state)
{
    enum { MEMBERS = 9 };
    double effects_ns[MEMBERS] = {40000, 30000, 40000, 40000, 40000, 40000, 40000, 40000, 40000};
    double balances[MEMBERS] = {1, 0.4, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    assert_false(is_common(effects_ns, balances, 2));
    balances[1] = 0.5;
    assert_true(is_common(effects_ns, balances, 2));
    effects_ns[1] = 19000;
    assert_false(is_common(effects_ns, balances, 2));
    /* One of many may be an exception, and of many not each shows by itself. */
    assert_true(is_common(effects_ns, balances, MEMBERS));
    effects_ns[1] = 30000;
    balances[1] = balances[2] = balances[3] = 0.1;
    assert_true(is_common(effects_ns, balances, MEMBERS));
    assert_false(is_common(effects_ns, balances, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_found_in_noise),
        cmocka_unit_test(one_slow_unit_makes_no_slow_core),
        cmocka_unit_test(what_is_confirmed_is_judged_however_few_rounds),
        cmocka_unit_test(one_slow_unit_is_found_with_its_size),
        cmocka_unit_test(one_fast_unit_is_found),
        cmocka_unit_test(a_small_difference_is_no_flag),
        cmocka_unit_test(a_half_is_named_once_and_as_mutual),
        cmocka_unit_test(siblings_are_named_together_and_a_member_beside_its_group),
        cmocka_unit_test(several_slow_units_are_all_found),
        cmocka_unit_test(two_units_differ_and_no_more_is_said),
        cmocka_unit_test(nothing_is_said_of_one_unit_or_equal_values),
        cmocka_unit_test(a_single_odd_unit_among_ties_is_found),
        cmocka_unit_test(levels_of_zero_and_below_have_no_share),
        cmocka_unit_test(missing_visits_are_left_out),
        cmocka_unit_test(kinds_are_compared_as_groups_and_members_among_themselves),
        cmocka_unit_test(one_answer_for_a_seed),
        cmocka_unit_test(senseless_input_is_refused),
    };
    return cmocka_run_group_tests_name("verdict_judge", tests, NULL, NULL);
}
