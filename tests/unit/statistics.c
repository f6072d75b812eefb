/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/statistics.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The definition, counted out: the smallest sample that at least q * n samples do not exceed. */
static int64_t count_out(const int64_t *samples_ns, size_t count, int numerator, int denominator)
{
    int64_t best = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t not_above = 0;
        for (size_t k = 0; k < count; k++) {
            not_above += samples_ns[k] <= samples_ns[i];
        }
        if (not_above * (size_t)denominator >= count * (size_t)numerator && samples_ns[i] < best) {
            best = samples_ns[i];
        }
    }
    return best;
}

static void quantiles_follow_their_definition(void **state)
{
    (void)state;
    static const struct {
        double quantile;
        int numerator;
        int denominator;
    } quantiles[] = {{0.5, 1, 2},        {0.9, 9, 10}, {0.99, 99, 100},
                     {0.999, 999, 1000}, {0.1, 1, 10}, {1.0, 1, 1}};
    for (size_t count = 1; count <= 210; count++) {
        int64_t samples_ns[210];
        for (size_t i = 0; i < count; i++) {
            samples_ns[i] = (int64_t)((i * 7919 + 13) % 101) - 30;
        }
        samples_sort(samples_ns, count);
        for (size_t q = 0; q < sizeof quantiles / sizeof quantiles[0]; q++) {
            assert_int_equal(
                quantile_nearest_rank(samples_ns, count, quantiles[q].quantile),
                count_out(samples_ns, count, quantiles[q].numerator, quantiles[q].denominator));
        }
    }
}

static void sorting_compares_and_never_subtracts(void **state)
{
    (void)state;
    int64_t samples_ns[] = {INT64_MAX, INT64_MIN, 0, -1, 4294967296, 1};
    static const int64_t expected_ns[] = {INT64_MIN, -1, 0, 1, 4294967296, INT64_MAX};
    samples_sort(samples_ns, 6);
    assert_memory_equal(samples_ns, expected_ns, sizeof expected_ns);
}

static void summary_of_few_samples(void **state)
{
    (void)state;
    static const int64_t samples_ns[] = {30, -10, 20, 100};
    struct figure_summary summary;
    assert_int_equal(figure_summary_compute(samples_ns, 4, &summary), 0);
    assert_int_equal(summary.sample_count, 4);
    assert_true(summary.values_ns[METRIC_MIN] == -10);
    assert_true(summary.values_ns[METRIC_MAX] == 100);
    assert_true(summary.values_ns[METRIC_MEDIAN] == 20);
    assert_true(summary.values_ns[METRIC_MEAN] == 35);
    /* The largest is dropped: (30 - 10 + 20) / 3. */
    assert_true(fabs(summary.values_ns[METRIC_TRIMMED] - 40.0 / 3) < 1e-9);
    assert_false(summary.has_value[METRIC_P90]);
    assert_int_equal(samples_ns[0], 30);
}

static void one_sample_is_not_trimmed_away(void **state)
{
    (void)state;
    static const int64_t sample_ns = 7;
    struct figure_summary summary;
    assert_int_equal(figure_summary_compute(&sample_ns, 1, &summary), 0);
    assert_true(summary.has_value[METRIC_TRIMMED]);
    assert_true(summary.values_ns[METRIC_TRIMMED] == 7);
}

static void twentieth_is_trimmed_from_many(void **state)
{
    (void)state;
    int64_t samples_ns[100];
    struct figure_summary summary;
    for (size_t i = 0; i < 100; i++) {
        samples_ns[i] = i < 95 ? 1 : 1000000;
    }
    assert_int_equal(figure_summary_compute(samples_ns, 100, &summary), 0);
    assert_true(summary.values_ns[METRIC_TRIMMED] == 1);
}

static void high_percentiles_need_samples_enough(void **state)
{
    (void)state;
    static const struct {
        enum metric metric;
        size_t enough;
    } needs[] = {{METRIC_P90, 50}, {METRIC_P99, 500}, {METRIC_P99_9, 5000}};
    int64_t *samples_ns = calloc(5000, sizeof *samples_ns);
    assert_non_null(samples_ns);
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        struct figure_summary summary;
        assert_int_equal(figure_summary_compute(samples_ns, needs[i].enough - 1, &summary), 0);
        assert_false(summary.has_value[needs[i].metric]);
        assert_int_equal(figure_summary_compute(samples_ns, needs[i].enough, &summary), 0);
        assert_true(summary.has_value[needs[i].metric]);
    }
    free(samples_ns);
}

static void nothing_gives_no_values(void **state)
{
    (void)state;
    struct figure_summary summary;
    assert_int_equal(figure_summary_compute(NULL, 0, &summary), 0);
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        assert_false(summary.has_value[metric]);
    }
}

static void names_are_read_back(void **state)
{
    (void)state;
    enum metric metric = METRIC_MEDIAN;
    for (int i = 0; i < METRIC_COUNT; i++) {
        assert_int_equal(metric_parse(metric_name((enum metric)i), &metric), 0);
        assert_int_equal(metric, i);
    }
    assert_int_equal(metric_parse("p95", &metric), -EINVAL);
    assert_int_equal(metric_parse("", &metric), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_follow_their_definition),
        cmocka_unit_test(sorting_compares_and_never_subtracts),
        cmocka_unit_test(summary_of_few_samples),
        cmocka_unit_test(one_sample_is_not_trimmed_away),
        cmocka_unit_test(twentieth_is_trimmed_from_many),
        cmocka_unit_test(high_percentiles_need_samples_enough),
        cmocka_unit_test(nothing_gives_no_values),
        cmocka_unit_test(names_are_read_back),
    };
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
