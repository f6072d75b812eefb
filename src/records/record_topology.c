/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_fields.h"
#include "record_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = {
    [CPU_ONLINE] = "online", [CPU_OFFLINE] = "offline", [CPU_DISALLOWED] = "not allowed"};

static json_t *encode_cpu(const struct topology_cpu *cpu)
{
    return json_pack("{s:i, s:s, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o}", "cpu", cpu->cpu, "state",
                     state_names[cpu->state], "inherited", cpu->is_in_inherited_mask, "isolated",
                     cpu->is_isolated, "nohz_full", cpu->is_nohz_full, "package",
                     json_from_number_or_null(cpu->package, TOPOLOGY_NONE), "core",
                     json_from_number_or_null(cpu->core, TOPOLOGY_NONE), "l3",
                     json_from_number_or_null(cpu->l3, TOPOLOGY_NONE), "node",
                     json_from_number_or_null(cpu->node, TOPOLOGY_NONE), "kind",
                     json_from_number_or_null(cpu->kind, TOPOLOGY_NONE));
}

static json_t *encode_node(const struct topology_node *node)
{
    return json_pack("{s:i, s:o, s:o, s:b, s:o, s:o, s:o}", "node", node->node, "memory_bytes",
                     node->memory_bytes < 0 ? json_null() : json_integer(node->memory_bytes),
                     "free_memory_bytes",
                     node->free_memory_bytes < 0 ? json_null() : json_integer(node->free_memory_bytes),
                     "allowed", node->is_allowed, "cpus", json_from_ids(&node->cpus), "near_cpus",
                     json_from_ids(&node->near_cpus), "subtype", json_from_text(node->subtype));
}

static json_t *encode_kind(const struct topology_kind *kind)
{
    return json_pack("{s:i, s:o, s:o}", "kind", kind->kind, "name", json_from_text(kind->name), "cpus",
                     json_from_ids(&kind->cpus));
}

static json_t *encode_distances(const struct topology *topology)
{
    if (topology->distances == NULL) {
        return json_null();
    }
    json_t *rows = json_array();
    for (size_t from = 0; rows != NULL && from < topology->node_count; from++) {
        json_t *row = json_array();
        for (size_t to = 0; row != NULL && to < topology->node_count; to++) {
            (void)json_array_append_new(
                row,
                json_from_number_or_null(topology->distances[from * topology->node_count + to], -1));
        }
        (void)json_array_append_new(rows, row);
    }
    return rows;
}

json_t *record_topology_encode(const struct topology *topology)
{
    json_t *cpus = json_array();
    json_t *nodes = json_array();
    json_t *kinds = json_array();
    json_t *disagreements = json_array();
    for (size_t i = 0; i < topology->cpu_count; i++) {
        (void)json_array_append_new(cpus, encode_cpu(&topology->cpus[i]));
    }
    for (size_t i = 0; i < topology->node_count; i++) {
        (void)json_array_append_new(nodes, encode_node(&topology->nodes[i]));
    }
    for (size_t i = 0; i < topology->kind_count; i++) {
        (void)json_array_append_new(kinds, encode_kind(&topology->kinds[i]));
    }
    for (size_t i = 0; i < topology->disagreement_count; i++) {
        (void)json_array_append_new(disagreements, json_from_text(topology->disagreements[i]));
    }
    return json_pack("{s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "source",
                     json_from_text(topology->source), "is_this_machine", topology->is_this_machine,
                     "has_numa", topology->has_numa, "fingerprint",
                     json_from_text(topology->fingerprint), "cpus", cpus, "nodes", nodes, "distances",
                     encode_distances(topology), "kinds", kinds, "disagreements", disagreements);
}

static int decode_state(const json_t *object, enum cpu_state *state, struct failure *failure)
{
    const char *name = NULL;
    const int error = json_field_text(object, "state", &name, failure);
    for (size_t i = 0; error == 0 && i < sizeof state_names / sizeof state_names[0]; i++) {
        if (strcmp(name, state_names[i]) == 0) {
            *state = (enum cpu_state)i;
            return 0;
        }
    }
    return error != 0 ? error : json_field_refuse("state", "is no state of a CPU", failure);
}

static int decode_cpu(const json_t *object, struct topology_cpu *cpu, struct failure *failure)
{
    int error = json_field_int(object, "cpu", 0, ID_LIST_MAX_ID, &cpu->cpu, failure);
    if (error == 0) {
        error = decode_state(object, &cpu->state, failure);
    }
    if (error == 0) {
        error = json_field_bool(object, "inherited", &cpu->is_in_inherited_mask, failure);
    }
    if (error == 0) {
        error = json_field_bool(object, "isolated", &cpu->is_isolated, failure);
    }
    if (error == 0) {
        error = json_field_bool(object, "nohz_full", &cpu->is_nohz_full, failure);
    }
    const struct {
        const char *key;
        int *value;
    } numbers[] = {{"package", &cpu->package},
                   {"core", &cpu->core},
                   {"l3", &cpu->l3},
                   {"node", &cpu->node},
                   {"kind", &cpu->kind}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && error == 0; i++) {
        error = json_field_int_or_null(object, numbers[i].key, TOPOLOGY_NONE, numbers[i].value, failure);
    }
    return error;
}

static int decode_bytes(const json_t *object, const char *key, int64_t *bytes, struct failure *failure)
{
    if (json_is_null(json_object_get(object, key))) {
        *bytes = -1;
        return 0;
    }
    return json_field_int64(object, key, 0, INT64_MAX, bytes, failure);
}

static int decode_node(const json_t *object, struct topology_node *node, struct failure *failure)
{
    int error = json_field_int(object, "node", 0, ID_LIST_MAX_ID, &node->node, failure);
    if (error == 0) {
        error = decode_bytes(object, "memory_bytes", &node->memory_bytes, failure);
    }
    if (error == 0) {
        error = decode_bytes(object, "free_memory_bytes", &node->free_memory_bytes, failure);
    }
    if (error == 0) {
        error = json_field_bool(object, "allowed", &node->is_allowed, failure);
    }
    if (error == 0) {
        error = json_field_ids(object, "cpus", &node->cpus, failure);
    }
    if (error == 0) {
        error = json_field_ids(object, "near_cpus", &node->near_cpus, failure);
    }
    if (error == 0) {
        error = json_field_text_copy(object, "subtype", &node->subtype, failure);
    }
    return error;
}

static int decode_kind(const json_t *object, struct topology_kind *kind, struct failure *failure)
{
    int error = json_field_int(object, "kind", 0, INT_MAX, &kind->kind, failure);
    if (error == 0) {
        error = json_field_text_copy(object, "name", &kind->name, failure);
    }
    if (error == 0 && kind->name == NULL) {
        error = json_field_refuse("name", "is no text", failure);
    }
    if (error == 0) {
        error = json_field_ids(object, "cpus", &kind->cpus, failure);
    }
    return error;
}

static int decode_cpus(const json_t *object, struct topology *topology, struct failure *failure)
{
    const json_t *array = NULL;
    int error = json_field_array(object, "cpus", &array, failure);
    if (error != 0) {
        return error;
    }
    const size_t count = json_array_size(array);
    topology->cpus = calloc(count + 1, sizeof *topology->cpus);
    if (topology->cpus == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count && error == 0; i++) {
        error = decode_cpu(json_array_get(array, i), &topology->cpus[i], failure);
        if (error == 0 && i > 0 && topology->cpus[i].cpu <= topology->cpus[i - 1].cpu) {
            error = json_field_refuse("cpus", "is not in ascending order", failure);
        }
        topology->cpu_count += error == 0;
    }
    return error;
}

static int decode_nodes(const json_t *object, struct topology *topology, struct failure *failure)
{
    const json_t *array = NULL;
    int error = json_field_array(object, "nodes", &array, failure);
    if (error != 0) {
        return error;
    }
    const size_t count = json_array_size(array);
    topology->nodes = calloc(count + 1, sizeof *topology->nodes);
    if (topology->nodes == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count && error == 0; i++) {
        topology->node_count++;
        error = decode_node(json_array_get(array, i), &topology->nodes[i], failure);
        if (error == 0 && i > 0 && topology->nodes[i].node <= topology->nodes[i - 1].node) {
            error = json_field_refuse("nodes", "is not in ascending order", failure);
        }
    }
    return error;
}

static int decode_kinds(const json_t *object, struct topology *topology, struct failure *failure)
{
    const json_t *array = NULL;
    int error = json_field_array(object, "kinds", &array, failure);
    if (error != 0) {
        return error;
    }
    const size_t count = json_array_size(array);
    topology->kinds = calloc(count + 1, sizeof *topology->kinds);
    if (topology->kinds == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count && error == 0; i++) {
        topology->kind_count++;
        error = decode_kind(json_array_get(array, i), &topology->kinds[i], failure);
    }
    return error;
}

static int decode_distances(const json_t *object, struct topology *topology, struct failure *failure)
{
    const json_t *rows = json_object_get(object, "distances");
    const size_t count = topology->node_count;
    if (json_is_null(rows)) {
        return 0;
    }
    if (json_array_size(rows) != count || count == 0) {
        return json_field_refuse("distances", "does not have a row for each node", failure);
    }
    topology->distances = malloc(count * count * sizeof *topology->distances);
    if (topology->distances == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count * count; i++) {
        const json_t *row = json_array_get(rows, i / count);
        const json_t *value = json_array_get(row, i % count);
        const json_int_t distance = json_is_null(value) ? -1 : json_integer_value(value);
        if (json_array_size(row) != count || distance < -1 || distance > INT_MAX) {
            return json_field_refuse("distances", "is no square of distances", failure);
        }
        topology->distances[i] = (int)distance;
    }
    return 0;
}

static int decode_disagreements(const json_t *object, struct topology *topology, struct failure *failure)
{
    const json_t *array = NULL;
    int error = json_field_array(object, "disagreements", &array, failure);
    for (size_t i = 0; error == 0 && i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        error = text == NULL
                    ? json_field_refuse("disagreements", "holds something that is no text", failure)
                    : topology_add_disagreement(topology, "%s", text);
    }
    return error;
}

int record_topology_decode(const json_t *object, struct topology *topology, struct failure *failure)
{
    int error = json_field_text_copy(object, "source", &topology->source, failure);
    if (error == 0) {
        error = json_field_bool(object, "is_this_machine", &topology->is_this_machine, failure);
    }
    if (error == 0) {
        error = json_field_bool(object, "has_numa", &topology->has_numa, failure);
    }
    if (error == 0) {
        error = json_field_text_copy(object, "fingerprint", &topology->fingerprint, failure);
    }
    if (error == 0 && (topology->source == NULL || topology->fingerprint == NULL)) {
        error = json_field_refuse("fingerprint", "or its source is no text", failure);
    }
    int (*const parts[])(const json_t *, struct topology *, struct failure *) = {
        decode_cpus, decode_nodes, decode_distances, decode_kinds, decode_disagreements};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && error == 0; i++) {
        error = parts[i](object, topology, failure);
    }
    return error;
}
