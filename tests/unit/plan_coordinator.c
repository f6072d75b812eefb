/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/machine.h"
#include "numasweep/plan.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct fixture {
    struct topology topology;
    struct options options;
    struct plan plan;
};

static void plan_it(struct fixture *fixture, const char *const *words)
{
    struct failure failure = {0};
    plan_destroy(&fixture->plan);
    options_destroy(&fixture->options);
    machine_set_options(&fixture->options, words);
    if (plan_create(&fixture->options, &fixture->topology, &fixture->plan, &failure) != 0) {
        fail_msg("%s", failure.text);
    }
}

static void destroy(struct fixture *fixture)
{
    plan_destroy(&fixture->plan);
    options_destroy(&fixture->options);
    topology_destroy(&fixture->topology);
}

static void assert_list(const struct id_list *list, const char *expected)
{
    char *text = id_list_format(list);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_placed(const struct fixture *fixture, const char *busy_text, const char *expected,
                          int expected_quality)
{
    struct id_list busy = {0};
    struct id_list cpus = {0};
    int quality = -1;
    assert_int_equal(id_list_parse(busy_text, &busy, NULL), 0);
    assert_int_equal(id_list_add(&cpus, 77), 0); /* what was there is replaced */
    assert_int_equal(plan_coordinator_cpus(&fixture->plan, &fixture->topology, &busy, &cpus, &quality),
                     0);
    assert_list(&cpus, expected);
    assert_int_equal(quality, expected_quality);
    id_list_destroy(&busy);
    id_list_destroy(&cpus);
}

/* CPUs 0 to 3 are the cores' first threads, 4 to 7 their siblings. */
static void test_qualities(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    plan_it(&fixture, WORDS("seed", "1"));
    assert_list(&fixture.plan.coordinator_cpus, "0-7");
    assert_placed(&fixture, "1", "0,2-4,6-7", 0);
    assert_placed(&fixture, "0-2", "3,7", 0);
    assert_placed(&fixture, "0-3", "4-7", 1);
    assert_placed(&fixture, "0-6", "7", 1);
    assert_placed(&fixture, "0-7", "0-7", 2);
    destroy(&fixture);
}

static void test_unknown_cores_are_nobodys_siblings(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    for (size_t i = 0; i < 8; i++) {
        fixture.topology.cpus[i].core = TOPOLOGY_NONE;
    }
    plan_it(&fixture, WORDS("seed", "1"));
    assert_placed(&fixture, "0", "1-7", 0);
    destroy(&fixture);
}

static void test_explicit_cpu_stays(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    fixture.topology.cpus[6].is_in_inherited_mask = false;
    plan_it(&fixture, WORDS("coordinator", "6"));
    assert_int_equal(fixture.plan.coordinator_cpu, 6);
    assert_placed(&fixture, "1", "6", 0);
    assert_placed(&fixture, "2", "6", 1);
    assert_placed(&fixture, "6", "6", 2);
    destroy(&fixture);
}

static void test_isolated_cpus_are_left_alone(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    for (size_t i = 1; i < 8; i++) {
        fixture.topology.cpus[i].is_isolated = i % 2 == 0;
        fixture.topology.cpus[i].is_nohz_full = i % 2 == 1;
    }
    plan_it(&fixture, WORDS("cpus", "isolated"));
    assert_list(&fixture.plan.coordinator_cpus, "0");
    plan_it(&fixture, WORDS("cpus", "0"));
    assert_list(&fixture.plan.coordinator_cpus, "0");
    assert_placed(&fixture, "0", "0", 2);
    fixture.topology.cpus[0].state = CPU_OFFLINE;
    plan_it(&fixture, WORDS("cpus", "1"));
    assert_list(&fixture.plan.coordinator_cpus, "1-7");
    assert_placed(&fixture, "1", "2-4,6-7", 0);
    destroy(&fixture);
}

static void test_inherited_mask_is_kept_where_it_is_wide_enough(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    for (size_t i = 0; i < 8; i++) {
        fixture.topology.cpus[i].is_in_inherited_mask = i < 2;
    }
    plan_it(&fixture, WORDS("seed", "1"));
    assert_list(&fixture.plan.coordinator_cpus, "0-1");
    destroy(&fixture);
}

static void test_mask_of_one_core_is_left_for_another(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    for (size_t i = 0; i < 8; i++) {
        fixture.topology.cpus[i].is_in_inherited_mask = i == 2 || i == 6;
    }
    fixture.topology.cpus[7].state = CPU_DISALLOWED;
    plan_it(&fixture, WORDS("seed", "1"));
    assert_list(&fixture.plan.coordinator_cpus, "0-6");
    assert_placed(&fixture, "2", "0-1,3-5", 0);
    plan_it(&fixture, WORDS("cpus", "0"));
    assert_list(&fixture.plan.coordinator_cpus, "2,6");
    assert_placed(&fixture, "0", "2,6", 0);
    destroy(&fixture);
}

static void test_wide_row_needs_a_cpu_outside_it(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    for (size_t i = 0; i < 8; i++) {
        fixture.topology.cpus[i].is_in_inherited_mask = fixture.topology.cpus[i].package == 0;
    }
    plan_it(&fixture, WORDS("by", "package"));
    assert_list(&fixture.plan.measured_cpus, "0-1,4-5");
    assert_list(&fixture.plan.coordinator_cpus, "0-7");
    assert_placed(&fixture, "0-1,4-5", "2-3,6-7", 0);
    destroy(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_qualities),
        cmocka_unit_test(test_unknown_cores_are_nobodys_siblings),
        cmocka_unit_test(test_explicit_cpu_stays),
        cmocka_unit_test(test_isolated_cpus_are_left_alone),
        cmocka_unit_test(test_inherited_mask_is_kept_where_it_is_wide_enough),
        cmocka_unit_test(test_mask_of_one_core_is_left_for_another),
        cmocka_unit_test(test_wide_row_needs_a_cpu_outside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
