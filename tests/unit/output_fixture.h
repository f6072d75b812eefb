/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine of `node_count` nodes with two cores of two SMT siblings each, a sweep of it and what a
 * format prints, for the tests of the output formats. */
#ifndef NUMASWEEP_TESTS_OUTPUT_FIXTURE_H
#define NUMASWEEP_TESTS_OUTPUT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/skip_aloud.h"
#include "numasweep/output.h"
#include "numasweep/report.h"
#include "numasweep/sweep.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXTURE_CPUS_PER_NODE = 4, FIXTURE_SAMPLES = 4 };

struct fixture {
    struct sweep *sweep;
    struct report report;
};

static inline void fixture_fill_node(struct topology *topology, size_t node)
{
    const int cpu_count = (int)topology->cpu_count;
    struct topology_node *filled = &topology->nodes[node];
    *filled = (struct topology_node){.node = (int)node,
                                     .memory_bytes = INT64_C(8) << 30,
                                     .free_memory_bytes = INT64_C(4) << 30,
                                     .is_allowed = true};
    for (int i = 0; i < FIXTURE_CPUS_PER_NODE / 2; i++) {
        const int core = (int)node * FIXTURE_CPUS_PER_NODE / 2 + i;
        assert_int_equal(id_list_add(&filled->cpus, core), 0);
        assert_int_equal(id_list_add(&filled->cpus, core + cpu_count / 2), 0);
        for (int sibling = 0; sibling < 2; sibling++) {
            const int cpu = core + sibling * cpu_count / 2;
            topology->cpus[cpu] = (struct topology_cpu){.cpu = cpu,
                                                        .is_in_inherited_mask = true,
                                                        .package = (int)node,
                                                        .core = core,
                                                        .l3 = (int)node,
                                                        .node = (int)node,
                                                        .kind = TOPOLOGY_NONE};
        }
    }
    assert_int_equal(id_list_copy(&filled->near_cpus, &filled->cpus), 0);
    for (size_t to = 0; to < topology->node_count; to++) {
        topology->distances[node * topology->node_count + to] = node == to ? 10 : 21;
    }
}

static inline void fixture_fill_topology(struct topology *topology, size_t node_count)
{
    *topology = (struct topology){.source = strdup("test machine"),
                                  .has_numa = true,
                                  .cpu_count = node_count * FIXTURE_CPUS_PER_NODE,
                                  .node_count = node_count};
    topology->cpus = calloc(topology->cpu_count, sizeof *topology->cpus);
    topology->nodes = calloc(node_count, sizeof *topology->nodes);
    topology->distances = calloc(node_count * node_count, sizeof *topology->distances);
    assert_non_null(topology->cpus);
    assert_non_null(topology->nodes);
    assert_non_null(topology->distances);
    for (size_t node = 0; node < node_count; node++) {
        fixture_fill_node(topology, node);
    }
    assert_int_equal(topology_set_fingerprint(topology), 0);
}

/* Wake 12000 + cpu ns and touch 6400 ns (local) or 9600 ns in every sample. */
static inline void fixture_add_visit(struct sweep *sweep, size_t cell)
{
    const struct plan_cell *planned = &sweep->plan.cells[cell];
    struct visit visit = {.outcome = VISIT_MEASURED, .cell = cell};
    visit.placement = (struct placement){.mask_matches_before = 1,
                                         .mask_matches_after = 1,
                                         .policy = SCHED_FIFO,
                                         .priority = 50,
                                         .pages_total = 4,
                                         .pages_on_node = 4,
                                         .memory_is_bound = 1,
                                         .memory_is_locked = 1};
    visit.samples = calloc(FIXTURE_SAMPLES, sizeof *visit.samples);
    assert_non_null(visit.samples);
    visit.sample_count = FIXTURE_SAMPLES;
    for (size_t i = 0; i < FIXTURE_SAMPLES; i++) {
        const int cpu = sweep->plan.rows[planned->row].cpu;
        visit.samples[i] = (struct sample){.requested_ns = 1000000,
                                           .elapsed_ns = 1012000 + cpu,
                                           .touch_ns = planned->is_local ? 6400 : 9600,
                                           .cpu = cpu};
    }
    assert_int_equal(sweep_add_visit(sweep, &visit), 0);
}

/* Everything but the visits; options are set before by name and value, NULL ends the list. */
static inline void fixture_plan(struct fixture *fixture, size_t node_count, const char *const *settings)
{
    struct failure failure = {0};
    *fixture = (struct fixture){.sweep = sweep_create()};
    struct sweep *sweep = fixture->sweep;
    assert_non_null(sweep);
    sweep->version = strdup("9.9");
    sweep->command_line = strdup("numasweep");
    sweep->host = strdup("testhost");
    sweep->started_unix_ns = INT64_C(1000000000) * 1000000000;
    fixture_fill_topology(&sweep->topology, node_count);
    assert_int_equal(options_init(&sweep->options), 0);
    assert_int_equal(options_set(&sweep->options, "rounds", "1", "test", NULL), 0);
    assert_int_equal(options_set(&sweep->options, "samples", "4", "test", NULL), 0);
    assert_int_equal(options_set(&sweep->options, "seed", "18446744073709551615", "test", NULL), 0);
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i += 2) {
        if (options_set(&sweep->options, settings[i], settings[i + 1], "test", &failure) != 0) {
            fail_msg("%s", failure.text);
        }
    }
    if (plan_create(&sweep->options, &sweep->topology, &sweep->plan, &failure) != 0) {
        fail_msg("%s", failure.text);
    }
}

static inline void fixture_measure(struct fixture *fixture)
{
    for (size_t cell = 0; cell < fixture->sweep->plan.cell_count; cell++) {
        fixture_add_visit(fixture->sweep, cell);
    }
    fixture->sweep->has_ended = true;
}

static inline void fixture_report(struct fixture *fixture)
{
    assert_int_equal(report_create(fixture->sweep, &fixture->report), 0);
}

static inline void fixture_create(struct fixture *fixture, size_t node_count,
                                  const char *const *settings)
{
    fixture_plan(fixture, node_count, settings);
    fixture_measure(fixture);
    fixture_report(fixture);
}

static inline void fixture_destroy(struct fixture *fixture)
{
    report_destroy(&fixture->report);
    sweep_destroy(fixture->sweep);
    *fixture = (struct fixture){0};
}

enum printed { PRINT_REPORT, PRINT_TOPOLOGY, PRINT_PLAN, PRINT_ENVIRONMENT };

static inline int fixture_print_to(const struct fixture *fixture, const char *format, enum printed what,
                                   const struct output_settings *settings, FILE *stream)
{
    const struct output_format *found = output_format_find(format);
    const struct sweep *sweep = fixture->sweep;
    assert_non_null(found);
    switch (what) {
    case PRINT_TOPOLOGY:
        return found->print_topology(&sweep->topology, &sweep->plan, settings, stream, NULL);
    case PRINT_PLAN:
        return found->print_plan(&sweep->plan, &sweep->topology, settings, stream, NULL);
    case PRINT_ENVIRONMENT:
        return found->print_environment(&sweep->environment, settings, stream, NULL);
    case PRINT_REPORT:
    default:
        return found->print_report(&fixture->report, settings, stream, NULL);
    }
}

/* The caller frees. */
static inline char *fixture_print(const struct fixture *fixture, const char *format, enum printed what,
                                  const struct output_settings *settings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(fixture_print_to(fixture, format, what, settings, stream), 0);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static inline void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" is not in:\n%s", part, text);
    }
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        fail_msg("\"%s\" is in:\n%s", part, text);
    }
}

static inline size_t count_of(const char *text, const char *part)
{
    const size_t length = strlen(part);
    size_t count = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        count += strncmp(text + i, part, length) == 0 ? 1 : 0;
    }
    return count;
}

/* No line is longer than `width`, and none ends in a blank. */
static inline void assert_lines_fit(const char *text, size_t width)
{
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (length > width || (length > 0 && line[length - 1] == ' ')) {
            fail_msg("bad line of %zu columns: \"%.*s\"", length, (int)length, line);
        }
        line += length + (line[length] == '\n' ? 1 : 0);
    }
}

/* A device that refuses every write with ENOSPC. */
static inline FILE *open_full_device(void)
{
    FILE *stream = fopen("/dev/full", "w");
    if (stream == NULL) {
        SKIP_ALOUD("/dev/full cannot be opened");
    }
    return stream;
}

#endif
