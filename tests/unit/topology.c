/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../support/machine.h"

static void assert_list(struct id_list *list, const char *expected)
{
    char *text = id_list_format(list);
    assert_string_equal(text, expected);
    free(text);
    id_list_destroy(list);
}

static void lookups_are_by_kernel_number(void **state)
{
    (void)state;
    struct topology topology;
    struct id_list list = {0};
    machine_build(&topology, (struct machine_shape){2, 1, 2, 2, 4});
    assert_int_equal(topology_find_cpu(&topology, 7)->cpu, 7);
    assert_null(topology_find_cpu(&topology, 8));
    assert_null(topology_find_cpu(&topology, -1));
    assert_int_equal(topology_find_node(&topology, 4)->node, 4);
    assert_null(topology_find_node(&topology, 1));
    assert_int_equal(topology_distance(&topology, 0, 4), 21);
    assert_int_equal(topology_distance(&topology, 0, 1), -1);
    assert_int_equal(topology_smt_siblings(&topology, 1, &list), 0);
    assert_list(&list, "5");
    assert_int_equal(topology_own_nodes(&topology, 7, &list), 0);
    assert_list(&list, "4");
    topology_destroy(&topology);
    topology_destroy(&topology);
}

static void memory_beside_the_same_cpus_is_own_too(void **state)
{
    (void)state;
    struct topology topology;
    struct id_list list = {0};
    machine_build_8(&topology);
    assert_int_equal(machine_add_memory_node(&topology, &topology.nodes[1]), 2);
    assert_int_equal(machine_add_memory_node(&topology, NULL), 3);
    assert_int_equal(topology_own_nodes(&topology, 2, &list), 0);
    assert_list(&list, "1-2");
    assert_true(topology_is_own_node(&topology, 2, 2));
    assert_false(topology_is_own_node(&topology, 0, 2));
    assert_false(topology_is_own_node(&topology, 0, 3));
    assert_false(topology_is_own_node(&topology, 99, 0));
    topology_destroy(&topology);
}

static void memoryless_nodes_are_nobodys_own(void **state)
{
    (void)state;
    struct topology topology;
    struct id_list list = {0};
    machine_build_8(&topology);
    topology.nodes[0].memory_bytes = 0;
    assert_int_equal(topology_own_nodes(&topology, 0, &list), 0);
    assert_list(&list, "");
    assert_int_equal(topology_nearest_node(&topology, 0), 1);
    assert_int_equal(topology_memory_nodes(&topology, &list), 0);
    assert_list(&list, "1");
    /* Of unknown size is not without memory. */
    topology.nodes[0].memory_bytes = -1;
    assert_true(topology_is_own_node(&topology, 0, 0));
    topology_destroy(&topology);
}

static void cpus_in_no_node_have_no_own_and_no_nearest(void **state)
{
    (void)state;
    struct topology topology;
    struct id_list list = {0};
    machine_build_8(&topology);
    topology.cpus[3].node = TOPOLOGY_NONE;
    assert_int_equal(topology_own_nodes(&topology, 3, &list), 0);
    assert_list(&list, "");
    assert_int_equal(topology_nearest_node(&topology, 3), TOPOLOGY_NONE);
    topology_destroy(&topology);
}

static void nearest_is_the_lowest_of_equals_and_needs_distances(void **state)
{
    (void)state;
    struct topology topology;
    machine_build(&topology, (struct machine_shape){3, 1, 1, 1, 1});
    topology.nodes[1].memory_bytes = 0;
    assert_int_equal(topology_nearest_node(&topology, 1), 0);
    free(topology.distances);
    topology.distances = NULL;
    assert_int_equal(topology_nearest_node(&topology, 1), TOPOLOGY_NONE);
    topology_destroy(&topology);
}

static void usable_is_online_and_allowed(void **state)
{
    (void)state;
    struct topology topology;
    struct id_list list = {0};
    machine_build_8(&topology);
    topology.cpus[1].state = CPU_OFFLINE;
    topology.cpus[6].state = CPU_DISALLOWED;
    topology.nodes[1].is_allowed = false;
    assert_int_equal(topology_usable_cpus(&topology, &list), 0);
    assert_list(&list, "0,2-5,7");
    assert_int_equal(topology_memory_nodes(&topology, &list), 0);
    assert_list(&list, "0");
    topology_destroy(&topology);
}

static void fingerprint_is_of_the_shape(void **state)
{
    (void)state;
    struct topology first;
    struct topology second;
    machine_build_8(&first);
    machine_build_8(&second);
    second.cpus[1].state = CPU_OFFLINE;
    second.cpus[1].core = TOPOLOGY_NONE;
    second.cpus[2].is_in_inherited_mask = false;
    second.nodes[0].free_memory_bytes = 1;
    assert_int_equal(topology_set_fingerprint(&first), 0);
    assert_int_equal(topology_set_fingerprint(&second), 0);
    assert_string_equal(first.fingerprint, second.fingerprint);
    second.distances[1]++;
    assert_int_equal(topology_set_fingerprint(&second), 0);
    assert_string_not_equal(first.fingerprint, second.fingerprint);
    topology_destroy(&second);
    machine_build(&second, (struct machine_shape){2, 1, 2, 2, 2});
    assert_int_equal(topology_set_fingerprint(&second), 0);
    assert_string_not_equal(first.fingerprint, second.fingerprint);
    topology_destroy(&second);
    topology_destroy(&first);
}

static void disagreements_are_kept_in_order(void **state)
{
    (void)state;
    struct topology topology = {0};
    assert_int_equal(topology_add_disagreement(&topology, "first %d", 1), 0);
    assert_int_equal(topology_add_disagreement(&topology, "second"), 0);
    assert_int_equal(topology.disagreement_count, 2);
    assert_string_equal(topology.disagreements[0], "first 1");
    topology_destroy(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookups_are_by_kernel_number),
        cmocka_unit_test(memory_beside_the_same_cpus_is_own_too),
        cmocka_unit_test(memoryless_nodes_are_nobodys_own),
        cmocka_unit_test(cpus_in_no_node_have_no_own_and_no_nearest),
        cmocka_unit_test(nearest_is_the_lowest_of_equals_and_needs_distances),
        cmocka_unit_test(usable_is_online_and_allowed),
        cmocka_unit_test(fingerprint_is_of_the_shape),
        cmocka_unit_test(disagreements_are_kept_in_order),
    };
    return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
