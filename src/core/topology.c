/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/topology.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void destroy_node(struct topology_node *node)
{
    id_list_destroy(&node->cpus);
    id_list_destroy(&node->near_cpus);
    free(node->subtype);
}

void topology_destroy(struct topology *topology)
{
    for (size_t i = 0; i < topology->node_count; i++) {
        destroy_node(&topology->nodes[i]);
    }
    for (size_t i = 0; i < topology->kind_count; i++) {
        free(topology->kinds[i].name);
        id_list_destroy(&topology->kinds[i].cpus);
    }
    for (size_t i = 0; i < topology->disagreement_count; i++) {
        free(topology->disagreements[i]);
    }
    free(topology->disagreements);
    free(topology->kinds);
    free(topology->nodes);
    free(topology->cpus);
    free(topology->distances);
    free(topology->fingerprint);
    free(topology->source);
    *topology = (struct topology){0};
}

static int compare_cpu(const void *key, const void *element)
{
    const int cpu = *(const int *)key;
    const int other = ((const struct topology_cpu *)element)->cpu;
    return (cpu > other) - (cpu < other);
}

static int compare_node(const void *key, const void *element)
{
    const int node = *(const int *)key;
    const int other = ((const struct topology_node *)element)->node;
    return (node > other) - (node < other);
}

const struct topology_cpu *topology_find_cpu(const struct topology *topology, int cpu)
{
    if (topology->cpu_count == 0) {
        return NULL;
    }
    return bsearch(&cpu, topology->cpus, topology->cpu_count, sizeof *topology->cpus, compare_cpu);
}

const struct topology_node *topology_find_node(const struct topology *topology, int node)
{
    if (topology->node_count == 0) {
        return NULL;
    }
    return bsearch(&node, topology->nodes, topology->node_count, sizeof *topology->nodes, compare_node);
}

const struct topology_kind *topology_find_kind(const struct topology *topology, int kind)
{
    for (size_t i = 0; i < topology->kind_count; i++) {
        if (topology->kinds[i].kind == kind) {
            return &topology->kinds[i];
        }
    }
    return NULL;
}

bool topology_node_has_memory(const struct topology_node *node)
{
    return node->memory_bytes != 0;
}

int topology_distance(const struct topology *topology, int from_node, int to_node)
{
    const struct topology_node *from = topology_find_node(topology, from_node);
    const struct topology_node *to = topology_find_node(topology, to_node);
    if (topology->distances == NULL || from == NULL || to == NULL) {
        return -1;
    }
    const size_t row = (size_t)(from - topology->nodes);
    const size_t column = (size_t)(to - topology->nodes);
    return topology->distances[row * topology->node_count + column];
}

static bool is_own(const struct topology_node *home, const struct topology_node *node)
{
    if (!topology_node_has_memory(node)) {
        return false;
    }
    if (node == home) {
        return true;
    }
    return node->cpus.count == 0 && node->near_cpus.count > 0 &&
           id_list_equal(&node->near_cpus, &home->near_cpus);
}

static const struct topology_node *find_home(const struct topology *topology, int cpu)
{
    const struct topology_cpu *found = topology_find_cpu(topology, cpu);
    if (found == NULL || found->node == TOPOLOGY_NONE) {
        return NULL;
    }
    return topology_find_node(topology, found->node);
}

int topology_own_nodes(const struct topology *topology, int cpu, struct id_list *nodes)
{
    const struct topology_node *home = find_home(topology, cpu);
    id_list_destroy(nodes);
    for (size_t i = 0; home != NULL && i < topology->node_count; i++) {
        if (!is_own(home, &topology->nodes[i])) {
            continue;
        }
        const int error = id_list_add(nodes, topology->nodes[i].node);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

bool topology_is_own_node(const struct topology *topology, int cpu, int node)
{
    const struct topology_node *home = find_home(topology, cpu);
    const struct topology_node *candidate = topology_find_node(topology, node);
    return home != NULL && candidate != NULL && is_own(home, candidate);
}

int topology_nearest_node(const struct topology *topology, int cpu)
{
    const struct topology_node *home = find_home(topology, cpu);
    int nearest = TOPOLOGY_NONE;
    int nearest_distance = INT_MAX;
    for (size_t i = 0; home != NULL && i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        const int distance = topology_distance(topology, home->node, node->node);
        if (topology_node_has_memory(node) && distance >= 0 && distance < nearest_distance) {
            nearest = node->node;
            nearest_distance = distance;
        }
    }
    return nearest;
}

int topology_smt_siblings(const struct topology *topology, int cpu, struct id_list *siblings)
{
    const struct topology_cpu *found = topology_find_cpu(topology, cpu);
    id_list_destroy(siblings);
    if (found == NULL || found->core == TOPOLOGY_NONE) {
        return 0;
    }
    for (size_t i = 0; i < topology->cpu_count; i++) {
        const struct topology_cpu *other = &topology->cpus[i];
        if (other->core == found->core && other->cpu != cpu) {
            const int error = id_list_add(siblings, other->cpu);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

int topology_usable_cpus(const struct topology *topology, struct id_list *cpus)
{
    id_list_destroy(cpus);
    for (size_t i = 0; i < topology->cpu_count; i++) {
        if (topology->cpus[i].state == CPU_ONLINE) {
            const int error = id_list_add(cpus, topology->cpus[i].cpu);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

int topology_memory_nodes(const struct topology *topology, struct id_list *nodes)
{
    id_list_destroy(nodes);
    for (size_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        if (node->is_allowed && topology_node_has_memory(node)) {
            const int error = id_list_add(nodes, node->node);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

/* FNV-1a, 64 bits: a label of a shape, not a protection (Fowler, Noll, Vo; RFC draft-eastlake-fnv). */
static uint64_t hash_int(uint64_t hash, int64_t value)
{
    for (int byte = 0; byte < 8; byte++) {
        hash ^= (uint64_t)(value >> (8 * byte)) & 0xFFU;
        hash *= UINT64_C(0x100000001b3);
    }
    return hash;
}

int topology_set_fingerprint(struct topology *topology)
{
    enum { DIGEST_SIZE = 17 };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char *digest = malloc(DIGEST_SIZE);
    if (digest == NULL) {
        return -ENOMEM;
    }
    /* Not what a CPU loses while it is offline (its core, node, package), nor memory sizes, which differ
     * from one boot to the next. */
    for (size_t i = 0; i < topology->cpu_count; i++) {
        hash = hash_int(hash, topology->cpus[i].cpu);
    }
    hash = hash_int(hash, (int64_t)topology->kind_count);
    for (size_t i = 0; i < topology->node_count; i++) {
        hash = hash_int(hash, topology->nodes[i].node);
        hash = hash_int(hash, topology_node_has_memory(&topology->nodes[i]));
    }
    for (size_t i = 0; topology->distances != NULL && i < topology->node_count * topology->node_count;
         i++) {
        hash = hash_int(hash, topology->distances[i]);
    }
    (void)snprintf(digest, DIGEST_SIZE, "%016llx", (unsigned long long)hash);
    free(topology->fingerprint);
    topology->fingerprint = digest;
    return 0;
}

int topology_add_disagreement(struct topology *topology, const char *format, ...)
{
    char *sentence = NULL;
    va_list arguments;
    char **grown = realloc(topology->disagreements, (topology->disagreement_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return -ENOMEM;
    }
    topology->disagreements = grown;
    va_start(arguments, format);
    const int length = vasprintf(&sentence, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return -ENOMEM;
    }
    topology->disagreements[topology->disagreement_count] = sentence;
    topology->disagreement_count++;
    return 0;
}

const char *cpu_state_name(enum cpu_state state)
{
    switch (state) {
    case CPU_ONLINE:
        return "online";
    case CPU_OFFLINE:
        return "offline";
    case CPU_DISALLOWED:
        return "not allowed";
    }
    return "unknown";
}
