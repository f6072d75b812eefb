/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans for captured machines, against the counts that hwloc's own tools gave for them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/machine.h"
#include "../support/skip_aloud.h"
#include "numasweep/discovery.h"
#include "numasweep/plan.h"

#include <stdio.h>
#include <string.h>

static const char index_path[] = SHARED_DIR "/topologies/index.tsv";

enum { FIELD_FILE = 1, FIELD_CPUS = 7, FIELD_NODES = 15, FIELD_COUNT = 16 };

struct machine_case {
    char *fields[FIELD_COUNT];
};

static bool split_line(char *line, struct machine_case *machine)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        machine->fields[i] = strsep(&line, "\t");
        if (machine->fields[i] == NULL) {
            return false;
        }
    }
    return true;
}

static size_t count_planned_cpus(const struct plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->row_count; i++) {
        count += plan->rows[i].state == ROW_PLANNED ? plan->rows[i].cpus.count : 0;
    }
    return count;
}

static size_t count_planned_rows(const struct plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->row_count; i++) {
        count += plan->rows[i].state == ROW_PLANNED;
    }
    return count;
}

static size_t count_allowed_columns(const struct plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        count += plan->columns[i].is_allowed;
    }
    return count;
}

/* Every CPU of the machine, in whatever state, is in one row. */
static void assert_no_cpu_is_missing(const struct plan *plan, const struct topology *topology)
{
    size_t left_out = 0;
    for (size_t i = 0; i < plan->row_count; i++) {
        const struct plan_row *row = &plan->rows[i];
        left_out += row->state == ROW_PLANNED ? 0U : 1U;
        assert_int_equal(row->reason[0] == '\0', row->state == ROW_PLANNED);
    }
    assert_int_equal(count_planned_cpus(plan) + left_out, topology->cpu_count);
}

/* Some captured machines show no L3 caches or no packages. */
static bool has_level(const struct topology *topology, const char *level)
{
    bool is_there = strcmp(level, "pu") == 0 || strcmp(level, "machine") == 0;
    for (size_t i = 0; i < topology->cpu_count && !is_there; i++) {
        const struct topology_cpu *cpu = &topology->cpus[i];
        is_there = (strcmp(level, "core") == 0 && cpu->core != TOPOLOGY_NONE) ||
                   (strcmp(level, "l3") == 0 && cpu->l3 != TOPOLOGY_NONE) ||
                   (strcmp(level, "node") == 0 && cpu->node != TOPOLOGY_NONE) ||
                   (strcmp(level, "package") == 0 && cpu->package != TOPOLOGY_NONE);
    }
    return is_there;
}

static void check_level(const struct topology *topology, const char *level, size_t cpus, size_t nodes)
{
    struct options options = {0};
    struct plan plan = {0};
    struct failure failure = {0};
    machine_set_options(&options, (const char *const[]){"by", level, NULL});
    const int error = plan_create(&options, topology, &plan, &failure);
    if (!has_level(topology, level)) {
        assert_int_equal(error, -EINVAL);
        assert_non_null(strstr(failure.text, "the topology shows no"));
        options_destroy(&options);
        return;
    }
    if (error != 0) {
        fail_msg("%s: %s", level, failure.text);
    }
    assert_no_cpu_is_missing(&plan, topology);
    assert_int_equal(count_planned_cpus(&plan), cpus);
    assert_int_equal(plan.measured_cpus.count, cpus);
    assert_int_equal(count_allowed_columns(&plan), nodes);
    assert_int_equal(plan.cell_count, count_planned_rows(&plan) * nodes);
    assert_true(plan.coordinator_cpus.count > 0);
    plan_destroy(&plan);
    options_destroy(&options);
}

static void check_machine(const struct machine_case *machine)
{
    static const char *const levels[] = {"pu", "core", "l3", "node", "package", "machine"};
    struct topology topology = {0};
    struct failure failure = {0};
    char path[512];
    const size_t cpus = strtoul(machine->fields[FIELD_CPUS], NULL, 10);
    const size_t nodes = strtoul(machine->fields[FIELD_NODES], NULL, 10);
    (void)snprintf(path, sizeof path, "%s/topologies/%s", SHARED_DIR, machine->fields[FIELD_FILE]);
    if (topology_discover(path, &topology, &failure) != 0) {
        fail_msg("%s: %s", path, failure.text);
    }
    assert_true(cpus > 0 && nodes > 0);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        check_level(&topology, levels[i], cpus, nodes);
    }
    topology_destroy(&topology);
}

static void test_captured_machines(void **state)
{
    (void)state;
    char *line = NULL;
    size_t capacity = 0;
    size_t machine_count = 0;
    FILE *index = fopen(index_path, "re");
    assert_non_null(index);
    assert_true(getline(&line, &capacity, index) > 0);
    while (getline(&line, &capacity, index) > 0) {
        struct machine_case machine = {0};
        if (!split_line(line, &machine)) {
            fail_msg("line %zu of the index has too few fields", machine_count + 2);
            break;
        }
        check_machine(&machine);
        machine_count++;
    }
    free(line);
    (void)fclose(index);
    assert_true(machine_count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captured_machines),
    };
    const int status = skip_without(index_path);
    return status != 0 ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
