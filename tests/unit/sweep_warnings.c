/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/sweep_warnings.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/sweep_fixture.h"

static struct sweep *make_sweep(void)
{
    struct sweep *sweep = fixture_create("");
    fixture_fill(sweep);
    return sweep;
}

static void assert_warning(struct sweep *sweep, const char *expected)
{
    assert_int_equal(sweep_collect_warnings(sweep), 0);
    assert_int_equal(sweep->warning_count, 1);
    if (strstr(sweep->warnings[0], expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", sweep->warnings[0], expected);
    }
    /* Each sentence once, however often they are collected. */
    assert_int_equal(sweep_collect_warnings(sweep), 0);
    assert_int_equal(sweep->warning_count, 1);
    sweep_destroy(sweep);
}

static void clean_sweep_has_none(void **state)
{
    (void)state;
    struct sweep *sweep = make_sweep();
    assert_int_equal(sweep_collect_warnings(sweep), 0);
    assert_int_equal(sweep->warning_count, 0);
    sweep_destroy(sweep);
}

static void refused_policy_names_the_way_out(void **state)
{
    (void)state;
    struct sweep *sweep = make_sweep();
    sweep->visits[0].placement.policy_errno = EPERM;
    assert_warning(sweep, "refused in 1 of 32 visits");
    sweep = make_sweep();
    sweep->visits[0].placement.policy_errno = EPERM;
    assert_int_equal(
        environment_add(&sweep->environment, "rights", "effective_uid", FACT_INFORMATION, NULL, "0"), 0);
    assert_warning(sweep, "as root, the likely cause is a cgroup");
    sweep = make_sweep();
    sweep->visits[0].placement.policy_errno = ENOSYS;
    assert_warning(sweep, "sandbox");
}

static void each_trouble_is_told(void **state)
{
    (void)state;
    struct sweep *sweep = make_sweep();
    sweep->visits[1].placement.memory_errno = EPERM;
    assert_warning(sweep, "memory was not bound in 1 of 32");
    sweep = make_sweep();
    sweep->visits[1].placement.memory_errno = EPERM;
    assert_warning(sweep, "system-call filter");
    sweep = make_sweep();
    sweep->visits[1].placement.memory_errno = EINVAL;
    assert_warning(sweep, "outside the cpuset's mems");
    sweep = make_sweep();
    sweep->visits[1].placement.memory_is_locked = 0;
    assert_warning(sweep, "could not be locked in 1 of 32");
    sweep = make_sweep();
    sweep->visits[1].placement.pages_on_node--;
    assert_warning(sweep, "not all pages lay on the node");
    sweep = make_sweep();
    sweep->visits[1].placement.clock_resolution_ns = 4000000;
    assert_warning(sweep, "resolution of 4000000 ns");
    sweep = make_sweep();
    sweep->visits[1].placement.early_count = 2;
    assert_warning(sweep, "2 early wake-ups");
    sweep = make_sweep();
    sweep->visits[1].placement.elsewhere_count = 3;
    assert_warning(sweep, "3 samples were taken on another CPU");
    sweep = make_sweep();
    sweep->visits[1].placement.coordinator_distance = 2;
    assert_warning(sweep, "the coordinator was on the measured CPU itself");
    sweep = make_sweep();
    sweep->environment.facts[0].severity = FACT_WARNING;
    assert_warning(sweep, "the clock source is tsc: do that");
}

static void failed_visits_are_told_elsewhere(void **state)
{
    (void)state;
    struct sweep *sweep = make_sweep();
    sweep->visits[0].outcome = VISIT_FAILED;
    sweep->visits[0].placement.policy_errno = EPERM;
    assert_int_equal(sweep_collect_warnings(sweep), 0);
    assert_int_equal(sweep->warning_count, 0);
    sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_sweep_has_none),
        cmocka_unit_test(refused_policy_names_the_way_out),
        cmocka_unit_test(each_trouble_is_told),
        cmocka_unit_test(failed_visits_are_told_elsewhere),
    };
    return cmocka_run_group_tests_name("sweep warnings", tests, NULL, NULL);
}
