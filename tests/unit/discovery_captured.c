/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captured machines against the figures that hwloc's own tools gave for them (index.tsv). */
#include "numasweep/discovery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/skip_aloud.h"

static const char index_path[] = SHARED_DIR "/topologies/index.tsv";

enum { MOST_FIELDS = 64, LINE_SIZE = 4096 };

struct table_line {
    char text[LINE_SIZE];
    char *fields[MOST_FIELDS];
    size_t count;
};

/* One machine and its line of the index. */
struct machine {
    const struct table_line *heading;
    const struct table_line *line;
    struct topology topology;
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

static const char *field_of(const struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->heading->count && i < machine->line->count; i++) {
        if (strcmp(machine->heading->fields[i], name) == 0) {
            return machine->line->fields[i];
        }
    }
    fail_msg("the index has no column %s", name);
    return "";
}

static void check_count(const struct machine *machine, const char *column, size_t count)
{
    const char *expected = field_of(machine, column);
    if (count != strtoul(expected, NULL, 10)) {
        fail_msg("%s %s: %zu, but the index says %s", field_of(machine, "id"), column, count, expected);
    }
}

/* Takes what `list` owns. */
static void check_list_text(const struct machine *machine, const char *column, const char *expected,
                            struct id_list *list)
{
    struct id_list wanted = {0};
    if (strcmp(expected, "-") != 0) {
        assert_int_equal(id_list_parse(expected, &wanted, NULL), 0);
    }
    if (!id_list_equal(&wanted, list)) {
        char *text = id_list_format(list);
        fail_msg("%s %s: \"%s\", but the index says \"%s\"", field_of(machine, "id"), column, text,
                 expected);
    }
    id_list_destroy(&wanted);
    id_list_destroy(list);
}

static void check_list(const struct machine *machine, const char *column, struct id_list *list)
{
    check_list_text(machine, column, field_of(machine, column), list);
}

static void add(struct id_list *list, int id)
{
    assert_int_equal(id_list_add(list, id), 0);
}

static void check_cpus(const struct machine *machine)
{
    struct id_list offline = {0};
    struct id_list disallowed = {0};
    struct id_list running = {0};
    struct id_list usable = {0};
    int largest = -1;
    for (size_t i = 0; i < machine->topology.cpu_count; i++) {
        const struct topology_cpu *cpu = &machine->topology.cpus[i];
        largest = cpu->state == CPU_OFFLINE ? largest : cpu->cpu;
        add(cpu->state == CPU_OFFLINE ? &offline : &running, cpu->cpu);
        if (cpu->state == CPU_DISALLOWED) {
            add(&disallowed, cpu->cpu);
        }
        /* Nobody started numasweep there: the mask hides nothing that can be used. */
        assert_int_equal(cpu->is_in_inherited_mask, cpu->state == CPU_ONLINE);
    }
    assert_int_equal(topology_usable_cpus(&machine->topology, &usable), 0);
    check_count(machine, "hwloc_calc_pu", usable.count);
    check_count(machine, "pus", usable.count);
    check_count(machine, "pus_all", running.count);
    check_count(machine, "complete_pus", machine->topology.cpu_count);
    check_count(machine, "max_pu_os", (size_t)largest);
    check_list(machine, "pu_os_list", &running);
    check_list(machine, "offline_pus", &offline);
    check_list(machine, "disallowed_pus", &disallowed);
    id_list_destroy(&usable);
}

static bool has_unknown_memory(const struct topology *topology)
{
    return topology->node_count > 0 && topology->nodes[0].memory_bytes < 0;
}

static void check_nodes(const struct machine *machine)
{
    const struct topology *topology = &machine->topology;
    struct id_list all = {0};
    struct id_list without_memory = {0};
    struct id_list without_cpus = {0};
    struct id_list disallowed = {0};
    for (size_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        add(&all, node->node);
        /* Where hwloc has no figure for any node, the index says that all are without memory; it is
         * unknown, which counts as memory. */
        if (!topology_node_has_memory(node) || has_unknown_memory(topology)) {
            add(&without_memory, node->node);
        }
        /* The index means the nodes that hwloc puts beside no CPU, not those that Linux gives none. */
        if (node->near_cpus.count == 0) {
            add(&without_cpus, node->node);
        }
        /* hwloc allows no node without memory; here such a node is without memory, not disallowed. */
        if (!node->is_allowed || !topology_node_has_memory(node)) {
            add(&disallowed, node->node);
        }
    }
    check_count(machine, "numa_all", all.count);
    check_list(machine, "node_os_list", &all);
    check_list(machine, "nodes_no_mem", &without_memory);
    check_list(machine, "nodes_no_cpu", &without_cpus);
    check_list(machine, "disallowed_nodes", &disallowed);
}

static void check_memory_nodes(const struct machine *machine)
{
    const struct topology *topology = &machine->topology;
    struct id_list usable = {0};
    struct id_list memory_nodes = {0};
    size_t beside_usable = 0;
    size_t memory_only = 0;
    assert_int_equal(topology_usable_cpus(topology, &usable), 0);
    assert_int_equal(topology_memory_nodes(topology, &memory_nodes), 0);
    for (size_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        /* hwloc-calc counts the nodes beside the CPUs that may be used. */
        beside_usable += id_list_contains(&memory_nodes, node->node) &&
                         id_list_intersects(&node->near_cpus, &usable);
        /* Of nodes that share CPUs, Linux gives the CPUs to one and none to the others. */
        memory_only += node->cpus.count == 0 && node->near_cpus.count > 0;
    }
    check_count(machine, "hwloc_calc_numa", beside_usable);
    check_count(machine, "numa", memory_nodes.count);
    check_count(machine, "overlap_nodes", memory_only);
    id_list_destroy(&memory_nodes);
    id_list_destroy(&usable);
}

static void check_objects(const struct machine *machine)
{
    struct id_list in_no_node = {0};
    struct id_list packages = {0};
    struct id_list cores = {0};
    for (size_t i = 0; i < machine->topology.cpu_count; i++) {
        const struct topology_cpu *cpu = &machine->topology.cpus[i];
        if (cpu->state == CPU_ONLINE && cpu->node == TOPOLOGY_NONE) {
            add(&in_no_node, cpu->cpu);
        }
        if (cpu->package != TOPOLOGY_NONE) {
            add(&packages, cpu->package);
        }
        if (cpu->core != TOPOLOGY_NONE) {
            add(&cores, cpu->core);
        }
    }
    check_list(machine, "pus_no_node", &in_no_node);
    check_count(machine, "packages", packages.count);
    check_count(machine, "cores", cores.count);
    id_list_destroy(&cores);
    id_list_destroy(&packages);
}

/* "2=0:12-19;1:0-11". A single kind is none here: there is nothing to tell apart. */
static void check_kinds(const struct machine *machine)
{
    const struct topology *topology = &machine->topology;
    char text[LINE_SIZE];
    (void)snprintf(text, sizeof text, "%s", field_of(machine, "cpukinds"));
    if (strtoul(text, NULL, 10) < 2) {
        assert_int_equal(topology->kind_count, 0);
        return;
    }
    check_count(machine, "cpukinds", topology->kind_count);
    char *rest = strchr(text, '=') + 1;
    for (size_t i = 0; i < topology->kind_count; i++) {
        char *kind = strsep(&rest, ";");
        struct id_list cpus = {0};
        assert_non_null(kind);
        assert_int_equal(topology->kinds[i].kind, strtol(kind, NULL, 10));
        assert_int_equal(id_list_copy(&cpus, &topology->kinds[i].cpus), 0);
        check_list_text(machine, "cpukinds", strchr(kind, ':') + 1, &cpus);
    }
}

/* "NUMALatency(8x8):10,16,22" */
static void check_distances(const struct machine *machine)
{
    const struct topology *topology = &machine->topology;
    const char *values = strchr(field_of(machine, "dist_values"), ':');
    struct id_list distances = {0};
    assert_int_equal(topology->distances != NULL, strcmp(field_of(machine, "numa_distances"), "0") != 0);
    assert_int_equal(topology->distances != NULL, values != NULL);
    if (values == NULL || topology->distances == NULL) {
        return;
    }
    for (size_t i = 0; i < topology->node_count * topology->node_count; i++) {
        add(&distances, topology->distances[i]);
    }
    check_list_text(machine, "dist_values", values + 1, &distances);
}

static void check_machine(struct machine *machine)
{
    char name[LINE_SIZE];
    struct failure failure = {0};
    (void)snprintf(name, sizeof name, "%s/topologies/%.200s", SHARED_DIR, field_of(machine, "xmlfile"));
    if (topology_discover(name, &machine->topology, &failure) != 0) {
        fail_msg("%s: %s", name, failure.text);
    }
    assert_false(machine->topology.is_this_machine);
    assert_string_equal(machine->topology.source, name);
    check_cpus(machine);
    check_nodes(machine);
    check_memory_nodes(machine);
    check_objects(machine);
    check_kinds(machine);
    check_distances(machine);
    topology_destroy(&machine->topology);
}

static void captured_machines_agree_with_their_index(void **state)
{
    (void)state;
    struct table_line heading;
    struct table_line line;
    size_t machines = 0;
    FILE *index = fopen(index_path, "re");
    assert_non_null(index);
    assert_non_null(fgets(heading.text, sizeof heading.text, index));
    split(&heading);
    while (fgets(line.text, sizeof line.text, index) != NULL) {
        struct machine machine = {.heading = &heading, .line = &line};
        split(&line);
        check_machine(&machine);
        machines++;
    }
    (void)fclose(index);
    assert_true(machines > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_machines_agree_with_their_index),
    };
    const int status = skip_without(index_path);
    return status != 0 ? status : cmocka_run_group_tests_name("discovery_captured", tests, NULL, NULL);
}
