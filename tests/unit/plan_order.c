/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/machine.h"
#include "numasweep/plan.h"

#include <string.h>

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct fixture {
    struct topology topology;
    struct options options;
    struct plan plan;
};

static void plan_it(struct fixture *fixture, const char *const *words)
{
    struct failure failure = {0};
    plan_destroy(&fixture->plan);
    options_destroy(&fixture->options);
    machine_set_options(&fixture->options, words);
    if (plan_create(&fixture->options, &fixture->topology, &fixture->plan, &failure) != 0) {
        fail_msg("%s", failure.text);
    }
}

static void destroy(struct fixture *fixture)
{
    plan_destroy(&fixture->plan);
    options_destroy(&fixture->options);
    topology_destroy(&fixture->topology);
}

static size_t *order_of(const struct plan *plan, int64_t round)
{
    size_t *order = calloc(plan->cell_count + 1, sizeof *order);
    assert_non_null(order);
    assert_int_equal(plan_round_order(plan, round, order), 0);
    return order;
}

static void assert_is_permutation(const struct plan *plan, const size_t *order)
{
    bool *is_seen = calloc(plan->cell_count + 1, sizeof *is_seen);
    assert_non_null(is_seen);
    for (size_t i = 0; i < plan->cell_count; i++) {
        assert_true(order[i] < plan->cell_count);
        assert_false(is_seen[order[i]]);
        is_seen[order[i]] = true;
    }
    free(is_seen);
}

static bool is_equal(const struct plan *plan, const size_t *a, const size_t *b)
{
    return memcmp(a, b, plan->cell_count * sizeof *a) == 0;
}

static void test_each_round_visits_each_cell_once_in_an_order_of_its_own(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    plan_it(&fixture, WORDS("seed", "42"));
    size_t *before = NULL;
    for (int64_t round = 0; round < 10; round++) {
        size_t *order = order_of(&fixture.plan, round);
        assert_is_permutation(&fixture.plan, order);
        assert_true(before == NULL || !is_equal(&fixture.plan, before, order));
        free(before);
        before = order;
    }
    free(before);
    destroy(&fixture);
}

static void test_order_follows_from_the_seed_alone(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    plan_it(&fixture, WORDS("seed", "42"));
    size_t *first = order_of(&fixture.plan, 3);
    size_t *again = order_of(&fixture.plan, 3);
    assert_true(is_equal(&fixture.plan, first, again));
    free(again);
    plan_it(&fixture, WORDS("seed", "42", "samples", "99", "touch", "1"));
    again = order_of(&fixture.plan, 3);
    assert_true(is_equal(&fixture.plan, first, again));
    free(again);
    plan_it(&fixture, WORDS("seed", "43"));
    again = order_of(&fixture.plan, 3);
    assert_false(is_equal(&fixture.plan, first, again));
    free(again);
    free(first);
    destroy(&fixture);
}

static int domain_of(enum concurrency concurrent, const struct topology_cpu *cpu)
{
    switch (concurrent) {
    case CONCURRENT_PACKAGE:
        return cpu->package;
    case CONCURRENT_NODE:
        return cpu->node;
    case CONCURRENT_L3:
        return cpu->l3;
    case CONCURRENT_CORE:
        return cpu->core;
    case CONCURRENT_ALL:
        return cpu->cpu;
    case CONCURRENT_ONE:
        break;
    }
    return 0;
}

/* Whether two rows may not be measured at the same time, worked out anew from their CPUs. */
static bool rows_clash(const struct fixture *fixture, size_t a, size_t b)
{
    const struct id_list *first = &fixture->plan.rows[a].cpus;
    const struct id_list *second = &fixture->plan.rows[b].cpus;
    for (size_t i = 0; i < first->count; i++) {
        const struct topology_cpu *cpu = topology_find_cpu(&fixture->topology, first->ids[i]);
        const int domain = domain_of(fixture->plan.concurrent, cpu);
        for (size_t k = 0; k < second->count; k++) {
            const struct topology_cpu *other = topology_find_cpu(&fixture->topology, second->ids[k]);
            if (cpu == other || domain == domain_of(fixture->plan.concurrent, other)) {
                return true;
            }
        }
    }
    return false;
}

static void assert_batch_has_no_clash(const struct fixture *fixture, const size_t *batch, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        for (size_t k = i + 1; k < size; k++) {
            assert_false(rows_clash(fixture, fixture->plan.cells[batch[i]].row,
                                    fixture->plan.cells[batch[k]].row));
        }
    }
}

/* A cell that is left for later must clash with one of the batch: nothing could have been added. */
static void assert_batch_is_full(const struct fixture *fixture, const size_t *batch, size_t size,
                                 const size_t *rest, size_t rest_count)
{
    for (size_t i = 0; i < rest_count; i++) {
        bool clashes = false;
        for (size_t k = 0; k < size && !clashes; k++) {
            clashes = rows_clash(fixture, fixture->plan.cells[rest[i]].row,
                                 fixture->plan.cells[batch[k]].row);
        }
        assert_true(clashes);
    }
}

static size_t cut_round(const struct fixture *fixture, size_t *order)
{
    const struct plan *plan = &fixture->plan;
    size_t batches = 0;
    size_t start = 0;
    while (start < plan->cell_count) {
        const size_t size = plan_next_batch(plan, &fixture->topology, order, plan->cell_count, start);
        assert_true(size >= 1 && start + size <= plan->cell_count);
        if (plan->concurrent == CONCURRENT_ONE) {
            assert_int_equal(size, 1);
        } else {
            assert_batch_has_no_clash(fixture, order + start, size);
            assert_batch_is_full(fixture, order + start, size, order + start + size,
                                 plan->cell_count - start - size);
        }
        start += size;
        batches++;
    }
    assert_is_permutation(plan, order);
    assert_int_equal(plan_next_batch(plan, &fixture->topology, order, start, start), 0);
    return batches;
}

static void assert_batches(struct fixture *fixture, const char *by, const char *concurrent,
                           size_t expected)
{
    plan_it(fixture, WORDS("seed", "5", "by", by, "concurrent", concurrent));
    size_t *order = order_of(&fixture->plan, 1);
    assert_int_equal(cut_round(fixture, order), expected);
    free(order);
}

/* On a symmetric machine a greedy cut takes one cell of each domain in each batch. */
static void test_batches_of_a_symmetric_machine(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    assert_batches(&fixture, "pu", "one", 1024);
    assert_batches(&fixture, "pu", "package", 256);
    assert_batches(&fixture, "pu", "node", 128);
    assert_batches(&fixture, "pu", "l3", 128);
    assert_batches(&fixture, "pu", "core", 16);
    assert_batches(&fixture, "pu", "all", 8);
    assert_batches(&fixture, "core", "node", 64);
    assert_batches(&fixture, "node", "package", 16);
    assert_batches(&fixture, "package", "core", 8);
    assert_batches(&fixture, "package", "all", 8);
    assert_batches(&fixture, "machine", "all", 8);
    assert_batches(&fixture, "machine", "core", 8);
    destroy(&fixture);
}

static void test_cpus_without_a_domain_share_one(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    for (size_t i = 0; i < 8; i++) {
        fixture.topology.cpus[i].l3 = i % 2 == 0 ? TOPOLOGY_NONE : 7;
    }
    assert_batches(&fixture, "pu", "l3", 8);
    destroy(&fixture);
}

static void test_unequal_domains(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    plan_it(&fixture, WORDS("seed", "5", "cpus", "0-2,8-63", "concurrent", "package", "nodes", "0-1"));
    size_t *order = order_of(&fixture.plan, 0);
    /* Packages 1 to 3 hold 16 CPUs of the list each. */
    assert_int_equal(cut_round(&fixture, order), 32);
    free(order);
    destroy(&fixture);
}

/* The counts that are kept from batch to batch must not show in what is cut. */
static void test_batches_do_not_depend_on_earlier_calls(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    plan_it(&fixture, WORDS("seed", "5", "concurrent", "node"));
    const size_t count = fixture.plan.cell_count;
    size_t *kept = order_of(&fixture.plan, 0);
    size_t *fresh = order_of(&fixture.plan, 0);
    size_t *other = order_of(&fixture.plan, 1);
    for (size_t start = 0; start < count;) {
        const size_t size = plan_next_batch(&fixture.plan, &fixture.topology, kept, count, start);
        if (start % 3 == 0) {
            (void)plan_next_batch(&fixture.plan, &fixture.topology, other, count, start / 2);
        }
        assert_int_equal(plan_next_batch(&fixture.plan, &fixture.topology, fresh, count, start), size);
        assert_true(is_equal(&fixture.plan, kept, fresh));
        start += size;
    }
    free(kept);
    free(fresh);
    free(other);
    destroy(&fixture);
}

static void test_several_timeouts_of_a_cell_never_meet(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_8(&fixture.topology);
    plan_it(&fixture, WORDS("seed", "5", "concurrent", "all", "timeout", "1ms,2ms"));
    size_t *order = order_of(&fixture.plan, 0);
    assert_int_equal(cut_round(&fixture, order), 4);
    free(order);
    destroy(&fixture);
}

static void test_large_machine_is_covered(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build(&fixture.topology, (struct machine_shape){.packages = 16,
                                                            .nodes_per_package = 2,
                                                            .cores_per_node = 64,
                                                            .threads_per_core = 2,
                                                            .node_stride = 1});
    static const char *const concurrent[] = {"package", "core", "all"};
    for (size_t i = 0; i < 3; i++) {
        plan_it(&fixture, WORDS("seed", "5", "concurrent", concurrent[i]));
        const size_t count = fixture.plan.cell_count;
        assert_int_equal(count, 131072);
        size_t *order = order_of(&fixture.plan, 0);
        size_t start = 0;
        while (start < count) {
            start += plan_next_batch(&fixture.plan, &fixture.topology, order, count, start);
        }
        assert_int_equal(start, count);
        assert_is_permutation(&fixture.plan, order);
        free(order);
    }
    destroy(&fixture);
}

static void test_visit_duration(void **state)
{
    (void)state;
    const int64_t timeout_ns = 1000000;
    struct plan_arm arm = {.sample_count = 25, .warmup_count = 2};
    const int64_t plain_ns = plan_visit_duration_ns(&arm, timeout_ns);
    assert_true(plain_ns > 27 * timeout_ns);
    assert_true(plain_ns < 33 * timeout_ns);
    arm.dither_percent = 50;
    assert_int_equal(plan_visit_duration_ns(&arm, timeout_ns), plain_ns + timeout_ns / 2);
    arm.dither_percent = 0;
    arm.touch_lines = 64;
    const int64_t touched_ns = plan_visit_duration_ns(&arm, timeout_ns);
    assert_true(touched_ns > plain_ns && touched_ns < plain_ns + 2 * timeout_ns);
    arm.sample_count = INT64_MAX / 2;
    assert_int_equal(plan_visit_duration_ns(&arm, timeout_ns), INT64_MAX);
}

static int64_t duration_of(struct fixture *fixture, const char *const *words)
{
    int64_t duration_ns = -1;
    plan_it(fixture, words);
    assert_int_equal(plan_duration_ns(&fixture->plan, &fixture->topology, &duration_ns), 0);
    return duration_ns;
}

static void test_duration(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    machine_build_128(&fixture.topology);
    const int64_t one_ns = duration_of(&fixture, WORDS("rounds", "3", "seed", "1"));
    const int64_t visit_ns = plan_visit_duration_ns(&fixture.plan.arms[0], 1000000);
    assert_int_equal(one_ns, INT64_C(3072) * visit_ns);
    assert_int_equal(duration_of(&fixture, WORDS("rounds", "3", "concurrent", "node")), one_ns / 8);
    assert_int_equal(duration_of(&fixture, WORDS("rounds", "3", "concurrent", "all")), one_ns / 128);
    const int64_t both_ns = duration_of(&fixture, WORDS("rounds", "1", "timeout", "1ms,3ms"));
    assert_int_equal(both_ns,
                     1024 * (visit_ns + plan_visit_duration_ns(&fixture.plan.arms[0], 3000000)));
    for (size_t i = 0; i < fixture.topology.cpu_count; i++) {
        fixture.topology.cpus[i].state = CPU_OFFLINE;
    }
    assert_int_equal(duration_of(&fixture, WORDS("rounds", "3")), 0);
    destroy(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_round_visits_each_cell_once_in_an_order_of_its_own),
        cmocka_unit_test(test_order_follows_from_the_seed_alone),
        cmocka_unit_test(test_batches_of_a_symmetric_machine),
        cmocka_unit_test(test_cpus_without_a_domain_share_one),
        cmocka_unit_test(test_unequal_domains),
        cmocka_unit_test(test_batches_do_not_depend_on_earlier_calls),
        cmocka_unit_test(test_several_timeouts_of_a_cell_never_meet),
        cmocka_unit_test(test_large_machine_is_covered),
        cmocka_unit_test(test_visit_duration),
        cmocka_unit_test(test_duration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
