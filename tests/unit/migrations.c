/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/migrations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numasweep/record.h"
#include "numasweep/sweep.h"

/* CPUs 0 and 2 in node 0, 1 and 3 in node 1. */
static struct topology_cpu cpus[] = {
    {.cpu = 0, .node = 0}, {.cpu = 1, .node = 1}, {.cpu = 2, .node = 0}, {.cpu = 3, .node = 1}};
static const struct topology machine = {.cpus = cpus, .cpu_count = 4};

static struct id_list all_cpus(void)
{
    struct id_list list = {0};
    assert_int_equal(id_list_add_range(&list, 0, 3, 1), 0);
    return list;
}

static void plan(enum migration_pin pin, int64_t per_cpu, int64_t groups, struct migration_run *run)
{
    struct id_list list = all_cpus();
    *run = (struct migration_run){.run = 1, .crossing = MIGRATION_CROSSING_SAMPLES};
    assert_int_equal(migration_run_plan(&machine, &list, per_cpu, groups, pin, run), 0);
    id_list_destroy(&list);
}

static void assert_bound(enum migration_pin pin, size_t worker, const char *expected)
{
    struct id_list list = all_cpus();
    struct id_list bound = {0};
    struct migration_run run;
    plan(pin, 2, 0, &run);
    assert_int_equal(migration_worker_cpus(&machine, &list, &run.workers[worker], &bound), 0);
    char *text = id_list_format(&bound);
    assert_string_equal(text, expected);
    free(text);
    id_list_destroy(&bound);
    id_list_destroy(&list);
    migration_run_destroy(&run);
}

static void workers_are_bound_as_the_run_says(void **state)
{
    (void)state;
    assert_bound(MIGRATION_UNPINNED, 0, "0-3");
    assert_bound(MIGRATION_UNPINNED, 7, "0-3");
    assert_bound(MIGRATION_PINNED_CPU, 1, "0");
    assert_bound(MIGRATION_PINNED_CPU, 2, "1");
    assert_bound(MIGRATION_PINNED_CPU, 7, "3");
    assert_bound(MIGRATION_PINNED_NODE, 0, "0,2");
    assert_bound(MIGRATION_PINNED_NODE, 7, "1,3");
}

static void workers_are_dealt_out_to_the_groups(void **state)
{
    (void)state;
    struct migration_run run;
    plan(MIGRATION_UNPINNED, 1, 3, &run);
    static const int expected[] = {0, 1, 2, 0};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(run.workers[i].group, expected[i]);
    }
    assert_true(run.is_limited);
    assert_int_equal(run.node_count, 2);
    migration_run_destroy(&run);
    plan(MIGRATION_UNPINNED, 1, 0, &run);
    assert_int_equal(run.workers[0].group, MIGRATION_NONE);
    assert_false(run.is_limited);
    migration_run_destroy(&run);
}

static void moves_are_told_apart_by_node(void **state)
{
    (void)state;
    struct migration_run run;
    plan(MIGRATION_UNPINNED, 1, 0, &run);
    migration_run_take_move(&machine, &run, 0, 0, 2);
    migration_run_take_move(&machine, &run, 0, 2, 1);
    migration_run_take_move(&machine, &run, 3, 3, 1);
    migration_run_take_move(&machine, &run, 3, 1, 3);
    migration_run_take_move(&machine, &run, 3, 3, 3);
    migration_run_take_move(&machine, &run, 3, 3, 99);
    migration_run_take_move(&machine, &run, 3, -1, 0);
    assert_int_equal(run.nodes[0].migrations, 1);
    assert_int_equal(run.nodes[1].migrations, 2);
    assert_int_equal(run.workers[0].crossings, 1);
    assert_int_equal(run.workers[3].crossings, 0);
    assert_int_equal(migration_run_crossings(&run), 1);
    migration_run_destroy(&run);
}

/* Where the pinning says in which node a counted move was, the counter has more than was seen. */
static void counters_replace_what_was_only_sampled(void **state)
{
    (void)state;
    struct migration_run run;
    plan(MIGRATION_PINNED_NODE, 1, 0, &run);
    for (size_t i = 0; i < 4; i++) {
        run.workers[i].migrations = (int64_t)i + 1;
    }
    migration_run_take_move(&machine, &run, 0, 0, 2);
    migration_run_settle(&run);
    assert_int_equal(run.nodes[0].migrations, 1 + 3);
    assert_int_equal(run.nodes[1].migrations, 2 + 4);
    run.crossing = MIGRATION_CROSSING_TRACEPOINT;
    run.nodes[0].migrations = 77;
    migration_run_settle(&run);
    assert_int_equal(run.nodes[0].migrations, 77);
    migration_run_destroy(&run);
    plan(MIGRATION_UNPINNED, 1, 0, &run);
    run.workers[0].migrations = 5;
    migration_run_settle(&run);
    assert_int_equal(run.nodes[0].migrations, 0);
    migration_run_destroy(&run);
}

static void what_pinning_forbids_is_a_breach(void **state)
{
    (void)state;
    struct migration_run run;
    plan(MIGRATION_PINNED_CPU, 1, 0, &run);
    migration_run_judge(&run);
    assert_string_equal(run.breach, "");
    run.workers[2].migrations = 3;
    migration_run_judge(&run);
    assert_string_equal(run.breach, "worker 3 was pinned to CPU 2 and was moved 3 times");
    run.workers[0].migrations = 1;
    migration_run_judge(&run);
    assert_non_null(strstr(run.breach, "worker 3"));
    migration_run_destroy(&run);

    plan(MIGRATION_PINNED_NODE, 1, 0, &run);
    run.workers[1].migrations = 9;
    migration_run_judge(&run);
    assert_string_equal(run.breach, "");
    run.workers[1].crossings = 1;
    migration_run_judge(&run);
    assert_non_null(strstr(run.breach, "pinned to node 1 and was moved between nodes 1 times"));
    migration_run_destroy(&run);

    plan(MIGRATION_UNPINNED, 1, 0, &run);
    run.workers[1].migrations = 9;
    run.workers[1].crossings = 9;
    migration_run_judge(&run);
    assert_string_equal(run.breach, "");
    migration_run_destroy(&run);
}

static void spread_is_that_of_its_definition(void **state)
{
    (void)state;
    /* The runs of Linux 2.6.33 in the table that the question came with. */
    static const int64_t runs[] = {9604, 101, 66, 2543, 3488};
    struct migration_spread spread;
    assert_int_equal(migration_spread_compute(runs, 5, &spread), 0);
    assert_int_equal(spread.minimum, 66);
    assert_int_equal(spread.maximum, 9604);
    assert_true(spread.median == 2543);
    assert_true(spread.mean > 3160.3 && spread.mean < 3160.5);
    assert_int_equal(migration_spread_compute(runs, 4, &spread), 0);
    assert_true(spread.median == (101 + 2543) / 2.0);
    assert_int_equal(migration_spread_compute(NULL, 0, &spread), 0);
    assert_int_equal(spread.count, 0);
}

static void add(struct migration_list *list, enum migration_pin pin, int64_t groups, int64_t each,
                const char *breach)
{
    struct migration_run run;
    plan(pin, 1, groups, &run);
    for (size_t i = 0; i < run.worker_count; i++) {
        run.workers[i].migrations = each;
    }
    (void)snprintf(run.breach, sizeof run.breach, "%s", breach);
    assert_int_equal(migration_list_add(list, &run), 0);
    assert_null(run.workers);
}

static void runs_of_one_kind_are_one_series(void **state)
{
    (void)state;
    struct migration_list list = {0};
    struct migration_summary summary;
    add(&list, MIGRATION_UNPINNED, 0, 5, "");
    add(&list, MIGRATION_PINNED_CPU, 0, 0, "");
    add(&list, MIGRATION_UNPINNED, 2, 1, "");
    add(&list, MIGRATION_UNPINNED, 0, 7, "");
    add(&list, MIGRATION_PINNED_CPU, 0, 2, "moved");
    assert_int_equal(migration_summary_create(&list, &summary), 0);
    assert_int_equal(summary.count, 3);
    assert_int_equal(summary.series[0].run_count, 2);
    assert_int_equal(summary.series[0].total.minimum, 20);
    assert_int_equal(summary.series[0].total.maximum, 28);
    assert_int_equal(summary.series[0].workers[3].maximum, 7);
    assert_int_equal(summary.series[1].breach_count, 1);
    assert_true(summary.series[2].is_limited);
    assert_int_equal(summary.series[2].run_count, 1);
    migration_summary_destroy(&summary);
    migration_list_destroy(&list);
    assert_int_equal(migration_summary_create(&list, &summary), 0);
    assert_int_equal(summary.count, 0);
    migration_summary_destroy(&summary);
}

static void sums_of_any_file_stay_whole_numbers(void **state)
{
    (void)state;
    struct migration_run run;
    plan(MIGRATION_UNPINNED, 1, 0, &run);
    run.workers[0].migrations = INT64_MAX;
    run.workers[1].migrations = INT64_MAX;
    assert_true(migration_run_total(&run) == INT64_MAX);
    migration_run_destroy(&run);
}

static void run_comes_back_from_its_record(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct migration_run run;
    struct sweep *sweep = sweep_create();
    plan(MIGRATION_PINNED_NODE, 2, 2, &run);
    run.run = 4;
    run.counter = MIGRATION_COUNTER_PERF;
    run.duration_ns = 1500000000;
    run.throttled = 12;
    run.throttled_ns = INT64_C(86400000000000);
    run.lost_records = 1;
    run.workers[5] = (struct migration_worker){
        .cpu = -1, .node = 1, .group = 1, .migrations = 6, .crossings = 2, .cpu_ns = 99};
    migration_run_judge(&run);
    char *line = record_encode_migrations(&run);
    assert_non_null(line);
    /* In the file of a sweep it is nothing that is known. */
    assert_int_equal(record_decode_line(line, strlen(line), sweep, &failure), 0);
    assert_int_equal(sweep->migrations.count, 0);
    sweep->migrations.is_experiment = true;
    assert_int_equal(record_decode_line(line, strlen(line), sweep, &failure), 0);
    assert_int_equal(sweep->migrations.count, 1);
    char *again = record_encode_migrations(&sweep->migrations.runs[0]);
    assert_string_equal(line, again);
    assert_non_null(strstr(line, "pinned to node 1"));
    free(again);
    free(line);
    migration_run_destroy(&run);
    sweep_destroy(sweep);
}

static void bad_records_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"record\":\"migrations\"}",
        "{\"record\":\"migrations\",\"run\":0}",
        "{\"record\":\"migrations\",\"run\":1,\"pin\":\"package\"}",
        "{\"record\":\"migrations\",\"run\":1,\"pin\":\"cpu\",\"counter\":\"sched\",\"crossings_from\":"
        "\"samples\",\"limited\":false,\"duration_ns\":1,\"lost_records\":0,\"throttled\":null,"
        "\"throttled_ns\":null,\"breach\":null,\"workers\":[],\"nodes\":[]}",
        "{\"record\":\"migrations\",\"run\":1,\"pin\":\"cpu\",\"counter\":\"sched\",\"crossings_from\":"
        "\"samples\",\"limited\":false,\"duration_ns\":1,\"lost_records\":0,\"throttled\":null,"
        "\"throttled_ns\":null,\"breach\":null,\"workers\":[{\"cpu\":-5}],\"nodes\":[{\"node\":0,"
        "\"migrations\":0}]}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct failure failure = {0};
        struct sweep *sweep = sweep_create();
        sweep->migrations.is_experiment = true;
        assert_true(record_decode_line(lines[i], strlen(lines[i]), sweep, &failure) < 0);
        assert_true(failure.text[0] != '\0');
        assert_int_equal(sweep->migrations.count, 0);
        sweep_destroy(sweep);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_are_bound_as_the_run_says),
        cmocka_unit_test(workers_are_dealt_out_to_the_groups),
        cmocka_unit_test(moves_are_told_apart_by_node),
        cmocka_unit_test(counters_replace_what_was_only_sampled),
        cmocka_unit_test(what_pinning_forbids_is_a_breach),
        cmocka_unit_test(spread_is_that_of_its_definition),
        cmocka_unit_test(runs_of_one_kind_are_one_series),
        cmocka_unit_test(sums_of_any_file_stay_whole_numbers),
        cmocka_unit_test(run_comes_back_from_its_record),
        cmocka_unit_test(bad_records_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
