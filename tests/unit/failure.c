/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numasweep/failure.h"

#include <errno.h>
#include <string.h>

static void test_fills_all_parts(void **state)
{
    (void)state;
    struct failure failure = {0};
    assert_int_equal(failure_set(&failure, "pin", EPERM, "CPU %d: %s", 3, "refused"), -EPERM);
    assert_string_equal(failure.stage, "pin");
    assert_int_equal(failure.errno_value, EPERM);
    assert_string_equal(failure.text, "CPU 3: refused");
}

static void test_without_errno_it_is_invalid(void **state)
{
    (void)state;
    struct failure failure = {.errno_value = EIO};
    assert_int_equal(failure_set(&failure, "parse", 0, "no"), -EINVAL);
    assert_int_equal(failure.errno_value, 0);
}

static void test_nobody_wants_to_know(void **state)
{
    (void)state;
    assert_int_equal(failure_set(NULL, "open", ENOENT, "%s", "x"), -ENOENT);
    assert_int_equal(failure_set(NULL, "open", 0, "%s", "x"), -EINVAL);
}

static void test_a_later_failure_replaces_the_first(void **state)
{
    (void)state;
    struct failure failure = {0};
    (void)failure_set(&failure, "a long stage", ENOENT, "a long sentence");
    (void)failure_set(&failure, "b", EIO, "c");
    assert_string_equal(failure.stage, "b");
    assert_string_equal(failure.text, "c");
}

static void test_long_stage_is_cut(void **state)
{
    (void)state;
    struct failure failure = {0};
    (void)failure_set(&failure, "a stage that is far longer than there is room for", 0, "x");
    assert_int_equal(strlen(failure.stage), FAILURE_STAGE_SIZE - 1);
}

/* Text of `fill` letters and then one character of several bytes, over and over. */
static void assert_cut_at_character(size_t fill, const char *character)
{
    char text[2 * FAILURE_TEXT_SIZE] = {0};
    struct failure failure = {0};
    const size_t size = strlen(character);
    memset(text, 'a', fill);
    for (size_t i = fill; i < sizeof text - 1; i++) {
        text[i] = character[(i - fill) % size];
    }
    (void)failure_set(&failure, "text", 0, "%s", text);
    const size_t length = strlen(failure.text);
    assert_int_equal((length - fill) % size, 0);
    assert_in_range(length, FAILURE_TEXT_SIZE - 1 - (size - 1), FAILURE_TEXT_SIZE - 1);
    assert_memory_equal(failure.text, text, length);
}

static void test_long_text_is_cut_at_a_character(void **state)
{
    (void)state;
    static const char *const characters[] = {"b", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        for (size_t fill = 0; fill < 4; fill++) {
            assert_cut_at_character(fill, characters[i]);
        }
    }
}

static void test_text_that_just_fits_is_whole(void **state)
{
    (void)state;
    char text[FAILURE_TEXT_SIZE] = {0};
    struct failure failure = {0};
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 3] = '\xc3';
    text[sizeof text - 2] = '\xa4';
    (void)failure_set(&failure, "text", 0, "%s", text);
    assert_string_equal(failure.text, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fills_all_parts),
        cmocka_unit_test(test_without_errno_it_is_invalid),
        cmocka_unit_test(test_nobody_wants_to_know),
        cmocka_unit_test(test_a_later_failure_replaces_the_first),
        cmocka_unit_test(test_long_stage_is_cut),
        cmocka_unit_test(test_long_text_is_cut_at_a_character),
        cmocka_unit_test(test_text_that_just_fits_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
