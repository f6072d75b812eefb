/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"
#include "numasweep/selection.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 200, CPU_COUNT = 12, NODE_COUNT = 3 };

/* Gaps in all numbers, an offline CPU, one outside the cpuset, one in no node, and a node without
 * memory. */
static void describe_machine(struct topology_cpu cpus[CPU_COUNT], struct topology_node nodes[NODE_COUNT])
{
    static const int node_numbers[NODE_COUNT] = {0, 2, 5};
    for (int i = 0; i < NODE_COUNT; i++) {
        nodes[i] = (struct topology_node){
            .node = node_numbers[i], .memory_bytes = i == 1 ? 0 : 1 << 30, .is_allowed = true};
    }
    for (int i = 0; i < CPU_COUNT; i++) {
        const int node = node_numbers[i % NODE_COUNT];
        cpus[i] = (struct topology_cpu){
            .cpu = 3 * i,
            .state = i == 4 ? CPU_OFFLINE : CPU_ONLINE,
            .is_in_inherited_mask = true,
            .is_isolated = i % 4 == 3,
            .package = i % 2,
            .core = i / 2,
            .l3 = i == 7 ? TOPOLOGY_NONE : i / 4,
            .node = i == 7 ? TOPOLOGY_NONE : node,
            .kind = TOPOLOGY_NONE,
        };
    }
    cpus[5].state = CPU_DISALLOWED;
}

static void try_cpus(const char *text, const struct topology *topology)
{
    struct id_list cpus = {0};
    struct failure check_failure = {0};
    struct failure failure = {0};
    const int check_error = cpu_selection_check(text, &check_failure);
    const int error = cpu_selection_resolve(text, topology, &cpus, &failure);
    if (check_error != 0) {
        fuzz_require_refusal(check_error, &check_failure);
        FUZZ_REQUIRE(error != 0);
    }
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
    } else {
        fuzz_require_ascending(&cpus);
        for (size_t i = 0; i < cpus.count; i++) {
            FUZZ_REQUIRE(topology_find_cpu(topology, cpus.ids[i]) != NULL);
        }
    }
    id_list_destroy(&cpus);
}

static void try_nodes(const char *text, const struct topology *topology)
{
    struct node_selection selection = {0};
    struct failure failure = {0};
    int error = node_selection_parse(text, &selection, &failure);
    if (error == 0) {
        fuzz_require_ascending(&selection.nodes);
        FUZZ_REQUIRE((selection.kind == NODES_LIST) == (selection.nodes.count > 0));
        error = node_selection_check(&selection, topology, &failure);
        for (size_t i = 0; i < selection.nodes.count && error == 0; i++) {
            FUZZ_REQUIRE(topology_find_node(topology, selection.nodes.ids[i]) != NULL);
        }
    }
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
    }
    node_selection_destroy(&selection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct topology_cpu cpus[CPU_COUNT];
    struct topology_node nodes[NODE_COUNT];
    const struct topology topology = {.has_numa = true,
                                      .cpus = cpus,
                                      .cpu_count = CPU_COUNT,
                                      .nodes = nodes,
                                      .node_count = NODE_COUNT};
    if (size > LONGEST_TEXT) {
        return -1;
    }
    char *text = fuzz_text_create(data, size);
    describe_machine(cpus, nodes);
    try_cpus(text, &topology);
    try_nodes(text, &topology);
    free(text);
    return 0;
}
