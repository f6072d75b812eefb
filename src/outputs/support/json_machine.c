/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Topology and plan as JSON. */
#include "identity.h"
#include "json_parts.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static json_t *json_of_cpu(const struct topology *topology, const struct topology_cpu *cpu,
                           const struct plan_row *row)
{
    struct identity identity = {0};
    if (identity_of_cpu(topology, cpu->cpu, &identity) != 0) {
        return NULL;
    }
    json_t *object = json_pack("{s:i, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:o}",
                               "cpu", cpu->cpu, "state", cpu_state_name(cpu->state),
                               "is_in_inherited_mask", cpu->is_in_inherited_mask, "node",
                               json_of_id(identity.node), "package", json_of_id(identity.package), "l3",
                               json_of_id(identity.l3), "core", json_of_id(identity.core), "siblings",
                               json_of_text(identity.siblings), "kind", json_of_text(identity.kind),
                               "is_isolated", cpu->is_isolated, "is_nohz_full", cpu->is_nohz_full,
                               "is_swept", row != NULL && row->state == ROW_PLANNED, "reason",
                               json_of_text(row != NULL ? row_reason(row) : ""));
    identity_destroy(&identity);
    return object;
}

static json_t *json_of_node(const struct topology_node *node)
{
    return json_pack("{s:i, s:o, s:o, s:b, s:o, s:o, s:o}", "node", node->node, "memory_bytes",
                     node->memory_bytes < 0 ? json_null() : json_integer(node->memory_bytes),
                     "free_memory_bytes",
                     node->free_memory_bytes < 0 ? json_null() : json_integer(node->free_memory_bytes),
                     "is_allowed", node->is_allowed, "type", json_of_text(node->subtype), "cpus",
                     json_of_ids(&node->cpus), "near_cpus", json_of_ids(&node->near_cpus));
}

static json_t *json_of_distances(const struct topology *topology)
{
    if (topology->distances == NULL) {
        return json_null();
    }
    json_t *rows = json_array();
    for (size_t from = 0; from < topology->node_count; from++) {
        json_t *row = json_array();
        for (size_t to = 0; to < topology->node_count; to++) {
            json_append(&row, json_of_id(topology->distances[from * topology->node_count + to]));
        }
        json_append(&rows, row);
    }
    return rows;
}

static json_t *json_of_kinds(const struct topology *topology)
{
    json_t *array = json_array();
    for (size_t i = 0; i < topology->kind_count; i++) {
        json_append(&array, json_pack("{s:i, s:o, s:o}", "kind", topology->kinds[i].kind, "name",
                                      json_of_text(topology->kinds[i].name), "cpus",
                                      json_of_ids(&topology->kinds[i].cpus)));
    }
    return array;
}

json_t *json_of_topology(const struct topology *topology, const struct plan *plan)
{
    size_t *rows = rows_by_cpu(plan, topology);
    json_t *cpus = rows != NULL ? json_array() : NULL;
    json_t *nodes = json_array();
    for (size_t i = 0; cpus != NULL && i < topology->cpu_count; i++) {
        const struct plan_row *row = plan != NULL && rows[i] != SIZE_MAX ? &plan->rows[rows[i]] : NULL;
        json_append(&cpus, json_of_cpu(topology, &topology->cpus[i], row));
    }
    for (size_t i = 0; i < topology->node_count; i++) {
        json_append(&nodes, json_of_node(&topology->nodes[i]));
    }
    free(rows);
    return json_pack("{s:s, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "numasweep-topology/1", "source", json_of_text(topology->source), "is_this_machine",
                     topology->is_this_machine, "has_numa", topology->has_numa, "fingerprint",
                     json_of_text(topology->fingerprint), "cpus", cpus, "nodes", nodes, "distances",
                     json_of_distances(topology), "kinds", json_of_kinds(topology), "disagreements",
                     json_of_texts(topology->disagreements, topology->disagreement_count));
}

static json_t *json_of_rows(const struct plan *plan)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < plan->row_count; i++) {
        const struct plan_row *row = &plan->rows[i];
        json_append(&rows,
                    json_pack("{s:o, s:s, s:i, s:o, s:s, s:b, s:o}", "row", json_of_text(row->label),
                              "level", row_level_name(row->level), "cpu", row->cpu, "cpus",
                              json_of_ids(&row->cpus), "state", row_state_name(row->state),
                              "is_asked_for", row->is_asked_for, "reason", json_of_text(row->reason)));
    }
    return rows;
}

static json_t *json_of_cells(const struct plan *plan)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        json_append(&cells,
                    json_pack("{s:s, s:I, s:o, s:i, s:o, s:b}", "arm", plan->arms[cell->arm].name,
                              "timeout_ns", (json_int_t)plan->timeouts_ns[cell->timeout], "row",
                              json_of_text(plan->rows[cell->row].label), "cpu",
                              plan->rows[cell->row].cpu, "node",
                              json_of_id(plan->columns[cell->column].node), "is_local", cell->is_local));
    }
    return cells;
}

static json_t *json_of_order(const struct plan *plan, int64_t round, size_t *order)
{
    if (plan_round_order(plan, round, order) != 0) {
        return NULL;
    }
    json_t *array = json_array();
    for (size_t i = 0; i < plan->cell_count; i++) {
        json_append(&array, json_integer((json_int_t)order[i]));
    }
    return array;
}

/* Of every round: positions in "cells". */
static json_t *json_of_orders(const struct plan *plan)
{
    size_t *order = calloc(plan->cell_count + 1, sizeof *order);
    json_t *orders = order != NULL ? json_array() : NULL;
    for (int64_t round = 0; orders != NULL && round < plan->round_count; round++) {
        json_append(&orders, json_of_order(plan, round, order));
    }
    free(order);
    return orders;
}

static json_t *json_of_arms(const struct plan *plan)
{
    json_t *arms = json_array();
    for (size_t i = 0; i < plan->arm_count; i++) {
        const struct plan_arm *arm = &plan->arms[i];
        json_append(&arms,
                    json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:s, s:s, s:b, s:I, s:o, s:o}", "name",
                              arm->name, "kernel", json_of_text(arm->kernel), "samples",
                              (json_int_t)arm->sample_count, "warmup", (json_int_t)arm->warmup_count,
                              "dither_percent", (json_int_t)arm->dither_percent, "touch_lines",
                              (json_int_t)arm->touch_lines, "clock", sample_clock_name(arm->clock),
                              "policy", policy_choice_name(arm->policy), "policy_is_required",
                              arm->policy_is_required, "priority", (json_int_t)arm->priority,
                              "timer_slack_ns",
                              arm->timer_slack_ns == OPTION_INHERIT_SLACK
                                  ? json_null()
                                  : json_integer((json_int_t)arm->timer_slack_ns),
                              "load", json_of_text(arm->load)));
    }
    return arms;
}

json_t *json_of_columns(const struct plan *plan)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < plan->column_count; i++) {
        json_append(&columns,
                    json_pack("{s:o, s:s, s:b}", "node", json_of_id(plan->columns[i].node), "label",
                              plan->columns[i].label, "is_allowed", plan->columns[i].is_allowed));
    }
    return columns;
}

json_t *json_of_plan(const struct plan *plan, const struct topology *topology)
{
    int64_t duration_ns = 0;
    char seed[32];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, plan->seed);
    if (plan_duration_ns(plan, topology, &duration_ns) != 0) {
        return NULL;
    }
    return json_pack("{s:s, s:o, s:s, s:I, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "numasweep-plan/1", "topology", json_of_text(topology->source), "seed", seed,
                     "rounds", (json_int_t)plan->round_count, "by", row_level_name(plan->by),
                     "concurrent", concurrency_name(plan->concurrent), "predicted_duration_ns",
                     (json_int_t)duration_ns, "arms", json_of_arms(plan), "rows", json_of_rows(plan),
                     "columns", json_of_columns(plan), "cells", json_of_cells(plan), "orders",
                     json_of_orders(plan), "coordinator_cpus", json_of_ids(&plan->coordinator_cpus));
}
