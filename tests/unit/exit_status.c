/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numasweep/exit_status.h"

#include <signal.h>

/* From the one that always yields to the one that always wins. */
static const int in_order[] = {
    EXIT_STATUS_COMPLETE,
    EXIT_STATUS_FOUND,
    EXIT_STATUS_PARTIAL,
    EXIT_STATUS_NOT_ALLOWED,
    EXIT_STATUS_BAD_INPUT,
    EXIT_STATUS_BROKEN,
    EXIT_STATUS_SIGNAL_BASE + SIGINT,
};

static void test_numbers_that_scripts_rely_on(void **state)
{
    (void)state;
    static const int numbers[] = {0, 1, 4, 3, 2, 5, 130};
    assert_memory_equal(in_order, numbers, sizeof numbers);
}

static void test_the_graver_wins_in_either_order(void **state)
{
    (void)state;
    const size_t count = sizeof in_order / sizeof *in_order;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i; k < count; k++) {
            assert_int_equal(exit_status_combine(in_order[i], in_order[k]), in_order[k]);
            assert_int_equal(exit_status_combine(in_order[k], in_order[i]), in_order[k]);
        }
    }
}

static void test_the_first_signal_stays(void **state)
{
    (void)state;
    const int interrupted = EXIT_STATUS_SIGNAL_BASE + SIGINT;
    const int terminated = EXIT_STATUS_SIGNAL_BASE + SIGTERM;
    assert_int_equal(exit_status_combine(interrupted, terminated), interrupted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_that_scripts_rely_on),
        cmocka_unit_test(test_the_graver_wins_in_either_order),
        cmocka_unit_test(test_the_first_signal_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
