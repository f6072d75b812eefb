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

enum { MOST_FIELDS = 64, LINE_SIZE = 4096 };

static void assert_ids(const struct id_list *list, const char *expected, const char *what)
{
    char *text = id_list_format(list);
    assert_non_null(text);
    if (strcmp(text, strcmp(expected, "-") == 0 ? "" : expected) != 0) {
        fail_msg("%s: \"%s\", but the index says \"%s\"", what, text, expected);
    }
    free(text);
}

static void assert_count(size_t count, const char *expected, const char *what)
{
    if (count != strtoul(expected, NULL, 10)) {
        fail_msg("%s: %zu, but the index says %s", what, count, expected);
    }
}

struct table_line {
    char text[LINE_SIZE];
    char *fields[MOST_FIELDS];
    size_t count;
};

static void split(struct table_line *line)
{
    char *rest = line->text;
    char *field = NULL;
    line->text[strcspn(line->text, "\n")] = '\0';
    line->count = 0;
    while (line->count < MOST_FIELDS && (field = strsep(&rest, "\t")) != NULL) {
        line->fields[line->count++] = field;
    }
}

static const char *field_of(const struct table_line *heading, const struct table_line *line,
                            const char *name)
{
    for (size_t i = 0; i < heading->count && i < line->count; i++) {
        if (strcmp(heading->fields[i], name) == 0) {
            return line->fields[i];
        }
    }
    fail_msg("the index has no column %s", name);
    return "";
}

static void collect_cpus(const struct topology *topology, enum cpu_state state, struct id_list *cpus)
{
    for (size_t i = 0; i < topology->cpu_count; i++) {
        if (topology->cpus[i].state == state) {
            assert_int_equal(id_list_add(cpus, topology->cpus[i].cpu), 0);
        }
    }
}

static void check_cpus(const struct topology *topology, const struct table_line *heading,
                       const struct table_line *line, const char *id)
{
    static const struct {
        enum cpu_state state;
        const char *column;
    } lists[] = {{CPU_OFFLINE, "offline_pus"}, {CPU_DISALLOWED, "disallowed_pus"}};
    char what[64];
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct id_list cpus = {0};
        collect_cpus(topology, lists[i].state, &cpus);
        (void)snprintf(what, sizeof what, "%s %s", id, lists[i].column);
        assert_ids(&cpus, field_of(heading, line, lists[i].column), what);
        id_list_destroy(&cpus);
    }
    struct id_list usable = {0};
    assert_int_equal(topology_usable_cpus(topology, &usable), 0);
    (void)snprintf(what, sizeof what, "%s pus", id);
    assert_count(usable.count, field_of(heading, line, "pus"), what);
    (void)snprintf(what, sizeof what, "%s complete_pus", id);
    assert_count(topology->cpu_count, field_of(heading, line, "complete_pus"), what);
    id_list_destroy(&usable);
}

static void check_nodes(const struct topology *topology, const struct table_line *heading,
                        const struct table_line *line, const char *id)
{
    struct id_list all = {0};
    struct id_list without_memory = {0};
    struct id_list disallowed = {0};
    char what[64];
    for (size_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        assert_int_equal(id_list_add(&all, node->node), 0);
        if (!topology_node_has_memory(node)) {
            assert_int_equal(id_list_add(&without_memory, node->node), 0);
        }
        if (!node->is_allowed && topology_node_has_memory(node)) {
            assert_int_equal(id_list_add(&disallowed, node->node), 0);
        }
    }
    (void)snprintf(what, sizeof what, "%s node_os_list", id);
    assert_ids(&all, field_of(heading, line, "node_os_list"), what);
    /* Where no node has a figure, the index calls them all memoryless and we call them unknown. */
    if (strcmp(field_of(heading, line, "nodes_no_mem"), field_of(heading, line, "node_os_list")) != 0) {
        (void)snprintf(what, sizeof what, "%s nodes_no_mem", id);
        assert_ids(&without_memory, field_of(heading, line, "nodes_no_mem"), what);
    }
    /* hwloc counts a node without memory among the disallowed; here it is without memory. */
    if (without_memory.count == 0) {
        (void)snprintf(what, sizeof what, "%s disallowed_nodes", id);
        assert_ids(&disallowed, field_of(heading, line, "disallowed_nodes"), what);
    }
    id_list_destroy(&all);
    id_list_destroy(&without_memory);
    id_list_destroy(&disallowed);
}

static size_t count_distinct(const struct topology *topology, bool is_core)
{
    struct id_list seen = {0};
    for (size_t i = 0; i < topology->cpu_count; i++) {
        const int number = is_core ? topology->cpus[i].core : topology->cpus[i].package;
        if (number != TOPOLOGY_NONE) {
            assert_int_equal(id_list_add(&seen, number), 0);
        }
    }
    const size_t count = seen.count;
    id_list_destroy(&seen);
    return count;
}

static void check_objects(const struct topology *topology, const struct table_line *heading,
                          const struct table_line *line, const char *id)
{
    struct id_list in_no_node = {0};
    char what[64];
    for (size_t i = 0; i < topology->cpu_count; i++) {
        if (topology->cpus[i].state == CPU_ONLINE && topology->cpus[i].node == TOPOLOGY_NONE) {
            assert_int_equal(id_list_add(&in_no_node, topology->cpus[i].cpu), 0);
        }
    }
    (void)snprintf(what, sizeof what, "%s pus_no_node", id);
    if (strcmp(field_of(heading, line, "pus_no_node"), "-") == 0) {
        assert_int_equal(in_no_node.count, 0);
    } else {
        struct id_list expected = {0};
        assert_int_equal(id_list_parse(field_of(heading, line, "pus_no_node"), &expected, NULL), 0);
        assert_true(id_list_equal(&in_no_node, &expected));
        id_list_destroy(&expected);
    }
    (void)snprintf(what, sizeof what, "%s packages", id);
    assert_count(count_distinct(topology, false), field_of(heading, line, "packages"), what);
    (void)snprintf(what, sizeof what, "%s cores", id);
    assert_count(count_distinct(topology, true), field_of(heading, line, "cores"), what);
    /* A single kind is none: there is nothing to tell apart. */
    const unsigned long kinds = strtoul(field_of(heading, line, "cpukinds"), NULL, 10);
    assert_int_equal(topology->kind_count, kinds < 2 ? 0 : kinds);
    assert_int_equal(topology->distances != NULL,
                     strcmp(field_of(heading, line, "numa_distances"), "0") != 0);
    id_list_destroy(&in_no_node);
}

static void captured_machines_agree_with_their_index(void **state)
{
    (void)state;
    struct table_line heading;
    struct table_line line;
    size_t machines = 0;
    FILE *index = fopen(SHARED_DIR "/topologies/index.tsv", "re");
    if (index == NULL) {
        print_message("skipped: the captured machines are not there (%s)\n", SHARED_DIR "/topologies");
        skip();
    }
    assert_non_null(fgets(heading.text, sizeof heading.text, index));
    split(&heading);
    while (fgets(line.text, sizeof line.text, index) != NULL) {
        char name[LINE_SIZE];
        struct failure failure = {0};
        struct topology topology;
        split(&line);
        const char *id = field_of(&heading, &line, "id");
        (void)snprintf(name, sizeof name, "%s/topologies/%.200s", SHARED_DIR,
                       field_of(&heading, &line, "xmlfile"));
        if (topology_discover(name, &topology, &failure) != 0) {
            fail_msg("%s: %s", id, failure.text);
        }
        assert_false(topology.is_this_machine);
        check_cpus(&topology, &heading, &line, id);
        check_nodes(&topology, &heading, &line, id);
        check_objects(&topology, &heading, &line, id);
        topology_destroy(&topology);
        machines++;
    }
    (void)fclose(index);
    assert_true(machines > 20);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_machines_agree_with_their_index),
        cmocka_unit_test(seed_machine_has_its_siblings_in_one_node),
        cmocka_unit_test(numbers_above_any_fixed_mask_are_kept),
        cmocka_unit_test(what_is_no_topology_is_refused),
        cmocka_unit_test(this_machine_agrees_with_the_kernel),
        cmocka_unit_test(redirected_hwloc_is_not_this_machine),
    };
    return cmocka_run_group_tests_name("discovery", tests, NULL, NULL);
}
