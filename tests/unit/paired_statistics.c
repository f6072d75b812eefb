/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/paired_statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 32 };

static struct paired_difference compute(const double *base, const double *other, size_t count)
{
    double scratch[MOST];
    struct paired_difference difference;
    paired_difference_compute(base, other, count, scratch, &difference);
    return difference;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9)) {
        fail_msg("%.12g is not %.12g", value, expected);
    }
}

static void six_pairs_have_an_interval_that_spans_them(void **state)
{
    const double base[] = {10, 20, 30, 40, 50, 60};
    const double other[] = {11, 22, 33, 44, 55, 66};
    const struct paired_difference difference = compute(base, other, 6);
    (void)state;
    assert_int_equal(difference.count, 6);
    assert_int_equal(difference.above, 6);
    assert_near(difference.base_ns, 35);
    assert_near(difference.estimate_ns, 3.5);
    assert_near(difference.low_ns, 1);
    assert_near(difference.high_ns, 6);
    /* 1 - 2 / 2^6 */
    assert_near(difference.coverage, 0.96875);
    /* 2 / 2^6 */
    assert_near(difference.p, 0.03125);
    assert_near(difference.detectable_ns, 2.5);
}

/* For n = 10 the ranks are 2 and 9: 1 - 2 (1 + 10) / 1024. */
static void ten_pairs_leave_the_extremes_out(void **state)
{
    double base[10] = {0};
    double other[10];
    (void)state;
    for (int i = 0; i < 10; i++) {
        other[i] = i - 3;
    }
    const struct paired_difference difference = compute(base, other, 10);
    assert_near(difference.low_ns, -2);
    assert_near(difference.high_ns, 5);
    assert_near(difference.coverage, 1 - 22.0 / 1024);
    assert_int_equal(difference.above, 6);
    /* Three below, six above, a zero left out: 2 (1 + 9 + 36 + 84) / 512. */
    assert_near(difference.p, 260.0 / 512);
}

static void ties_and_equal_pairs_are_no_difference(void **state)
{
    const double base[] = {5, 5, 5, 5, 5, 5, 5};
    const struct paired_difference difference = compute(base, base, 7);
    (void)state;
    assert_near(difference.estimate_ns, 0);
    assert_near(difference.p, 1);
    assert_near(difference.low_ns, 0);
    assert_near(difference.high_ns, 0);
}

static void missing_pairs_are_left_out(void **state)
{
    const double base[] = {1, (double)NAN, 3, 4};
    const double other[] = {2, 5, (double)INFINITY, 6};
    const struct paired_difference difference = compute(base, other, 4);
    (void)state;
    assert_int_equal(difference.count, 2);
    assert_near(difference.estimate_ns, 1.5);
    assert_near(difference.coverage, 0.5);
}

static void one_pair_and_none_have_no_interval(void **state)
{
    const double base[] = {1};
    const double other[] = {3};
    struct paired_difference difference = compute(base, other, 1);
    (void)state;
    assert_int_equal(difference.count, 1);
    assert_near(difference.estimate_ns, 2);
    assert_true(isnan(difference.low_ns) && isnan(difference.detectable_ns));
    assert_near(difference.coverage, 0);
    assert_near(difference.p, 1);
    difference = compute(base, other, 0);
    assert_int_equal(difference.count, 0);
    assert_true(isnan(difference.estimate_ns));
    assert_near(difference.p, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_pairs_have_an_interval_that_spans_them),
        cmocka_unit_test(ten_pairs_leave_the_extremes_out),
        cmocka_unit_test(ties_and_equal_pairs_are_no_difference),
        cmocka_unit_test(missing_pairs_are_left_out),
        cmocka_unit_test(one_pair_and_none_have_no_interval),
    };
    return cmocka_run_group_tests_name("paired_statistics", tests, NULL, NULL);
}
