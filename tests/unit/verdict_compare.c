/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/verdict_compare.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROUNDS = 10, UNITS = 4, COLUMNS = 2, CELLS = 6 };

static bool is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-9;
}

static void shift_of_few_pairs_is_counted_out(void **state)
{
    (void)state;
    struct verdict_shift shift;
    /* One of 64 patterns of signs on either side; one sum of ranks lies outside the interval: 1/64. */
    static const double rising[] = {3, 1, 2, 6, 5, 4};
    assert_int_equal(verdict_shift_compute(rising, 6, 35, 0.01, &shift), 0);
    assert_int_equal(shift.pair_count, 6);
    assert_true(is_near(shift.p, 2.0 / 64));
    assert_true(is_near(shift.size.estimate_ns, 3.5));
    assert_true(is_near(shift.size.low_ns, 1) && is_near(shift.size.high_ns, 6));
    assert_true(shift.size.has_share && is_near(shift.size.share, 0.1));
    /* 2 / 64 is above 1 %: six pairs confirm nothing. */
    assert_true(shift.detectable_ns == 0);
    /* Sums of ranks 0 and 1 of 2^4 patterns: -1 alone has rank 1, so 1 is reached by two of 16. */
    static const double mixed[] = {-1, 2, 3, 4};
    assert_int_equal(verdict_shift_compute(mixed, 4, 0, 0.01, &shift), 0);
    assert_true(is_near(shift.p, 4.0 / 16));
    /* Averages of two: -1, .5, 1, 1.5, 2, 2.5, 3, 3, 3.5, 4. */
    assert_true(is_near(shift.size.estimate_ns, 2.25));
    assert_false(shift.size.has_share);
}

static void eight_pairs_leave_three_averages_outside(void **state)
{
    (void)state;
    struct verdict_shift shift;
    /* Sums of ranks up to 3 are reached by 1 + 1 + 1 + 2 of 256: 1.95 %; up to 4 by 7: 2.7 %. So the
     * interval ends at the fourth average from below and above. */
    static const double powers[] = {1, 2, 4, 8, 16, 32, 64, 128};
    assert_int_equal(verdict_shift_compute(powers, 8, 1, 0.01, &shift), 0);
    assert_true(is_near(shift.p, 2.0 / 256));
    /* From below 1, 1.5, 2, 2.5; from above 128, 96, 80, 72. */
    assert_true(is_near(shift.size.low_ns, 2.5));
    assert_true(is_near(shift.size.high_ns, 72));
    assert_true(shift.detectable_ns > 0);
}

static void ties_zeros_and_missing_pairs(void **state)
{
    (void)state;
    struct verdict_shift shift;
    static const double same[] = {5, NAN, 5, 0, 5, 0, INFINITY};
    assert_int_equal(verdict_shift_compute(same, 7, 10, 0.01, &shift), 0);
    assert_int_equal(shift.pair_count, 5);
    assert_true(is_near(shift.p, 2.0 / 8));
    static const double both[] = {2, 2, -2};
    assert_int_equal(verdict_shift_compute(both, 3, 10, 0.01, &shift), 0);
    assert_true(is_near(shift.p, 1));
    static const double zeros[] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_int_equal(verdict_shift_compute(zeros, 9, 10, 0.01, &shift), 0);
    assert_true(is_near(shift.p, 1));
    assert_true(shift.size.estimate_ns == 0 && shift.size.low_ns == 0 && shift.size.high_ns == 0);
    static const double one[] = {7};
    assert_int_equal(verdict_shift_compute(one, 1, 10, 0.01, &shift), 0);
    assert_true(shift.size.estimate_ns == 7 && shift.size.low_ns == 7 && shift.size.high_ns == 7);
    assert_true(is_near(shift.p, 1));
    assert_int_equal(verdict_shift_compute(NULL, 0, 10, 0.01, &shift), 0);
    assert_int_equal(shift.pair_count, 0);
    assert_true(shift.p == 1 && shift.size.estimate_ns == 0);
}

static void many_pairs_go_over_to_the_normal_distribution_without_a_step(void **state)
{
    (void)state;
    double p[2];
    for (int i = 0; i < 2; i++) {
        double differences[62];
        const size_t count = i == 0 ? 60 : 62;
        for (size_t k = 0; k < count; k++) {
            differences[k] = (k % 3 == 0 ? -1.0 : 1.0) * (double)(k + 1);
        }
        struct verdict_shift shift;
        assert_int_equal(verdict_shift_compute(differences, count, 10, 0.01, &shift), 0);
        p[i] = shift.p;
        assert_true(shift.size.low_ns < shift.size.estimate_ns);
        assert_true(shift.size.high_ns > shift.size.estimate_ns);
    }
    assert_true(fabs(p[0] - p[1]) < 0.02);
}

/* Unit 0 and 1 are at column 0, 2 and 3 at column 1; the memory of column 1 costs those of 0 this more.
 */
static void fill_remote(double *values_ns, double more_ns)
{
    for (size_t column = 0; column < COLUMNS; column++) {
        for (size_t round = 0; round < ROUNDS; round++) {
            for (size_t unit = 0; unit < UNITS; unit++) {
                const double wave_ns = (double)((round * 7 + unit * 3 + column * 5) % 11);
                values_ns[(column * ROUNDS + round) * UNITS + unit] = 1000 + 50 * (double)round +
                                                                      wave_ns +
                                                                      (column == 1 && unit < 2 ? more_ns
                                                                                               : 0);
            }
        }
    }
}

static void remote_memory_is_compared_by_unit_pair_and_machine(void **state)
{
    (void)state;
    static const int local[UNITS] = {0, 0, 1, 1};
    double values_ns[COLUMNS * ROUNDS * UNITS];
    fill_remote(values_ns, 400);
    const struct verdict_remote_input input = {.round_count = ROUNDS,
                                               .unit_count = UNITS,
                                               .column_count = COLUMNS,
                                               .values_ns = values_ns,
                                               .local_column_of_unit = local};
    struct verdict_remote remote;
    assert_int_equal(verdict_remote_compare(&input, 0.01, &remote), 0);
    assert_int_equal(remote.pair_count, 2);
    assert_int_equal(remote.pairs[0].from, 0);
    assert_int_equal(remote.pairs[0].column, 1);
    assert_true(fabs(remote.pairs[0].shift.size.estimate_ns - 400) < 10);
    assert_true(is_near(remote.pairs[0].shift.p, 2.0 / 1024));
    assert_true(is_near(remote.pairs[0].shift.p_adjusted, 4.0 / 1024));
    assert_true(fabs(remote.pairs[0].shift.size.level_ns - 1225) < 15);
    assert_true(fabs(remote.pairs[1].shift.size.estimate_ns) < 10);
    assert_true(remote.pairs[1].shift.detectable_ns > 0);
    assert_true(remote.pairs[1].shift.detectable_ns < 30);
    assert_true(fabs(remote.units[1].size.estimate_ns - 400) < 10);
    assert_true(fabs(remote.units[3].size.estimate_ns) < 10);
    /* Half of the units by 400, half by nothing. */
    assert_true(fabs(remote.machine.size.estimate_ns - 200) < 10);
    verdict_remote_destroy(&remote);
}

static void units_without_local_or_remote_values_are_left_out(void **state)
{
    (void)state;
    static const int local[UNITS] = {0, -1, 0, 0};
    double values_ns[COLUMNS * ROUNDS * UNITS];
    fill_remote(values_ns, 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        values_ns[(ROUNDS + round) * UNITS + 3] = NAN;
    }
    struct verdict_remote_input input = {.round_count = ROUNDS,
                                         .unit_count = UNITS,
                                         .column_count = COLUMNS,
                                         .values_ns = values_ns,
                                         .local_column_of_unit = local};
    struct verdict_remote remote;
    assert_int_equal(verdict_remote_compare(&input, 0.01, &remote), 0);
    assert_int_equal(remote.units[0].pair_count, ROUNDS);
    assert_int_equal(remote.units[1].pair_count, 0);
    assert_int_equal(remote.units[3].pair_count, 0);
    assert_int_equal(remote.pair_count, 1);
    verdict_remote_destroy(&remote);
    input.column_count = 1;
    assert_int_equal(verdict_remote_compare(&input, 0.01, &remote), 0);
    assert_int_equal(remote.pair_count, 0);
    assert_int_equal(remote.machine.pair_count, 0);
    assert_true(remote.machine.p == 1);
    verdict_remote_destroy(&remote);
    input.round_count = 0;
    assert_int_equal(verdict_remote_compare(&input, 0.01, &remote), -EINVAL);
}

static void fill_rounds(double *values_ns, uint64_t seed)
{
    for (size_t i = 0; i < (size_t)ROUNDS * CELLS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        values_ns[i] = 50000 + 1000 * (double)(seed >> 56) / 256;
    }
}

static void change_of_three_rounds_is_counted_out(void **state)
{
    (void)state;
    static const double before_ns[] = {1, 2, 3};
    static const double after_ns[] = {4, 6, 5};
    const struct verdict_change_input input = {.before_rounds = 3,
                                               .after_rounds = 3,
                                               .cell_count = 1,
                                               .before_ns = before_ns,
                                               .after_ns = after_ns};
    struct verdict_settings settings;
    struct verdict_changes changes;
    verdict_settings_init(&settings);
    assert_int_equal(verdict_changes_compute(&input, &settings, &changes), 0);
    /* 20 ways to label six rounds, two of them as far apart. */
    assert_true(is_near(changes.smallest_possible_p, 0.1));
    assert_int_equal(changes.count, 2);
    assert_true(changes.items[0].subject.partition == VERDICT_SINGLE);
    assert_true(changes.items[1].subject.partition == VERDICT_ALL);
    assert_true(changes.items[0].p > 0.05 && changes.items[0].p < 0.18);
    assert_int_equal(changes.confirmed_count, 0);
    /* Differences 1 to 5, most often 3. */
    assert_true(is_near(changes.items[0].size.estimate_ns, 3));
    assert_true(is_near(changes.items[0].size.low_ns, 1) && is_near(changes.items[0].size.high_ns, 5));
    assert_true(is_near(changes.items[0].size.level_ns, 2));
    verdict_changes_destroy(&changes);
}

static void the_changed_cell_is_found_and_no_other(void **state)
{
    (void)state;
    double before_ns[ROUNDS * CELLS];
    double after_ns[ROUNDS * CELLS];
    fill_rounds(before_ns, 1);
    fill_rounds(after_ns, 2);
    for (size_t round = 0; round < ROUNDS; round++) {
        after_ns[round * CELLS + 4] += 10000;
    }
    before_ns[3 * CELLS + 4] = NAN;
    static const int nodes[CELLS] = {0, 0, 0, 0, 1, 1};
    const struct verdict_partition partition = {.name = "node", .group_of_unit = nodes};
    const struct verdict_change_input input = {.before_rounds = ROUNDS,
                                               .after_rounds = ROUNDS,
                                               .cell_count = CELLS,
                                               .before_ns = before_ns,
                                               .after_ns = after_ns,
                                               .partitions = &partition,
                                               .partition_count = 1};
    struct verdict_settings settings;
    struct verdict_changes changes;
    verdict_settings_init(&settings);
    assert_int_equal(verdict_changes_compute(&input, &settings, &changes), 0);
    assert_int_equal(changes.count, CELLS + 2 + 1);
    for (size_t cell = 0; cell < CELLS; cell++) {
        assert_int_equal(changes.items[cell].is_confirmed, cell == 4);
        assert_int_equal(changes.items[cell].is_large, cell == 4);
    }
    const struct verdict_change *const change = &changes.items[4];
    assert_int_equal(change->before_count, ROUNDS - 1);
    assert_int_equal(change->after_count, ROUNDS);
    assert_true(change->size.low_ns > 9000 && change->size.high_ns < 11000);
    assert_true(fabs(change->size.share - 0.2) < 0.02);
    assert_false(changes.items[CELLS].is_confirmed);
    verdict_changes_destroy(&changes);
}

static void nothing_is_found_between_equal_or_missing_values(void **state)
{
    (void)state;
    double before_ns[ROUNDS * CELLS];
    double after_ns[ROUNDS * CELLS];
    for (size_t i = 0; i < (size_t)ROUNDS * CELLS; i++) {
        before_ns[i] = after_ns[i] = i % CELLS == 2 ? NAN : -5;
    }
    struct verdict_change_input input = {.before_rounds = ROUNDS,
                                         .after_rounds = ROUNDS,
                                         .cell_count = CELLS,
                                         .before_ns = before_ns,
                                         .after_ns = after_ns};
    struct verdict_settings settings;
    struct verdict_changes changes;
    verdict_settings_init(&settings);
    assert_int_equal(verdict_changes_compute(&input, &settings, &changes), 0);
    assert_int_equal(changes.confirmed_count, 0);
    for (size_t i = 0; i < changes.count; i++) {
        assert_true(changes.items[i].p == 1);
        const struct verdict_size *const size = &changes.items[i].size;
        assert_true(i == 2 ? isnan(size->estimate_ns) : is_near(size->estimate_ns, 0));
    }
    verdict_changes_destroy(&changes);
    input.after_rounds = 0;
    assert_int_equal(verdict_changes_compute(&input, &settings, &changes), -EINVAL);
}

/* One cell, `slope_ns` more in each round that follows, whichever sweep it belongs to, and a step. */
static void change_of_a_ramp(double slope_ns, double step_ns, struct verdict_changes *changes)
{
    static const double jitter_ns[ROUNDS] = {0, 40, -30, 10, 50, -20, 30, -50, 20, -10};
    double before_ns[ROUNDS];
    double after_ns[ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        before_ns[round] = 50000 + jitter_ns[round] + slope_ns * (double)round;
        after_ns[round] = 50000 + jitter_ns[ROUNDS - 1 - round] + step_ns +
                          slope_ns * (double)(ROUNDS + round);
    }
    const struct verdict_change_input input = {.before_rounds = ROUNDS,
                                               .after_rounds = ROUNDS,
                                               .cell_count = 1,
                                               .before_ns = before_ns,
                                               .after_ns = after_ns};
    struct verdict_settings settings;
    verdict_settings_init(&settings);
    assert_int_equal(verdict_changes_compute(&input, &settings, changes), 0);
}

static void a_drift_through_both_sweeps_is_no_change(void **state)
{
    struct verdict_changes steady;
    struct verdict_changes drifting;
    (void)state;
    change_of_a_ramp(0, 10000, &steady);
    assert_int_equal(steady.drift_rounds, 1);
    assert_int_equal(steady.confirmed_count, 2);
    change_of_a_ramp(1000, 0, &drifting);
    assert_true(drifting.drift_rounds > 1);
    assert_int_equal(drifting.confirmed_count, 0);
    assert_true(drifting.smallest_possible_p > 0.01);
    assert_true(drifting.items[0].size.high_ns - drifting.items[0].size.low_ns >
                steady.items[0].size.high_ns - steady.items[0].size.low_ns);
    verdict_changes_destroy(&steady);
    verdict_changes_destroy(&drifting);
}

static void the_rounds_that_can_confirm_are_counted_out(void **state)
{
    (void)state;
    /* 2 of 70 ways of four rounds each, 2 of 252 of five, 2 of 924 of six. */
    assert_int_equal(verdict_changes_rounds_needed(0.03), 4);
    assert_int_equal(verdict_changes_rounds_needed(0.01), 5);
    assert_int_equal(verdict_changes_rounds_needed(0.005), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shift_of_few_pairs_is_counted_out),
        cmocka_unit_test(a_drift_through_both_sweeps_is_no_change),
        cmocka_unit_test(the_rounds_that_can_confirm_are_counted_out),
        cmocka_unit_test(eight_pairs_leave_three_averages_outside),
        cmocka_unit_test(ties_zeros_and_missing_pairs),
        cmocka_unit_test(many_pairs_go_over_to_the_normal_distribution_without_a_step),
        cmocka_unit_test(remote_memory_is_compared_by_unit_pair_and_machine),
        cmocka_unit_test(units_without_local_or_remote_values_are_left_out),
        cmocka_unit_test(change_of_three_rounds_is_counted_out),
        cmocka_unit_test(the_changed_cell_is_found_and_no_other),
        cmocka_unit_test(nothing_is_found_between_equal_or_missing_values),
    };
    return cmocka_run_group_tests_name("verdict_compare", tests, NULL, NULL);
}
