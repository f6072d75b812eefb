/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output_fixture.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

static const struct output_settings plain = {.figure = FIGURE_BOTH, .metric = METRIC_MEDIAN};

static json_t *print_and_parse(const struct fixture *fixture, enum printed what)
{
    json_error_t problem;
    char *text = fixture_print(fixture, "json", what, &plain);
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
    if (document == NULL) {
        fail_msg("line %d: %s", problem.line, problem.text);
    }
    free(text);
    return document;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (text == NULL) {
        fail_msg("\"%s\" is no text", key);
    }
    return text;
}

static json_int_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) {
        fail_msg("\"%s\" is no integer", key);
    }
    return json_integer_value(value);
}

static json_t *element(const json_t *object, const char *key, size_t index)
{
    json_t *value = json_array_get(json_object_get(object, key), index);
    if (value == NULL) {
        fail_msg("\"%s\" has no element %zu", key, index);
    }
    return value;
}

static void the_report_has_header_tables_and_totals(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, NULL);
    json_t *document = print_and_parse(&fixture, PRINT_REPORT);
    assert_string_equal(text_of(document, "schema"), "numasweep-report/1");
    assert_string_equal(text_of(document, "version"), "9.9");
    assert_string_equal(text_of(document, "host"), "testhost");
    assert_string_equal(text_of(document, "started"), "2001-09-09T01:46:40Z");
    /* Larger than any integer of JSON readers. */
    assert_string_equal(text_of(document, "seed"), "18446744073709551615");
    assert_string_equal(text_of(json_object_get(document, "options"), "timeout"), "1ms");
    assert_int_equal(number_of(json_object_get(document, "topology"), "cpu_count"), 8);
    assert_int_equal(json_array_size(json_object_get(document, "columns")), 2);
    const json_t *totals = json_object_get(document, "totals");
    assert_int_equal(number_of(totals, "cells_planned"), 16);
    assert_int_equal(number_of(totals, "cells_measured"), 16);
    assert_true(json_is_false(json_object_get(totals, "is_partial")));
    assert_int_equal(json_array_size(json_object_get(document, "validity")),
                     fixture.report.validity_count);
    json_decref(document);
    fixture_destroy(&fixture);
}

static void rows_and_cells_carry_the_figures(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, NULL);
    fixture.sweep->topology.cpus[2].is_isolated = true;
    fixture.sweep->topology.cpus[3].is_nohz_full = true;
    json_t *document = print_and_parse(&fixture, PRINT_REPORT);
    const json_t *table = element(document, "tables", 0);
    assert_int_equal(number_of(table, "timeout_ns"), 1000000);
    assert_int_equal(json_array_size(json_object_get(table, "rows")), 8);
    const json_t *row = element(table, "rows", 2);
    assert_int_equal(number_of(row, "cpu"), 2);
    assert_int_equal(number_of(row, "node"), 1);
    assert_string_equal(text_of(row, "siblings"), "6");
    assert_string_equal(text_of(row, "status"), "ok");
    assert_int_equal(json_integer_value(element(row, "isolated", 0)), 2);
    assert_int_equal(json_array_size(json_object_get(row, "nohz_full")), 0);
    assert_int_equal(json_array_size(json_object_get(element(table, "rows", 3), "isolated")), 0);
    assert_int_equal(json_integer_value(element(element(table, "rows", 3), "nohz_full", 0)), 3);
    assert_true(json_is_null(json_object_get(row, "nearest_node")));
    assert_int_equal(json_array_size(json_object_get(row, "cells")), 2);
    const json_t *cell = element(row, "cells", 1);
    assert_int_equal(number_of(cell, "node"), 1);
    assert_true(json_is_true(json_object_get(cell, "is_local")));
    assert_int_equal(number_of(json_object_get(cell, "wake"), "median_ns"), 12002);
    assert_int_equal(number_of(json_object_get(cell, "touch"), "max_ns"), 6400);
    assert_true(json_is_null(json_object_get(json_object_get(cell, "wake"), "p99.9_ns")));
    const json_t *matrix = element(table, "matrix", 1);
    assert_int_equal(number_of(matrix, "cpu_node"), 0);
    assert_int_equal(number_of(matrix, "memory_node"), 1);
    assert_int_equal(number_of(matrix, "distance"), 21);
    assert_int_equal(number_of(matrix, "touch_median_ns"), 9600);
    json_decref(document);
    fixture_destroy(&fixture);
}

static void numbers_that_json_lacks_become_null(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    struct report_table *table = &fixture.report.tables[0];
    table->cells[0].wake.values_ns[METRIC_MEDIAN] = (double)NAN;
    table->cells[0].wake.values_ns[METRIC_MEAN] = (double)INFINITY;
    table->cells[0].wake.values_ns[METRIC_MAX] = 1.5;
    table->matrix.wake_ns[0] = (double)NAN;
    table->matrix.distances[0] = -1;
    json_t *document = print_and_parse(&fixture, PRINT_REPORT);
    const json_t *parsed = element(document, "tables", 0);
    const json_t *wake = json_object_get(element(element(parsed, "rows", 0), "cells", 0), "wake");
    assert_true(json_is_null(json_object_get(wake, "median_ns")));
    assert_true(json_is_null(json_object_get(wake, "mean_ns")));
    assert_true(json_is_real(json_object_get(wake, "max_ns")));
    assert_true(json_is_null(json_object_get(element(parsed, "matrix", 0), "wake_median_ns")));
    assert_true(json_is_null(json_object_get(element(parsed, "matrix", 0), "distance")));
    json_decref(document);
    fixture_destroy(&fixture);
}

static void texts_that_are_no_utf8_are_still_valid_json(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    free(fixture.sweep->command_line);
    fixture.sweep->command_line = strdup("a\xff\"\\\n\x01\xc3\xa9\xed\xa0\x80");
    free(fixture.sweep->host);
    fixture.sweep->host = NULL;
    json_t *document = print_and_parse(&fixture, PRINT_REPORT);
    assert_string_equal(text_of(document, "command_line"),
                        "a\xef\xbf\xbd\"\\\n\x01\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_true(json_is_null(json_object_get(document, "host")));
    json_decref(document);
    fixture_destroy(&fixture);
}

static void what_is_missing_is_there_with_its_reason(void **state)
{
    const char *const settings[] = {"cpus", "0-2", NULL};
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 1, settings);
    struct visit visit = {.outcome = VISIT_FAILED, .cell = 0};
    (void)failure_set(&visit.failure, "pin", EINVAL, "no such CPU");
    assert_int_equal(sweep_add_visit(fixture.sweep, &visit), 0);
    fixture_report(&fixture);
    json_t *document = print_and_parse(&fixture, PRINT_REPORT);
    const json_t *table = element(document, "tables", 0);
    const json_t *cell = element(element(table, "rows", 0), "cells", 0);
    assert_string_equal(text_of(cell, "state"), "missing");
    assert_non_null(strstr(text_of(cell, "problem"), "no such CPU"));
    assert_true(json_is_null(json_object_get(cell, "touch")));
    assert_true(json_is_null(json_object_get(cell, "policy")));
    const json_t *left_out = element(table, "rows", 3);
    assert_string_equal(text_of(left_out, "status"), "not in --cpus");
    assert_int_equal(json_array_size(json_object_get(left_out, "cells")), 0);
    assert_true(json_is_true(json_object_get(json_object_get(document, "totals"), "is_partial")));
    json_decref(document);
    fixture_destroy(&fixture);
}

static void the_topology_has_nodes_cpus_and_distances(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 2, NULL);
    fixture.sweep->topology.nodes[1].free_memory_bytes = -1;
    json_t *document = print_and_parse(&fixture, PRINT_TOPOLOGY);
    assert_string_equal(text_of(document, "schema"), "numasweep-topology/1");
    assert_int_equal(json_array_size(json_object_get(document, "cpus")), 8);
    assert_int_equal(number_of(element(document, "nodes", 0), "memory_bytes"), INT64_C(8) << 30);
    assert_true(json_is_null(json_object_get(element(document, "nodes", 1), "free_memory_bytes")));
    assert_int_equal(json_integer_value(json_array_get(element(document, "distances", 0), 1)), 21);
    assert_true(json_is_true(json_object_get(element(document, "cpus", 5), "is_swept")));
    json_decref(document);
    free(fixture.sweep->topology.distances);
    fixture.sweep->topology.distances = NULL;
    document = print_and_parse(&fixture, PRINT_TOPOLOGY);
    assert_true(json_is_null(json_object_get(document, "distances")));
    json_decref(document);
    fixture_destroy(&fixture);
}

static void the_plan_has_the_order_of_every_round(void **state)
{
    const char *const settings[] = {"rounds", "3", NULL};
    struct fixture fixture;
    size_t order[16];
    (void)state;
    fixture_plan(&fixture, 2, settings);
    json_t *document = print_and_parse(&fixture, PRINT_PLAN);
    assert_string_equal(text_of(document, "schema"), "numasweep-plan/1");
    assert_int_equal(json_array_size(json_object_get(document, "cells")), 16);
    assert_int_equal(json_array_size(json_object_get(document, "orders")), 3);
    assert_int_equal(plan_round_order(&fixture.sweep->plan, 1, order), 0);
    for (size_t i = 0; i < 16; i++) {
        assert_int_equal(json_integer_value(json_array_get(element(document, "orders", 1), i)),
                         order[i]);
    }
    assert_string_equal(text_of(element(document, "arms", 0), "kernel"), "pselect");
    assert_true(number_of(document, "predicted_duration_ns") > 0);
    json_decref(document);
    fixture_destroy(&fixture);
}

static void the_environment_has_its_facts(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 1, NULL);
    assert_int_equal(environment_add(&fixture.sweep->environment, "clock", "clocksource",
                                     FACT_INFORMATION, NULL, "tsc"),
                     0);
    json_t *document = print_and_parse(&fixture, PRINT_ENVIRONMENT);
    const json_t *fact = element(document, "environment", 0);
    assert_string_equal(text_of(fact, "name"), "clocksource");
    assert_string_equal(text_of(fact, "value"), "tsc");
    assert_true(json_is_null(json_object_get(fact, "advice")));
    json_decref(document);
    fixture_destroy(&fixture);
}

static void every_view_reports_a_full_disk(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 4, NULL);
    for (int what = PRINT_REPORT; what <= PRINT_ENVIRONMENT; what++) {
        FILE *stream = open_full_device();
        (void)setvbuf(stream, NULL, _IONBF, 0);
        assert_int_equal(fixture_print_to(&fixture, "json", (enum printed)what, &plain, stream), -EIO);
        (void)fclose(stream);
    }
    fixture_destroy(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_has_header_tables_and_totals),
        cmocka_unit_test(rows_and_cells_carry_the_figures),
        cmocka_unit_test(numbers_that_json_lacks_become_null),
        cmocka_unit_test(texts_that_are_no_utf8_are_still_valid_json),
        cmocka_unit_test(what_is_missing_is_there_with_its_reason),
        cmocka_unit_test(the_topology_has_nodes_cpus_and_distances),
        cmocka_unit_test(the_plan_has_the_order_of_every_round),
        cmocka_unit_test(the_environment_has_its_facts),
        cmocka_unit_test(every_view_reports_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
