/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine as numasweep sees it: a plain model without system calls, filled by discovery
 * (platform/discovery.h) from hwloc and libnuma, or read back from the header of a result file.
 *
 * All numbers are kernel numbers, never positions in an array. -1 says "none" or "not known".
 */
#ifndef NUMASWEEP_TOPOLOGY_H
#define NUMASWEEP_TOPOLOGY_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPOLOGY_NONE = -1 };

enum cpu_state {
    CPU_ONLINE,
    CPU_OFFLINE,   /* present or possible, but not online */
    CPU_DISALLOWED /* online, but outside the cpuset */
};

struct topology_cpu {
    int cpu;
    enum cpu_state state;
    bool is_in_inherited_mask; /* in the affinity mask that numasweep was started with */
    bool is_isolated;          /* isolcpus: /sys/devices/system/cpu/isolated */
    bool is_nohz_full;
    int package; /* hwloc package, kernel number */
    int core; /* hwloc logical index of the core: unique on the machine, unlike the kernel's core_id */
    int l3;   /* hwloc logical index of the L3 cache */
    int node; /* the node that Linux allocates from for this CPU; TOPOLOGY_NONE: in no node */
    int kind; /* hwloc CPU kind, 0 = the least performing; TOPOLOGY_NONE when there is only one */
};

struct topology_node {
    int node;
    int64_t memory_bytes;      /* -1: not known */
    int64_t free_memory_bytes; /* -1: not known (another machine) */
    bool is_allowed;           /* in the cpuset's mems */
    struct id_list cpus;       /* the CPUs that Linux puts in this node (topology_cpu.node), any state */
    struct id_list near_cpus;  /* hwloc's locality: for a memory-only node the CPUs it lies beside */
    char *subtype;             /* "DRAM", "HBM", "GPUMemory", ... or NULL */
};

struct topology_kind {
    int kind;
    char *name; /* "performance", "efficiency", or "kind N" */
    struct id_list cpus;
};

struct topology {
    char *source;              /* "this machine", the synthetic text, or the file's name */
    bool is_this_machine;      /* false: may be planned for and reported on, but not measured */
    bool is_without_x86;       /* hwloc's part that visits every CPU did not end in time; not saved */
    bool has_numa;             /* false: the kernel knows no NUMA; there is one made-up node 0 */
    struct topology_cpu *cpus; /* ascending by cpu */
    size_t cpu_count;
    struct topology_node *nodes; /* ascending by node */
    size_t node_count;
    int *distances; /* node_count x node_count, row = from, in the order of nodes; NULL: unknown */
    struct topology_kind *kinds; /* none when all CPUs are of one kind */
    size_t kind_count;
    char **disagreements; /* sentences: where hwloc and libnuma differ, and which was taken */
    size_t disagreement_count;
    char *fingerprint; /* of the machine's shape: hex digest over CPUs, nodes and distances */
};

void topology_destroy(struct topology *topology); /* accepts a zeroed struct */

const struct topology_cpu *topology_find_cpu(const struct topology *topology, int cpu);    /* or NULL */
const struct topology_node *topology_find_node(const struct topology *topology, int node); /* or NULL */
const struct topology_kind *topology_find_kind(const struct topology *topology, int kind); /* or NULL */
bool topology_node_has_memory(const struct topology_node *node); /* unknown size counts as memory */

/* Firmware distance, or -1 where unknown. */
int topology_distance(const struct topology *topology, int from_node, int to_node);

/* The CPU's own nodes: the one Linux allocates from (if it has memory), and memory-only nodes that lie
 * beside the same CPUs (HBM beside DRAM). Empty for a CPU in no node or in a memoryless one. */
int topology_own_nodes(const struct topology *topology, int cpu, struct id_list *nodes);
bool topology_is_own_node(const struct topology *topology, int cpu, int node);

/* For a CPU without a local memory node: the node with memory at the smallest firmware distance (lowest
 * number among equals); TOPOLOGY_NONE where no distance is known or the CPU is in no node. */
int topology_nearest_node(const struct topology *topology, int cpu);

/* The other CPUs of the CPU's core (`siblings` is replaced). */
int topology_smt_siblings(const struct topology *topology, int cpu, struct id_list *siblings);

/* CPUs that are online and allowed. */
int topology_usable_cpus(const struct topology *topology, struct id_list *cpus);
/* Nodes that have memory and are allowed. */
int topology_memory_nodes(const struct topology *topology, struct id_list *nodes);

/* Sets topology->fingerprint from the rest. Not affected by CPU states, free memory or the mask. */
int topology_set_fingerprint(struct topology *topology);

/* Appends a sentence to topology->disagreements. */
int topology_add_disagreement(struct topology *topology, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

const char *cpu_state_name(enum cpu_state state); /* "online", "offline", "not allowed" */

#endif
