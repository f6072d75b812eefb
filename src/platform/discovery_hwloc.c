/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discovery_parts.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct topology_cpu *discovery_insert_cpu(struct topology *topology, int cpu)
{
    size_t position = topology->cpu_count;
    while (position > 0 && topology->cpus[position - 1].cpu >= cpu) {
        position--;
        if (topology->cpus[position].cpu == cpu) {
            return &topology->cpus[position];
        }
    }
    /* Powers of two, so that thousands of CPUs are not thousands of copies. */
    if ((topology->cpu_count & (topology->cpu_count - 1)) == 0) {
        const size_t capacity = topology->cpu_count == 0 ? 1 : 2 * topology->cpu_count;
        struct topology_cpu *cpus = realloc(topology->cpus, capacity * sizeof *cpus);
        if (cpus == NULL) {
            return NULL;
        }
        topology->cpus = cpus;
    }
    memmove(&topology->cpus[position + 1], &topology->cpus[position],
            (topology->cpu_count - position) * sizeof *topology->cpus);
    topology->cpu_count++;
    topology->cpus[position] = (struct topology_cpu){
        .cpu = cpu,
        .package = TOPOLOGY_NONE,
        .core = TOPOLOGY_NONE,
        .l3 = TOPOLOGY_NONE,
        .node = TOPOLOGY_NONE,
        .kind = TOPOLOGY_NONE,
    };
    return &topology->cpus[position];
}

struct topology_cpu *discovery_find_cpu(struct topology *topology, int cpu)
{
    const struct topology_cpu *found = topology_find_cpu(topology, cpu);
    return found == NULL ? NULL : &topology->cpus[found - topology->cpus];
}

struct topology_node *discovery_insert_node(struct topology *topology, int node)
{
    size_t position = 0;
    while (position < topology->node_count && topology->nodes[position].node < node) {
        position++;
    }
    if (position < topology->node_count && topology->nodes[position].node == node) {
        return &topology->nodes[position];
    }
    struct topology_node *nodes = realloc(topology->nodes, (topology->node_count + 1) * sizeof *nodes);
    if (nodes == NULL) {
        return NULL;
    }
    topology->nodes = nodes;
    memmove(&nodes[position + 1], &nodes[position], (topology->node_count - position) * sizeof *nodes);
    topology->node_count++;
    nodes[position] = (struct topology_node){
        .node = node,
        .memory_bytes = -1,
        .free_memory_bytes = -1,
    };
    return &nodes[position];
}

static int kernel_number(hwloc_obj_t object)
{
    if (object == NULL) {
        return TOPOLOGY_NONE;
    }
    return object->os_index != HWLOC_UNKNOWN_INDEX && object->os_index <= INT_MAX
               ? (int)object->os_index
               : (int)object->logical_index;
}

static int logical_number(hwloc_obj_t object)
{
    return object != NULL ? (int)object->logical_index : TOPOLOGY_NONE;
}

static int add_processing_units(hwloc_topology_t loaded, struct topology *topology)
{
    const hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(loaded);
    hwloc_obj_t unit = NULL;
    while ((unit = hwloc_get_next_obj_by_type(loaded, HWLOC_OBJ_PU, unit)) != NULL) {
        struct topology_cpu *cpu = discovery_insert_cpu(topology, (int)unit->os_index);
        if (cpu == NULL) {
            return -ENOMEM;
        }
        cpu->state = hwloc_bitmap_isset(allowed, unit->os_index) ? CPU_ONLINE : CPU_DISALLOWED;
        cpu->is_in_inherited_mask = cpu->state == CPU_ONLINE;
        cpu->package = kernel_number(hwloc_get_ancestor_obj_by_type(loaded, HWLOC_OBJ_PACKAGE, unit));
        cpu->core = logical_number(hwloc_get_ancestor_obj_by_type(loaded, HWLOC_OBJ_CORE, unit));
        cpu->l3 = logical_number(hwloc_get_ancestor_obj_by_type(loaded, HWLOC_OBJ_L3CACHE, unit));
    }
    return 0;
}

/* What the machine has but hwloc shows no object for. */
static int add_offline(hwloc_topology_t loaded, struct topology *topology)
{
    const hwloc_const_bitmap_t complete = hwloc_topology_get_complete_cpuset(loaded);
    const hwloc_const_bitmap_t shown = hwloc_topology_get_topology_cpuset(loaded);
    hwloc_bitmap_t offline = hwloc_bitmap_alloc();
    int result = 0;
    if (offline == NULL || hwloc_bitmap_andnot(offline, complete, shown) != 0) {
        result = -ENOMEM;
    }
    for (int number = result == 0 ? hwloc_bitmap_first(offline) : -1; number >= 0 && result == 0;
         number = hwloc_bitmap_next(offline, number)) {
        struct topology_cpu *cpu = discovery_insert_cpu(topology, number);
        if (cpu == NULL) {
            result = -ENOMEM;
        } else {
            cpu->state = CPU_OFFLINE;
        }
    }
    hwloc_bitmap_free(offline);
    return result;
}

static int add_bitmap(struct id_list *list, hwloc_const_bitmap_t bitmap)
{
    for (int number = hwloc_bitmap_first(bitmap); number >= 0;
         number = hwloc_bitmap_next(bitmap, number)) {
        const int error = id_list_add(list, number);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static int add_node(hwloc_topology_t loaded, hwloc_obj_t object, struct topology *topology)
{
    const hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_nodeset(loaded);
    struct topology_node *node = discovery_insert_node(topology, kernel_number(object));
    if (node == NULL) {
        return -ENOMEM;
    }
    node->memory_bytes = (int64_t)object->attr->numanode.local_memory;
    /* hwloc allows no node without memory; that it has none says enough. */
    node->is_allowed = node->memory_bytes == 0 || hwloc_bitmap_isset(allowed, object->os_index) != 0;
    if (object->subtype != NULL && node->subtype == NULL) {
        node->subtype = strdup(object->subtype);
        if (node->subtype == NULL) {
            return -ENOMEM;
        }
    }
    return add_bitmap(&node->near_cpus, object->cpuset);
}

/* A machine on which no node has any memory is one whose memory nobody knows. */
static void mark_unknown_memory(struct topology *topology)
{
    for (size_t i = 0; i < topology->node_count; i++) {
        if (topology->nodes[i].memory_bytes != 0) {
            return;
        }
    }
    for (size_t i = 0; i < topology->node_count; i++) {
        topology->nodes[i].memory_bytes = -1;
    }
}

/* Linux puts each CPU into one node, and numbers nodes with CPUs before those with memory only. */
static int assign_nodes(struct topology *topology)
{
    for (size_t i = 0; i < topology->node_count; i++) {
        struct topology_node *node = &topology->nodes[i];
        for (size_t k = 0; k < node->near_cpus.count; k++) {
            struct topology_cpu *cpu = discovery_find_cpu(topology, node->near_cpus.ids[k]);
            if (cpu == NULL || cpu->node != TOPOLOGY_NONE) {
                continue;
            }
            cpu->node = node->node;
            if (id_list_add(&node->cpus, cpu->cpu) != 0) {
                return -ENOMEM;
            }
        }
    }
    return 0;
}

static int add_nodes(hwloc_topology_t loaded, struct topology *topology)
{
    hwloc_obj_t object = NULL;
    while ((object = hwloc_get_next_obj_by_type(loaded, HWLOC_OBJ_NUMANODE, object)) != NULL) {
        const int error = add_node(loaded, object, topology);
        if (error != 0) {
            return error;
        }
    }
    mark_unknown_memory(topology);
    return assign_nodes(topology);
}

static void copy_distances(const struct hwloc_distances_s *matrix, struct topology *topology)
{
    for (unsigned from = 0; from < matrix->nbobjs; from++) {
        for (unsigned to = 0; to < matrix->nbobjs; to++) {
            if (matrix->objs[from] == NULL || matrix->objs[to] == NULL) {
                continue;
            }
            const struct topology_node *row = topology_find_node(topology,
                                                                 kernel_number(matrix->objs[from]));
            const struct topology_node *column = topology_find_node(topology,
                                                                    kernel_number(matrix->objs[to]));
            const hwloc_uint64_t value = matrix->values[from * matrix->nbobjs + to];
            if (row != NULL && column != NULL && value <= INT_MAX) {
                topology->distances[(size_t)(row - topology->nodes) * topology->node_count +
                                    (size_t)(column - topology->nodes)] = (int)value;
            }
        }
    }
}

static int add_distances(hwloc_topology_t loaded, struct topology *topology)
{
    struct hwloc_distances_s *matrix = NULL;
    unsigned count = 1;
    if (hwloc_distances_get_by_type(loaded, HWLOC_OBJ_NUMANODE, &count, &matrix,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        count == 0 || matrix == NULL) {
        return 0;
    }
    const size_t size = topology->node_count * topology->node_count;
    topology->distances = calloc(size + 1, sizeof *topology->distances);
    if (topology->distances != NULL) {
        for (size_t i = 0; i < size; i++) {
            topology->distances[i] = -1;
        }
        copy_distances(matrix, topology);
    }
    hwloc_distances_release(loaded, matrix);
    return topology->distances == NULL ? -ENOMEM : 0;
}

/* What the processor itself says of a kind (hwloc's CoreType, from CPUID); NULL: nothing. */
static const char *core_type_of(hwloc_topology_t loaded, int kind)
{
    struct hwloc_info_s *infos = NULL;
    unsigned info_count = 0;
    if (hwloc_cpukinds_get_info(loaded, (unsigned)kind, NULL, NULL, &info_count, &infos, 0) != 0) {
        return NULL;
    }
    for (unsigned i = 0; i < info_count; i++) {
        if (strcmp(infos[i].name, "CoreType") == 0 && strcmp(infos[i].value, "IntelCore") == 0) {
            return "performance";
        }
        if (strcmp(infos[i].name, "CoreType") == 0 && strcmp(infos[i].value, "IntelAtom") == 0) {
            return "efficiency";
        }
    }
    return NULL;
}

static char *name_kind(hwloc_topology_t loaded, int kind, int kind_count, int efficiency)
{
    const char *type = core_type_of(loaded, kind);
    bool is_unique = type != NULL;
    char *name = NULL;
    for (int other = 0; other < kind_count && is_unique; other++) {
        const char *other_type = other == kind ? NULL : core_type_of(loaded, other);
        is_unique = other_type == NULL || strcmp(type, other_type) != 0;
    }
    if (type != NULL && is_unique) {
        return strdup(type);
    }
    if (type != NULL) {
        /* Low-power efficiency cores are a kind of their own beside the other ones. */
        return asprintf(&name, "%s %d", type, kind) < 0 ? NULL : name;
    }
    if (kind_count == 2 && efficiency >= 0) {
        return strdup(kind == 0 ? "efficiency" : "performance");
    }
    return asprintf(&name, "kind %d", kind) < 0 ? NULL : name;
}

static int add_kind(hwloc_topology_t loaded, int index, int kind_count, hwloc_bitmap_t cpuset,
                    struct topology *topology)
{
    struct topology_kind *kind = &topology->kinds[index];
    int efficiency = -1;
    if (hwloc_cpukinds_get_info(loaded, (unsigned)index, cpuset, &efficiency, NULL, NULL, 0) != 0) {
        return -errno;
    }
    kind->kind = index;
    kind->name = name_kind(loaded, index, kind_count, efficiency);
    topology->kind_count++;
    if (kind->name == NULL || add_bitmap(&kind->cpus, cpuset) != 0) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < kind->cpus.count; i++) {
        struct topology_cpu *cpu = discovery_find_cpu(topology, kind->cpus.ids[i]);
        if (cpu != NULL) {
            cpu->kind = index;
        }
    }
    return 0;
}

static int add_kinds(hwloc_topology_t loaded, struct topology *topology)
{
    const int count = hwloc_cpukinds_get_nr(loaded, 0);
    int error = 0;
    if (count < 2) {
        return 0;
    }
    hwloc_bitmap_t cpuset = hwloc_bitmap_alloc();
    topology->kinds = calloc((size_t)count, sizeof *topology->kinds);
    if (cpuset == NULL || topology->kinds == NULL) {
        error = -ENOMEM;
    }
    for (int index = 0; index < count && error == 0; index++) {
        error = add_kind(loaded, index, count, cpuset, topology);
    }
    hwloc_bitmap_free(cpuset);
    return error;
}

static int convert(hwloc_topology_t loaded, struct topology *topology)
{
    topology->has_numa = true;
    int error = add_processing_units(loaded, topology);
    if (error == 0) {
        error = add_offline(loaded, topology);
    }
    if (error == 0) {
        error = add_nodes(loaded, topology);
    }
    if (error == 0) {
        error = add_distances(loaded, topology);
    }
    if (error == 0) {
        error = add_kinds(loaded, topology);
    }
    return error;
}

/* Four times what Linux can be built for (CONFIG_NODES_SHIFT); distances are stored for each pair. */
enum { MOST_NODES = 4096 };

enum source { FROM_BUFFER, FROM_FILE, FROM_SYNTHETIC };

static int set_source(hwloc_topology_t loaded, enum source source, const char *text, size_t size)
{
    switch (source) {
    case FROM_BUFFER:
        return hwloc_topology_set_xmlbuffer(loaded, text, (int)size);
    case FROM_FILE:
        return hwloc_topology_set_xml(loaded, text);
    case FROM_SYNTHETIC:
        break;
    }
    return hwloc_topology_set_synthetic(loaded, text);
}

static int load_from(enum source source, const char *text, size_t size, struct topology *topology)
{
    hwloc_topology_t loaded;
    int error = 0;
    (void)setenv("HWLOC_HIDE_ERRORS", "2", 0);
    if (hwloc_topology_init(&loaded) != 0) {
        return -ENOMEM;
    }
    (void)hwloc_topology_set_io_types_filter(loaded, HWLOC_TYPE_FILTER_KEEP_NONE);
    (void)hwloc_topology_set_type_filter(loaded, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
    errno = 0;
    if (set_source(loaded, source, text, size) != 0 ||
        hwloc_topology_set_flags(loaded, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
        hwloc_topology_load(loaded) != 0) {
        error = errno == ENOMEM ? -ENOMEM : -EINVAL;
    } else if (hwloc_get_nbobjs_by_type(loaded, HWLOC_OBJ_NUMANODE) > MOST_NODES ||
               hwloc_get_nbobjs_by_type(loaded, HWLOC_OBJ_PU) > ID_LIST_MAX_ID) {
        error = -E2BIG;
    } else {
        error = convert(loaded, topology);
    }
    hwloc_topology_destroy(loaded);
    return error;
}

static int refuse_size(const char *source, struct failure *failure)
{
    return failure_set(failure, "topology", 0,
                       "--topology: %.200s: more than %d CPUs or %d nodes are not supported", source,
                       ID_LIST_MAX_ID, MOST_NODES);
}

int discovery_from_xml_buffer(const char *xml, size_t xml_size, struct topology *topology,
                              struct failure *failure)
{
    const int error = load_from(FROM_BUFFER, xml, xml_size, topology);
    if (error != 0) {
        return failure_set(failure, "topology", error == -EINVAL ? EIO : -error,
                           "hwloc could not read back the topology of this machine: %s",
                           strerror(-error));
    }
    return 0;
}

int discovery_from_xml_file(const char *name, struct topology *topology, struct failure *failure)
{
    const int error = load_from(FROM_FILE, name, 0, topology);
    if (error == -E2BIG) {
        return refuse_size(name, failure);
    }
    if (error == -EINVAL) {
        return failure_set(
            failure, "topology", 0,
            "--topology: %s is not a topology that hwloc can read (an XML file of hwloc 2, as "
            "'lstopo FILE.xml' writes it)",
            name);
    }
    return error == 0
               ? 0
               : failure_set(failure, "topology", -error, "--topology: %s: %s", name, strerror(-error));
}

static bool is_node_word(const char *word)
{
    return strncasecmp(word, "numa", 4) == 0 || strncasecmp(word, "node", 4) == 0;
}

/* "pack:2 [numa] core:8 pu:2" and "2 8 2": counts multiply from left to right; what stands in brackets
 * hangs beside the level before it, what stands in parentheses is attributes. hwloc would build all of
 * it before it could be counted, which takes minutes. */
static bool is_too_large(const char *text)
{
    int64_t product = 1;
    while (*text != '\0') {
        size_t length = strcspn(text, " \t[(");
        if (*text == '[' || *text == '(') {
            length = strcspn(text, *text == '[' ? "]" : ")");
        } else if (length > 0) {
            const char *colon = memchr(text, ':', length);
            const long long count = strtoll(colon != NULL ? colon + 1 : text, NULL, 10);
            product = count > ID_LIST_MAX_ID ? count : product * (count > 0 ? count : 1);
        }
        if (product > ID_LIST_MAX_ID ||
            (product > MOST_NODES && is_node_word(*text == '[' ? text + 1 : text))) {
            return true;
        }
        text += length > 0 ? length : 1;
    }
    return false;
}

int discovery_from_synthetic(const char *text, struct topology *topology, struct failure *failure)
{
    if (is_too_large(text)) {
        return refuse_size(text, failure);
    }
    const int error = load_from(FROM_SYNTHETIC, text, 0, topology);
    if (error == -E2BIG) {
        return refuse_size(text, failure);
    }
    if (error == -EINVAL) {
        return failure_set(
            failure, "topology", 0,
            "--topology: \"%s\" is neither a file nor an hwloc synthetic topology (such as "
            "\"pack:2 numa:1 core:8 pu:2\"); \"this\" is this machine",
            text);
    }
    return error == 0
               ? 0
               : failure_set(failure, "topology", -error, "--topology: %s: %s", text, strerror(-error));
}
