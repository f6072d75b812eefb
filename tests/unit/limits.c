/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/limits.h"

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
#include "numasweep/exit_status.h"
#include "numasweep/report.h"

static struct limit parsed(const char *text)
{
    struct limit limit = {0};
    struct failure failure = {0};
    if (limit_parse(text, &limit, &failure) != 0) {
        fail_msg("%s: %s", text, failure.text);
    }
    return limit;
}

static void names_are_those_of_the_metrics(void **state)
{
    (void)state;
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        char touch[LIMIT_NAME_SIZE];
        (void)snprintf(touch, sizeof touch, "touch-%s", metric_name((enum metric)i));
        assert_string_equal(limit_names()[i], metric_name((enum metric)i));
        assert_string_equal(limit_names()[METRIC_COUNT + i], touch);
    }
    assert_string_equal(limit_names()[LIMIT_NAME_COUNT - 1], "early");
}

static void every_name_is_read_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < LIMIT_NAME_COUNT; i++) {
        char given[LIMIT_TEXT_SIZE];
        char got[LIMIT_TEXT_SIZE];
        const bool is_early = i == LIMIT_NAME_COUNT - 1;
        (void)snprintf(given, sizeof given, "%s=%s", limit_names()[i], is_early ? "7" : "1500ns");
        const struct limit limit = parsed(given);
        assert_string_equal(limit_format(&limit, got), given);
        assert_string_equal(limit_name(&limit), limit_names()[i]);
        assert_int_equal(limit.most, is_early ? 7 : 1500);
    }
}

static void longest_texts_have_room(void **state)
{
    (void)state;
    char text[LIMIT_TEXT_SIZE];
    struct limit limit = parsed("touch-trimmed=3599999999999ns");
    assert_string_equal(limit_format(&limit, text), "touch-trimmed=3599999999999ns");
    limit = parsed("early=1000000000000");
    assert_string_equal(limit_format(&limit, text), "early=1000000000000");
}

static void bad_texts_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int error;
    } cases[] = {
        {"", -ENOENT},           {"=1us", -ENOENT},      {"p9=1us", -ENOENT},    {"p999=1us", -ENOENT},
        {"P99=1us", -ENOENT},    {"p99 =1us", -ENOENT},  {"touch=1us", -ENOENT}, {"p99", -EINVAL},
        {"p99=", -EINVAL},       {"p99=1", -EINVAL},     {"p99=-1us", -EINVAL},  {"p99=2000m", -ERANGE},
        {"early=", -EINVAL},     {"early=1ms", -EINVAL}, {"early=-1", -ERANGE},  {"early=1e9", -EINVAL},
        {"touch-p99=", -EINVAL}, {"p99==1us", -EINVAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct limit limit = {.most = 77};
        struct failure failure = {0};
        const int error = limit_parse(cases[i].text, &limit, &failure);
        if (error != cases[i].error) {
            fail_msg("\"%s\": %d", cases[i].text, error);
        }
        assert_int_equal(limit.most, 77);
        assert_int_equal(failure.text[0] == '\0', error == -ENOENT);
        assert_int_equal(limit_parse(cases[i].text, &limit, NULL), error);
    }
}

static void a_list_holds_each_name_once(void **state)
{
    (void)state;
    struct limit_list list = {0};
    struct limit_list copy = {0};
    const struct limit first = parsed("p99=1us");
    const struct limit again = parsed("p99=2us");
    const struct limit second = parsed("touch-p99=2us");
    assert_int_equal(limit_list_add(&list, &first), 0);
    assert_int_equal(limit_list_add(&list, &again), -EEXIST);
    assert_false(limit_list_has_figure(&list, LIMIT_TOUCH));
    assert_int_equal(limit_list_copy(&copy, &list), 0);
    assert_true(limit_list_equal(&copy, &list));
    assert_int_equal(limit_list_add(&list, &second), 0);
    assert_true(limit_list_has_figure(&list, LIMIT_TOUCH));
    assert_false(limit_list_has_figure(&list, LIMIT_EARLY));
    assert_int_equal(list.count, 2);
    assert_false(limit_list_equal(&copy, &list));
    copy.items[0].most++;
    list.count = 1;
    assert_false(limit_list_equal(&copy, &list));
    limit_list_clear(&copy);
    limit_list_clear(&list);
    limit_list_clear(&list);
}

static void assert_judged(const char *text, const struct figure_summary *wake,
                          const struct figure_summary *touch, int64_t early_count,
                          enum limit_verdict verdict, double value)
{
    const struct limit limit = parsed(text);
    const struct limit_judgement judgement = limit_judge(&limit, wake, touch, early_count);
    if (judgement.verdict != verdict) {
        fail_msg("%s: %s", text, limit_verdict_text(judgement.verdict));
    }
    if (verdict == LIMIT_KEPT || verdict == LIMIT_BROKEN) {
        assert_true(judgement.value == value);
    } else {
        assert_true(isnan(judgement.value));
    }
}

static void a_limit_is_kept_up_to_its_very_value(void **state)
{
    (void)state;
    struct figure_summary wake = {.sample_count = 50};
    const struct figure_summary none = {0};
    wake.values_ns[METRIC_MEAN] = 1000.25;
    wake.has_value[METRIC_MEAN] = true;
    wake.values_ns[METRIC_MEDIAN] = 1000;
    wake.has_value[METRIC_MEDIAN] = true;
    wake.values_ns[METRIC_MIN] = -5;
    wake.has_value[METRIC_MIN] = true;
    assert_judged("median=1us", &wake, &none, 0, LIMIT_KEPT, 1000);
    assert_judged("median=999ns", &wake, &none, 0, LIMIT_BROKEN, 1000);
    assert_judged("mean=1us", &wake, &none, 0, LIMIT_BROKEN, 1000.25);
    assert_judged("min=0", &wake, &none, 0, LIMIT_KEPT, -5);
    assert_judged("p99=1s", &wake, &none, 0, LIMIT_TOO_FEW, 0);
    assert_judged("touch-mean=1s", &wake, &none, 0, LIMIT_NO_SAMPLES, 0);
    assert_judged("touch-mean=1us", &none, &wake, 0, LIMIT_BROKEN, 1000.25);
    assert_judged("mean=1us", &none, &none, 0, LIMIT_NO_SAMPLES, 0);
}

static void early_sleeps_are_counted(void **state)
{
    (void)state;
    const struct figure_summary wake = {.sample_count = 1};
    const struct figure_summary none = {0};
    assert_judged("early=0", &wake, &none, 0, LIMIT_KEPT, 0);
    assert_judged("early=0", &wake, &none, 1, LIMIT_BROKEN, 1);
    assert_judged("early=2", &wake, &none, 2, LIMIT_KEPT, 2);
    assert_judged("early=0", &none, &none, 0, LIMIT_NO_SAMPLES, 0);
    assert_judged("early=0", &none, &none, 1, LIMIT_BROKEN, 1);
}

/* Wake 8000 + 100 * row to + 2, of which the median is + 1; a missing cell, and one that is odd. */
static void a_report_judges_every_planned_cell(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create(
        "nodes=local limit=median=8601ns,p90=1ms,early=0,touch-max=6us");
    fixture_fill(sweep);
    assert_int_equal(report_create(sweep, &report), 0);
    assert_int_equal(report.limit_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(report.limits[i].cells, 8);
        assert_int_equal(report.limits[i].cells_without_samples, 0);
    }
    assert_int_equal(report.limits[0].cells_broken, 1);
    assert_int_equal(report.limits[1].cells_broken, 0);
    assert_int_equal(report.limits[1].cells_too_few, 8);
    assert_int_equal(report.limits[2].cells_broken, 0);
    assert_int_equal(report.limits[3].cells_broken, 8);
    assert_true(report.breaks_limit);
    assert_int_equal(report_exit_status(&report, 0), EXIT_STATUS_COMPLETE);
    assert_int_equal(report_exit_status(&report, FAIL_ON_INVALID), EXIT_STATUS_COMPLETE);
    assert_int_equal(report_exit_status(&report, FAIL_ON_LIMIT), EXIT_STATUS_FOUND);
    report_destroy(&report);
    sweep_destroy(sweep);
}

static void what_is_missing_breaks_nothing(void **state)
{
    (void)state;
    struct report report;
    struct sweep *sweep = fixture_create("limit=median=8us");
    fixture_add(sweep, 0, 0, 7000, -1);
    sweep->has_ended = true;
    assert_int_equal(report_create(sweep, &report), 0);
    assert_int_equal(report.limits[0].cells, 16);
    assert_int_equal(report.limits[0].cells_broken, 0);
    assert_int_equal(report.limits[0].cells_without_samples, 15);
    assert_false(report.breaks_limit);
    assert_int_equal(report_exit_status(&report, FAIL_ON_LIMIT), EXIT_STATUS_PARTIAL);
    report_destroy(&report);
    sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_the_metrics),
        cmocka_unit_test(every_name_is_read_back),
        cmocka_unit_test(longest_texts_have_room),
        cmocka_unit_test(bad_texts_change_nothing),
        cmocka_unit_test(a_list_holds_each_name_once),
        cmocka_unit_test(a_limit_is_kept_up_to_its_very_value),
        cmocka_unit_test(early_sleeps_are_counted),
        cmocka_unit_test(a_report_judges_every_planned_cell),
        cmocka_unit_test(what_is_missing_breaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
