/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct named_kind {
    const char *name;
    enum node_selection_kind kind;
};

static const struct named_kind named_kinds[] = {
    {.name = "all", .kind = NODES_ALL},
    {.name = "local", .kind = NODES_LOCAL},
    {.name = "none", .kind = NODES_NONE},
};

void node_selection_destroy(struct node_selection *selection)
{
    id_list_destroy(&selection->nodes);
    *selection = (struct node_selection){0};
}

int node_selection_parse(const char *text, struct node_selection *selection, struct failure *failure)
{
    struct node_selection parsed = {.kind = NODES_LIST};
    for (size_t i = 0; i < sizeof named_kinds / sizeof *named_kinds; i++) {
        if (strcmp(text, named_kinds[i].name) == 0) {
            node_selection_destroy(selection);
            selection->kind = named_kinds[i].kind;
            return 0;
        }
    }
    if (text[0] < '0' || text[0] > '9') {
        return failure_set(failure, "nodes", 0,
                           "\"%.60s\" selects no nodes; give all, local, none, or numbers as in 0-3,8",
                           text);
    }
    const int error = id_list_parse(text, &parsed.nodes, failure);
    if (error != 0) {
        return error;
    }
    node_selection_destroy(selection);
    *selection = parsed;
    return 0;
}

static int list_memory(const struct topology *topology, struct id_list *with_memory)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < topology->node_count; i++) {
        if (topology_node_has_memory(&topology->nodes[i])) {
            error = id_list_add(with_memory, topology->nodes[i].node);
        }
    }
    return error;
}

static int refuse_nodes(const struct id_list *missing, bool are_there, const struct topology *topology,
                        struct failure *failure)
{
    struct id_list with_memory = {0};
    int error = list_memory(topology, &with_memory);
    char *const text = error == 0 ? id_list_format(&with_memory) : NULL;
    char *const missing_text = id_list_format(missing);
    const bool is_one = missing->count == 1;
    const char *const lack = is_one ? "does not exist" : "do not exist";
    const char *const lack_memory = is_one ? "has no memory" : "have no memory";
    if (text == NULL || missing_text == NULL) {
        error = -ENOMEM;
        goto out;
    }
    error = failure_set(failure, "nodes", 0, "--nodes: node%s %.80s %s; the nodes with memory: %.200s",
                        is_one ? "" : "s", missing_text, are_there ? lack_memory : lack,
                        with_memory.count > 0 ? text : "none");
out:
    free(text);
    free(missing_text);
    id_list_destroy(&with_memory);
    return error;
}

int node_selection_check(const struct node_selection *selection, const struct topology *topology,
                         struct failure *failure)
{
    struct id_list absent = {0};
    struct id_list without_memory = {0};
    int error = 0;
    if (selection->kind != NODES_LIST) {
        return 0;
    }
    for (size_t i = 0; i < selection->nodes.count && error == 0; i++) {
        const int number = selection->nodes.ids[i];
        const struct topology_node *const node = topology_find_node(topology, number);
        if (node == NULL) {
            error = id_list_add(&absent, number);
        } else if (!topology_node_has_memory(node)) {
            error = id_list_add(&without_memory, number);
        }
    }
    if (error == 0 && absent.count > 0) {
        error = refuse_nodes(&absent, false, topology, failure);
    } else if (error == 0 && without_memory.count > 0) {
        error = refuse_nodes(&without_memory, true, topology, failure);
    }
    id_list_destroy(&absent);
    id_list_destroy(&without_memory);
    return error;
}
