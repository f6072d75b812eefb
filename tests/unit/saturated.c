/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numasweep/saturated.h"

static void sums_stay_at_the_bound(void **state)
{
    (void)state;
    assert_true(saturated_add(2, -5) == -3);
    assert_true(saturated_add(INT64_MAX, 1) == INT64_MAX);
    assert_true(saturated_add(INT64_MIN, -1) == INT64_MIN);
    assert_true(saturated_add(INT64_MIN, INT64_MAX) == -1);
}

static void differences_stay_at_the_bound(void **state)
{
    (void)state;
    assert_true(saturated_subtract(2, 5) == -3);
    assert_true(saturated_subtract(0, INT64_MIN) == INT64_MAX);
    assert_true(saturated_subtract(-2, INT64_MAX) == INT64_MIN);
    assert_true(saturated_subtract(INT64_MIN, INT64_MIN) == 0);
}

static void products_stay_at_the_bound(void **state)
{
    (void)state;
    assert_true(saturated_multiply(-3, 4) == -12);
    assert_true(saturated_multiply(INT64_MAX, 2) == INT64_MAX);
    assert_true(saturated_multiply(INT64_MIN, -1) == INT64_MAX);
    assert_true(saturated_multiply(INT64_MAX, -2) == INT64_MIN);
}

static void doubles_stay_at_the_bound(void **state)
{
    (void)state;
    assert_true(saturated_from_double(-2.9) == -2);
    assert_true(saturated_from_double(0x1p63) == INT64_MAX);
    assert_true(saturated_from_double(1e300) == INT64_MAX);
    assert_true(saturated_from_double(-0x1p63) == INT64_MIN);
    assert_true(saturated_from_double(-1e300) == INT64_MIN);
    assert_true(saturated_from_double((double)NAN) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_stay_at_the_bound),
        cmocka_unit_test(differences_stay_at_the_bound),
        cmocka_unit_test(products_stay_at_the_bound),
        cmocka_unit_test(doubles_stay_at_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
