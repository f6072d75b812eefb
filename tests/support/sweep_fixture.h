/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small sweep built in code: 2 nodes of 2 cores of 2 threads, with made-up visits. Include after
 * cmocka.h. */
#ifndef NUMASWEEP_TESTS_SWEEP_FIXTURE_H
#define NUMASWEEP_TESTS_SWEEP_FIXTURE_H

#include "machine.h"
#include "numasweep/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { FIXTURE_SAMPLES = 3, FIXTURE_POLICY_FIFO = 1 };

static inline void fixture_set(struct sweep *sweep, const char *name, const char *text)
{
    struct failure failure = {0};
    if (options_set(&sweep->options, name, text, "--fixture", &failure) != 0) {
        fail_msg("%s", failure.text);
    }
}

/* `settings` is "name=value name=value", values without blanks. */
static inline struct sweep *fixture_create(const char *settings)
{
    struct sweep *sweep = sweep_create();
    struct failure failure = {0};
    assert_non_null(sweep);
    assert_int_equal(options_init(&sweep->options), 0);
    fixture_set(sweep, "rounds", "2");
    fixture_set(sweep, "samples", "3");
    fixture_set(sweep, "seed", "18446744073709551615");
    while (*settings != '\0') {
        char name[32];
        char value[128];
        int length = 0;
        assert_int_equal(sscanf(settings, " %31[^=]=%127[^ ]%n", name, value, &length), 2);
        fixture_set(sweep, name, value);
        settings += length;
    }
    machine_build(&sweep->topology, (struct machine_shape){.packages = 2,
                                                           .nodes_per_package = 1,
                                                           .cores_per_node = 2,
                                                           .threads_per_core = 2,
                                                           .node_stride = 1});
    if (sweep->topology.source == NULL) {
        sweep->topology.source = strdup("built in code");
    }
    assert_int_equal(topology_set_fingerprint(&sweep->topology), 0);
    sweep->version = strdup("0.0");
    sweep->command_line = strdup("numasweep 'a \"b\"'");
    sweep->host = strdup("host\xc3\xa9");
    sweep->started_unix_ns = INT64_C(1700000000000000000);
    assert_int_equal(
        environment_add(&sweep->environment, "clock", "clocksource", FACT_NOTICE, "do that", "tsc"), 0);
    if (plan_create(&sweep->options, &sweep->topology, &sweep->plan, &failure) != 0) {
        fail_msg("%s", failure.text);
    }
    return sweep;
}

/* Samples overshoot by `wake_ns`, +1, +2 and touch in `touch_ns`, +1, +2. */
static inline struct visit fixture_visit(size_t cell, int64_t round, int64_t wake_ns, int64_t touch_ns)
{
    struct visit visit = {.outcome = VISIT_MEASURED, .cell = cell, .round = round, .ended_unix_ns = 5};
    visit.placement = (struct placement){
        .mask_matches_before = 1,
        .mask_matches_after = 1,
        .policy = FIXTURE_POLICY_FIFO,
        .priority = 50,
        .pages_total = 9,
        .pages_on_node = 9,
        .memory_is_bound = 1,
        .memory_is_locked = 1,
        .clock_id = 1,
        .clock_resolution_ns = 1,
        .clock_drift_ns = -7,
        .eviction = "clflush",
    };
    visit.samples = calloc(FIXTURE_SAMPLES, sizeof *visit.samples);
    assert_non_null(visit.samples);
    visit.sample_count = FIXTURE_SAMPLES;
    for (int i = 0; i < FIXTURE_SAMPLES; i++) {
        visit.samples[i] = (struct sample){
            .requested_ns = 1000000 + i,
            .elapsed_ns = 1000000 + i + wake_ns + i,
            .touch_ns = touch_ns < 0 ? -1 : touch_ns + i,
        };
    }
    assert_int_equal(counter_set_add(&visit.counters, "irq:LOC", 3), 0);
    return visit;
}

static inline void fixture_add(struct sweep *sweep, size_t cell, int64_t round, int64_t wake_ns,
                               int64_t touch_ns)
{
    struct visit visit = fixture_visit(cell, round, wake_ns, touch_ns);
    for (int i = 0; i < FIXTURE_SAMPLES; i++) {
        visit.samples[i].cpu = sweep->plan.rows[sweep->plan.cells[cell].row].cpu;
    }
    visit.ended_unix_ns = sweep->started_unix_ns + 1000 * (1 + (int64_t)sweep->visit_count);
    assert_int_equal(sweep_add_visit(sweep, &visit), 0);
}

static inline void fixture_add_failure(struct sweep *sweep, size_t cell, int64_t round,
                                       const char *stage, int error)
{
    struct visit visit = {.outcome = VISIT_FAILED, .cell = cell, .round = round, .ended_unix_ns = 6};
    (void)failure_set(&visit.failure, stage, error, "it went wrong");
    assert_int_equal(sweep_add_visit(sweep, &visit), 0);
}

/* Every cell in every round: local cells touch in 6,000 ns, remote ones in 9,000. */
static inline void fixture_fill(struct sweep *sweep)
{
    for (int64_t round = 0; round < sweep->plan.round_count; round++) {
        for (size_t cell = 0; cell < sweep->plan.cell_count; cell++) {
            const struct plan_cell *planned = &sweep->plan.cells[cell];
            fixture_add(sweep, cell, round, 8000 + 100 * (int64_t)planned->row,
                        planned->is_local ? 6000 : 9000);
        }
    }
    sweep->has_ended = true;
}

#endif
