/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output_fixture.h"

#include <errno.h>

static const struct output_settings plain = {.figure = FIGURE_BOTH};

static char *print(const struct fixture *fixture)
{
    return fixture_print(fixture, "tap", PRINT_REPORT, &plain);
}

/* Lines that are neither of the protocol nor in a block: there must be none. */
static void assert_well_formed(const char *text, size_t points)
{
    size_t seen = 0;
    bool is_in_block = false;
    char expected[64];
    (void)snprintf(expected, sizeof expected, "TAP version 13\n1..%zu", points);
    assert_memory_equal(text, expected, strlen(expected));
    for (const char *line = strchr(text, '\n') + 1; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const bool is_point = strncmp(line, "ok ", 3) == 0 || strncmp(line, "not ok ", 7) == 0;
        const bool is_other = line[0] == '#' || strncmp(line, "1..", 3) == 0;
        for (size_t i = 0; i < length; i++) {
            assert_true((unsigned char)line[i] >= 0x20 && line[i] != 0x7f);
        }
        if (strncmp(line, "  ---\n", 6) == 0 || strncmp(line, "  ...\n", 6) == 0) {
            is_in_block = line[2] == '-';
        } else if (is_in_block) {
            assert_memory_equal(line, "  ", 2);
        } else if (!is_point && !is_other) {
            fail_msg("stray line: %.*s", (int)length, line);
        }
        seen += is_point ? 1 : 0;
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    assert_false(is_in_block);
    assert_int_equal(seen, points);
}

static void every_row_of_every_table_is_a_point(void **state)
{
    (void)state;
    static const char *const settings[] = {"timeout", "1ms,10ms", NULL};
    struct fixture fixture;
    fixture_create(&fixture, 2, settings);
    char *text = print(&fixture);
    assert_well_formed(text, 16);
    assert_has(text, "\nok 1 - CPU 0, timeout 1ms\n  ---\n  row: \"0\"\n");
    assert_has(text, "\nok 16 - CPU 7, timeout 10ms\n");
    assert_int_equal(count_of(text, "not ok"), 0);
    assert_has(text, "  wake_us:\n    samples: 8\n    median: 12\n");
    assert_has(text, "    median: 12.007\n");
    assert_has(text, "  problems: []\n");
    assert_has(text, "    - memory: \"node1\"\n      is_local: false\n      state: \"measured\"\n");
    assert_has(text, "      touch_median_us: 6.400\n");
    assert_lacks(text, "limits_broken");
    assert_lacks(text, "p99");
    free(text);
    fixture_destroy(&fixture);
}

static void a_broken_limit_fails_its_rows_only(void **state)
{
    (void)state;
    static const char *const settings[] = {"limit", "max=12006ns,p90=1s", NULL};
    struct fixture fixture;
    fixture_create(&fixture, 2, settings);
    char *text = print(&fixture);
    assert_well_formed(text, 8);
    assert_int_equal(count_of(text, "not ok "), 1);
    assert_has(text, "\nnot ok 8 - CPU 7, timeout 1ms\n");
    assert_has(text,
               "  problems:\n    - \"CPU 7 breaks max=12006ns in 2 of 2 cells, at worst 12.007 us with "
               "memory on node0\"\n");
    assert_int_equal(count_of(text, "  limits_broken: \"max=12006ns\"\n"), 1);
    assert_int_equal(count_of(text, "  limits_not_judged: \"p90=1s\"\n"), 8);
    assert_has(text, "\n# limit max=12006ns: broken by 2 of 16 cells\n");
    free(text);
    fixture_destroy(&fixture);
}

static void what_is_missing_or_unproved_fails(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_plan(&fixture, 2, NULL);
    fixture_measure(&fixture);
    struct sweep *sweep = fixture.sweep;
    struct visit *failed = &sweep->visits[0];
    failed->outcome = VISIT_FAILED;
    (void)failure_set(&failed->failure, "policy", EPERM, "a \"#\" \\ \n- x: y");
    for (size_t i = 0; i < sweep->visit_count; i++) {
        if (sweep->plan.cells[sweep->visits[i].cell].row == 5) {
            sweep->visits[i].placement.pages_on_node = 3;
        }
    }
    fixture_report(&fixture);
    char *text = print(&fixture);
    const size_t row = sweep->plan.cells[failed->cell].row;
    char expected[64];
    (void)snprintf(expected, sizeof expected, "\nnot ok %zu - CPU %zu, ", row + 1, row);
    assert_well_formed(text, 8);
    assert_int_equal(count_of(text, "not ok "), 2);
    assert_has(text, expected);
    assert_has(text, "\nnot ok 6 - CPU 5, ");
    assert_has(text, "placement not proved in 1 visit\"\n");
    assert_has(text, ": missing: policy: EPERM: a \\\"#\\\" \\\\ \\\\x0a- x: y (1 of 1 visits)\"\n");
    free(text);
    fixture_destroy(&fixture);
}

static void rows_that_nobody_asked_for_are_skipped(void **state)
{
    (void)state;
    static const char *const settings[] = {"cpus", "0-2", NULL};
    struct fixture fixture;
    fixture_plan(&fixture, 2, settings);
    fixture_measure(&fixture);
    /* As a result file may have it. */
    (void)snprintf(fixture.sweep->plan.rows[7].reason, sizeof fixture.sweep->plan.rows[7].reason,
                   "so # TODO\nok 9");
    fixture.sweep->plan.rows[6].state = ROW_OFFLINE;
    fixture.sweep->plan.rows[6].is_asked_for = true;
    (void)snprintf(fixture.sweep->plan.rows[6].reason, sizeof fixture.sweep->plan.rows[6].reason,
                   "offline");
    fixture_report(&fixture);
    char *text = print(&fixture);
    assert_well_formed(text, 8);
    assert_int_equal(count_of(text, "# SKIP "), 4);
    assert_has(text, "\nok 8 - CPU 7, timeout 1ms # SKIP so \\# TODO\\\\x0aok 9\n");
    assert_has(text, "\nnot ok 7 - CPU 6, timeout 1ms\n");
    assert_has(text, "    - \"not measured: offline\"\n");
    free(text);
    fixture_destroy(&fixture);
}

static void hostile_texts_stay_on_their_lines(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_plan(&fixture, 1, NULL);
    fixture_measure(&fixture);
    free(fixture.sweep->host);
    fixture.sweep->host = strdup("a\nnot ok 1\x1b[31m\xff");
    assert_int_equal(sweep_add_warning(fixture.sweep, "%s", "w\r\n1..7"), 0);
    fixture_report(&fixture);
    char *text = print(&fixture);
    assert_well_formed(text, 4);
    assert_has(text, "\n# a\\x0anot ok 1\\x1b[31m\\xff\n");
    assert_has(text, "\n# w\\x0d\\x0a1..7\n");
    free(text);
    fixture_destroy(&fixture);
}

static void other_things_cannot_be_shown(void **state)
{
    (void)state;
    static const enum option_command commands[] = {FOR_PLAN, FOR_TOPOLOGY, FOR_CHECK};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct options options = {0};
        struct failure failure = {0};
        assert_int_equal(options_init(&options), 0);
        options.command = commands[i];
        assert_int_equal(options_set(&options, "output", "tap", "test", NULL), 0);
        assert_int_equal(output_check_requests(&options, &failure), -EINVAL);
        assert_has(failure.text, "the format 'tap' cannot show this");
        options_destroy(&options);
    }
}

static void a_full_device_is_an_error(void **state)
{
    (void)state;
    struct fixture fixture;
    FILE *stream = open_full_device();
    fixture_create(&fixture, 2, NULL);
    (void)setvbuf(stream, NULL, _IONBF, 0);
    assert_int_equal(fixture_print_to(&fixture, "tap", PRINT_REPORT, &plain, stream), -EIO);
    (void)fclose(stream);
    fixture_destroy(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_every_table_is_a_point),
        cmocka_unit_test(a_broken_limit_fails_its_rows_only),
        cmocka_unit_test(what_is_missing_or_unproved_fails),
        cmocka_unit_test(rows_that_nobody_asked_for_are_skipped),
        cmocka_unit_test(hostile_texts_stay_on_their_lines),
        cmocka_unit_test(other_things_cannot_be_shown),
        cmocka_unit_test(a_full_device_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
