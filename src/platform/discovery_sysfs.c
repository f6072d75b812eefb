/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discovery_parts.h"

#include "numasweep/affinity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 128 };

/* The whole file, for a caller that frees it; NULL with errno. */
static char *read_file(const char *path)
{
    enum { LARGEST_FILE = 1 << 16 };
    char *text = malloc(LARGEST_FILE);
    const int fd = text != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    size_t size = 0;
    ssize_t part = -1;
    int error = errno;
    while (fd >= 0) {
        part = read(fd, text + size, LARGEST_FILE - 1 - size);
        if (part > 0 && size + (size_t)part < LARGEST_FILE - 1) {
            size += (size_t)part;
            continue;
        }
        if (part >= 0 || errno != EINTR) {
            error = errno;
            break;
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    if (part != 0) {
        free(text);
        errno = error;
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* A list file of the kernel ("0-3,8"). 0, -EINVAL where it is no list ("(null)"), or why it cannot be
 * read. */
static int read_list(const char *path, struct id_list *list)
{
    char *text = read_file(path);
    if (text == NULL) {
        return -errno;
    }
    const int error = id_list_parse_kernel(text, list, NULL);
    free(text);
    return error;
}

static const char *path_of_cpus(const char *name, char path[PATH_BYTES])
{
    (void)snprintf(path, PATH_BYTES, "/sys/devices/system/cpu/%s", name);
    return path;
}

/* What a machine lacks of itself is no gap; what is there and cannot be read is one. */
static int note_unread(struct topology *topology, const char *path, int error, const char *consequence)
{
    return error == -ENOENT
               ? 0
               : topology_add_disagreement(topology, "%s could not be read (%s): %s", path,
                                           error == -EINVAL ? "no list of numbers" : strerror(-error),
                                           consequence);
}

/* CPUs that are present but that hwloc did not show: offline ones. */
static int add_present(struct topology *topology)
{
    struct id_list present = {0};
    struct id_list online = {0};
    char path[PATH_BYTES];
    int error = read_list(path_of_cpus("present", path), &present);
    if (error == 0) {
        error = read_list(path_of_cpus("online", path), &online);
    }
    if (error == 0 && (present.count == 0 || online.count == 0)) {
        error = -EINVAL; /* this program runs on one */
    }
    if (error != 0) {
        error = note_unread(topology, path, error, "CPUs that are offline are not known");
    } else {
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

/* Linux says "(null)" where it was not told which CPUs are to be without a tick. */
static int mark_isolated(struct topology *topology)
{
    struct id_list isolated = {0};
    struct id_list nohz_full = {0};
    char path[PATH_BYTES];
    int error = read_list(path_of_cpus("isolated", path), &isolated);
    if (error != 0 && error != -EINVAL) {
        error = note_unread(topology, path, error, "which CPUs are isolated is not known");
    }
    if (error == 0 || error == -EINVAL) {
        error = read_list(path_of_cpus("nohz_full", path), &nohz_full);
    }
    if (error != 0 && error != -EINVAL) {
        error = note_unread(topology, path, error, "which CPUs are without a tick is not known");
    }
    for (size_t i = 0; i < topology->cpu_count; i++) {
        struct topology_cpu *cpu = &topology->cpus[i];
        cpu->is_isolated = id_list_contains(&isolated, cpu->cpu);
        cpu->is_nohz_full = id_list_contains(&nohz_full, cpu->cpu);
    }
    id_list_destroy(&nohz_full);
    id_list_destroy(&isolated);
    return error == -EINVAL ? 0 : error;
}

/* hwloc leaves out what it cannot read, without a word. */
static int compare_object(struct topology *topology, int cpu, const char *object, const char *name)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
    char *text = read_file(path);
    if (text == NULL) {
        return note_unread(topology, path, -errno, "what it would say is left out");
    }
    const long number = strtol(text, NULL, 10);
    free(text);
    /* Linux says -1 where the firmware does not tell. */
    return number < 0
               ? 0
               : topology_add_disagreement(topology,
                                           "CPU %d: hwloc knows no %s, %s says %ld; it is left without",
                                           cpu, object, path, number);
}

static int compare_objects(struct topology *topology)
{
    int error = 0;
    for (size_t i = 0; i < topology->cpu_count && error == 0; i++) {
        const struct topology_cpu *cpu = &topology->cpus[i];
        if (cpu->state == CPU_ONLINE && cpu->package == TOPOLOGY_NONE) {
            error = compare_object(topology, cpu->cpu, "package", "physical_package_id");
        }
        if (cpu->state == CPU_ONLINE && cpu->core == TOPOLOGY_NONE && error == 0) {
            error = compare_object(topology, cpu->cpu, "core", "core_id");
        }
    }
    return error;
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
    char path[PATH_BYTES];
    struct id_list cpus = {0};
    struct topology_node *node = discovery_insert_node(topology, node_number);
    if (node == NULL) {
        return -ENOMEM;
    }
    (void)snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node_number);
    int error = read_list(path, &cpus);
    if (error == 0 && cpus.count == 0 && node->cpus.count > 0) {
        error = -EINVAL;
    }
    if (error != 0) {
        error = note_unread(topology, path, error, "its CPUs are those that hwloc has");
    } else {
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
    static const char path[] = "/sys/devices/system/node/online";
    struct id_list online = {0};
    int error = read_list(path, &online);
    if (error == 0 && online.count == 0) {
        error = -EINVAL;
    }
    if (error != 0) {
        /* A file that is there and cannot be read says nothing about the machine. */
        topology->has_numa = access("/sys/devices/system/node", F_OK) == 0;
        return note_unread(topology, path, error, "the nodes are those that hwloc has");
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
    char path[PATH_BYTES];
    int error = 0;
    for (size_t i = 0; i < topology->cpu_count && error == 0; i++) {
        if (topology->cpus[i].state != CPU_OFFLINE) {
            error = id_list_add(&told, topology->cpus[i].cpu);
        }
    }
    *agrees = error == 0 && read_list(path_of_cpus("online", path), &online) == 0 &&
              id_list_equal(&told, &online) &&
              (read_list("/sys/devices/system/node/online", &nodes) != 0 ||
               has_all_nodes(topology, &nodes));
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
        error = mark_isolated(topology);
    }
    if (error == 0) {
        error = compare_objects(topology);
    }
    if (error == 0) {
        error = take_nodes(topology);
    }
    id_list_destroy(&mask);
    return error;
}
