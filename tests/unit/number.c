/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numasweep/number.h"

#include <errno.h>
#include <string.h>

static void assert_message(const struct failure *failure, const char *part)
{
    if (strstr(failure->text, part) == NULL) {
        fail_msg("the message \"%s\" lacks \"%s\"", failure->text, part);
    }
}

static void assert_number_refused(const char *text, int error, const char *part)
{
    struct failure failure = {0};
    int64_t value = 4711;
    assert_int_equal(number_parse_int64(text, 1, 98, &value, &failure), error);
    assert_int_equal(value, 4711);
    assert_message(&failure, part);
    assert_int_equal(number_parse_int64(text, 1, 98, &value, NULL), error);
}

static void test_numbers_in_range(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_int_equal(number_parse_int64("1", 1, 98, &value, NULL), 0);
    assert_int_equal(value, 1);
    assert_int_equal(number_parse_int64("98", 1, 98, &value, NULL), 0);
    assert_int_equal(value, 98);
    assert_int_equal(number_parse_int64("-5", -5, 0, &value, NULL), 0);
    assert_int_equal(value, -5);
    assert_int_equal(number_parse_int64("9223372036854775807", 0, INT64_MAX, &value, NULL), 0);
    assert_true(value == INT64_MAX);
    assert_int_equal(number_parse_int64("-9223372036854775808", INT64_MIN, 0, &value, NULL), 0);
    assert_true(value == INT64_MIN);
    assert_int_equal(number_parse_int64("010", 0, 98, &value, NULL), 0);
    assert_int_equal(value, 10);
}

static void test_numbers_refused(void **state)
{
    (void)state;
    assert_number_refused("0", -ERANGE, "\"0\" is not a whole number from 1 to 98");
    assert_number_refused("99", -ERANGE, "from 1 to 98");
    assert_number_refused("-1", -ERANGE, "\"-1\"");
    assert_number_refused("9223372036854775808", -ERANGE, "9223372036854775808");
    assert_number_refused("99999999999999999999999999", -ERANGE, "from 1 to 98");
    assert_number_refused("", -EINVAL, "\"\"");
    assert_number_refused("-", -EINVAL, "\"-\"");
    assert_number_refused("--1", -EINVAL, "\"--1\"");
    assert_number_refused("+1", -EINVAL, "\"+1\"");
    assert_number_refused(" 1", -EINVAL, "\" 1\"");
    assert_number_refused("1 ", -EINVAL, "\"1 \"");
    assert_number_refused("5x", -EINVAL, "\"5x\"");
    assert_number_refused("0x10", -EINVAL, "0x10");
    assert_number_refused("1.0", -EINVAL, "1.0");
    assert_number_refused("1e3", -EINVAL, "1e3");
}

static void test_open_range_is_worded_without_its_end(void **state)
{
    (void)state;
    struct failure failure = {0};
    int64_t value = 0;
    assert_int_equal(number_parse_int64("0", 1, INT64_MAX, &value, &failure), -ERANGE);
    assert_message(&failure, "of 1 or more");
}

static void test_unsigned_numbers(void **state)
{
    (void)state;
    struct failure failure = {0};
    uint64_t value = 0;
    assert_int_equal(number_parse_uint64("18446744073709551615", &value, &failure), 0);
    assert_true(value == UINT64_MAX);
    assert_int_equal(number_parse_uint64("0", &value, &failure), 0);
    assert_true(value == 0);
    assert_int_equal(number_parse_uint64("18446744073709551616", &value, &failure), -ERANGE);
    assert_message(&failure, "from 0 to 18446744073709551615");
    assert_int_equal(number_parse_uint64("-1", &value, &failure), -EINVAL);
    assert_int_equal(number_parse_uint64("", &value, &failure), -EINVAL);
    assert_int_equal(number_parse_uint64("7 ", &value, &failure), -EINVAL);
    assert_true(value == 0);
}

static void assert_duration(const char *text, int64_t expected_ns)
{
    struct failure failure = {0};
    int64_t duration_ns = -1;
    if (duration_parse(text, 0, INT64_MAX, &duration_ns, &failure) != 0) {
        fail_msg("\"%s\": %s", text, failure.text);
    }
    assert_true(duration_ns == expected_ns);
}

static void assert_duration_refused(const char *text, int error, const char *part)
{
    struct failure failure = {0};
    int64_t duration_ns = 4711;
    assert_int_equal(duration_parse(text, 1000, INT64_C(60000000000), &duration_ns, &failure), error);
    assert_true(duration_ns == 4711);
    assert_message(&failure, part);
    assert_int_equal(duration_parse(text, 1000, INT64_C(60000000000), &duration_ns, NULL), error);
}

static void test_durations(void **state)
{
    (void)state;
    assert_duration("1ns", 1);
    assert_duration("2us", 2000);
    assert_duration("1ms", 1000000);
    assert_duration("3s", INT64_C(3000000000));
    assert_duration("2m", INT64_C(120000000000));
    assert_duration("2.5us", 2500);
    assert_duration("0.001us", 1);
    assert_duration("1.000000001s", INT64_C(1000000001));
    assert_duration("0.5m", INT64_C(30000000000));
    assert_duration("0.00000000005m", 3);
    assert_duration("1.50000000000000000000000ms", 1500000);
    assert_duration("3.0ns", 3);
    assert_duration("0", 0);
    assert_duration("0ms", 0);
    assert_duration("9223372036854775807ns", INT64_MAX);
    assert_duration("9223372036.854775807s", INT64_MAX);
}

static void test_durations_refused(void **state)
{
    (void)state;
    assert_duration_refused("1", -EINVAL, "\"1\" has no unit; the units are ns, us, ms, s and m");
    assert_duration_refused("1.5", -EINVAL, "no unit");
    assert_duration_refused("0", -EINVAL, "no unit");
    assert_duration_refused("", -EINVAL, "not a duration");
    assert_duration_refused("ms", -EINVAL, "not a duration");
    assert_duration_refused("-1ms", -EINVAL, "negative");
    assert_duration_refused("+1ms", -EINVAL, "not a duration");
    assert_duration_refused(".5ms", -EINVAL, "not a duration");
    assert_duration_refused("1.ms", -EINVAL, "not a duration");
    assert_duration_refused("1.2.3ms", -EINVAL, "not a duration");
    assert_duration_refused("1 ms", -EINVAL, "not a duration");
    assert_duration_refused("1msx", -EINVAL, "ns, us, ms, s, m");
    assert_duration_refused("1MS", -EINVAL, "not a duration");
    assert_duration_refused("1h", -EINVAL, "not a duration");
    assert_duration_refused("1e3us", -EINVAL, "not a duration");
    assert_duration_refused("2000.5ns", -EINVAL, "whole number of nanoseconds");
    assert_duration_refused("1.0000000001s", -EINVAL, "whole number of nanoseconds");
    assert_duration_refused("1.0000000000000000000000000001s", -EINVAL, "whole number of nanoseconds");
    assert_duration_refused("999ns", -ERANGE, "\"999ns\" is not between 1us and 1m");
    assert_duration_refused("60.000000001s", -ERANGE, "between 1us and 1m");
    assert_duration_refused("0ms", -ERANGE, "between");
    assert_duration_refused("9223372036854775808ns", -ERANGE, "between");
    assert_duration_refused("153722868m", -ERANGE, "between");
    assert_duration_refused("99999999999999999999s", -ERANGE, "between");
    assert_duration_refused("9223372036.854775808s", -ERANGE, "between");
}

static void assert_format(int64_t duration_ns, const char *expected)
{
    char text[DURATION_TEXT_SIZE];
    assert_string_equal(duration_format(duration_ns, text), expected);
    assert_ptr_equal(duration_format(duration_ns, text), text);
    if (duration_ns >= 0) {
        assert_duration(text, duration_ns);
    }
}

static void test_exact_texts(void **state)
{
    (void)state;
    assert_format(0, "0ns");
    assert_format(1, "1ns");
    assert_format(1000000, "1ms");
    assert_format(1500000, "1500us");
    assert_format(INT64_C(60000000000), "1m");
    assert_format(INT64_C(90000000000), "90s");
    assert_format(INT64_MAX, "9223372036854775807ns");
    assert_format(INT64_MIN, "-9223372036854775808ns");
    assert_format(-2000, "-2us");
}

static void assert_rough(int64_t duration_ns, const char *expected)
{
    char text[DURATION_TEXT_SIZE];
    assert_string_equal(duration_format_rough(duration_ns, text), expected);
}

static void test_rough_texts(void **state)
{
    (void)state;
    assert_rough(0, "0ns");
    assert_rough(7, "7ns");
    assert_rough(999, "999ns");
    assert_rough(1000, "1us");
    assert_rough(1500, "1.5us");
    assert_rough(350000000, "350ms");
    assert_rough(999999999, "1s");
    assert_rough(2100000000, "2.1s");
    assert_rough(INT64_C(9960000000), "10s");
    assert_rough(INT64_C(59400000000), "59s");
    assert_rough(INT64_C(59600000000), "1min 00s");
    assert_rough(INT64_C(200000000000), "3min 20s");
    assert_rough(INT64_C(3599600000000), "1h 00min");
    assert_rough(INT64_C(7500000000000), "2h 05min");
    assert_rough(-350000000, "-350ms");
    assert_rough(INT64_MAX, "more than 292 years");
    assert_rough(INT64_MIN, "-2562047h 47min");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_in_range),
        cmocka_unit_test(test_numbers_refused),
        cmocka_unit_test(test_open_range_is_worded_without_its_end),
        cmocka_unit_test(test_unsigned_numbers),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_durations_refused),
        cmocka_unit_test(test_exact_texts),
        cmocka_unit_test(test_rough_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
