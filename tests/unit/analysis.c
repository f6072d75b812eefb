/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps whose slow CPUs, causes and remote memory are known, since they are made here. */
#include "numasweep/analysis.h"

#include "numasweep/exit_status.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/machine.h"
#include "numasweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 5, BASE_NS = 50000, TOUCH_NS = 6000 };

struct made {
    struct sweep *sweep;
    struct report report;
    int64_t slow_ns[64]; /* by CPU, added to wake */
    int64_t remote_ns;   /* added to touch */
    int64_t delay_ns;    /* run_delay_ns of slow CPUs, for each sample */
    int64_t cycles;      /* aperf of slow CPUs, of 1000 of mperf; 0: it is not read */
    int64_t slow_khz;    /* frequency of slow CPUs, others have 3 GHz; 0: it is not read */
    int64_t busy_ms;     /* of the SMT siblings of slow CPUs, in each visit */
    uint64_t noise;
};

static void set_option(struct sweep *sweep, const char *name, const char *text)
{
    struct failure failure = {0};
    if (options_set(&sweep->options, name, text, "test", &failure) != 0) {
        fail_msg("%s", failure.text);
    }
}

static void make_machine(struct made *made, struct machine_shape shape, const char *rounds)
{
    struct failure failure = {0};
    *made = (struct made){.sweep = sweep_create(), .noise = 1};
    struct sweep *sweep = made->sweep;
    assert_non_null(sweep);
    assert_int_equal(options_init(&sweep->options), 0);
    set_option(sweep, "rounds", rounds);
    set_option(sweep, "samples", "5");
    set_option(sweep, "seed", "7");
    machine_build(&sweep->topology, shape);
    assert_int_equal(topology_set_fingerprint(&sweep->topology), 0);
    sweep->version = strdup("0");
    sweep->command_line = strdup("test");
    sweep->host = strdup("made");
    if (plan_create(&sweep->options, &sweep->topology, &sweep->plan, &failure) != 0) {
        fail_msg("%s", failure.text);
    }
}

/* The same on every machine: xorshift, for jitter of some per cent. */
static int64_t jitter(struct made *made, int64_t width_ns)
{
    made->noise ^= made->noise << 13;
    made->noise ^= made->noise >> 7;
    made->noise ^= made->noise << 17;
    return (int64_t)(made->noise % (uint64_t)width_ns);
}

static void add_clocks(struct made *made, bool is_slow, struct counter_set *counters)
{
    const int64_t noise = jitter(made, 8);
    if (made->cycles > 0) {
        assert_int_equal(counter_set_add(counters, "mperf", 1000000), 0);
        assert_int_equal(
            counter_set_add(counters, "aperf", 1000 * (is_slow ? made->cycles : 1000 + noise)), 0);
    }
    if (made->slow_khz > 0) {
        assert_int_equal(
            counter_set_add(counters, "level:frequency_khz", is_slow ? made->slow_khz : 3000000), 0);
    }
    if (made->busy_ms > 0) {
        assert_int_equal(counter_set_add(counters, "sibling_busy_ms", is_slow ? made->busy_ms : 1), 0);
    }
}

static void add_visit(struct made *made, size_t cell, int64_t round)
{
    struct sweep *sweep = made->sweep;
    const struct plan_cell *planned = &sweep->plan.cells[cell];
    const int cpu = sweep->plan.rows[planned->row].cpu;
    struct visit visit = {.outcome = VISIT_MEASURED, .cell = cell, .round = round};
    visit.placement = (struct placement){.mask_matches_before = 1,
                                         .mask_matches_after = 1,
                                         .policy = 1,
                                         .priority = 50,
                                         .pages_total = 1,
                                         .pages_on_node = 1,
                                         .memory_is_bound = 1,
                                         .memory_is_locked = 1};
    visit.samples = calloc(SAMPLES, sizeof *visit.samples);
    assert_non_null(visit.samples);
    visit.sample_count = SAMPLES;
    for (int i = 0; i < SAMPLES; i++) {
        const int64_t wake_ns = BASE_NS + made->slow_ns[cpu] + jitter(made, 2000);
        const int64_t touch_ns = TOUCH_NS + (planned->is_local ? 0 : made->remote_ns) +
                                 jitter(made, 200);
        visit.samples[i] = (struct sample){
            .requested_ns = 1000000, .elapsed_ns = 1000000 + wake_ns, .touch_ns = touch_ns, .cpu = cpu};
    }
    if (made->slow_ns[cpu] > 0 && made->delay_ns > 0) {
        assert_int_equal(counter_set_add(&visit.counters, "run_delay_ns", SAMPLES * made->delay_ns), 0);
    }
    add_clocks(made, made->slow_ns[cpu] > 0, &visit.counters);
    assert_int_equal(sweep_add_visit(sweep, &visit), 0);
}

static const struct analysis *judge(struct made *made)
{
    for (int64_t round = 0; round < made->sweep->plan.round_count; round++) {
        for (size_t cell = 0; cell < made->sweep->plan.cell_count; cell++) {
            add_visit(made, cell, round);
        }
    }
    made->sweep->has_ended = true;
    assert_int_equal(report_create(made->sweep, &made->report), 0);
    assert_int_equal(report_judge(&made->report, &made->sweep->options), 0);
    return made->report.analysis;
}

static void unmake(struct made *made)
{
    report_destroy(&made->report);
    sweep_destroy(made->sweep);
}

static void assert_says(const char *text, const char *part)
{
    if (text == NULL || strstr(text, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", text != NULL ? text : "(nothing)", part);
    }
}

static const struct machine_shape four_nodes = {
    .packages = 4, .nodes_per_package = 1, .cores_per_node = 2, .threads_per_core = 1, .node_stride = 1};

static void healthy_cpus_give_no_flag(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->slow_count + analysis->fast_count, 0);
    assert_says(analysis->verdict_sentence, "No slow or fast CPU found among 8");
    assert_false(analysis->is_remote_slower);
    assert_says(analysis->locality_sentence, "touch shows no difference");
    assert_int_equal(report_exit_status(&made.report, FAIL_ON_SLOW | FAIL_ON_REMOTE),
                     EXIT_STATUS_COMPLETE);
    unmake(&made);
}

static void the_slow_cpu_is_named_with_its_cause(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.slow_ns[5] = 20000;
    made.delay_ns = 18000;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->slow_count, 1);
    assert_int_equal(analysis->fast_count, 0);
    const struct finding *finding = &analysis->findings[0];
    assert_int_equal(finding->type, FINDING_SLOW);
    assert_string_equal(finding->subject, "CPU 5");
    assert_true(finding->place_count > 1);
    assert_true(finding->places[0].size.estimate_ns > 15000 &&
                finding->places[0].size.estimate_ns < 25000);
    assert_true(finding->cause_count > 0);
    assert_string_equal(finding->causes[0].name, "run_delay_ns");
    assert_says(finding->sentence, "in 20 of 20 rounds");
    assert_says(finding->sentence, "waited 18us a sample for the CPU");
    assert_says(analysis->advice[0], "Another task competes");
    for (size_t row = 0; row < made.sweep->plan.row_count; row++) {
        assert_int_equal(analysis->row_is_slow[row], made.sweep->plan.rows[row].cpu == 5);
        assert_false(analysis->row_is_fast[row]);
    }
    assert_int_equal(report_exit_status(&made.report, FAIL_ON_SLOW), EXIT_STATUS_FOUND);
    assert_int_equal(report_exit_status(&made.report, FAIL_ON_REMOTE), EXIT_STATUS_COMPLETE);
    unmake(&made);
}

static void a_slow_clock_is_a_cause_once(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.slow_ns[5] = 20000;
    made.cycles = 700;
    made.slow_khz = 2000000;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->findings[0].cause_count, 1);
    assert_string_equal(analysis->findings[0].causes[0].name, "level:clock_percent");
    assert_says(analysis->findings[0].sentence,
                "its clock ran at 70 % of its base frequency, theirs at 100 %");
    assert_says(analysis->advice[0], "Its clock is slower");
    unmake(&made);
}

static void the_frequency_that_linux_tells_stands_in(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.slow_ns[5] = 20000;
    made.slow_khz = 2400000;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->findings[0].cause_count, 1);
    assert_says(analysis->findings[0].sentence, "its clock stood at 2.40 GHz, theirs at 3.00 GHz");
    unmake(&made);
}

static void a_faster_clock_does_not_make_slow(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.slow_ns[5] = 20000;
    made.cycles = 1300;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->findings[0].cause_count, 0);
    unmake(&made);
}

static void a_busy_sibling_is_a_cause(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.slow_ns[5] = 20000;
    made.busy_ms = 10;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->findings[0].cause_count, 1);
    assert_says(analysis->findings[0].sentence, "it had 2 ms of work on its SMT sibling a sample");
    assert_says(analysis->advice[0], "Its SMT sibling was busy");
    unmake(&made);
}

static void no_cause_is_an_answer(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.slow_ns[2] = 30000;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->slow_count, 1);
    assert_int_equal(analysis->findings[0].cause_count, 0);
    assert_says(analysis->findings[0].sentence, "no counter that is read explains it");
    unmake(&made);
}

static void a_slow_node_is_said_once(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.slow_ns[2] = 25000;
    made.slow_ns[3] = 25000;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->slow_count, 1);
    assert_int_equal(analysis->findings[0].row_count, 2);
    assert_says(analysis->findings[0].subject, "CPUs 2-3");
    unmake(&made);
}

static void remote_memory_that_costs_is_told(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.remote_ns = 3000;
    const struct analysis *analysis = judge(&made);
    assert_true(analysis->is_remote_slower);
    assert_says(analysis->locality_sentence, "touch +3.0");
    assert_says(analysis->locality_sentence, "wake shows no difference");
    /* Four nodes, three remote ones each, two figures. */
    assert_int_equal(analysis->node_pair_count, 24);
    assert_int_equal(analysis->cpu_count, 16);
    for (size_t i = 0; i < analysis->node_pair_count; i++) {
        const struct locality_pair *pair = &analysis->node_pairs[i];
        assert_int_not_equal(pair->from_node, pair->to_node);
        if (pair->figure == ANALYSIS_TOUCH_MEDIAN) {
            assert_true(fabs(pair->shift.size.estimate_ns - 3000) < 100);
        }
    }
    assert_int_equal(report_exit_status(&made.report, FAIL_ON_REMOTE), EXIT_STATUS_FOUND);
    unmake(&made);
}

static void one_round_confirms_nothing(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "1");
    made.slow_ns[5] = 40000;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->slow_count + analysis->fast_count, 0);
    assert_says(analysis->verdict_sentence, "one round");
    assert_true(analysis->finding_count > 0);
    assert_int_equal(analysis->findings[0].type, FINDING_STANDS_OUT);
    assert_string_equal(analysis->findings[0].subject, "CPU 5");
    assert_says(analysis->findings[0].sentence, "not confirmed (one round)");
    unmake(&made);
}

static void two_cpus_differ_and_the_evidence_points(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made,
                 (struct machine_shape){.packages = 1,
                                        .nodes_per_package = 1,
                                        .cores_per_node = 2,
                                        .threads_per_core = 1,
                                        .node_stride = 1},
                 "20");
    made.slow_ns[1] = 40000;
    made.delay_ns = 30000;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->slow_count, 1);
    assert_int_equal(analysis->findings[0].type, FINDING_DIFFER);
    assert_says(analysis->findings[0].sentence, "CPU 1 is");
    assert_says(analysis->findings[0].sentence, "slower than CPU 0");
    assert_says(analysis->findings[0].sentence, "the evidence points at it");
    assert_says(analysis->verdict_sentence, "1 difference found between 2 CPUs");
    assert_string_equal(analysis_row_mark(&made.report, 0, 1), "slow");
    assert_says(analysis->locality_sentence, "one memory node");
    unmake(&made);
}

static void two_cpus_without_evidence_just_differ(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made,
                 (struct machine_shape){.packages = 1,
                                        .nodes_per_package = 1,
                                        .cores_per_node = 2,
                                        .threads_per_core = 1,
                                        .node_stride = 1},
                 "20");
    made.slow_ns[1] = 40000;
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->findings[0].type, FINDING_DIFFER);
    assert_says(analysis->findings[0].sentence, "which side is the odd one cannot be told");
    assert_string_equal(analysis_row_mark(&made.report, 0, 0), "");
    assert_string_equal(analysis_row_mark(&made.report, 0, 1), "differs");
    unmake(&made);
}

static void two_cpus_and_few_rounds_say_how_many_would_do(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made,
                 (struct machine_shape){.packages = 1,
                                        .nodes_per_package = 1,
                                        .cores_per_node = 2,
                                        .threads_per_core = 1,
                                        .node_stride = 1},
                 "4");
    made.slow_ns[1] = 40000;
    set_option(made.sweep, "verdict-error", "5");
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->finding_count, 0);
    assert_says(analysis->verdict_sentence, "4 rounds are too few to confirm anything");
    assert_says(analysis->verdict_sentence, "at an error rate of 5 %");
    unmake(&made);
}

static void nothing_measured_is_no_failure(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "2");
    assert_int_equal(report_create(made.sweep, &made.report), 0);
    assert_int_equal(report_judge(&made.report, &made.sweep->options), 0);
    assert_null(made.report.analysis->verdict_sentence);
    assert_int_equal(made.report.analysis->finding_count, 0);
    unmake(&made);
}

static void visits_of_another_policy_are_not_compared(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.slow_ns[5] = 40000;
    for (int64_t round = 0; round < 20; round++) {
        for (size_t cell = 0; cell < made.sweep->plan.cell_count; cell++) {
            add_visit(&made, cell, round);
            struct visit *visit = &made.sweep->visits[made.sweep->visit_count - 1];
            if (made.sweep->plan.rows[made.sweep->plan.cells[cell].row].cpu == 5) {
                visit->placement.policy = 0;
                visit->placement.priority = 0;
            }
        }
    }
    assert_int_equal(report_create(made.sweep, &made.report), 0);
    assert_int_equal(report_judge(&made.report, &made.sweep->options), 0);
    assert_int_equal(made.report.analysis->slow_count, 0);
    assert_says(made.report.analysis->advice[0], "under another policy");
    unmake(&made);
}

static void misplaced_visits_are_not_compared(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    made.slow_ns[5] = 40000;
    for (int64_t round = 0; round < 20; round++) {
        for (size_t cell = 0; cell < made.sweep->plan.cell_count; cell++) {
            add_visit(&made, cell, round);
            struct visit *visit = &made.sweep->visits[made.sweep->visit_count - 1];
            if (made.sweep->plan.rows[made.sweep->plan.cells[cell].row].cpu == 5) {
                visit->placement.pages_on_node = 0;
            }
        }
    }
    assert_int_equal(report_create(made.sweep, &made.report), 0);
    assert_int_equal(report_judge(&made.report, &made.sweep->options), 0);
    assert_int_equal(made.report.analysis->slow_count, 0);
    assert_says(made.report.analysis->advice[0], "80 visits whose placement reads back as another");
    unmake(&made);
}

static void nothing_that_may_be_compared_is_no_failure(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "3");
    for (int64_t round = 0; round < 3; round++) {
        for (size_t cell = 0; cell < made.sweep->plan.cell_count; cell++) {
            add_visit(&made, cell, round);
            made.sweep->visits[made.sweep->visit_count - 1].placement.mask_matches_after = 0;
        }
    }
    assert_int_equal(report_create(made.sweep, &made.report), 0);
    assert_int_equal(report_judge(&made.report, &made.sweep->options), 0);
    assert_int_equal(made.report.analysis->finding_count, 0);
    assert_says(made.report.analysis->verdict_sentence, "Not judged");
    assert_says(made.report.analysis->advice[0], "96 visits");
    unmake(&made);
}

static void make_kinds(struct topology *topology, int efficient_from)
{
    topology->kinds = calloc(2, sizeof *topology->kinds);
    assert_non_null(topology->kinds);
    topology->kind_count = 2;
    for (int kind = 0; kind < 2; kind++) {
        topology->kinds[kind] = (struct topology_kind){
            .kind = kind, .name = strdup(kind == 0 ? "efficiency" : "performance")};
    }
    for (size_t i = 0; i < topology->cpu_count; i++) {
        const int kind = topology->cpus[i].cpu >= efficient_from ? 0 : 1;
        topology->cpus[i].kind = kind;
        assert_int_equal(id_list_add(&topology->kinds[kind].cpus, topology->cpus[i].cpu), 0);
    }
}

/* A constant offset of a slow timer or a virtual machine is every CPU's. */
static void case32_an_offset_of_all_is_nobodys(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    for (int cpu = 0; cpu < 8; cpu++) {
        made.slow_ns[cpu] = 1000000;
    }
    const struct analysis *analysis = judge(&made);
    assert_int_equal(analysis->slow_count + analysis->fast_count, 0);
    unmake(&made);
}

/* A paused machine gives one sample of seconds: that is no slow CPU. */
static void case36_one_pause_does_not_brand_a_cpu(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made, four_nodes, "20");
    for (int64_t round = 0; round < 20; round++) {
        for (size_t cell = 0; cell < made.sweep->plan.cell_count; cell++) {
            add_visit(&made, cell, round);
            struct visit *visit = &made.sweep->visits[made.sweep->visit_count - 1];
            if (round == 3 && made.sweep->plan.rows[made.sweep->plan.cells[cell].row].cpu == 5) {
                for (size_t i = 0; i < visit->sample_count; i++) {
                    visit->samples[i].elapsed_ns += INT64_C(3000000000);
                }
            }
        }
    }
    assert_int_equal(report_create(made.sweep, &made.report), 0);
    assert_int_equal(report_judge(&made.report, &made.sweep->options), 0);
    assert_int_equal(made.report.analysis->slow_count + made.report.analysis->fast_count, 0);
    unmake(&made);
}

/* Efficiency cores are slower than performance cores, and none of them is slow among its kind. */
static void case37_kinds_are_compared_as_groups(void **state)
{
    struct made made;
    (void)state;
    make_machine(&made,
                 (struct machine_shape){.packages = 1,
                                        .nodes_per_package = 1,
                                        .cores_per_node = 12,
                                        .threads_per_core = 1,
                                        .node_stride = 1},
                 "20");
    make_kinds(&made.sweep->topology, 8);
    for (int cpu = 8; cpu < 12; cpu++) {
        made.slow_ns[cpu] = 30000;
    }
    made.slow_ns[3] = 30000;
    const struct analysis *analysis = judge(&made);
    bool kind_is_told = false;
    bool cpu_is_told = false;
    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct finding *finding = &analysis->findings[i];
        kind_is_told = kind_is_told || strcmp(finding->level, "kind") == 0;
        cpu_is_told = cpu_is_told || strcmp(finding->subject, "CPU 3") == 0;
        for (int cpu = 8; cpu < 12; cpu++) {
            char name[16];
            (void)snprintf(name, sizeof name, "CPU %d", cpu);
            assert_string_not_equal(finding->subject, name);
        }
    }
    assert_true(kind_is_told);
    assert_true(cpu_is_told);
    unmake(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy_cpus_give_no_flag),
        cmocka_unit_test(the_slow_cpu_is_named_with_its_cause),
        cmocka_unit_test(a_slow_clock_is_a_cause_once),
        cmocka_unit_test(the_frequency_that_linux_tells_stands_in),
        cmocka_unit_test(a_faster_clock_does_not_make_slow),
        cmocka_unit_test(a_busy_sibling_is_a_cause),
        cmocka_unit_test(no_cause_is_an_answer),
        cmocka_unit_test(a_slow_node_is_said_once),
        cmocka_unit_test(remote_memory_that_costs_is_told),
        cmocka_unit_test(one_round_confirms_nothing),
        cmocka_unit_test(two_cpus_differ_and_the_evidence_points),
        cmocka_unit_test(two_cpus_without_evidence_just_differ),
        cmocka_unit_test(two_cpus_and_few_rounds_say_how_many_would_do),
        cmocka_unit_test(nothing_measured_is_no_failure),
        cmocka_unit_test(visits_of_another_policy_are_not_compared),
        cmocka_unit_test(case32_an_offset_of_all_is_nobodys),
        cmocka_unit_test(case36_one_pause_does_not_brand_a_cpu),
        cmocka_unit_test(case37_kinds_are_compared_as_groups),
        cmocka_unit_test(misplaced_visits_are_not_compared),
        cmocka_unit_test(nothing_that_may_be_compared_is_no_failure),
    };
    return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
