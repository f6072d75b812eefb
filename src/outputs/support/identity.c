/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "identity.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int identity_of_cpu(const struct topology *topology, int cpu, struct identity *identity)
{
    const struct topology_cpu *found = topology_find_cpu(topology, cpu);
    struct id_list siblings = {0};
    int error = 0;

    *identity = (struct identity){.node = TOPOLOGY_NONE,
                                  .package = TOPOLOGY_NONE,
                                  .l3 = TOPOLOGY_NONE,
                                  .core = TOPOLOGY_NONE,
                                  .kind = ""};
    if (found != NULL) {
        const struct topology_kind *kind = topology_find_kind(topology, found->kind);
        identity->node = found->node;
        identity->package = found->package;
        identity->l3 = found->l3;
        identity->core = found->core;
        identity->kind = kind != NULL && kind->name != NULL ? kind->name : "";
        error = topology_smt_siblings(topology, cpu, &siblings);
    }
    if (error == 0) {
        identity->siblings = id_list_format(&siblings);
        error = identity->siblings == NULL ? -ENOMEM : 0;
    }
    id_list_destroy(&siblings);
    return error;
}

int identity_of_row(const struct report_row *row, struct identity *identity)
{
    *identity = (struct identity){.node = row->node,
                                  .package = row->package,
                                  .l3 = row->l3,
                                  .core = row->core,
                                  .siblings = strdup(row->siblings != NULL ? row->siblings : ""),
                                  .kind = row->kind != NULL ? row->kind : ""};
    return identity->siblings == NULL ? -ENOMEM : 0;
}

void identity_destroy(struct identity *identity)
{
    free(identity->siblings);
    *identity = (struct identity){0};
}

static bool has_smt(const struct topology *topology)
{
    int highest = -1;
    for (size_t i = 0; i < topology->cpu_count; i++) {
        highest = topology->cpus[i].core > highest ? topology->cpus[i].core : highest;
    }
    char *is_seen = calloc((size_t)highest + 2, 1);
    bool result = is_seen == NULL;
    for (size_t i = 0; !result && i < topology->cpu_count; i++) {
        const int core = topology->cpus[i].core;
        if (core >= 0) {
            result = is_seen[core] != 0;
            is_seen[core] = 1;
        }
    }
    free(is_seen);
    return result;
}

struct identity_use identity_find_use(const struct topology *topology)
{
    struct identity_use use = {.has_kinds = topology->kind_count > 0, .has_siblings = has_smt(topology)};
    bool is_one_package = true;
    bool is_like_node = true;
    for (size_t i = 0; i < topology->cpu_count; i++) {
        const struct topology_cpu *cpu = &topology->cpus[i];
        is_one_package = is_one_package && cpu->package == topology->cpus[0].package;
        is_like_node = is_like_node && cpu->package == cpu->node;
    }
    use.has_packages = !is_one_package && !is_like_node;
    return use;
}

bool identity_is_expendable(const struct identity_use *use, const char *column_name)
{
    return (strcmp(column_name, "sibling") == 0 && !use->has_siblings) ||
           (strcmp(column_name, "kind") == 0 && !use->has_kinds) ||
           (strcmp(column_name, "package") == 0 && !use->has_packages);
}

static bool is_same_for_row(enum row_level by, const char *column_name)
{
    static const struct {
        const char *name;
        enum row_level widest;
    } bounds[] = {
        {.name = "sibling", .widest = ROW_PU}, {.name = "core", .widest = ROW_CORE},
        {.name = "kind", .widest = ROW_CORE},  {.name = "l3", .widest = ROW_L3},
        {.name = "node", .widest = ROW_NODE},  {.name = "package", .widest = ROW_PACKAGE},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        if (strcmp(bounds[i].name, column_name) == 0) {
            return by <= bounds[i].widest;
        }
    }
    return true;
}

static size_t find_column(const struct column_row *columns, size_t column_count, const char *name)
{
    size_t position = 0;
    while (position < column_count && strcmp(columns[position].name, name) != 0) {
        position++;
    }
    return position;
}

void identity_fit_columns(enum row_level by, const struct column_row *columns, size_t column_count,
                          size_t *positions, size_t *count)
{
    const size_t cpus = find_column(columns, column_count, "cpus");
    size_t kept = 0;
    if (by == ROW_PU) {
        return;
    }
    for (size_t i = 0; i < *count; i++) {
        if (is_same_for_row(by, columns[positions[i]].name)) {
            positions[kept++] = positions[i];
        }
    }
    if (kept > 0 && kept < column_count && cpus < column_count) {
        (void)memmove(positions + 2, positions + 1, (kept - 1) * sizeof *positions);
        positions[1] = cpus;
        kept++;
    }
    *count = kept;
}

const char *identity_heading(enum row_level by, const struct column_row *column)
{
    return by != ROW_PU && strcmp(column->name, "cpu") == 0 ? "ROW" : column->heading;
}

char *row_cpus_text(const struct plan_row *row)
{
    return id_list_format(&row->cpus);
}

size_t *rows_by_cpu(const struct plan *plan, const struct topology *topology)
{
    size_t *rows = malloc((topology->cpu_count + 1) * sizeof *rows);
    if (rows == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < topology->cpu_count; i++) {
        rows[i] = SIZE_MAX;
    }
    for (size_t row = 0; plan != NULL && row < plan->row_count; row++) {
        const struct topology_cpu *known = topology_find_cpu(topology, plan->rows[row].cpu);
        if (known != NULL && rows[known - topology->cpus] == SIZE_MAX) {
            rows[known - topology->cpus] = row;
        }
        for (size_t i = 0; i < plan->rows[row].cpus.count; i++) {
            const struct topology_cpu *cpu = topology_find_cpu(topology, plan->rows[row].cpus.ids[i]);
            if (cpu != NULL) {
                rows[cpu - topology->cpus] = row;
            }
        }
    }
    return rows;
}

const char *row_reason(const struct plan_row *row)
{
    if (row->state == ROW_PLANNED) {
        return "";
    }
    return row->reason[0] != '\0' ? row->reason : row_state_name(row->state);
}

const char *cell_state_word(enum report_cell_state state)
{
    switch (state) {
    case REPORT_CELL_MEASURED:
        return "measured";
    case REPORT_CELL_INCOMPLETE:
        return "incomplete";
    case REPORT_CELL_MISSING:
        return "missing";
    case REPORT_CELL_NOT_PLANNED:
    default:
        return "not planned";
    }
}

void column_heading(const struct plan_column *column, char heading[PLAN_LABEL_SIZE])
{
    if (column->node == TOPOLOGY_NONE) {
        (void)snprintf(heading, PLAN_LABEL_SIZE, "not bound");
        return;
    }
    (void)snprintf(heading, PLAN_LABEL_SIZE, "node%d", column->node);
}
