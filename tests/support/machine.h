/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines built in code, for unit tests of what is derived from a topology. Include after cmocka.h. */
#ifndef NUMASWEEP_TESTS_MACHINE_H
#define NUMASWEEP_TESTS_MACHINE_H

#include "numasweep/options.h"
#include "numasweep/topology.h"

#include <stdlib.h>

struct machine_shape {
    int packages;
    int nodes_per_package;
    int cores_per_node;
    int threads_per_core; /* thread t of core c is CPU t * cores + c, as x86 servers number them */
    int node_stride;      /* 1: nodes 0, 1, 2, ...; 4: nodes 0, 4, 8, ... */
};

static inline void machine_add_cpu(struct topology *topology, const struct machine_shape *shape,
                                   int core, int thread)
{
    const int cores = shape->packages * shape->nodes_per_package * shape->cores_per_node;
    const int position = thread * cores + core;
    const int node = core / shape->cores_per_node;
    topology->cpus[position] = (struct topology_cpu){
        .cpu = position,
        .state = CPU_ONLINE,
        .is_in_inherited_mask = true,
        .package = node / shape->nodes_per_package,
        .core = core,
        .l3 = node,
        .node = node * shape->node_stride,
        .kind = TOPOLOGY_NONE,
    };
    assert_int_equal(id_list_add(&topology->nodes[node].cpus, position), 0);
    assert_int_equal(id_list_add(&topology->nodes[node].near_cpus, position), 0);
}

static inline void machine_set_distances(struct topology *topology)
{
    const size_t count = topology->node_count;
    free(topology->distances);
    topology->distances = calloc(count * count, sizeof *topology->distances);
    assert_non_null(topology->distances);
    for (size_t from = 0; from < count; from++) {
        for (size_t to = 0; to < count; to++) {
            const size_t gap = from > to ? from - to : to - from;
            topology->distances[from * count + to] = gap == 0 ? 10 : 20 + (int)gap;
        }
    }
}

static inline void machine_build(struct topology *topology, struct machine_shape shape)
{
    const int nodes = shape.packages * shape.nodes_per_package;
    const int cores = nodes * shape.cores_per_node;
    *topology = (struct topology){.has_numa = true,
                                  .cpu_count = (size_t)(cores * shape.threads_per_core),
                                  .node_count = (size_t)nodes};
    /* Room for nodes that a test adds. */
    topology->nodes = calloc(topology->node_count + 8, sizeof *topology->nodes);
    topology->cpus = calloc(topology->cpu_count, sizeof *topology->cpus);
    assert_non_null(topology->nodes);
    assert_non_null(topology->cpus);
    for (int node = 0; node < nodes; node++) {
        topology->nodes[node] = (struct topology_node){
            .node = node * shape.node_stride, .memory_bytes = INT64_C(1) << 33, .is_allowed = true};
    }
    for (int thread = 0; thread < shape.threads_per_core; thread++) {
        for (int core = 0; core < cores; core++) {
            machine_add_cpu(topology, &shape, core, thread);
        }
    }
    machine_set_distances(topology);
}

/* A memory-only node with the next number, beside the CPUs of `beside` (or of none). */
static inline int machine_add_memory_node(struct topology *topology, const struct topology_node *beside)
{
    const int number = topology->nodes[topology->node_count - 1].node + 1;
    struct topology_node *node = &topology->nodes[topology->node_count++];
    *node = (struct topology_node){.node = number, .memory_bytes = INT64_C(1) << 30, .is_allowed = true};
    if (beside != NULL) {
        assert_int_equal(id_list_copy(&node->near_cpus, &beside->near_cpus), 0);
    }
    machine_set_distances(topology);
    return number;
}

/* 128 CPUs in 8 nodes and 4 packages, two threads in each core: CPU 64 is CPU 0's SMT sibling. */
static inline void machine_build_128(struct topology *topology)
{
    machine_build(topology, (struct machine_shape){.packages = 4,
                                                   .nodes_per_package = 2,
                                                   .cores_per_node = 8,
                                                   .threads_per_core = 2,
                                                   .node_stride = 1});
}

/* 8 CPUs in 2 nodes and 2 packages, two threads in each core. */
static inline void machine_build_8(struct topology *topology)
{
    machine_build(topology, (struct machine_shape){.packages = 2,
                                                   .nodes_per_package = 1,
                                                   .cores_per_node = 2,
                                                   .threads_per_core = 2,
                                                   .node_stride = 1});
}

/* Names and values in turn, ending with NULL. */
static inline void machine_set_options(struct options *options, const char *const *words)
{
    struct failure failure = {0};
    assert_int_equal(options_init(options), 0);
    for (size_t i = 0; words[i] != NULL; i += 2) {
        if (options_set(options, words[i], words[i + 1], "test", &failure) != 0) {
            fail_msg("%s", failure.text);
        }
    }
}

#endif
