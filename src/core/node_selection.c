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

static int refuse_node(int node, const struct topology *topology, struct failure *failure)
{
    struct id_list with_memory = {0};
    char *text = NULL;
    int error = 0;
    for (size_t i = 0; error == 0 && i < topology->node_count; i++) {
        if (topology_node_has_memory(&topology->nodes[i])) {
            error = id_list_add(&with_memory, topology->nodes[i].node);
        }
    }
    text = error == 0 ? id_list_format(&with_memory) : NULL;
    if (text == NULL) {
        error = -ENOMEM;
        goto out;
    }
    error = failure_set(failure, "nodes", 0, "--nodes: node %d %s; the nodes with memory: %.200s", node,
                        topology_find_node(topology, node) == NULL ? "does not exist" : "has no memory",
                        with_memory.count > 0 ? text : "none");
out:
    free(text);
    id_list_destroy(&with_memory);
    return error;
}

int node_selection_check(const struct node_selection *selection, const struct topology *topology,
                         struct failure *failure)
{
    if (selection->kind != NODES_LIST) {
        return 0;
    }
    for (size_t i = 0; i < selection->nodes.count; i++) {
        const int number = selection->nodes.ids[i];
        const struct topology_node *const node = topology_find_node(topology, number);
        if (node == NULL || !topology_node_has_memory(node)) {
            return refuse_node(number, topology, failure);
        }
    }
    return 0;
}
