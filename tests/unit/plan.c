/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/machine.h"
#include "numasweep/plan.h"

#include <errno.h>
#include <string.h>

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct fixture {
    struct topology topology;
    struct options options;
    struct plan plan;
    struct failure failure;
};

static int make(struct fixture *fixture, const char *const *words)
{
    plan_destroy(&fixture->plan);
    options_destroy(&fixture->options);
    fixture->failure = (struct failure){0};
    machine_set_options(&fixture->options, words);
    return plan_create(&fixture->options, &fixture->topology, &fixture->plan, &fixture->failure);
}

static void plan_it(struct fixture *fixture, const char *const *words)
{
    if (make(fixture, words) != 0) {
        fail_msg("%s", fixture->failure.text);
    }
}

static void assert_refused(struct fixture *fixture, const char *const *words, const char *expected)
{
    assert_int_equal(make(fixture, words), -EINVAL);
    if (strstr(fixture->failure.text, expected) == NULL) {
        fail_msg("\"%s\" lacks \"%s\"", fixture->failure.text, expected);
    }
    assert_null(fixture->plan.rows);
    assert_int_equal(fixture->plan.row_count, 0);
}

static void destroy(struct fixture *fixture)
{
    plan_destroy(&fixture->plan);
    options_destroy(&fixture->options);
    topology_destroy(&fixture->topology);
}

static const struct plan_row *row_of(const struct fixture *fixture, int cpu)
{
    size_t i = 0;
    while (i < fixture->plan.row_count && fixture->plan.rows[i].cpu != cpu) {
        i++;
    }
    assert_true(i < fixture->plan.row_count);
    return &fixture->plan.rows[i];
}

static size_t cells_of(const struct fixture *fixture, int cpu, size_t *local_count)
{
    size_t count = 0;
    *local_count = 0;
    for (size_t i = 0; i < fixture->plan.cell_count; i++) {
        const struct plan_cell *cell = &fixture->plan.cells[i];
        if (fixture->plan.rows[cell->row].cpu == cpu) {
            count++;
            *local_count += cell->is_local;
        }
    }
    return count;
}

static void assert_cells(const struct fixture *fixture, int cpu, size_t count, size_t local_count)
{
    size_t locals = 0;
    assert_int_equal(cells_of(fixture, cpu, &locals), count);
    assert_int_equal(locals, local_count);
}

static bool is_local(const struct fixture *fixture, int cpu, int node)
{
    for (size_t i = 0; i < fixture->plan.cell_count; i++) {
        const struct plan_cell *cell = &fixture->plan.cells[i];
        if (fixture->plan.rows[cell->row].cpu == cpu &&
            fixture->plan.columns[cell->column].node == node) {
            return cell->is_local;
        }
    }
    fail_msg("no cell for CPU %d and node %d", cpu, node);
    return false;
}

static void assert_row(const struct fixture *fixture, int cpu, enum row_state state, bool is_asked_for,
                       const char *reason)
{
    const struct plan_row *row = row_of(fixture, cpu);
    assert_int_equal(row->state, state);
    assert_int_equal(row->is_asked_for, is_asked_for);
    if (strstr(row->reason, reason) == NULL) {
        fail_msg("\"%s\" lacks \"%s\"", row->reason, reason);
    }
    assert_int_equal(row->reason[0] == '\0', state == ROW_PLANNED);
}

/* Every CPU of the machine stands in exactly one row, rows ascend, and cells only name planned rows and
 * allowed columns, each once. */
static void assert_is_sound(const struct fixture *fixture)
{
    const struct plan *plan = &fixture->plan;
    size_t cpu_count = 0;
    for (size_t i = 0; i < plan->row_count; i++) {
        const struct plan_row *row = &plan->rows[i];
        assert_true(i == 0 || plan->rows[i - 1].cpu < row->cpu);
        cpu_count += row->cpus.count > 0 ? row->cpus.count : 1;
        assert_true(row->cpus.count == 0 || row->cpus.ids[0] == row->cpu);
    }
    assert_int_equal(cpu_count, fixture->topology.cpu_count);
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        assert_int_equal(plan->rows[cell->row].state, ROW_PLANNED);
        assert_true(plan->columns[cell->column].is_allowed);
        const struct plan_cell *before = i > 0 ? &plan->cells[i - 1] : NULL;
        assert_true(
            before == NULL || before->arm != cell->arm || before->timeout < cell->timeout ||
            (before->timeout == cell->timeout &&
             (before->row < cell->row || (before->row == cell->row && before->column < cell->column))));
    }
}

static void test_symmetric_machine(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    plan_it(&fixture, WORDS("seed", "7", "rounds", "3"));
    assert_is_sound(&fixture);
    assert_int_equal(fixture.plan.row_count, 128);
    assert_int_equal(fixture.plan.column_count, 8);
    assert_int_equal(fixture.plan.cell_count, 1024);
    assert_int_equal(fixture.plan.measured_cpus.count, 128);
    assert_int_equal(fixture.plan.round_count, 3);
    assert_int_equal(fixture.plan.seed, 7);
    assert_string_equal(fixture.plan.rows[17].label, "17");
    assert_string_equal(fixture.plan.columns[3].label, "node 3");
    for (int cpu = 0; cpu < 128; cpu++) {
        assert_row(&fixture, cpu, ROW_PLANNED, true, "");
        for (int node = 0; node < 8; node++) {
            assert_int_equal(is_local(&fixture, cpu, node), node == cpu % 64 / 8);
        }
    }
    destroy(&fixture);
}

static void test_arm_and_timeouts(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    plan_it(&fixture, WORDS("timeout", "1ms,2ms,10us", "samples", "9", "warmup", "4", "dither", "10",
                            "touch", "32", "clock", "raw"));
    assert_is_sound(&fixture);
    assert_int_equal(fixture.plan.cell_count, 3 * 8 * 2);
    assert_int_equal(fixture.plan.timeouts_ns[1], 2000000);
    assert_int_equal(fixture.plan.cells[16].timeout, 1);
    assert_int_equal(fixture.plan.arm_count, 1);
    const struct plan_arm *arm = &fixture.plan.arms[0];
    assert_string_equal(arm->name, "default");
    assert_string_equal(arm->kernel, "pselect");
    assert_string_equal(arm->load, "none");
    assert_int_equal(arm->sample_count, 9);
    assert_int_equal(arm->warmup_count, 4);
    assert_int_equal(arm->dither_percent, 10);
    assert_int_equal(arm->touch_lines, 32);
    assert_int_equal(arm->clock, SAMPLE_CLOCK_RAW);
    assert_int_equal(arm->policy, POLICY_AUTO);
    assert_false(arm->policy_is_required);
    destroy(&fixture);
}

static void test_policy_asked_for_is_required(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    plan_it(&fixture, WORDS("policy", "fifo"));
    assert_true(fixture.plan.arms[0].policy_is_required);
    plan_it(&fixture, WORDS("policy", "auto"));
    assert_false(fixture.plan.arms[0].policy_is_required);
    plan_it(&fixture, WORDS("priority", "80"));
    assert_true(fixture.plan.arms[0].policy_is_required);
    assert_int_equal(fixture.plan.arms[0].priority, 80);
    destroy(&fixture);
}

static void test_cpus_left_out_by_default_are_listed(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    fixture.topology.cpus[1].state = CPU_OFFLINE;
    fixture.topology.cpus[1].is_in_inherited_mask = false;
    fixture.topology.cpus[2].state = CPU_DISALLOWED;
    fixture.topology.cpus[3].is_in_inherited_mask = false;
    plan_it(&fixture, WORDS("nodes", "all"));
    assert_is_sound(&fixture);
    assert_row(&fixture, 1, ROW_OFFLINE, false, "offline");
    assert_row(&fixture, 2, ROW_DISALLOWED, false, "cpuset");
    assert_row(&fixture, 3, ROW_NOT_IN_MASK, false, "--cpus");
    assert_int_equal(fixture.plan.cell_count, 5 * 2);
    assert_int_equal(fixture.plan.measured_cpus.count, 5);
    assert_false(id_list_contains(&fixture.plan.measured_cpus, 3));
    destroy(&fixture);
}

static void test_explicit_list_reaches_beyond_the_mask(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    fixture.topology.cpus[1].state = CPU_OFFLINE;
    fixture.topology.cpus[2].state = CPU_DISALLOWED;
    fixture.topology.cpus[3].is_in_inherited_mask = false;
    plan_it(&fixture, WORDS("cpus", "1-4"));
    assert_is_sound(&fixture);
    assert_row(&fixture, 0, ROW_NOT_SELECTED, false, "--cpus");
    assert_row(&fixture, 1, ROW_OFFLINE, true, "offline");
    assert_row(&fixture, 2, ROW_DISALLOWED, true, "cpuset");
    assert_row(&fixture, 3, ROW_PLANNED, true, "");
    assert_row(&fixture, 4, ROW_PLANNED, true, "");
    assert_int_equal(fixture.plan.cell_count, 2 * 2);
    plan_it(&fixture, WORDS("cpus", "all"));
    assert_row(&fixture, 1, ROW_OFFLINE, true, "offline");
    assert_int_equal(fixture.plan.cell_count, 6 * 2);
    destroy(&fixture);
}

static void test_absent_numbers_are_refused(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    fixture.topology.nodes[1].memory_bytes = 0;
    fixture.topology.cpus[5].state = CPU_OFFLINE;
    assert_refused(&fixture, WORDS("cpus", "0,8"), "8");
    assert_refused(&fixture, WORDS("cpus", "node:7"), "7");
    assert_refused(&fixture, WORDS("nodes", "0,2"), "2");
    assert_refused(&fixture, WORDS("nodes", "1"), "1");
    assert_refused(&fixture, WORDS("coordinator", "99"), "no CPU 99");
    assert_refused(&fixture, WORDS("coordinator", "5"), "CPU 5 is offline");
    destroy(&fixture);
}

static void test_nothing_left_is_no_error(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    for (size_t i = 0; i < 8; i++) {
        fixture.topology.cpus[i].state = CPU_OFFLINE;
    }
    static const char *const levels[] = {"pu", "core", "node", "machine"};
    for (size_t i = 0; i < 4; i++) {
        plan_it(&fixture, WORDS("by", levels[i], "concurrent", "all"));
        assert_is_sound(&fixture);
        assert_int_equal(fixture.plan.cell_count, 0);
        assert_int_equal(fixture.plan.row_count, 8);
    }
    destroy(&fixture);
}

static void test_sparse_nodes(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build(&fixture.topology, (struct machine_shape){.packages = 2,
                                                            .nodes_per_package = 1,
                                                            .cores_per_node = 2,
                                                            .threads_per_core = 1,
                                                            .node_stride = 8});
    plan_it(&fixture, WORDS("nodes", "all"));
    assert_int_equal(fixture.plan.columns[0].node, 0);
    assert_int_equal(fixture.plan.columns[1].node, 8);
    assert_string_equal(fixture.plan.columns[1].label, "node 8");
    assert_true(is_local(&fixture, 2, 8));
    assert_false(is_local(&fixture, 2, 0));
    destroy(&fixture);
}

static void test_memoryless_node_has_no_column(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    fixture.topology.nodes[2].memory_bytes = 0;
    plan_it(&fixture, WORDS("nodes", "all"));
    assert_int_equal(fixture.plan.column_count, 7);
    assert_cells(&fixture, 16, 7, 0);
    assert_cells(&fixture, 0, 7, 1);
    plan_it(&fixture, WORDS("nodes", "local"));
    assert_is_sound(&fixture);
    assert_int_equal(fixture.plan.column_count, 7);
    assert_row(&fixture, 16, ROW_NO_LOCAL_NODE, false, "the nearest is node 1");
    assert_cells(&fixture, 16, 0, 0);
    assert_cells(&fixture, 0, 1, 1);
    assert_false(id_list_contains(&fixture.plan.measured_cpus, 16));
    plan_it(&fixture, WORDS("nodes", "local", "cpus", "0,16"));
    assert_row(&fixture, 16, ROW_NO_LOCAL_NODE, true, "nearest");
    destroy(&fixture);
}

static void test_memory_only_nodes(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    const int beside = machine_add_memory_node(&fixture.topology, &fixture.topology.nodes[0]);
    const int alone = machine_add_memory_node(&fixture.topology, NULL);
    plan_it(&fixture, WORDS("nodes", "all"));
    assert_int_equal(fixture.plan.column_count, 4);
    assert_true(is_local(&fixture, 0, 0));
    assert_true(is_local(&fixture, 0, beside));
    assert_false(is_local(&fixture, 0, alone));
    assert_false(is_local(&fixture, 2, beside));
    plan_it(&fixture, WORDS("nodes", "local"));
    assert_int_equal(fixture.plan.column_count, 3);
    assert_cells(&fixture, 0, 2, 2);
    assert_cells(&fixture, 2, 1, 1);
    destroy(&fixture);
}

static void test_cpu_in_no_node_does_not_vanish(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    fixture.topology.cpus[3].node = TOPOLOGY_NONE;
    assert_int_equal(fixture.topology.nodes[1].cpus.ids[1], 3);
    plan_it(&fixture, WORDS("nodes", "all"));
    assert_cells(&fixture, 3, 2, 0);
    plan_it(&fixture, WORDS("by", "node"));
    assert_is_sound(&fixture);
    const struct plan_row *row = row_of(&fixture, 3);
    assert_string_equal(row->label, "no node");
    assert_int_equal(row->id, TOPOLOGY_NONE);
    assert_int_equal(row->cpus.count, 1);
    assert_cells(&fixture, 3, 2, 0);
    plan_it(&fixture, WORDS("nodes", "local"));
    assert_row(&fixture, 3, ROW_NO_LOCAL_NODE, false, "no memory node of its own");
    destroy(&fixture);
}

static void test_node_outside_the_cpuset(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    fixture.topology.nodes[1].is_allowed = false;
    plan_it(&fixture, WORDS("seed", "1"));
    assert_is_sound(&fixture);
    assert_int_equal(fixture.plan.column_count, 2);
    assert_false(fixture.plan.columns[1].is_allowed);
    assert_false(fixture.plan.columns[1].is_asked_for);
    assert_int_equal(fixture.plan.cell_count, 8);
    plan_it(&fixture, WORDS("nodes", "0,1"));
    assert_true(fixture.plan.columns[1].is_asked_for);
    plan_it(&fixture, WORDS("nodes", "local"));
    assert_row(&fixture, 2, ROW_NO_LOCAL_NODE, false, "its own node 1 is not allowed");
    assert_cells(&fixture, 0, 1, 1);
    destroy(&fixture);
}

static void test_node_list_and_no_binding(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    plan_it(&fixture, WORDS("nodes", "5,1"));
    assert_int_equal(fixture.plan.column_count, 2);
    assert_int_equal(fixture.plan.columns[0].node, 1);
    assert_int_equal(fixture.plan.columns[1].node, 5);
    assert_cells(&fixture, 40, 2, 1);
    plan_it(&fixture, WORDS("nodes", "none"));
    assert_int_equal(fixture.plan.column_count, 1);
    assert_int_equal(fixture.plan.columns[0].node, TOPOLOGY_NONE);
    assert_string_equal(fixture.plan.columns[0].label, "not bound");
    assert_cells(&fixture, 40, 1, 0);
    destroy(&fixture);
}

static void test_machine_without_numa(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build(&fixture.topology, (struct machine_shape){.packages = 1,
                                                            .nodes_per_package = 1,
                                                            .cores_per_node = 4,
                                                            .threads_per_core = 1,
                                                            .node_stride = 1});
    fixture.topology.has_numa = false;
    for (size_t i = 0; i < 4; i++) {
        fixture.topology.cpus[i].node = TOPOLOGY_NONE;
    }
    static const char *const selections[] = {"all", "local", "0"};
    for (size_t i = 0; i < 3; i++) {
        plan_it(&fixture, WORDS("nodes", selections[i]));
        assert_int_equal(fixture.plan.column_count, 1);
        assert_cells(&fixture, 3, 1, 1);
    }
    destroy(&fixture);
}

static void assert_level(struct fixture *fixture, const char *level, size_t row_count, int cpu,
                         const char *label, size_t cpus_in_row, size_t local_count)
{
    plan_it(fixture, WORDS("by", level));
    assert_is_sound(fixture);
    assert_int_equal(fixture->plan.row_count, row_count);
    assert_int_equal(fixture->plan.measured_cpus.count, 128);
    assert_string_equal(row_of(fixture, cpu)->label, label);
    assert_int_equal(row_of(fixture, cpu)->cpus.count, cpus_in_row);
    assert_cells(fixture, cpu, 8, local_count);
}

static void test_levels(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    assert_level(&fixture, "pu", 128, 17, "17", 1, 1);
    assert_level(&fixture, "core", 64, 17, "core 17", 2, 1);
    assert_level(&fixture, "l3", 8, 16, "L3 2", 16, 1);
    assert_level(&fixture, "node", 8, 16, "node 2", 16, 1);
    assert_level(&fixture, "package", 4, 16, "package 1", 32, 2);
    assert_level(&fixture, "machine", 1, 0, "machine", 128, 8);
    destroy(&fixture);
}

static void test_wider_rows_hold_what_is_usable(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    fixture.topology.cpus[0].state = CPU_OFFLINE;
    for (size_t i = 2; i < 4; i++) {
        fixture.topology.cpus[i].l3 = TOPOLOGY_NONE;
    }
    plan_it(&fixture, WORDS("by", "package"));
    assert_is_sound(&fixture);
    assert_row(&fixture, 0, ROW_OFFLINE, false, "offline");
    assert_int_equal(row_of(&fixture, 0)->level, ROW_PU);
    assert_string_equal(row_of(&fixture, 0)->label, "CPU 0");
    assert_string_equal(row_of(&fixture, 1)->label, "package 0");
    assert_int_equal(row_of(&fixture, 1)->cpus.count, 3);
    plan_it(&fixture, WORDS("by", "l3"));
    assert_is_sound(&fixture);
    assert_string_equal(row_of(&fixture, 2)->label, "no L3");
    assert_int_equal(row_of(&fixture, 2)->cpus.count, 2);
    plan_it(&fixture, WORDS("by", "node", "cpus", "1-3"));
    assert_is_sound(&fixture);
    assert_int_equal(row_of(&fixture, 1)->cpus.count, 1);
    assert_row(&fixture, 4, ROW_NOT_SELECTED, false, "--cpus");
    assert_int_equal(fixture.plan.measured_cpus.count, 3);
    plan_it(&fixture, WORDS("by", "node", "cpus", "0-3"));
    assert_row(&fixture, 0, ROW_OFFLINE, true, "offline");
    destroy(&fixture);
}

static void test_unpinned_row_follows_the_mask(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    fixture.topology.cpus[7].is_in_inherited_mask = false;
    plan_it(&fixture, WORDS("by", "machine", "cpus", "all"));
    assert_is_sound(&fixture);
    assert_int_equal(row_of(&fixture, 0)->cpus.count, 7);
    assert_row(&fixture, 7, ROW_NOT_IN_MASK, true, "mask");
    assert_refused(&fixture, WORDS("by", "machine", "cpus", "0-5"), "CPU 6");
    destroy(&fixture);
}

static void test_destroy_accepts_a_zeroed_plan(void **state)
{
    (void)state;
    struct plan plan = {0};
    plan_destroy(&plan);
    plan_destroy(&plan);
    assert_string_equal(row_state_name(ROW_NO_LOCAL_NODE), "no local node");
    assert_string_equal(row_state_name(ROW_NOT_IN_MASK), "not in the inherited mask");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric_machine),
        cmocka_unit_test(test_arm_and_timeouts),
        cmocka_unit_test(test_policy_asked_for_is_required),
        cmocka_unit_test(test_cpus_left_out_by_default_are_listed),
        cmocka_unit_test(test_explicit_list_reaches_beyond_the_mask),
        cmocka_unit_test(test_absent_numbers_are_refused),
        cmocka_unit_test(test_nothing_left_is_no_error),
        cmocka_unit_test(test_sparse_nodes),
        cmocka_unit_test(test_memoryless_node_has_no_column),
        cmocka_unit_test(test_memory_only_nodes),
        cmocka_unit_test(test_cpu_in_no_node_does_not_vanish),
        cmocka_unit_test(test_node_outside_the_cpuset),
        cmocka_unit_test(test_node_list_and_no_binding),
        cmocka_unit_test(test_machine_without_numa),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_wider_rows_hold_what_is_usable),
        cmocka_unit_test(test_unpinned_row_follows_the_mask),
        cmocka_unit_test(test_destroy_accepts_a_zeroed_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
