/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/record.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../support/sweep_fixture.h"

static struct sweep *decode_header(const char *line, struct failure *failure, int *error)
{
    struct sweep *sweep = sweep_create();
    assert_non_null(sweep);
    *error = record_decode_header(line, strlen(line), sweep, failure);
    return sweep;
}

/* What is encoded, decoded and encoded again is the same, to the letter. */
static void header_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "",
        "cpus=0,2 nodes=1 policy=fifo priority=98 timeout=1ms,10ms",
        "by=node nodes=none touch=0 concurrent=package clock=raw",
        "by=machine nodes=local timer-slack=inherit dma-latency=5us",
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        struct failure failure = {0};
        int error = 0;
        struct sweep *sweep = fixture_create(settings[i]);
        char *line = record_encode_header(sweep);
        assert_non_null(line);
        assert_null(strchr(line, '\n'));
        struct sweep *copy = decode_header(line, &failure, &error);
        assert_string_equal(failure.text, "");
        assert_int_equal(error, 0);
        char *again = record_encode_header(copy);
        assert_string_equal(line, again);
        assert_int_equal(copy->plan.cell_count, sweep->plan.cell_count);
        assert_true(copy->plan.seed == UINT64_MAX);
        assert_int_equal(copy->options.policy_is_explicit, sweep->options.policy_is_explicit);
        assert_int_equal(copy->options.nodes_is_explicit, sweep->options.nodes_is_explicit);
        free(again);
        free(line);
        sweep_destroy(copy);
        sweep_destroy(sweep);
    }
}

static void header_reserves_what_later_records_need(void **state)
{
    (void)state;
    struct sweep *sweep = fixture_create("");
    char *line = record_encode_header(sweep);
    json_t *header = json_loads(line, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(header, "schema")), RECORD_SCHEMA);
    assert_int_equal(json_array_size(json_object_get(header, "arms")), 1);
    assert_true(json_is_object(json_object_get(header, "columns")));
    assert_true(json_is_array(json_object_get(header, "loads")));
    json_decref(header);
    free(line);
    sweep_destroy(sweep);
}

static void visits_come_back_as_they_were(void **state)
{
    (void)state;
    struct failure failure = {0};
    int error = 0;
    struct sweep *sweep = fixture_create("timeout=1ms,10ms");
    char *header = record_encode_header(sweep);
    struct sweep *copy = decode_header(header, &failure, &error);
    assert_int_equal(error, 0);
    fixture_fill(sweep);
    fixture_add(sweep, 3, 1, -9000, -1);
    sweep->visits[0].samples[1].flags = SAMPLE_ELSEWHERE;
    sweep->visits[0].samples[1].cpu = 7;
    sweep->visits[0].placement.elsewhere_count = 1;
    fixture_add_failure(sweep, 5, 0, "policy", EPERM);
    for (size_t i = 0; i < sweep->visit_count; i++) {
        char *line = record_encode_visit(sweep, &sweep->visits[i]);
        assert_non_null(line);
        error = record_decode_line(line, strlen(line), copy, &failure);
        assert_string_equal(failure.text, "");
        assert_int_equal(error, 0);
        assert_int_equal(copy->visit_count, i + 1);
        char *again = record_encode_visit(copy, &copy->visits[i]);
        assert_string_equal(line, again);
        assert_int_equal(copy->visits[i].cell, sweep->visits[i].cell);
        assert_int_equal(copy->visits[i].sample_count, sweep->visits[i].sample_count);
        if (sweep->visits[i].sample_count > 0) {
            assert_memory_equal(copy->visits[i].samples, sweep->visits[i].samples,
                                sweep->visits[i].sample_count * sizeof(struct sample));
        }
        free(again);
        free(line);
    }
    assert_int_equal(copy->visits[copy->visit_count - 1].failure.errno_value, EPERM);
    free(header);
    sweep_destroy(copy);
    sweep_destroy(sweep);
}

static void end_comes_back(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct sweep *sweep = fixture_create("");
    struct sweep *copy = fixture_create("");
    sweep->has_ended = true;
    sweep->stop_signal = 2;
    sweep->wall_ns = 123;
    char *line = record_encode_end(sweep);
    assert_int_equal(record_decode_line(line, strlen(line), copy, &failure), 0);
    assert_true(copy->has_ended);
    assert_int_equal(copy->stop_signal, 2);
    assert_int_equal(copy->wall_ns, 123);
    free(line);
    sweep_destroy(copy);
    sweep_destroy(sweep);
}

static void refuse_header(const char *line, const char *expected)
{
    struct failure failure = {0};
    int error = 0;
    struct sweep *sweep = decode_header(line, &failure, &error);
    assert_int_equal(error, -EINVAL);
    if (strstr(failure.text, expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", failure.text, expected);
    }
    sweep_destroy(sweep);
}

static void foreign_and_later_headers_are_named(void **state)
{
    (void)state;
    refuse_header("", "no JSON");
    refuse_header("root:x:0", "no JSON");
    refuse_header("[1,2]", "no record");
    refuse_header("{\"a\":1}", "no record");
    refuse_header("{\"record\":\"visit\"}", "no result file");
    refuse_header("{\"record\":\"header\",\"schema\":\"other/1\"}", "no result file");
    refuse_header("{\"record\":\"header\",\"schema\":\"numasweep/2\"}", "numasweep/2");
    refuse_header("{\"record\":\"header\",\"schema\":\"numasweep/1\"}", "\"version\" is missing");
    refuse_header("{\"record\":\"header\",\"record\":\"header\"}", "no JSON");
    refuse_header("{\"record\":\"header\",\"schema\":\"numasweep/1\",\"version\":\"\xff\"}", "no JSON");
}

/* Each member of the header taken away or made to be of another type: refused, never a crash. */
static void damaged_headers_are_refused(void **state)
{
    (void)state;
    struct sweep *sweep = fixture_create("");
    char *line = record_encode_header(sweep);
    json_t *header = json_loads(line, 0, NULL);
    static const char *const needed[] = {"version", "command_line", "host",        "started_unix_ns",
                                         "options", "topology",     "environment", "explicit_options"};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        for (int damage = 0; damage < 3; damage++) {
            json_t *copy = json_deep_copy(header);
            if (damage == 0) {
                (void)json_object_del(copy, needed[i]);
            } else {
                (void)json_object_set_new(copy, needed[i], damage == 1 ? json_null() : json_real(1.5));
            }
            char *text = json_dumps(copy, JSON_COMPACT);
            refuse_header(text, "");
            free(text);
            json_decref(copy);
        }
    }
    json_decref(header);
    free(line);
    sweep_destroy(sweep);
}

static void damaged_topologies_are_refused(void **state)
{
    (void)state;
    struct sweep *sweep = fixture_create("");
    char *line = record_encode_header(sweep);
    json_t *header = json_loads(line, 0, NULL);
    json_t *topology = json_object_get(header, "topology");
    static const char *const arrays[] = {"cpus", "nodes"};
    for (size_t i = 0; i < 2; i++) {
        json_t *copy = json_deep_copy(header);
        json_t *array = json_object_get(json_object_get(copy, "topology"), arrays[i]);
        (void)json_array_append(array, json_array_get(array, 0));
        char *text = json_dumps(copy, JSON_COMPACT);
        refuse_header(text, arrays[i]);
        free(text);
        json_decref(copy);
    }
    (void)json_object_set_new(topology, "distances", json_array());
    char *text = json_dumps(header, JSON_COMPACT);
    refuse_header(text, "distances");
    free(text);
    json_decref(header);
    free(line);
    sweep_destroy(sweep);
}

static void refuse_changed_visit(const char *key, json_t *value, const char *expected)
{
    struct failure failure = {0};
    struct sweep *sweep = fixture_create("");
    fixture_add(sweep, 0, 0, 8000, 6000);
    char *line = record_encode_visit(sweep, &sweep->visits[0]);
    json_t *record = json_loads(line, 0, NULL);
    if (value == NULL) {
        (void)json_object_del(record, key);
    } else {
        (void)json_object_set_new(record, key, value);
    }
    char *text = json_dumps(record, JSON_COMPACT);
    assert_int_equal(record_decode_line(text, strlen(text), sweep, &failure), -EINVAL);
    if (strstr(failure.text, expected) == NULL) {
        fail_msg("%s: \"%s\" does not say \"%s\"", key, failure.text, expected);
    }
    assert_int_equal(sweep->visit_count, 1);
    free(text);
    free(line);
    json_decref(record);
    sweep_destroy(sweep);
}

static void damaged_visits_are_refused(void **state)
{
    (void)state;
    static const char *const needed[] = {"round",      "arm",          "timeout_ns", "row",
                                         "cpu",        "placement",    "counters",   "requested_ns",
                                         "elapsed_ns", "ended_unix_ns"};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        refuse_changed_visit(needed[i], NULL, needed[i]);
        refuse_changed_visit(needed[i], json_true(), needed[i]);
    }
    refuse_changed_visit("round", json_integer(0), "out of range");
    refuse_changed_visit("round", json_integer(3), "out of range");
    refuse_changed_visit("cpu", json_integer(99), "does not plan");
    refuse_changed_visit("node", json_integer(7), "does not plan");
    refuse_changed_visit("timeout_ns", json_integer(5), "does not plan");
    refuse_changed_visit("arm", json_string("other"), "does not plan");
    refuse_changed_visit("elapsed_ns", json_pack("[i,i]", 1, 2), "another number");
    refuse_changed_visit("elapsed_ns", json_pack("[i,i,i]", 1, 2, -3), "no such time");
    refuse_changed_visit("elapsed_ns", json_pack("[i,i,I]", 1, 2, (json_int_t)SAMPLE_LONGEST_NS + 1),
                         "no such time");
    refuse_changed_visit("requested_ns", json_pack("[i,i,f]", 1, 2, 3.5), "no such time");
    refuse_changed_visit("sample_cpu", json_pack("[i,I,i]", 1, (json_int_t)4294967295, 1),
                         "no such CPU");
    refuse_changed_visit("sample_cpu", json_pack("[i,i,i]", 1, -2, 1), "no such CPU");
    refuse_changed_visit("elsewhere", json_pack("[i]", 3), "that there is not");
}

static void unknown_records_are_passed_over(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct sweep *sweep = fixture_create("");
    static const char later[] = "{\"record\":\"migrations\",\"of\":\"a later version\"}";
    assert_int_equal(record_decode_line(later, strlen(later), sweep, &failure), 0);
    assert_int_equal(sweep->visit_count, 0);
    static const char second[] = "{\"record\":\"header\"}";
    assert_int_equal(record_decode_line(second, strlen(second), sweep, &failure), -EINVAL);
    sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_comes_back_as_it_was),
        cmocka_unit_test(header_reserves_what_later_records_need),
        cmocka_unit_test(visits_come_back_as_they_were),
        cmocka_unit_test(end_comes_back),
        cmocka_unit_test(foreign_and_later_headers_are_named),
        cmocka_unit_test(damaged_headers_are_refused),
        cmocka_unit_test(damaged_topologies_are_refused),
        cmocka_unit_test(damaged_visits_are_refused),
        cmocka_unit_test(unknown_records_are_passed_over),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
