/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/analysis.h"
#include "output_fixture.h"

#include <errno.h>

static const struct output_settings plain = {.figure = FIGURE_BOTH, .metric = METRIC_MEDIAN};

/* Reads one field by RFC 4180; `text` moves past it and its separator. Returns false at the end of a
 * line after the last field. */
static bool read_field(const char **text, char *field, size_t size)
{
    const char *in = *text;
    size_t used = 0;
    const bool is_quoted = *in == '"';
    in += is_quoted ? 1 : 0;
    while (is_quoted ? !(in[0] == '"' && in[1] != '"') : strchr(",\n", *in) == NULL) {
        assert_true(*in != '\0' && used + 1 < size);
        in += is_quoted && *in == '"' ? 1 : 0;
        field[used++] = *in++;
    }
    field[used] = '\0';
    in += is_quoted ? 1 : 0;
    assert_true(*in == ',' || *in == '\n');
    const bool has_more = *in == ',';
    *text = in + 1;
    return has_more;
}

/* The field of line `line` (0: the first after the heading) under the heading `name`. */
static void find_field(const char *text, size_t line, const char *name, char *field, size_t size)
{
    size_t column = 0;
    const char *in = text;
    bool has_more = true;
    do {
        assert_true(has_more);
        has_more = read_field(&in, field, size);
        column++;
    } while (strcmp(field, name) != 0);
    while (has_more) {
        has_more = read_field(&in, field, size);
    }
    for (size_t i = 0; i < line; i++) {
        while (read_field(&in, field, size)) {
        }
    }
    for (size_t i = 0; i < column; i++) {
        has_more = read_field(&in, field, size);
        assert_true(has_more || i + 1 == column);
    }
}

static void assert_field(const char *text, size_t line, const char *name, const char *expected)
{
    char field[1024];
    find_field(text, line, name, field, sizeof field);
    if (strcmp(field, expected) != 0) {
        fail_msg("line %zu, %s: \"%s\" instead of \"%s\"", line, name, field, expected);
    }
}

/* Every line has as many fields as the heading. */
static void assert_rectangular(const char *text)
{
    char field[1024];
    size_t expected = 0;
    while (*text != '\0') {
        size_t count = 1;
        while (read_field(&text, field, sizeof field)) {
            count++;
        }
        expected = expected == 0 ? count : expected;
        assert_int_equal(count, expected);
    }
}

static void the_report_has_one_line_a_cell(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, NULL);
    char *text = fixture_print(&fixture, "csv", PRINT_REPORT, &plain);
    assert_rectangular(text);
    assert_int_equal(count_of(text, "\n"), 1 + 8 * 2);
    assert_field(text, 0, "arm", "default");
    assert_field(text, 0, "timeout_ns", "1000000");
    assert_field(text, 2, "row", "1");
    assert_field(text, 2, "cpu", "1");
    assert_field(text, 2, "siblings", "5");
    assert_field(text, 2, "memory_node", "0");
    assert_field(text, 2, "is_local", "1");
    assert_field(text, 2, "state", "measured");
    assert_field(text, 2, "wake_median_ns", "12001");
    assert_field(text, 2, "wake_mean_ns", "12001");
    assert_field(text, 2, "touch_median_ns", "6400");
    assert_field(text, 2, "wake_p99_ns", "");
    assert_field(text, 2, "wake_samples", "4");
    assert_field(text, 2, "early", "0");
    assert_field(text, 2, "policy", "SCHED_FIFO 50");
    assert_field(text, 2, "problem", "");
    assert_field(text, 2, "status", "ok");
    assert_field(text, 3, "memory_node", "1");
    assert_field(text, 3, "is_local", "0");
    assert_field(text, 3, "touch_max_ns", "9600");
    free(text);
    fixture_destroy(&fixture);
}

static void texts_are_quoted(void **state)
{
    static const char hostile[] = "a,b \"c\"\r\nd";
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    (void)snprintf(fixture.report.tables[0].rows[0].status, FAILURE_TEXT_SIZE, "%s", hostile);
    (void)snprintf(fixture.report.tables[0].cells[0].problem, FAILURE_TEXT_SIZE, "\"");
    char *text = fixture_print(&fixture, "csv", PRINT_REPORT, &plain);
    assert_has(text, "\"a,b \"\"c\"\"\r\nd\"");
    assert_rectangular(text);
    assert_field(text, 0, "status", hostile);
    assert_field(text, 0, "problem", "\"");
    assert_field(text, 1, "status", "ok");
    free(text);
    fixture_destroy(&fixture);
}

static void fractions_of_ns_and_negative_figures_are_kept(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    struct figure_summary *wake = &fixture.report.tables[0].cells[0].wake;
    wake->values_ns[METRIC_MEAN] = 1234.5678;
    wake->values_ns[METRIC_MIN] = -42;
    char *text = fixture_print(&fixture, "csv", PRINT_REPORT, &plain);
    assert_field(text, 0, "wake_mean_ns", "1234.568");
    assert_field(text, 0, "wake_min_ns", "-42");
    free(text);
    fixture_destroy(&fixture);
}

static void a_row_without_cells_is_a_line_with_its_status(void **state)
{
    const char *const settings[] = {"cpus", "0-2", NULL};
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, settings);
    char *text = fixture_print(&fixture, "csv", PRINT_REPORT, &plain);
    assert_int_equal(count_of(text, "\n"), 1 + 4);
    assert_field(text, 3, "cpu", "3");
    assert_field(text, 3, "state", "not planned");
    assert_field(text, 3, "memory_node", "");
    assert_field(text, 3, "wake_median_ns", "");
    assert_field(text, 3, "status", "not in --cpus");
    free(text);
    fixture_destroy(&fixture);
}

static void several_timeouts_are_told_apart(void **state)
{
    const char *const settings[] = {"timeout", "1ms,20us", NULL};
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, settings);
    char *text = fixture_print(&fixture, "csv", PRINT_REPORT, &plain);
    assert_int_equal(count_of(text, "\n"), 1 + 4 * 2);
    assert_field(text, 0, "timeout_ns", "1000000");
    assert_field(text, 4, "timeout_ns", "20000");
    free(text);
    fixture_destroy(&fixture);
}

static void columns_choose_fields_in_their_order(void **state)
{
    struct output_settings settings = plain;
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    settings.columns = "p99.9,cpu,median";
    char *text = fixture_print(&fixture, "csv", PRINT_REPORT, &settings);
    assert_memory_equal(
        text,
        "arm,timeout_ns,load,wake_p99.9_ns,touch_p99.9_ns,row,cpu,wake_median_ns,touch_median_ns\n", 88);
    assert_has(text, "\ndefault,1000000,none,,,0,0,12000,6400\n");
    free(text);
    settings.no_headings = true;
    text = fixture_print(&fixture, "csv", PRINT_REPORT, &settings);
    assert_memory_equal(text, "default,1000000,none,,,0,0,12000,6400\n", 38);
    free(text);
    settings.columns = "cpu,swept";
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fixture_print_to(&fixture, "csv", PRINT_REPORT, &settings, stream), -EINVAL);
    assert_int_equal(fixture_print_to(&fixture, "csv", PRINT_TOPOLOGY, &settings, stream), 0);
    assert_int_equal(fixture_print_to(&fixture, "csv", PRINT_PLAN, &settings, stream), -EINVAL);
    (void)fclose(stream);
    fixture_destroy(&fixture);
}

static void each_line_has_the_verdicts_mark_of_its_row(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, NULL);
    bool slow[64] = {[1] = true};
    bool none[64] = {false};
    bool differs[64] = {[2] = true};
    struct analysis analysis = {.row_is_slow = slow, .row_is_fast = none, .row_differs = differs};
    struct analysis *own = fixture.report.analysis;
    fixture.report.analysis = &analysis;
    char *text = fixture_print(&fixture, "csv", PRINT_REPORT, &plain);
    fixture.report.analysis = own;
    assert_rectangular(text);
    assert_field(text, 0, "verdict", "");
    assert_field(text, 2, "verdict", "slow");
    assert_field(text, 3, "verdict", "slow");
    assert_field(text, 4, "verdict", "differs");
    free(text);
    fixture_destroy(&fixture);
}

static void the_topology_has_one_line_a_cpu(void **state)
{
    const char *const settings[] = {"cpus", "1-7", NULL};
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 2, settings);
    fixture.sweep->topology.cpus[2].state = CPU_OFFLINE;
    fixture.sweep->topology.cpus[2].node = TOPOLOGY_NONE;
    char *text = fixture_print(&fixture, "csv", PRINT_TOPOLOGY, &plain);
    assert_rectangular(text);
    assert_int_equal(count_of(text, "\n"), 1 + 8);
    assert_field(text, 0, "swept", "0");
    assert_field(text, 0, "reason", "not in --cpus");
    assert_field(text, 1, "swept", "1");
    assert_field(text, 2, "state", "offline");
    assert_field(text, 2, "node", "");
    free(text);
    const struct output_format *format = output_format_find("csv");
    FILE *stream = open_memstream(&text, &(size_t){0});
    assert_non_null(stream);
    assert_int_equal(format->print_topology(&fixture.sweep->topology, NULL, &plain, stream, NULL), 0);
    assert_int_equal(fclose(stream), 0);
    assert_field(text, 1, "swept", "0");
    free(text);
    fixture_destroy(&fixture);
}

static void the_plan_has_every_round_and_what_is_left_out(void **state)
{
    const char *const settings[] = {"cpus", "0-2", "rounds", "3", NULL};
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 1, settings);
    char *text = fixture_print(&fixture, "csv", PRINT_PLAN, &plain);
    assert_rectangular(text);
    assert_int_equal(count_of(text, "\n"), 1 + 3 * 3 + 1);
    assert_int_equal(count_of(text, ",planned\n"), 9);
    assert_field(text, 0, "round", "");
    assert_field(text, 0, "cpu", "3");
    assert_field(text, 0, "status", "not in --cpus");
    assert_field(text, 1, "round", "1");
    assert_field(text, 1, "position", "1");
    assert_field(text, 9, "round", "3");
    assert_field(text, 9, "position", "3");
    size_t order[3];
    char expected[16];
    assert_int_equal(plan_round_order(&fixture.sweep->plan, 2, order), 0);
    (void)snprintf(expected, sizeof expected, "%zu", fixture.sweep->plan.cells[order[2]].row);
    assert_field(text, 9, "cpu", expected);
    free(text);
    fixture_destroy(&fixture);
}

static void the_environment_has_one_line_a_fact(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 1, NULL);
    assert_int_equal(environment_add(&fixture.sweep->environment, "clock", "clocksource", FACT_WARNING,
                                     "take tsc, please", "hpet"),
                     0);
    assert_int_equal(environment_add(&fixture.sweep->environment, "clock", "resolution",
                                     FACT_INFORMATION, NULL, "1 ns"),
                     0);
    char *text = fixture_print(&fixture, "csv", PRINT_ENVIRONMENT, &plain);
    assert_rectangular(text);
    assert_field(text, 0, "value", "hpet");
    assert_field(text, 0, "severity", fact_severity_name(FACT_WARNING));
    assert_field(text, 0, "advice", "take tsc, please");
    assert_field(text, 1, "advice", "");
    free(text);
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
        assert_int_equal(fixture_print_to(&fixture, "csv", (enum printed)what, &plain, stream), -EIO);
        (void)fclose(stream);
    }
    fixture_destroy(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_has_one_line_a_cell),
        cmocka_unit_test(texts_are_quoted),
        cmocka_unit_test(fractions_of_ns_and_negative_figures_are_kept),
        cmocka_unit_test(a_row_without_cells_is_a_line_with_its_status),
        cmocka_unit_test(several_timeouts_are_told_apart),
        cmocka_unit_test(columns_choose_fields_in_their_order),
        cmocka_unit_test(each_line_has_the_verdicts_mark_of_its_row),
        cmocka_unit_test(the_topology_has_one_line_a_cpu),
        cmocka_unit_test(the_plan_has_every_round_and_what_is_left_out),
        cmocka_unit_test(the_environment_has_one_line_a_fact),
        cmocka_unit_test(every_view_reports_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
