/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numasweep/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sparse numbers, an offline, a disallowed and a masked-out CPU, one in no node; node 1 lies beside the
 * CPUs of node 0 and has memory only, node 3 has CPUs only, node 5 is not allowed. */
static struct topology_cpu sparse_cpus[] = {
    {.cpu = 0, .package = 0, .core = 0, .l3 = 0, .node = 0, .kind = 1, .is_in_inherited_mask = true},
    {.cpu = 1, .package = 0, .core = 0, .l3 = 0, .node = 0, .kind = 1},
    {.cpu = 4, .package = 0, .core = 1, .l3 = 0, .node = 0, .kind = 0, .is_isolated = true},
    {.cpu = 6, .package = 2, .core = 2, .l3 = 1, .node = 3, .kind = 0, .is_isolated = true},
    {.cpu = 9, .state = CPU_OFFLINE, .package = -1, .core = -1, .l3 = -1, .node = -1, .kind = -1},
    {.cpu = 1030, .state = CPU_DISALLOWED, .package = 2, .core = 3, .l3 = 1, .node = 5, .kind = 0},
};
static struct topology_node sparse_nodes[] = {
    {.node = 0, .memory_bytes = 1 << 20, .is_allowed = true},
    {.node = 1, .memory_bytes = 1 << 20, .is_allowed = true},
    {.node = 3, .memory_bytes = 0, .is_allowed = true},
    {.node = 5, .memory_bytes = -1, .is_allowed = false},
};
static const struct topology sparse = {
    .cpus = sparse_cpus,
    .cpu_count = sizeof sparse_cpus / sizeof *sparse_cpus,
    .nodes = sparse_nodes,
    .node_count = sizeof sparse_nodes / sizeof *sparse_nodes,
};

static struct topology_cpu plain_cpus[] = {
    {.cpu = 0, .node = 0, .kind = TOPOLOGY_NONE},
    {.cpu = 1, .node = 0, .kind = TOPOLOGY_NONE},
};
static struct topology_node plain_nodes[] = {{.node = 0, .memory_bytes = 0}};
static const struct topology plain = {
    .cpus = plain_cpus,
    .cpu_count = 2,
    .nodes = plain_nodes,
    .node_count = 1,
};

static void assert_message(const char *text, const struct failure *failure, const char *part)
{
    if (strstr(failure->text, part) == NULL) {
        fail_msg("\"%s\": the message \"%s\" lacks \"%s\"", text, failure->text, part);
    }
}

static void assert_cpus(const char *text, const char *expected)
{
    struct failure failure = {0};
    struct id_list cpus = {0};
    assert_int_equal(id_list_add(&cpus, 77), 0);
    if (cpu_selection_check(text, &failure) != 0 ||
        cpu_selection_resolve(text, &sparse, &cpus, &failure) != 0) {
        fail_msg("\"%s\": %s", text, failure.text);
    }
    char *const formatted = id_list_format(&cpus);
    assert_string_equal(formatted, expected);
    free(formatted);
    id_list_destroy(&cpus);
}

static void assert_form_refused(const char *text, const char *part)
{
    struct failure failure = {0};
    struct id_list cpus = {0};
    assert_int_equal(cpu_selection_check(text, &failure), -EINVAL);
    assert_message(text, &failure, part);
    assert_int_equal(cpu_selection_check(text, NULL), -EINVAL);
    assert_int_equal(cpu_selection_resolve(text, &sparse, &cpus, NULL), -EINVAL);
    assert_int_equal(cpus.count, 0);
    id_list_destroy(&cpus);
}

static void assert_missing(const char *text, const struct topology *topology, const char *part)
{
    struct failure failure = {0};
    struct id_list cpus = {0};
    assert_int_equal(id_list_add(&cpus, 77), 0);
    assert_int_equal(cpu_selection_check(text, &failure), 0);
    assert_int_equal(cpu_selection_resolve(text, topology, &cpus, &failure), -EINVAL);
    assert_message(text, &failure, part);
    assert_int_equal(cpus.count, 1);
    assert_int_equal(cpu_selection_resolve(text, topology, &cpus, NULL), -EINVAL);
    id_list_destroy(&cpus);
}

static void test_cpus_by_number(void **state)
{
    (void)state;
    assert_cpus("0", "0");
    assert_cpus("0-1,4-6:2,1030", "0-1,4,6,1030");
    assert_cpus("9,9,0", "0,9");
}

static void test_all_and_isolated(void **state)
{
    (void)state;
    assert_cpus("all", "0-1,4,6,9,1030");
    assert_cpus("all:1", "0-1,4,6,9,1030");
    assert_cpus("all:4", "0,9");
    assert_cpus("all:5000", "0");
    assert_cpus("isolated", "4,6");
    assert_cpus("isolated:2", "4");
    assert_cpus("isolated,0", "0,4,6");
}

static void test_cpus_by_object(void **state)
{
    (void)state;
    assert_cpus("node:0", "0-1,4");
    assert_cpus("node:3,0", "0,6");
    assert_cpus("package:2", "6,1030");
    assert_cpus("l3:0", "0-1,4");
    assert_cpus("core:1-3:2", "4,1030");
    assert_cpus("kind:1", "0-1");
    assert_cpus("kind:0-1", "0-1,4,6,1030");
}

static void test_malformed_cpu_texts(void **state)
{
    (void)state;
    assert_form_refused("", "is empty");
    assert_form_refused(",", "empty element");
    assert_form_refused("0,,1", "\"0,,1\" has an empty element");
    assert_form_refused("node:1,", "empty element");
    assert_form_refused("3-1", "reversed");
    assert_form_refused("0:2", "stride without a range");
    assert_form_refused("0-1x", "\"0-1x\"");
    assert_form_refused("-1", "\"-1\" selects no CPUs");
    assert_form_refused(" 0", "\" 0\"");
    assert_form_refused("All", "\"All\"");
    assert_form_refused("alles", "\"alles\"");
    assert_form_refused("al", "\"al\"");
    assert_form_refused("all:", "\"all:\"");
    assert_form_refused("all:0", "stride of zero");
    assert_form_refused("all:-1", "\"all:-1\"");
    assert_form_refused("all:2x", "\"all:2x\"");
    assert_form_refused("all:99999999999999999999", "all:4 (each fourth)");
    assert_form_refused("isolated:x", "\"isolated:x\"");
    assert_form_refused("node", "\"node\"");
    assert_form_refused("node:", "\"node:\"");
    assert_form_refused("node:x", "\"node:x\"");
    assert_form_refused("node:3-1", "reversed");
    assert_form_refused("nodes:1", "\"nodes:1\"");
    assert_form_refused("socket:1", "package:0");
    assert_form_refused(":1", "\":1\"");
}

static void test_cpus_that_do_not_exist(void **state)
{
    (void)state;
    assert_missing("5", &sparse, "CPU 5 does not exist; the machine's CPUs: 0-1,4,6,9,1030");
    assert_missing("0-4", &sparse, "CPUs 2-3 do not exist");
    assert_missing("2-3,7,0,12", &sparse, "CPUs 2-3,7,12 do not exist");
    assert_missing("0,node:2,node:0-1,5", &sparse, "node 2 does not exist");
    assert_missing("node:2,0,node:8", &sparse, "nodes 2,8 do not exist");
    assert_missing("node:2", &sparse, "node 2 does not exist; the machine's nodes: 0,3,5");
    assert_missing("node:1", &sparse, "node 1 has no CPU; the nodes with CPUs are 0,3,5");
    assert_missing("package:1", &sparse, "package 1 does not exist; the machine's packages: 0,2");
    assert_missing("l3:7", &sparse, "L3 caches: 0-1");
    assert_missing("core:4", &sparse, "cores: 0-3");
    assert_missing("kind:0", &plain, "kinds: none");
    assert_missing("isolated", &plain, "no CPU of the machine is isolated");
    assert_missing("0,2", &plain, "CPU 2 does not exist");
}

static void test_node_texts(void **state)
{
    (void)state;
    struct node_selection selection = {0};
    assert_int_equal(node_selection_parse("0-2,5", &selection, NULL), 0);
    assert_int_equal(selection.kind, NODES_LIST);
    assert_int_equal(selection.nodes.count, 4);
    assert_int_equal(node_selection_parse("local", &selection, NULL), 0);
    assert_int_equal(selection.kind, NODES_LOCAL);
    assert_int_equal(selection.nodes.count, 0);
    assert_int_equal(node_selection_parse("none", &selection, NULL), 0);
    assert_int_equal(selection.kind, NODES_NONE);
    assert_int_equal(node_selection_parse("all", &selection, NULL), 0);
    assert_int_equal(selection.kind, NODES_ALL);
    node_selection_destroy(&selection);
    node_selection_destroy(&selection);
}

static void test_malformed_node_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"",       "al",  "ALL", "all,1", "-1",
                                        "node:1", "3-1", "1,",  "x",     "0 "};
    struct node_selection selection = {.kind = NODES_LOCAL};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct failure failure = {0};
        assert_int_equal(node_selection_parse(texts[i], &selection, &failure), -EINVAL);
        assert_message(texts[i], &failure, "\"");
        assert_int_equal(selection.kind, NODES_LOCAL);
    }
}

static void assert_node_refused(const char *text, const struct topology *topology, const char *part)
{
    struct failure failure = {0};
    struct node_selection selection = {0};
    assert_int_equal(node_selection_parse(text, &selection, NULL), 0);
    assert_int_equal(node_selection_check(&selection, topology, &failure), -EINVAL);
    assert_message(text, &failure, part);
    node_selection_destroy(&selection);
}

static void test_nodes_against_a_machine(void **state)
{
    (void)state;
    struct node_selection selection = {0};
    assert_int_equal(node_selection_parse("0-1,5", &selection, NULL), 0);
    assert_int_equal(node_selection_check(&selection, &sparse, NULL), 0);
    assert_int_equal(node_selection_parse("local", &selection, NULL), 0);
    assert_int_equal(node_selection_check(&selection, &plain, NULL), 0);
    node_selection_destroy(&selection);

    assert_node_refused("0-3", &sparse, "node 2 does not exist; the nodes with memory: 0-1,5");
    assert_node_refused("3", &sparse, "node 3 has no memory; the nodes with memory: 0-1,5");
    assert_node_refused("0", &plain, "the nodes with memory: none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpus_by_number),         cmocka_unit_test(test_all_and_isolated),
        cmocka_unit_test(test_cpus_by_object),         cmocka_unit_test(test_malformed_cpu_texts),
        cmocka_unit_test(test_cpus_that_do_not_exist), cmocka_unit_test(test_node_texts),
        cmocka_unit_test(test_malformed_node_texts),   cmocka_unit_test(test_nodes_against_a_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
