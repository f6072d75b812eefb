/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discovery_parts.h"
#include "numasweep/exit_status.h"

#include <errno.h>
#include <inttypes.h>
#include <numa.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libnuma speaks to stderr by itself; these replace its weak functions. What it refuses shows in what it
 * returns. Their types are libnuma's. */
void numa_warn(int num, char *fmt, ...) // NOLINT(readability-non-const-parameter)
{
    (void)num;
    (void)fmt;
}

void numa_error(char *where) // NOLINT(readability-non-const-parameter)
{
    /* libnuma ends the process at once, with a status that says something else. */
    if (strstr(where, "Out of memory") != NULL) {
        (void)fputs("numasweep: error: out of memory\n", stderr);
        _exit(EXIT_STATUS_BROKEN);
    }
}

static int add_memory(struct topology *topology, struct topology_node *node)
{
    long long free_bytes = -1;
    const long long total_bytes = numa_node_size64(node->node, &free_bytes);
    if (total_bytes < 0) {
        return topology_add_disagreement(
            topology, "node %d: libnuma cannot read its memory; hwloc's figure is used", node->node);
    }
    const int64_t hwloc_bytes = node->memory_bytes;
    node->memory_bytes = total_bytes;
    node->free_memory_bytes = free_bytes;
    /* hwloc may have read it a moment earlier, and counts huge pages apart. */
    if (hwloc_bytes >= 0 && (hwloc_bytes == 0) != (total_bytes == 0)) {
        return topology_add_disagreement(topology,
                                         "node %d: hwloc says %" PRId64
                                         " bytes of memory, libnuma %lld; libnuma's "
                                         "figure is used",
                                         node->node, hwloc_bytes, total_bytes);
    }
    return 0;
}

static int add_distance(struct topology *topology, size_t from, size_t to, size_t *unread)
{
    int *distance = &topology->distances[from * topology->node_count + to];
    const int told = numa_distance(topology->nodes[from].node, topology->nodes[to].node);
    if (told <= 0) {
        (*unread)++;
        return 0;
    }
    if (told == *distance) {
        return 0;
    }
    const int hwloc_distance = *distance;
    *distance = told;
    if (hwloc_distance < 0) {
        return 0;
    }
    return topology_add_disagreement(
        topology, "distance from node %d to node %d: hwloc says %d, libnuma %d; libnuma's is used",
        topology->nodes[from].node, topology->nodes[to].node, hwloc_distance, told);
}

static int add_distances(struct topology *topology)
{
    const size_t size = topology->node_count * topology->node_count;
    size_t unread = 0;
    if (topology->distances == NULL) {
        topology->distances = calloc(size + 1, sizeof *topology->distances);
        if (topology->distances == NULL) {
            return -ENOMEM;
        }
        for (size_t i = 0; i < size; i++) {
            topology->distances[i] = -1;
        }
    }
    for (size_t from = 0; from < topology->node_count; from++) {
        for (size_t to = 0; to < topology->node_count; to++) {
            const int error = add_distance(topology, from, to, &unread);
            if (error != 0) {
                return error;
            }
        }
    }
    return unread == 0
               ? 0
               : topology_add_disagreement(topology,
                                           "libnuma cannot read %zu of the %zu distances between nodes",
                                           unread, size);
}

/* libnuma knows no node for a CPU of a memoryless node: that is no disagreement. */
static int compare_cpu_nodes(struct topology *topology)
{
    for (size_t i = 0; i < topology->cpu_count; i++) {
        const struct topology_cpu *cpu = &topology->cpus[i];
        const int told = cpu->state == CPU_ONLINE ? numa_node_of_cpu(cpu->cpu) : -1;
        if (told < 0 || told == cpu->node) {
            continue;
        }
        const int error = topology_add_disagreement(
            topology,
            "CPU %d: the kernel's files say node %d, libnuma says node %d; the files are believed",
            cpu->cpu, cpu->node, told);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

/* What is allowed comes by get_mempolicy(2), which the filters of containers refuse: then the mask is
 * empty, and what hwloc read from files stands. */
static void mark_allowed(struct topology *topology)
{
    struct bitmask *allowed = numa_get_mems_allowed();
    const bool is_told = allowed != NULL && numa_bitmask_weight(allowed) > 0;
    for (size_t i = 0; is_told && i < topology->node_count; i++) {
        struct topology_node *node = &topology->nodes[i];
        if (!topology_node_has_memory(node)) {
            /* No cpuset lists it, whatever it allows: that it has no memory says enough. */
            node->is_allowed = true;
            continue;
        }
        node->is_allowed = numa_bitmask_isbitset(allowed, (unsigned)node->node) != 0;
    }
    if (allowed != NULL) {
        numa_bitmask_free(allowed);
    }
}

int discovery_add_numa(struct topology *topology)
{
    /* Also where a container's filter or a sandbox refuses get_mempolicy(2): the nodes are there, and
     * what hwloc read from files stands. */
    if (numa_available() < 0) {
        return !topology->has_numa
                   ? 0
                   : topology_add_disagreement(
                         topology,
                         "libnuma finds no memory policy in this kernel (get_mempolicy: %s): "
                         "distances and memory are what hwloc read",
                         strerror(errno));
    }
    for (size_t i = 0; i < topology->node_count; i++) {
        const int error = add_memory(topology, &topology->nodes[i]);
        if (error != 0) {
            return error;
        }
    }
    mark_allowed(topology);
    int error = add_distances(topology);
    if (error == 0) {
        error = compare_cpu_nodes(topology);
    }
    return error;
}
