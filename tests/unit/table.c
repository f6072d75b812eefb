/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output_fixture.h"

#include <errno.h>
#include <locale.h>

static const struct output_settings plain = {.figure = FIGURE_BOTH, .metric = METRIC_MEDIAN};

static char *print_width(const struct fixture *fixture, enum printed what, int width)
{
    struct output_settings settings = plain;
    settings.width = width;
    return fixture_print(fixture, "table", what, &settings);
}

static void the_report_shows_figures_by_cpu_and_node(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, NULL);
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &plain);
    assert_has(text, "pselect, timeout 1ms: median of wake/touch in us");
    assert_has(text, "1 round x 4 samples, seed 18446744073709551615, host testhost, "
                     "2001-09-09 01:46:40 UTC, numasweep 9.9");
    assert_has(text, "CPU NODE PACKAGE CORE SIBLING KIND");
    assert_has(text, "*12.0/6.40  12.0/9.60");
    assert_has(text, "12.0/9.60 *12.0/6.40");
    assert_has(text, "* local node");
    assert_has(text, "touch, us");
    assert_has(text, "wake:0 wake:1 touch:0 touch:1 dist:0 dist:1");
    assert_has(text, "16 of 16 cells measured in 16 of 16 visits");
    assert_has(text, "Validity");
    assert_lacks(text, "partial");
    assert_lacks(text, "\033");
    free(text);
    fixture_destroy(&fixture);
}

static void one_figure_can_be_chosen(void **state)
{
    struct output_settings settings = plain;
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, NULL);
    settings.figure = FIGURE_TOUCH;
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_has(text, "median of touch in us");
    assert_has(text, "*6.40");
    assert_lacks(text, "12.0");
    free(text);
    settings.figure = FIGURE_WAKE;
    text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_has(text, "median of wake in us");
    assert_has(text, "*12.0");
    assert_lacks(text, "touch, us");
    assert_lacks(text, "touch:0");
    free(text);
    fixture_destroy(&fixture);
}

static void a_percentile_without_samples_enough_is_named(void **state)
{
    struct output_settings settings = plain;
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    settings.metric = METRIC_P99;
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_has(text, "p99 of wake/touch");
    assert_has(text, "*n/a ");
    assert_has(text, "n/a too few samples");
    free(text);
    fixture_destroy(&fixture);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    static const size_t machines[] = {1, 2, 3, 4, 8, 16};
    static const int widths[] = {80, 100, 132, 200};
    (void)state;
    for (size_t machine = 0; machine < sizeof machines / sizeof machines[0]; machine++) {
        struct fixture fixture;
        fixture_create(&fixture, machines[machine], NULL);
        for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
            for (int what = PRINT_REPORT; what <= PRINT_ENVIRONMENT; what++) {
                char *text = print_width(&fixture, (enum printed)what, widths[i]);
                assert_lines_fit(text, (size_t)widths[i]);
                free(text);
            }
        }
        fixture_destroy(&fixture);
    }
}

static void panels_repeat_the_cpu_and_lose_nothing(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 8, NULL);
    char *narrow = print_width(&fixture, PRINT_REPORT, 80);
    char *wide = print_width(&fixture, PRINT_REPORT, 0);
    assert_true(count_of(narrow, "\nCPU ") >= 2);
    assert_int_equal(count_of(wide, "\nCPU "), 1);
    /* Cells of the machine: 32 CPUs x 8 nodes, whatever the panels. */
    assert_int_equal(count_of(narrow, "*12.0/6.40"), 32);
    assert_int_equal(count_of(narrow, "12.0/9.60"), 32 * 7);
    assert_int_equal(count_of(wide, "12.0/9.60"), 32 * 7);
    for (int node = 0; node < 8; node++) {
        char heading[16];
        (void)snprintf(heading, sizeof heading, "node%d", node);
        assert_int_equal(count_of(narrow, heading), 1);
    }
    assert_has(narrow, "STATUS");
    assert_int_equal(count_of(narrow, " ok\n"), 32);
    free(wide);
    free(narrow);
    fixture_destroy(&fixture);
}

static void each_matrix_begins_a_panel_of_its_own_when_narrow(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 16, NULL);
    char *text = print_width(&fixture, PRINT_REPORT, 80);
    assert_has(text, "\nNODE wake:0 wake:1 ");
    assert_has(text, "\nNODE touch:0 touch:1 ");
    assert_has(text, "\nNODE dist:0 dist:1 ");
    assert_has(text, "dist:15\n");
    free(text);
    text = print_width(&fixture, PRINT_REPORT, 0);
    assert_has(text, " wake:15 touch:0 ");
    assert_has(text, " touch:15 dist:0 ");
    free(text);
    fixture_destroy(&fixture);
}

static void only_columns_that_tell_nothing_are_left_out(void **state)
{
    struct output_settings settings = plain;
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, NULL);
    char *text = print_width(&fixture, PRINT_REPORT, 80);
    assert_has(text, "tell nothing here: EARLY, KIND.");
    assert_has(text, "PACKAGE");
    assert_has(text, "SIBLING");
    free(text);
    text = print_width(&fixture, PRINT_REPORT, 76);
    assert_has(text, "tell nothing here: EARLY, KIND,\n  PACKAGE.");
    assert_has(text, "SIBLING");
    free(text);
    settings.width = 80;
    settings.columns = "cpu,kind,package,early,nodes,min,max,median,mean,status";
    text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_has(text, "CPU KIND PACKAGE EARLY");
    assert_lacks(text, "tell nothing");
    free(text);
    fixture_destroy(&fixture);
}

static void columns_can_be_chosen_and_headings_left_out(void **state)
{
    struct output_settings settings = plain;
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    settings.columns = "status,cpu,samples";
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_has(text, "STATUS CPU SAMPLES\n");
    assert_has(text, "ok       0       4\n");
    free(text);
    settings.no_headings = true;
    text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_memory_equal(text, "ok 0 4\n", 7);
    assert_lacks(text, "STATUS");
    assert_lacks(text, "pselect, timeout");
    free(text);
    settings.columns = "cpu,nonsense";
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fixture_print_to(&fixture, "table", PRINT_REPORT, &settings, stream), -EINVAL);
    (void)fclose(stream);
    fixture_destroy(&fixture);
}

static void tables_without_titles_are_told_apart_by_their_lines(void **state)
{
    static const char *const two_timeouts[] = {"timeout", "100us,1ms", NULL};
    struct output_settings settings = plain;
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, two_timeouts);
    settings.no_headings = true;
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_has(text, "100us 0 ");
    assert_has(text, "1ms 0 ");
    assert_has(text, "100us wake, us ");
    assert_has(text, "1ms wake, us ");
    free(text);
    settings.no_headings = false;
    text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_lacks(text, "TIMEOUT");
    free(text);
    fixture_destroy(&fixture);
}

static void gaps_are_shown_and_named(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 2, NULL);
    /* CPU 0 fails on both nodes; all others are measured. */
    for (size_t cell = 0; cell < fixture.sweep->plan.cell_count; cell++) {
        if (fixture.sweep->plan.rows[fixture.sweep->plan.cells[cell].row].cpu != 0) {
            fixture_add_visit(fixture.sweep, cell);
            continue;
        }
        struct visit visit = {.outcome = VISIT_FAILED, .cell = cell};
        (void)failure_set(&visit.failure, "policy", EPERM,
                          "SCHED_FIFO 50 was refused: raise RLIMIT_RTPRIO or give CAP_SYS_NICE");
        assert_int_equal(sweep_add_visit(fixture.sweep, &visit), 0);
    }
    fixture_report(&fixture);
    char *text = print_width(&fixture, PRINT_REPORT, 100);
    assert_has(text, "*?");
    assert_has(text, "? no samples");
    assert_has(text, "2 of 2 cells missing...");
    assert_has(text, "CPU 0: 2 of 2 cells missing: policy: EPERM: SCHED_FIFO 50 was refused");
    assert_has(text, "14 of 16 cells measured in 14 of 16 visits; 2 cells without samples");
    assert_has(text, "partial");
    assert_lines_fit(text, 100);
    free(text);
    fixture_destroy(&fixture);
}

static void cpus_that_are_not_measured_have_a_line_or_a_reason(void **state)
{
    const char *const settings[] = {"cpus", "0-2,9", NULL};
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 3, settings);
    fixture.sweep->plan.rows[1].state = ROW_OFFLINE;
    (void)snprintf(fixture.report.tables[0].rows[1].status, FAILURE_TEXT_SIZE, "offline");
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &plain);
    assert_has(text, " offline\n");
    assert_has(text, "CPU 3-8,10-11: not in --cpus");
    free(text);
    text = fixture_print(&fixture, "table", PRINT_PLAN, &plain);
    assert_has(text, "CPU 3-8,10-11: not in --cpus");
    free(text);
    fixture_destroy(&fixture);
}

/* As if the inherited mask left out the CPUs from `first` on. */
static void mask_rows(struct fixture *fixture, size_t first)
{
    for (size_t row = first; row < fixture->sweep->plan.row_count; row++) {
        struct plan_row *masked = &fixture->sweep->plan.rows[row];
        masked->state = ROW_NOT_IN_MASK;
        masked->is_asked_for = false;
        (void)snprintf(masked->reason, sizeof masked->reason, "outside the mask");
        (void)snprintf(fixture->report.tables[0].rows[row].status, FAILURE_TEXT_SIZE,
                       "outside the mask");
    }
}

static void only_long_runs_that_nobody_asked_for_share_a_line(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, NULL);
    mask_rows(&fixture, 4);
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &plain);
    assert_int_equal(count_of(text, " outside the mask\n"), 4);
    assert_lacks(text, "CPU 4-7");
    free(text);
    mask_rows(&fixture, 3);
    text = fixture_print(&fixture, "table", PRINT_REPORT, &plain);
    assert_int_equal(count_of(text, " outside the mask\n"), 1);
    assert_has(text, "\nCPU 3-7: outside the mask\n");
    free(text);
    fixture.sweep->plan.rows[5].is_asked_for = true;
    text = fixture_print(&fixture, "table", PRINT_PLAN, &plain);
    assert_int_equal(count_of(text, " outside the mask\n"), 5);
    free(text);
    fixture_destroy(&fixture);
}

static void an_incomplete_and_an_unproved_cell_are_marked(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    fixture.report.tables[0].cells[0].state = REPORT_CELL_INCOMPLETE;
    fixture.report.tables[0].cells[1].unproved_count = 1;
    fixture.report.tables[0].cells[2].is_local = false;
    fixture.report.tables[0].rows[2].nearest_node = 0;
    fixture.report.tables[0].cells[3].state = REPORT_CELL_NOT_PLANNED;
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &plain);
    assert_has(text, "*!12.0/6.40");
    assert_has(text, "*#12.0/6.40");
    assert_has(text, "~12.0/6.40");
    assert_has(text,
               "* local node; ~ nearest node (no local memory); ! some visits missing; # placement "
               "not proved; - not planned");
    free(text);
    fixture_destroy(&fixture);
}

static void hostile_texts_cannot_break_the_table(void **state)
{
    struct output_settings settings = plain;
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    free(fixture.sweep->host);
    fixture.sweep->host = strdup("a\033[2Jb\nc\xff\xc3\xa9");
    (void)snprintf(fixture.report.tables[0].rows[0].status, FAILURE_TEXT_SIZE, "x\ty\r\nz\x9b");
    (void)snprintf(fixture.report.tables[0].rows[1].status, FAILURE_TEXT_SIZE, "%s", "");
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_has(text, "host a\\x1b[2Jb\\x0ac\\xff\xc3\xa9,");
    assert_has(text, "x\\x09y\\x0d\\x0az\\x9b");
    free(text);
    settings.use_ascii = true;
    text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_has(text, "\\xff\\xc3\\xa9,");
    for (const char *byte = text; *byte != '\0'; byte++) {
        assert_true((*byte >= ' ' && *byte <= '~') || *byte == '\n');
    }
    free(text);
    fixture_destroy(&fixture);
}

static void colour_marks_the_local_cells_only_when_asked(void **state)
{
    struct output_settings settings = plain;
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, NULL);
    settings.use_color = true;
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &settings);
    assert_int_equal(count_of(text, "\033[1m"), 8);
    assert_int_equal(count_of(text, "\033[0m"), 8);
    free(text);
    fixture_destroy(&fixture);
}

static void figures_do_not_follow_the_locale(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, NULL);
    const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool is_set = false;
    for (size_t i = 0; !is_set && i < sizeof locales / sizeof locales[0]; i++) {
        is_set = setlocale(LC_ALL, locales[i]) != NULL;
    }
    if (!is_set) {
        print_message("no locale with a decimal comma is installed: only the C locale is tried\n");
    }
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &plain);
    (void)setlocale(LC_ALL, "C");
    assert_has(text, "12.0/6.40");
    free(text);
    fixture_destroy(&fixture);
}

static void wide_rows_are_known_by_what_they_hold(void **state)
{
    const char *const settings[] = {"by", "node", NULL};
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 2, settings);
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &plain);
    assert_has(text, "ROW CPUS    NODE PACKAGE ");
    assert_has(text, "node 1 2-3,6-7");
    assert_lacks(text, "SIBLING");
    free(text);
    fixture_destroy(&fixture);
}

static void unbound_memory_has_a_column_without_a_node(void **state)
{
    const char *const settings[] = {"nodes", "none", NULL};
    struct fixture fixture;
    (void)state;
    fixture_create(&fixture, 1, settings);
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &plain);
    assert_has(text, "not bound");
    assert_lacks(text, "node-1");
    free(text);
    text = fixture_print(&fixture, "table", PRINT_PLAN, &plain);
    assert_lacks(text, "@-1");
    free(text);
    fixture_destroy(&fixture);
}

static void warnings_and_validity_follow_the_table(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 1, NULL);
    fixture_measure(&fixture);
    assert_int_equal(sweep_add_warning(fixture.sweep, "the clock is %s", "coarse"), 0);
    fixture.sweep->stop_signal = 2;
    fixture_report(&fixture);
    char *text = fixture_print(&fixture, "table", PRINT_REPORT, &plain);
    assert_has(text, "Warning: the clock is coarse\n");
    assert_has(text, "; stopped by signal 2 (");
    assert_has(text, fixture.report.validity[0]);
    free(text);
    fixture_destroy(&fixture);
}

static void the_topology_shows_nodes_distances_and_cpus(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 2, NULL);
    assert_int_equal(topology_add_disagreement(&fixture.sweep->topology, "node 7 is odd"), 0);
    fixture.sweep->topology.cpus[3].is_in_inherited_mask = false;
    char *text = fixture_print(&fixture, "table", PRINT_TOPOLOGY, &plain);
    assert_has(text, "Topology of test machine: 8 CPUs (usable: 0-7) in 2 nodes, not this machine");
    assert_has(text, "0 8.0 GiB 4.0 GiB - ");
    assert_has(text, "0-1,4-5");
    assert_has(text, "   0 10 21\n   1 21 10\n");
    assert_has(text, "CPU NODE PACKAGE L3 CORE SIBLING KIND ONLINE ALLOWED ISOLATED NOHZ_FULL SWEPT\n");
    assert_has(text, "  3    1       1  1    3 7       -    yes    no ");
    assert_has(text, "node 7 is odd");
    free(text);
    free(fixture.sweep->topology.distances);
    fixture.sweep->topology.distances = NULL;
    text = fixture_print(&fixture, "table", PRINT_TOPOLOGY, &plain);
    assert_has(text, "not known");
    free(text);
    fixture_destroy(&fixture);
}

static void a_node_that_is_not_allowed_stays_visible_when_narrow(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 2, NULL);
    fixture.sweep->topology.nodes[1].is_allowed = false;
    fixture.sweep->topology.nodes[1].subtype = strdup("HBM");
    char *text = print_width(&fixture, PRINT_TOPOLOGY, 30);
    assert_has(text, "ALLOWED");
    assert_has(text, "HBM");
    free(text);
    fixture_destroy(&fixture);
}

static void the_plan_shows_cells_order_and_duration(void **state)
{
    const char *const settings[] = {"concurrent", "node", "timeout", "1ms,2ms", NULL};
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 2, settings);
    char *text = fixture_print(&fixture, "table", PRINT_PLAN, &plain);
    assert_has(text, "Plan for test machine: 32 cells x 1 round, one row for each pu");
    assert_has(text, "Predicted duration: ");
    assert_has(text, "1ms,2ms");
    assert_has(text, "local yes ");
    assert_has(text, "yes   local");
    assert_has(text, " planned\n");
    assert_has(text, "Order of round 1 (CPU@memory node, + at the same time): ");
    assert_has(text, "+");
    assert_has(text, "/2ms");
    assert_lacks(text, " more (csv and json have every round)");
    free(text);
    fixture_destroy(&fixture);
    fixture_plan(&fixture, 4, NULL);
    text = fixture_print(&fixture, "table", PRINT_PLAN, &plain);
    assert_has(text, "... and 32 more (csv and json have every round)");
    free(text);
    fixture_destroy(&fixture);
}

static void the_environment_shows_facts_marks_and_advice(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_plan(&fixture, 1, NULL);
    struct environment *environment = &fixture.sweep->environment;
    assert_int_equal(environment_add(environment, "clock", "clocksource", FACT_WARNING,
                                     "take the tsc, which every CPU reads by itself and which costs "
                                     "far less than a read of the chip set",
                                     "hpet"),
                     0);
    assert_int_equal(
        environment_add(environment, "clock", "resolution", FACT_INFORMATION, NULL, "%s", ""), 0);
    assert_int_equal(environment_add(environment, "idle", "governor", FACT_NOTICE, "look", "menu"), 0);
    char *text = print_width(&fixture, PRINT_ENVIRONMENT, 79);
    assert_has(text, "[clock]\n");
    assert_has(text, "[idle]\n");
    assert_has(text, "!! clocksource hpet\n");
    assert_has(text, "-> take the tsc");
    assert_has(text, "   resolution  -\n");
    assert_has(text, "!  governor    menu\n");
    assert_has(text, "1 that would spoil a measurement (!!), 1 that shift or hide something (!)");
    assert_lines_fit(text, 79);
    free(text);
    fixture_destroy(&fixture);
}

static void a_long_fact_without_spaces_is_not_cut(void **state)
{
    struct fixture fixture;
    char value[200];
    (void)state;
    fixture_plan(&fixture, 1, NULL);
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    assert_int_equal(environment_add(&fixture.sweep->environment, "idle", "idle_states",
                                     FACT_INFORMATION, NULL, "%s", value),
                     0);
    char *text = print_width(&fixture, PRINT_ENVIRONMENT, 79);
    size_t count = 0;
    for (const char *at = text; *at != '\0'; at++) {
        count += *at == 'x';
    }
    assert_int_equal(count, sizeof value - 1);
    assert_lines_fit(text, 79);
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
        assert_int_equal(fixture_print_to(&fixture, "table", (enum printed)what, &plain, stream), -EIO);
        (void)fclose(stream);
    }
    fixture_destroy(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_shows_figures_by_cpu_and_node),
        cmocka_unit_test(one_figure_can_be_chosen),
        cmocka_unit_test(a_percentile_without_samples_enough_is_named),
        cmocka_unit_test(no_line_is_wider_than_the_terminal),
        cmocka_unit_test(panels_repeat_the_cpu_and_lose_nothing),
        cmocka_unit_test(each_matrix_begins_a_panel_of_its_own_when_narrow),
        cmocka_unit_test(only_columns_that_tell_nothing_are_left_out),
        cmocka_unit_test(columns_can_be_chosen_and_headings_left_out),
        cmocka_unit_test(tables_without_titles_are_told_apart_by_their_lines),
        cmocka_unit_test(gaps_are_shown_and_named),
        cmocka_unit_test(cpus_that_are_not_measured_have_a_line_or_a_reason),
        cmocka_unit_test(only_long_runs_that_nobody_asked_for_share_a_line),
        cmocka_unit_test(an_incomplete_and_an_unproved_cell_are_marked),
        cmocka_unit_test(hostile_texts_cannot_break_the_table),
        cmocka_unit_test(colour_marks_the_local_cells_only_when_asked),
        cmocka_unit_test(figures_do_not_follow_the_locale),
        cmocka_unit_test(wide_rows_are_known_by_what_they_hold),
        cmocka_unit_test(unbound_memory_has_a_column_without_a_node),
        cmocka_unit_test(warnings_and_validity_follow_the_table),
        cmocka_unit_test(the_topology_shows_nodes_distances_and_cpus),
        cmocka_unit_test(a_node_that_is_not_allowed_stays_visible_when_narrow),
        cmocka_unit_test(the_plan_shows_cells_order_and_duration),
        cmocka_unit_test(the_environment_shows_facts_marks_and_advice),
        cmocka_unit_test(a_long_fact_without_spaces_is_not_cut),
        cmocka_unit_test(every_view_reports_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
