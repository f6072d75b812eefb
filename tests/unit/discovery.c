/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/discovery.h"

#include "numasweep/affinity.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void seed_machine_has_its_siblings_in_one_node(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct topology topology;
    struct id_list siblings = {0};
    assert_int_equal(topology_discover("pack:8 [numa(memory=8GB)] core:8 pu:2(indexes=2*64:1*2)",
                                       &topology, &failure),
                     0);
    assert_int_equal(topology.cpu_count, 128);
    assert_int_equal(topology.node_count, 8);
    for (int cpu = 0; cpu < 64; cpu++) {
        assert_int_equal(topology_smt_siblings(&topology, cpu, &siblings), 0);
        assert_int_equal(siblings.count, 1);
        assert_int_equal(siblings.ids[0], cpu + 64);
        assert_int_equal(topology_find_cpu(&topology, cpu)->node, cpu / 8);
        assert_int_equal(topology_find_cpu(&topology, cpu + 64)->node, cpu / 8);
    }
    id_list_destroy(&siblings);
    topology_destroy(&topology);
}

static void numbers_above_any_fixed_mask_are_kept(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct topology topology;
    assert_int_equal(topology_discover("pack:16 numa:2 core:64 pu:2", &topology, &failure), 0);
    assert_int_equal(topology.cpu_count, 4096);
    assert_int_equal(topology.node_count, 32);
    assert_int_equal(topology_find_cpu(&topology, 4095)->node, 31);
    topology_destroy(&topology);
}

static void refuse(const char *source, const char *expected)
{
    struct failure failure = {0};
    struct topology topology;
    assert_int_equal(topology_discover(source, &topology, &failure), -EINVAL);
    if (strstr(failure.text, expected) == NULL || strstr(failure.text, "--topology") == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", failure.text, expected);
    }
    assert_int_equal(topology.cpu_count, 0);
}

static void what_is_no_topology_is_refused(void **state)
{
    (void)state;
    refuse("no such file", "neither a file nor");
    refuse("pack:", "neither a file nor");
    refuse("", "neither a file nor");
    refuse("/", "directory");
    refuse("/etc/passwd", "not a topology");
    refuse("/proc/self/status", "is empty");
    refuse("/dev/null", "not a topology");
}

static void this_machine_agrees_with_the_kernel(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct topology topology;
    struct id_list mask = {0};
    if (topology_discover("this", &topology, &failure) != 0) {
        fail_msg("%s", failure.text);
    }
    assert_true(topology.is_this_machine);
    assert_int_equal(affinity_get(&mask), 0);
    for (size_t i = 0; i < topology.cpu_count; i++) {
        assert_int_equal(topology.cpus[i].is_in_inherited_mask,
                         id_list_contains(&mask, topology.cpus[i].cpu));
    }
    size_t online = 0;
    for (size_t i = 0; i < topology.cpu_count; i++) {
        online += topology.cpus[i].state != CPU_OFFLINE;
    }
    assert_int_equal(online, sysconf(_SC_NPROCESSORS_ONLN));
    /* Discovery must leave the caller where it was. */
    struct id_list after = {0};
    assert_int_equal(affinity_get(&after), 0);
    assert_true(id_list_equal(&mask, &after));
    id_list_destroy(&after);
    id_list_destroy(&mask);
    topology_destroy(&topology);
}

static void redirected_hwloc_is_not_this_machine(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct topology topology;
    assert_int_equal(setenv("HWLOC_SYNTHETIC", "numa:4 pu:2", 1), 0);
    assert_int_equal(topology_discover("this", &topology, &failure), 0);
    assert_int_equal(unsetenv("HWLOC_SYNTHETIC"), 0);
    assert_false(topology.is_this_machine);
    assert_int_equal(topology.cpu_count, 8);
    topology_destroy(&topology);
}

/* HWLOC_THISSYSTEM asserts it, the kernel knows better. */
static void asserted_machine_must_agree_with_the_kernel(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct topology topology;
    char same[32];
    struct topology here;
    assert_int_equal(topology_discover("this", &here, &failure), 0);
    assert_int_equal(setenv("HWLOC_THISSYSTEM", "1", 1), 0);
    assert_int_equal(setenv("HWLOC_SYNTHETIC", "numa:4 core:500 pu:2", 1), 0);
    assert_int_equal(topology_discover("this", &topology, &failure), 0);
    assert_false(topology.is_this_machine);
    assert_int_equal(topology.cpu_count, 4000);
    topology_destroy(&topology);
    const bool is_plain = here.cpus[here.cpu_count - 1].cpu == (int)here.cpu_count - 1 &&
                          (long)here.cpu_count == sysconf(_SC_NPROCESSORS_ONLN) &&
                          topology_find_node(&here, 0) != NULL;
    if (is_plain) {
        (void)snprintf(same, sizeof same, "pu:%zu", here.cpu_count);
        assert_int_equal(setenv("HWLOC_SYNTHETIC", same, 1), 0);
        assert_int_equal(topology_discover("this", &topology, &failure), 0);
        assert_true(topology.is_this_machine);
        topology_destroy(&topology);
    } else {
        print_message("skipped: a synthetic text cannot describe this machine\n");
    }
    assert_int_equal(unsetenv("HWLOC_SYNTHETIC"), 0);
    assert_int_equal(setenv("HWLOC_THISSYSTEM", "0", 1), 0);
    assert_int_equal(topology_discover("this", &topology, &failure), 0);
    assert_false(topology.is_this_machine);
    assert_int_equal(unsetenv("HWLOC_THISSYSTEM"), 0);
    topology_destroy(&topology);
    topology_destroy(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed_machine_has_its_siblings_in_one_node),
        cmocka_unit_test(numbers_above_any_fixed_mask_are_kept),
        cmocka_unit_test(what_is_no_topology_is_refused),
        cmocka_unit_test(this_machine_agrees_with_the_kernel),
        cmocka_unit_test(redirected_hwloc_is_not_this_machine),
        cmocka_unit_test(asserted_machine_must_agree_with_the_kernel),
    };
    return cmocka_run_group_tests_name("discovery", tests, NULL, NULL);
}
