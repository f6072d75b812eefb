/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numasweep/random.h"

#include <stdbool.h>
#include <string.h>

enum { DRAWS = 2000 };

static int64_t first_draw(uint64_t seed, enum random_purpose purpose, uint64_t round, uint64_t cell)
{
    struct random_stream *stream = random_stream_create(seed, purpose, round, cell);
    assert_non_null(stream);
    const int64_t drawn = random_stream_between(stream, 0, INT64_MAX);
    random_stream_destroy(stream);
    return drawn;
}

static void test_destroy_accepts_null(void **state)
{
    (void)state;
    random_stream_destroy(NULL);
}

static void test_same_stream_same_numbers(void **state)
{
    (void)state;
    assert_true(first_draw(42, RANDOM_ORDER, 3, 4) == first_draw(42, RANDOM_ORDER, 3, 4));
    assert_true(first_draw(UINT64_MAX, RANDOM_CHAIN, UINT64_MAX, 0) ==
                first_draw(UINT64_MAX, RANDOM_CHAIN, UINT64_MAX, 0));
}

/* Result files promise that a seed repeats an order: a change of generator must not go unnoticed. */
static void test_numbers_of_a_seed_stay_the_same(void **state)
{
    (void)state;
    struct random_stream *stream = random_stream_create(1, RANDOM_ORDER, 0, 0);
    size_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    random_stream_shuffle(stream, order, 8);
    const size_t expected[8] = {4, 6, 0, 1, 2, 7, 3, 5};
    assert_memory_equal(order, expected, sizeof order);
    random_stream_destroy(stream);
}

static void test_streams_differ_in_each_part_of_their_name(void **state)
{
    (void)state;
    const int64_t base = first_draw(42, RANDOM_ORDER, 3, 4);
    assert_true(base != first_draw(43, RANDOM_ORDER, 3, 4));
    assert_true(base != first_draw(42 + (UINT64_C(1) << 32), RANDOM_ORDER, 3, 4));
    assert_true(base != first_draw(42, RANDOM_DITHER, 3, 4));
    assert_true(base != first_draw(42, RANDOM_ORDER, 4, 4));
    assert_true(base != first_draw(42, RANDOM_ORDER, 3, 5));
    assert_true(base != first_draw(42, RANDOM_ORDER, 4, 3));
}

static void test_uniform_is_within_bounds_and_spread(void **state)
{
    (void)state;
    struct random_stream *stream = random_stream_create(7, RANDOM_DITHER, 0, 0);
    double sum = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double drawn = random_stream_uniform(stream);
        assert_true(drawn >= 0 && drawn < 1);
        sum += drawn;
    }
    assert_true(sum / DRAWS > 0.47 && sum / DRAWS < 0.53);
    random_stream_destroy(stream);
}

static void test_between_reaches_both_ends(void **state)
{
    (void)state;
    struct random_stream *stream = random_stream_create(7, RANDOM_DITHER, 0, 0);
    bool has_seen[5] = {false};
    for (int i = 0; i < DRAWS; i++) {
        const int64_t drawn = random_stream_between(stream, -2, 2);
        assert_true(drawn >= -2 && drawn <= 2);
        has_seen[drawn + 2] = true;
    }
    for (size_t i = 0; i < 5; i++) {
        assert_true(has_seen[i]);
    }
    assert_true(random_stream_between(stream, 9, 9) == 9);
    random_stream_destroy(stream);
}

static void test_between_spans_of_more_than_32_bits(void **state)
{
    (void)state;
    struct random_stream *stream = random_stream_create(7, RANDOM_DITHER, 0, 1);
    const int64_t low = -INT64_C(5000000000);
    const int64_t high = INT64_C(5000000000);
    int below_zero = 0;
    for (int i = 0; i < DRAWS; i++) {
        const int64_t drawn = random_stream_between(stream, low, high);
        assert_true(drawn >= low && drawn <= high);
        below_zero += drawn < 0 ? 1 : 0;
        (void)random_stream_between(stream, INT64_MIN, INT64_MAX);
        assert_true(random_stream_between(stream, 0, UINT32_MAX) <= UINT32_MAX);
    }
    assert_true(below_zero > DRAWS / 3 && below_zero < DRAWS * 2 / 3);
    random_stream_destroy(stream);
}

static void test_shuffle_permutes(void **state)
{
    (void)state;
    struct random_stream *stream = random_stream_create(11, RANDOM_ORDER, 0, 0);
    size_t items[200];
    size_t seen[200] = {0};
    size_t unmoved = 0;
    for (size_t i = 0; i < 200; i++) {
        items[i] = i;
    }
    random_stream_shuffle(stream, items, 200);
    for (size_t i = 0; i < 200; i++) {
        assert_true(items[i] < 200);
        seen[items[i]]++;
        unmoved += items[i] == i ? 1 : 0;
    }
    for (size_t i = 0; i < 200; i++) {
        assert_int_equal(seen[i], 1);
    }
    assert_true(unmoved < 20);
    random_stream_shuffle(stream, items, 1);
    random_stream_shuffle(stream, NULL, 0);
    random_stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_destroy_accepts_null),
        cmocka_unit_test(test_same_stream_same_numbers),
        cmocka_unit_test(test_numbers_of_a_seed_stay_the_same),
        cmocka_unit_test(test_streams_differ_in_each_part_of_their_name),
        cmocka_unit_test(test_uniform_is_within_bounds_and_spread),
        cmocka_unit_test(test_between_reaches_both_ends),
        cmocka_unit_test(test_between_spans_of_more_than_32_bits),
        cmocka_unit_test(test_shuffle_permutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
