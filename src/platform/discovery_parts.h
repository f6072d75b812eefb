/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of discovery, private to src/platform/discovery*.c. */
#ifndef NUMASWEEP_DISCOVERY_PARTS_H
#define NUMASWEEP_DISCOVERY_PARTS_H

#include "numasweep/failure.h"
#include "numasweep/topology.h"

#include <stdbool.h>
#include <stddef.h>

/* discovery_load.c: this machine's topology as hwloc XML, loaded in a child with a deadline. The caller
 * frees loaded->xml. */
struct loaded_topology {
    char *xml;
    size_t xml_size;
    bool is_this_machine; /* false where the environment (HWLOC_XMLFILE, HWLOC_SYNTHETIC) redirected
                             hwloc */
    bool is_without_x86;  /* with it, loading did not end before the deadline */
};
int discovery_load_this(struct loaded_topology *loaded, struct failure *failure);

/* discovery_hwloc.c: fills CPUs, nodes, distances and kinds. */
int discovery_from_xml_buffer(const char *xml, size_t xml_size, struct topology *topology,
                              struct failure *failure);
int discovery_from_xml_file(const char *name, struct topology *topology, struct failure *failure);
int discovery_from_synthetic(const char *text, struct topology *topology, struct failure *failure);

/* discovery_numa.c: nodes, memory and distances as libnuma has them; differences become disagreements,
 * and the kernel's word (libnuma reads it) is taken. */
int discovery_add_numa(struct topology *topology);

/* discovery_sysfs.c: what is offline, isolated, nohz_full, in the inherited mask, and which CPU is in
 * which node, also for nodes that libnuma refuses. */
int discovery_add_sysfs(struct topology *topology);

/* Whether the kernel has the same CPUs online, and all of the nodes. */
int discovery_compare_with_kernel(const struct topology *topology, bool *agrees);

/* Keeps the arrays ascending; returns the node, new or old, or NULL when memory ran out. */
struct topology_node *discovery_insert_node(struct topology *topology, int node);
struct topology_cpu *discovery_insert_cpu(struct topology *topology, int cpu);
struct topology_cpu *discovery_find_cpu(struct topology *topology, int cpu); /* or NULL */

#endif
