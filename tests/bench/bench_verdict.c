/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long the whole verdict of a big machine takes: 4,096 CPUs in 8 nodes with the memory of every
 * node, 30 rounds, in memory.
 *
 *   bench_verdict [CORES_PER_NODE [ROUNDS [healthy | one | node]]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/machine.h"
#include "numasweep/analysis.h"
#include "numasweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 5, NODES = 8, BASE_NS = 50000, TOUCH_NS = 6000, SLOW_NS = 20000 };

/* Of this process, since the machine may be busy with others. */
static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int64_t jitter(uint64_t *state, int64_t width_ns)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (int64_t)(*state % (uint64_t)width_ns);
}

static struct sweep *make_sweep(int cores_per_node, const char *rounds)
{
    const char *const words[] = {"rounds", rounds, "samples", "5", "seed", "7", NULL};
    struct failure failure = {0};
    struct sweep *sweep = sweep_create();
    assert_non_null(sweep);
    machine_set_options(&sweep->options, words);
    machine_build(&sweep->topology, (struct machine_shape){.packages = NODES / 2,
                                                           .nodes_per_package = 2,
                                                           .cores_per_node = cores_per_node,
                                                           .threads_per_core = 2,
                                                           .node_stride = 1});
    assert_int_equal(topology_set_fingerprint(&sweep->topology), 0);
    sweep->version = strdup("0");
    sweep->command_line = strdup("bench");
    sweep->host = strdup("made");
    if (plan_create(&sweep->options, &sweep->topology, &sweep->plan, &failure) != 0) {
        (void)fprintf(stderr, "bench_verdict: %s\n", failure.text);
        exit(2);
    }
    return sweep;
}

static bool is_slow(const struct sweep *sweep, int cpu, const char *situation)
{
    const struct topology_cpu *found = topology_find_cpu(&sweep->topology, cpu);
    return strcmp(situation, "node") == 0 ? found->node == 3 || cpu == 5
                                          : strcmp(situation, "one") == 0 && cpu == 5;
}

static void add_visit(struct sweep *sweep, size_t cell, int64_t round, uint64_t *noise,
                      const char *situation)
{
    const struct plan_cell *const planned = &sweep->plan.cells[cell];
    const int cpu = sweep->plan.rows[planned->row].cpu;
    const int64_t more_ns = (is_slow(sweep, cpu, situation) ? SLOW_NS : 0) + jitter(noise, 6000);
    struct visit visit = {.outcome = VISIT_MEASURED,
                          .cell = cell,
                          .round = round,
                          .sample_count = SAMPLES,
                          .placement = {.mask_matches_before = 1,
                                        .mask_matches_after = 1,
                                        .policy = 1,
                                        .priority = 50,
                                        .pages_total = 1,
                                        .pages_on_node = 1,
                                        .memory_is_bound = 1,
                                        .memory_is_locked = 1}};
    visit.samples = calloc(SAMPLES, sizeof *visit.samples);
    assert_non_null(visit.samples);
    for (int i = 0; i < SAMPLES; i++) {
        visit.samples[i] = (struct sample){
            .requested_ns = 1000000,
            .elapsed_ns = 1000000 + BASE_NS + more_ns + jitter(noise, 2000),
            .touch_ns = TOUCH_NS + (planned->is_local ? 0 : 500) + jitter(noise, 500),
            .cpu = cpu};
    }
    assert_int_equal(counter_set_add(&visit.counters, "irq:LOC", SAMPLES + jitter(noise, 3)), 0);
    assert_int_equal(counter_set_add(&visit.counters, "run_delay_ns", SAMPLES * more_ns), 0);
    assert_int_equal(sweep_add_visit(sweep, &visit), 0);
}

int main(int argc, char **argv)
{
    const int cores = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 256;
    const char *const rounds = argc > 2 ? argv[2] : "30";
    const char *const situation = argc > 3 ? argv[3] : "one";
    if (cores < 1) {
        (void)fprintf(stderr, "usage: bench_verdict [CORES_PER_NODE [ROUNDS [healthy | one | node]]]\n");
        return 2;
    }
    struct sweep *sweep = make_sweep(cores, rounds);
    uint64_t noise = 1;
    for (int64_t round = 0; round < sweep->plan.round_count; round++) {
        for (size_t cell = 0; cell < sweep->plan.cell_count; cell++) {
            add_visit(sweep, cell, round, &noise, situation);
        }
    }
    sweep->has_ended = true;
    struct report report;
    const double started_s = now_s();
    assert_int_equal(report_create(sweep, &report), 0);
    const double reported_s = now_s();
    assert_int_equal(report_judge(&report, &sweep->options), 0);
    printf("%zu CPUs, %zu memory nodes, %zu visits, %s: tables %.1f s, verdict %.1f s of CPU time\n",
           sweep->plan.row_count, sweep->plan.column_count, sweep->visit_count, situation,
           reported_s - started_s, now_s() - reported_s);
    printf("%s\n", report.analysis->verdict_sentence);
    for (size_t i = 0; i < report.analysis->finding_count; i++) {
        printf("  %s\n", report.analysis->findings[i].sentence);
    }
    printf("%s\n", report.analysis->locality_sentence);
    report_destroy(&report);
    sweep_destroy(sweep);
    return 0;
}
