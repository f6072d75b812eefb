/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/visit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct placement proved = {
    .mask_matches_before = 1,
    .mask_matches_after = 1,
    .pages_total = 9,
    .pages_on_node = 9,
    .memory_is_bound = 1,
};

static void placement_is_proved_only_whole(void **state)
{
    (void)state;
    assert_true(placement_is_proved(&proved, true, true));
    struct placement lies[7];
    for (size_t i = 0; i < 7; i++) {
        lies[i] = proved;
    }
    lies[0].mask_matches_before = 0;
    lies[1].mask_matches_after = 0;
    lies[2].elsewhere_count = 1;
    lies[3].migrations = 1;
    lies[4].pages_on_node = 8;
    lies[5].pages_unknown = 1;
    lies[6].memory_is_bound = 0;
    for (size_t i = 0; i < 7; i++) {
        assert_false(placement_is_proved(&lies[i], true, true));
    }
    /* Where memory was not to be bound, its place proves nothing. */
    assert_true(placement_is_proved(&lies[4], true, false));
    assert_true(placement_is_proved(&lies[6], true, false));
    /* A wider row may migrate, and migrations may be unreadable. */
    assert_true(placement_is_proved(&lies[3], false, true));
    lies[3].migrations = -1;
    assert_true(placement_is_proved(&lies[3], true, true));
}

static void policies_are_named_as_sched_has_them(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(policy_text(1, 50, text), "SCHED_FIFO 50");
    assert_string_equal(policy_text(2, 1, text), "SCHED_RR 1");
    assert_string_equal(policy_text(0, 0, text), "SCHED_OTHER");
    assert_string_equal(policy_text(3, 0, text), "SCHED_BATCH");
    assert_string_equal(policy_text(5, 0, text), "SCHED_IDLE");
    assert_string_equal(policy_text(77, 0, text), "policy 77");
}

static void counters_stay_sorted_and_add_up(void **state)
{
    (void)state;
    struct counter_set set = {0};
    for (int i = 99; i >= 0; i--) {
        char name[COUNTER_NAME_SIZE];
        (void)snprintf(name, sizeof name, "irq:%02d", i);
        assert_int_equal(counter_set_add(&set, name, i), 0);
        assert_int_equal(counter_set_add(&set, name, 1000), 0);
    }
    assert_int_equal(set.count, 100);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(set.items[i].value, 1000 + (int64_t)i);
    }
    assert_null(counter_set_find(&set, "irq:100"));
    assert_int_equal(counter_set_find(&set, "irq:42")->value, 1042);
    counter_set_destroy(&set);
}

static void long_names_are_cut_to_the_same_counter(void **state)
{
    (void)state;
    struct counter_set set = {0};
    char name[3 * COUNTER_NAME_SIZE];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_int_equal(counter_set_add(&set, name, 1), 0);
    assert_int_equal(counter_set_add(&set, name, 2), 0);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.items[0].value, 3);
    counter_set_destroy(&set);
}

static void sums_stay_at_their_bound(void **state)
{
    (void)state;
    struct counter_set set = {0};
    assert_int_equal(counter_set_add(&set, "a", INT64_MAX), 0);
    assert_int_equal(counter_set_add(&set, "a", 1), 0);
    assert_int_equal(counter_set_find(&set, "a")->value, INT64_MAX);
    counter_set_destroy(&set);
}

static void differences_are_of_what_is_in_both(void **state)
{
    (void)state;
    struct counter_set before = {0};
    struct counter_set after = {0};
    struct counter_set difference = {0};
    assert_int_equal(counter_set_add(&before, "gone", 5), 0);
    assert_int_equal(counter_set_add(&before, "same", 5), 0);
    assert_int_equal(counter_set_add(&before, "more", 5), 0);
    assert_int_equal(counter_set_add(&after, "more", 7), 0);
    assert_int_equal(counter_set_add(&after, "new", 7), 0);
    assert_int_equal(counter_set_add(&after, "same", 5), 0);
    assert_int_equal(counter_set_add(&difference, "old rubbish", 1), 0);
    assert_int_equal(counter_set_subtract(&after, &before, &difference), 0);
    assert_int_equal(difference.count, 1);
    assert_string_equal(difference.items[0].name, "more");
    assert_int_equal(difference.items[0].value, 2);
    counter_set_destroy(&before);
    counter_set_destroy(&after);
    counter_set_destroy(&difference);
}

static void states_are_the_mean_of_before_and_after(void **state)
{
    struct counter_set before = {0};
    struct counter_set after = {0};
    struct counter_set difference = {0};
    (void)state;
    assert_true(counter_is_level("level:frequency_khz"));
    assert_false(counter_is_level("irq:LOC"));
    assert_int_equal(counter_set_add(&before, "level:frequency_khz", 1200000), 0);
    assert_int_equal(counter_set_add(&before, "level:steady", 7), 0);
    assert_int_equal(counter_set_add(&after, "level:frequency_khz", 800000), 0);
    assert_int_equal(counter_set_add(&after, "level:steady", 7), 0);
    assert_int_equal(counter_set_add(&after, "level:new", 7), 0);
    assert_int_equal(counter_set_subtract(&after, &before, &difference), 0);
    assert_int_equal(difference.count, 2);
    assert_int_equal(difference.items[0].value, 1000000);
    assert_int_equal(difference.items[1].value, 7);
    counter_set_destroy(&before);
    counter_set_destroy(&after);
    counter_set_destroy(&difference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placement_is_proved_only_whole),
        cmocka_unit_test(policies_are_named_as_sched_has_them),
        cmocka_unit_test(counters_stay_sorted_and_add_up),
        cmocka_unit_test(long_names_are_cut_to_the_same_counter),
        cmocka_unit_test(sums_stay_at_their_bound),
        cmocka_unit_test(differences_are_of_what_is_in_both),
        cmocka_unit_test(states_are_the_mean_of_before_and_after),
    };
    return cmocka_run_group_tests_name("visit", tests, NULL, NULL);
}
