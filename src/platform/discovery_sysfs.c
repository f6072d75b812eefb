/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discovery_parts.h"

#include "numasweep/affinity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A list file of the kernel ("0-3,8"). False where it cannot be read or says nothing ("(null)"). */
static bool read_list(const char *path, struct id_list *list)
{
    enum { LARGEST_LIST = 1 << 16 };
    char *text = malloc(LARGEST_LIST);
    bool is_read = false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && text != NULL) {
        size_t size = 0;
        ssize_t part = 0;
        while (size < LARGEST_LIST - 1 && (part = read(fd, text + size, LARGEST_LIST - 1 - size)) > 0) {
            size += (size_t)part;
        }
        text[size] = '\0';
        is_read = part == 0 && id_list_parse_kernel(text, list, NULL) == 0;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    free(text);
    return is_read;
}

static bool read_cpu_list(const char *name, struct id_list *list)
{
    char path[128];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/%s", name);
    return read_list(path, list);
}

/* CPUs that are present but that hwloc did not show: offline ones. */
static int add_present(struct topology *topology)
{
    struct id_list present = {0};
    struct id_list online = {0};
    int error = 0;
    if (read_cpu_list("present", &present) && read_cpu_list("online", &online)) {
        for (size_t i = 0; i < present.count && error == 0; i++) {
            struct topology_cpu *cpu = discovery_insert_cpu(topology, present.ids[i]);
            if (cpu == NULL) {
                error = -ENOMEM;
            } else if (!id_list_contains(&online, cpu->cpu)) {
                cpu->state = CPU_OFFLINE;
            }
        }
    }
    id_list_destroy(&online);
    id_list_destroy(&present);
    return error;
}

static void mark_isolated(struct topology *topology)
{
    struct id_list isolated = {0};
    struct id_list nohz_full = {0};
    (void)read_cpu_list("isolated", &isolated);
    (void)read_cpu_list("nohz_full", &nohz_full);
    for (size_t i = 0; i < topology->cpu_count; i++) {
        struct topology_cpu *cpu = &topology->cpus[i];
        cpu->is_isolated = id_list_contains(&isolated, cpu->cpu);
        cpu->is_nohz_full = id_list_contains(&nohz_full, cpu->cpu);
    }
    id_list_destroy(&nohz_full);
    id_list_destroy(&isolated);
}

static void mark_inherited(struct topology *topology, const struct id_list *mask)
{
    for (size_t i = 0; i < topology->cpu_count; i++) {
        struct topology_cpu *cpu = &topology->cpus[i];
        cpu->is_in_inherited_mask = id_list_contains(mask, cpu->cpu);
    }
}

static int disagree_on_node(struct topology *topology, const struct topology_cpu *cpu, int told)
{
    if (cpu->node == told || cpu->node == TOPOLOGY_NONE || cpu->state == CPU_OFFLINE) {
        return 0;
    }
    return topology_add_disagreement(
        topology,
        "CPU %d: hwloc says node %d, the kernel's files say node %d; the files are "
        "believed",
        cpu->cpu, cpu->node, told);
}

static int put_cpus_in_node(struct topology *topology, int node_number, const struct id_list *cpus)
{
    for (size_t i = 0; i < cpus->count; i++) {
        struct topology_cpu *cpu = discovery_find_cpu(topology, cpus->ids[i]);
        if (cpu == NULL) {
            continue;
        }
        const int error = disagree_on_node(topology, cpu, node_number);
        if (error != 0) {
            return error;
        }
        cpu->node = node_number;
    }
    return 0;
}

static int take_node(struct topology *topology, int node_number)
{
    char path[128];
    struct id_list cpus = {0};
    struct topology_node *node = discovery_insert_node(topology, node_number);
    int error = node == NULL ? -ENOMEM : 0;
    (void)snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node_number);
    if (error == 0 && read_list(path, &cpus)) {
        error = put_cpus_in_node(topology, node_number, &cpus);
        if (error == 0) {
            error = id_list_copy(&node->cpus, &cpus);
        }
        if (error == 0 && node->near_cpus.count == 0) {
            error = id_list_copy(&node->near_cpus, &cpus);
        }
    }
    id_list_destroy(&cpus);
    return error;
}

/* Every distance of hwloc's was by position among its nodes; a node that it lacks moves the positions.
 */
static int take_nodes(struct topology *topology)
{
    struct id_list online = {0};
    int error = 0;
    if (!read_list("/sys/devices/system/node/online", &online)) {
        /* A file that is there and cannot be read says nothing about the machine. */
        topology->has_numa = access("/sys/devices/system/node", F_OK) == 0;
        return 0;
    }
    for (size_t i = 0; i < online.count; i++) {
        if (topology_find_node(topology, online.ids[i]) == NULL) {
            free(topology->distances);
            topology->distances = NULL;
        }
    }
    for (size_t i = 0; i < online.count && error == 0; i++) {
        error = take_node(topology, online.ids[i]);
    }
    id_list_destroy(&online);
    return error;
}

static bool has_all_nodes(const struct topology *topology, const struct id_list *nodes)
{
    for (size_t i = 0; i < topology->node_count; i++) {
        if (!id_list_contains(nodes, topology->nodes[i].node)) {
            return false;
        }
    }
    return true;
}

int discovery_compare_with_kernel(const struct topology *topology, bool *agrees)
{
    struct id_list told = {0};
    struct id_list online = {0};
    struct id_list nodes = {0};
    int error = 0;
    for (size_t i = 0; i < topology->cpu_count && error == 0; i++) {
        if (topology->cpus[i].state != CPU_OFFLINE) {
            error = id_list_add(&told, topology->cpus[i].cpu);
        }
    }
    *agrees = error == 0 && read_cpu_list("online", &online) && id_list_equal(&told, &online) &&
              (!read_list("/sys/devices/system/node/online", &nodes) || has_all_nodes(topology, &nodes));
    id_list_destroy(&nodes);
    id_list_destroy(&online);
    id_list_destroy(&told);
    return error;
}

int discovery_add_sysfs(struct topology *topology)
{
    struct id_list mask = {0};
    int error = affinity_get(&mask);
    if (error == 0) {
        error = add_present(topology);
    }
    if (error == 0) {
        mark_inherited(topology, &mask);
        mark_isolated(topology);
        error = take_nodes(topology);
    }
    id_list_destroy(&mask);
    return error;
}
