/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/report.h"

#include "numasweep/exit_status.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/sweep_fixture.h"

static const struct report_cell *cell_at(const struct report *report, size_t row, size_t column)
{
    return &report->tables[0].cells[row * report->sweep->plan.column_count + column];
}

static bool has_line(const struct report *report, const char *part)
{
    for (size_t i = 0; i < report->validity_count; i++) {
        if (strstr(report->validity[i], part) != NULL) {
            return true;
        }
    }
    return false;
}

static void complete_sweep_has_figures_everywhere(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create("");
    fixture_fill(sweep);
    assert_int_equal(report_create(sweep, &report), 0);
    assert_int_equal(report.table_count, 1);
    assert_int_equal(report.cells_planned, 16);
    assert_int_equal(report.cells_measured, 16);
    assert_int_equal(report.visits_measured, 32);
    assert_false(report.is_partial);
    assert_false(report.has_invalid);
    for (size_t row = 0; row < 8; row++) {
        const struct report_row *shown = &report.tables[0].rows[row];
        assert_string_equal(shown->status, "ok");
        /* Samples 8000, 8001, 8002 plus 100 a row, twice in each of two columns. */
        assert_int_equal(shown->wake.sample_count, 12);
        assert_true(shown->wake.values_ns[METRIC_MEDIAN] == 8001 + 100 * (double)row);
        for (size_t column = 0; column < 2; column++) {
            const struct report_cell *cell = cell_at(&report, row, column);
            assert_int_equal(cell->state, REPORT_CELL_MEASURED);
            assert_true(cell->touch.values_ns[METRIC_MIN] == (cell->is_local ? 6000 : 9000));
        }
    }
    assert_int_equal(report.tables[0].wake.sample_count, 96);
    assert_true(has_line(&report, "SCHED_FIFO 50 in all 32 visits"));
    assert_true(has_line(&report, "every page on its node in all 32 visits"));
    assert_int_equal(report_exit_status(&report, FAIL_ON_INVALID), EXIT_STATUS_COMPLETE);
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void matrix_is_the_median_of_the_medians_of_a_node(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create("");
    fixture_fill(sweep);
    assert_int_equal(report_create(sweep, &report), 0);
    const struct report_matrix *matrix = &report.tables[0].matrix;
    assert_int_equal(matrix->from_nodes.count, 2);
    /* Node 0 has CPUs 0, 1, 4, 5: medians 8001, 8101, 8401, 8501; the lower of the two middle ones. */
    assert_true(matrix->wake_ns[0] == 8101);
    assert_true(matrix->touch_ns[0] == 6001);
    assert_true(matrix->touch_ns[1] == 9001);
    assert_int_equal(matrix->distances[0], 10);
    assert_int_equal(matrix->distances[1], 21);
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void failures_are_named_and_counted(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create("");
    fixture_add(sweep, 0, 0, 8000, 6000);
    fixture_add_failure(sweep, 0, 1, "worker", 0);
    fixture_add_failure(sweep, 1, 0, "policy", EPERM);
    fixture_add_failure(sweep, 1, 1, "policy", EPERM);
    for (size_t cell = 2; cell < 16; cell++) {
        fixture_add(sweep, cell, 0, 8000, 6000);
        fixture_add(sweep, cell, 1, 8000, 6000);
    }
    sweep->has_ended = true;
    assert_int_equal(report_create(sweep, &report), 0);
    assert_int_equal(cell_at(&report, 0, 0)->state, REPORT_CELL_INCOMPLETE);
    assert_int_equal(cell_at(&report, 0, 1)->state, REPORT_CELL_MISSING);
    assert_string_equal(cell_at(&report, 0, 1)->problem, "policy: EPERM: it went wrong (2 of 2 visits)");
    assert_non_null(strstr(report.tables[0].rows[0].status, "1 of 2 cells missing"));
    assert_string_equal(report.tables[0].rows[1].status, "ok");
    assert_true(report.is_partial);
    assert_int_equal(report.visits_failed, 3);
    assert_int_equal(report_exit_status(&report, 0), EXIT_STATUS_PARTIAL);
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void samples_taken_elsewhere_are_in_no_figure(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create("");
    fixture_fill(sweep);
    sweep->visits[0].samples[0].elapsed_ns += 1000000000;
    sweep->visits[0].samples[0].flags = SAMPLE_ELSEWHERE;
    sweep->visits[0].placement.elsewhere_count = 1;
    assert_int_equal(report_create(sweep, &report), 0);
    const struct report_cell *cell = cell_at(&report, 0, 0);
    assert_int_equal(cell->wake.sample_count, 5);
    assert_true(cell->wake.values_ns[METRIC_MAX] < 1000000);
    assert_int_equal(cell->elsewhere_count, 1);
    assert_true(report.has_invalid);
    assert_int_equal(report_exit_status(&report, 0), EXIT_STATUS_COMPLETE);
    assert_int_equal(report_exit_status(&report, FAIL_ON_INVALID), EXIT_STATUS_FOUND);
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void early_wake_ups_are_counted_not_hidden(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create("");
    fixture_fill(sweep);
    sweep->visits[0].samples[0].elapsed_ns = sweep->visits[0].samples[0].requested_ns - 500;
    sweep->visits[0].placement.early_count = 1;
    assert_int_equal(report_create(sweep, &report), 0);
    assert_true(cell_at(&report, 0, 0)->wake.values_ns[METRIC_MIN] == -500);
    assert_int_equal(report.tables[0].rows[0].early_count, 1);
    assert_int_equal(report.tables[0].early_count, 1);
    assert_true(has_line(&report, "1 early wake-up"));
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void different_policies_are_told_apart(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create("");
    fixture_fill(sweep);
    sweep->visits[0].placement.policy = 0;
    sweep->visits[0].placement.priority = 0;
    assert_int_equal(report_create(sweep, &report), 0);
    assert_int_equal(cell_at(&report, 0, 0)->policy, -1);
    assert_int_equal(cell_at(&report, 0, 1)->policy, FIXTURE_POLICY_FIFO);
    assert_true(has_line(&report, "SCHED_FIFO 50 in 31 of 32 visits"));
    assert_true(has_line(&report, "SCHED_OTHER in 1 of 32 visits"));
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void nothing_measured_is_not_allowed_and_a_stopped_sweep_partial(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create("");
    assert_int_equal(report_create(sweep, &report), 0);
    assert_int_equal(report_exit_status(&report, 0), EXIT_STATUS_NOT_ALLOWED);
    report_destroy(&report);
    sweep->stop_signal = 2;
    assert_int_equal(report_create(sweep, &report), 0);
    assert_int_equal(report_exit_status(&report, 0), EXIT_STATUS_PARTIAL);
    assert_non_null(strstr(cell_at(&report, 0, 0)->problem, "2 of 2 rounds were not reached"));
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void each_timeout_has_its_own_table(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create("timeout=1ms,10ms");
    fixture_fill(sweep);
    assert_int_equal(report_create(sweep, &report), 0);
    assert_int_equal(report.table_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(report.tables[i].timeout, i);
        assert_int_equal(report.tables[i].wake.sample_count, 96);
    }
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void merging_adds_rounds(void **state)
{
    (void)state;
    struct report report;
    struct failure failure = {0};
    struct sweep *first = fixture_create("seed=1");
    struct sweep *second = fixture_create("seed=2 rounds=3");
    second->started_unix_ns++;
    fixture_fill(first);
    fixture_fill(second);
    assert_int_equal(sweep_merge(first, second, &failure), 0);
    assert_int_equal(first->plan.round_count, 5);
    assert_int_equal(report_create(first, &report), 0);
    assert_int_equal(report.visits_planned, 80);
    assert_int_equal(report.visits_measured, 80);
    assert_false(report.is_partial);
    report_destroy(&report);
    sweep_destroy(second);
    sweep_destroy(first);
}

static void refuse_merge(const char *settings, const char *expected)
{
    struct failure failure = {0};
    struct sweep *first = fixture_create("");
    struct sweep *second = fixture_create(settings);
    second->started_unix_ns++;
    fixture_fill(second);
    assert_int_equal(sweep_merge(first, second, &failure), -EINVAL);
    if (strstr(failure.text, expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", failure.text, expected);
    }
    assert_int_equal(first->visit_count, 0);
    sweep_destroy(second);
    sweep_destroy(first);
}

static void what_does_not_belong_together_is_refused(void **state)
{
    (void)state;
    refuse_merge("timeout=2ms", "--timeout");
    refuse_merge("kernel=clock_nanosleep", "--kernel");
    refuse_merge("touch=32", "--touch");
    refuse_merge("policy=other", "--policy");
    refuse_merge("dither=0", "--dither");
    refuse_merge("clock=raw", "--clock");
    refuse_merge("nodes=0", "--nodes");
    refuse_merge("cpus=0,1", "--cpus");
}

static void slack_that_was_not_read_is_no_figure(void **state)
{
    (void)state;
    struct report report = {0};
    struct sweep *sweep = fixture_create("");
    bool is_told = false;
    fixture_fill(sweep);
    for (size_t i = 0; i < sweep->visit_count; i++) {
        sweep->visits[i].placement.timer_slack_ns = -1;
    }
    assert_int_equal(report_create(sweep, &report), 0);
    for (size_t i = 0; i < report.validity_count; i++) {
        is_told = is_told || strstr(report.validity[i], "timer slack could not be read") != NULL;
        assert_null(strstr(report.validity[i], "-1 ns"));
    }
    assert_true(is_told);
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void a_sweep_is_not_merged_with_itself(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct sweep *first = fixture_create("seed=1");
    struct sweep *second = fixture_create("seed=1");
    fixture_fill(second);
    second->started_unix_ns = first->started_unix_ns;
    assert_int_equal(sweep_merge(first, second, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "count twice"));
    assert_int_equal(first->visit_count, 0);
    second->started_unix_ns++;
    assert_int_equal(sweep_merge(first, second, &failure), 0);
    sweep_destroy(second);
    sweep_destroy(first);
}

static void a_merged_sweep_is_not_merged_with_its_parts(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct sweep *first = fixture_create("");
    struct sweep *second = fixture_create("seed=2");
    struct sweep *again = fixture_create("seed=2");
    second->started_unix_ns++;
    again->started_unix_ns++;
    fixture_fill(first);
    fixture_fill(second);
    fixture_fill(again);
    assert_int_equal(sweep_merge(first, second, &failure), 0);
    const size_t visit_count = first->visit_count;
    assert_int_equal(sweep_merge(first, again, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "count twice"));
    assert_int_equal(first->visit_count, visit_count);
    sweep_destroy(again);
    sweep_destroy(second);
    sweep_destroy(first);
}

static void other_machines_are_refused(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct sweep *first = fixture_create("");
    struct sweep *second = fixture_create("");
    free(second->host);
    second->host = strdup("elsewhere");
    assert_int_equal(sweep_merge(first, second, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "elsewhere"));
    free(second->host);
    second->host = strdup(first->host);
    second->topology.distances[1]++;
    assert_int_equal(topology_set_fingerprint(&second->topology), 0);
    assert_int_equal(sweep_merge(first, second, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "shape differs"));
    sweep_destroy(second);
    sweep_destroy(first);
}

static void case06_real_time_throttling_is_named(void **state)
{
    (void)state;
    struct report report = {0};
    struct sweep *sweep = fixture_create("");
    assert_int_equal(environment_add(&sweep->environment, "scheduling", "sched_rt_runtime_us",
                                     FACT_INFORMATION, NULL, "950000 of 1000000 (far above)"),
                     0);
    fixture_fill(sweep);
    assert_int_equal(report_create(sweep, &report), 0);
    assert_false(has_line(&report, "real-time throttling"));
    report_destroy(&report);
    sweep->visits[3].samples[1].elapsed_ns += 50000000;
    sweep->visits[5].samples[0].elapsed_ns += 3000000000;
    assert_int_equal(report_create(sweep, &report), 0);
    assert_true(has_line(&report, "real-time throttling: 1 sample late by about 50ms"));
    report_destroy(&report);
    sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_sweep_has_figures_everywhere),
        cmocka_unit_test(matrix_is_the_median_of_the_medians_of_a_node),
        cmocka_unit_test(failures_are_named_and_counted),
        cmocka_unit_test(samples_taken_elsewhere_are_in_no_figure),
        cmocka_unit_test(early_wake_ups_are_counted_not_hidden),
        cmocka_unit_test(different_policies_are_told_apart),
        cmocka_unit_test(nothing_measured_is_not_allowed_and_a_stopped_sweep_partial),
        cmocka_unit_test(each_timeout_has_its_own_table),
        cmocka_unit_test(case06_real_time_throttling_is_named),
        cmocka_unit_test(merging_adds_rounds),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(slack_that_was_not_read_is_no_figure),
        cmocka_unit_test(a_sweep_is_not_merged_with_itself),
        cmocka_unit_test(a_merged_sweep_is_not_merged_with_its_parts),
        cmocka_unit_test(other_machines_are_refused),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
