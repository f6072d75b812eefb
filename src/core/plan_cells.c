/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan_internal.h"

#include "numasweep/selection.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int add_own_nodes(const struct topology *topology, int cpu, struct id_list *own)
{
    struct id_list nodes = {0};
    int error = topology_own_nodes(topology, cpu, &nodes);
    for (size_t i = 0; i < nodes.count && error == 0; i++) {
        error = id_list_add(own, nodes.ids[i]);
    }
    id_list_destroy(&nodes);
    return error;
}

/* The nodes that are local to a row. Without NUMA there is nothing but local memory. */
static int find_own_nodes(const struct plan_row *row, const struct topology *topology,
                          struct id_list *own)
{
    if (!topology->has_numa || row->level == ROW_MACHINE) {
        for (size_t i = 0; i < topology->node_count; i++) {
            const struct topology_node *node = &topology->nodes[i];
            if (topology_node_has_memory(node) && id_list_add(own, node->node) != 0) {
                return -ENOMEM;
            }
        }
        return 0;
    }
    int error = 0;
    for (size_t i = 0; i < row->cpus.count && error == 0; i++) {
        error = add_own_nodes(topology, row->cpus.ids[i], own);
    }
    return error;
}

static int find_all_own_nodes(const struct plan *plan, const struct topology *topology,
                              struct id_list *own_nodes)
{
    int error = 0;
    for (size_t i = 0; i < plan->row_count && error == 0; i++) {
        if (plan->rows[i].state == ROW_PLANNED) {
            error = find_own_nodes(&plan->rows[i], topology, &own_nodes[i]);
        }
    }
    return error;
}

static int choose_nodes(const struct plan *plan, const struct options *options,
                        const struct topology *topology, const struct id_list *own_nodes,
                        struct id_list *nodes)
{
    int error = 0;
    switch (options->nodes.kind) {
    case NODES_LIST:
        return id_list_copy(nodes, &options->nodes.nodes);
    case NODES_ALL:
        for (size_t i = 0; i < topology->node_count && error == 0; i++) {
            if (topology_node_has_memory(&topology->nodes[i])) {
                error = id_list_add(nodes, topology->nodes[i].node);
            }
        }
        return error;
    case NODES_LOCAL:
        for (size_t row = 0; row < plan->row_count; row++) {
            for (size_t i = 0; i < own_nodes[row].count && error == 0; i++) {
                error = id_list_add(nodes, own_nodes[row].ids[i]);
            }
        }
        return error;
    case NODES_NONE:
        break;
    }
    return 0;
}

static void add_column(struct plan *plan, const struct options *options, const struct topology *topology,
                       int node)
{
    struct plan_column *column = &plan->columns[plan->column_count++];
    const struct topology_node *found = topology_find_node(topology, node);
    column->node = node;
    column->is_allowed = found != NULL && found->is_allowed;
    column->is_asked_for = column->is_allowed || options->nodes_is_explicit;
    (void)snprintf(column->label, sizeof column->label, "node %d", node);
}

static int add_columns(struct plan *plan, const struct options *options, const struct topology *topology,
                       const struct id_list *nodes)
{
    plan->columns = calloc(nodes->count + 1, sizeof *plan->columns);
    if (plan->columns == NULL) {
        return -ENOMEM;
    }
    if (options->nodes.kind == NODES_NONE) {
        plan->columns[0] = (struct plan_column){
            .node = TOPOLOGY_NONE, .is_allowed = true, .is_asked_for = true, .label = "not bound"};
        plan->column_count = 1;
        return 0;
    }
    for (size_t i = 0; i < nodes->count; i++) {
        add_column(plan, options, topology, nodes->ids[i]);
    }
    return 0;
}

static bool has_local_column(const struct plan *plan, const struct id_list *own)
{
    for (size_t i = 0; i < plan->column_count; i++) {
        if (plan->columns[i].is_allowed && id_list_contains(own, plan->columns[i].node)) {
            return true;
        }
    }
    return false;
}

static void leave_out_row(struct plan_row *row, const struct options *options,
                          const struct topology *topology, const struct id_list *own)
{
    row->state = ROW_NO_LOCAL_NODE;
    row->is_asked_for = options->cpus != NULL;
    if (own->count > 0) {
        (void)snprintf(row->reason, sizeof row->reason,
                       "its own node %d is not allowed (outside the cpuset's memory nodes)",
                       own->ids[0]);
        return;
    }
    const int nearest = topology_nearest_node(topology, row->cpu);
    if (nearest == TOPOLOGY_NONE) {
        (void)snprintf(row->reason, sizeof row->reason, "no memory node of its own");
        return;
    }
    (void)snprintf(row->reason, sizeof row->reason, "no memory node of its own; the nearest is node %d",
                   nearest);
}

static void leave_out_rows_without_local(struct plan *plan, const struct options *options,
                                         const struct topology *topology,
                                         const struct id_list *own_nodes)
{
    for (size_t i = 0; i < plan->row_count; i++) {
        struct plan_row *row = &plan->rows[i];
        if (row->state == ROW_PLANNED && !has_local_column(plan, &own_nodes[i])) {
            leave_out_row(row, options, topology, &own_nodes[i]);
        }
    }
}

/* Fills the cells of one arm and timeout; with `cells` NULL only counts them. */
static size_t fill_table(const struct plan *plan, const struct id_list *own_nodes, bool only_local,
                         struct plan_cell model, struct plan_cell *cells)
{
    size_t count = 0;
    for (size_t row = 0; row < plan->row_count; row++) {
        if (plan->rows[row].state != ROW_PLANNED) {
            continue;
        }
        for (size_t column = 0; column < plan->column_count; column++) {
            const int node = plan->columns[column].node;
            const bool is_local = node != TOPOLOGY_NONE && id_list_contains(&own_nodes[row], node);
            if (!plan->columns[column].is_allowed || (only_local && !is_local)) {
                continue;
            }
            if (cells != NULL) {
                model.row = row;
                model.column = column;
                model.is_local = is_local;
                cells[count] = model;
            }
            count++;
        }
    }
    return count;
}

static int add_cells(struct plan *plan, const struct id_list *own_nodes, bool only_local)
{
    const struct plan_cell model = {0};
    const size_t table_size = fill_table(plan, own_nodes, only_local, model, NULL);
    size_t table_count = 0;
    size_t cell_count = 0;
    if (__builtin_mul_overflow(plan->arm_count, plan->timeout_count, &table_count) ||
        __builtin_mul_overflow(table_count, table_size, &cell_count)) {
        return -ENOMEM;
    }
    plan->cells = calloc(cell_count > 0 ? cell_count : 1, sizeof *plan->cells);
    if (plan->cells == NULL) {
        return -ENOMEM;
    }
    for (size_t arm = 0; arm < plan->arm_count; arm++) {
        for (size_t timeout = 0; timeout < plan->timeout_count; timeout++) {
            const struct plan_cell start = {.arm = arm, .timeout = timeout};
            plan->cell_count += fill_table(plan, own_nodes, only_local, start,
                                           plan->cells + plan->cell_count);
        }
    }
    return 0;
}

int plan_add_columns_and_cells(struct plan *plan, const struct options *options,
                               const struct topology *topology, struct failure *failure)
{
    const bool only_local = options->nodes.kind == NODES_LOCAL;
    struct id_list nodes = {0};
    int error = node_selection_check(&options->nodes, topology, failure);
    if (error != 0) {
        return error;
    }
    struct id_list *own_nodes = calloc(plan->row_count + 1, sizeof *own_nodes);
    if (own_nodes == NULL) {
        return -ENOMEM;
    }
    error = find_all_own_nodes(plan, topology, own_nodes);
    if (error == 0) {
        error = choose_nodes(plan, options, topology, own_nodes, &nodes);
    }
    if (error == 0) {
        error = add_columns(plan, options, topology, &nodes);
    }
    if (error == 0) {
        if (only_local) {
            leave_out_rows_without_local(plan, options, topology, own_nodes);
        }
        error = add_cells(plan, own_nodes, only_local);
    }
    for (size_t i = 0; i < plan->row_count; i++) {
        id_list_destroy(&own_nodes[i]);
    }
    free(own_nodes);
    id_list_destroy(&nodes);
    return error;
}
