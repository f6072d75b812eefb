/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/columns.h"
#include "table_parts.h"
#include "text.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void add_ids(struct grid *grid, const struct id_list *ids)
{
    char *text = id_list_format(ids);
    if (text == NULL) {
        grid->error = -ENOMEM;
        return;
    }
    grid_add_text(grid, text);
    free(text);
}

struct node_use {
    bool has_memory_only;
    bool has_types;
    bool has_forbidden;
};

static struct node_use find_node_use(const struct topology *topology)
{
    struct node_use use = {0};
    for (size_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        use.has_memory_only = use.has_memory_only || node->cpus.count == 0;
        use.has_types = use.has_types || node->subtype != NULL;
        use.has_forbidden = use.has_forbidden || !node->is_allowed;
    }
    return use;
}

static void add_memory(struct grid *grid, int64_t bytes)
{
    char text[TEXT_NUMBER_SIZE];
    grid_add_text(grid, text_format_bytes(bytes, text));
}

static int print_nodes(const struct topology *topology, const struct output_settings *settings,
                       FILE *stream)
{
    struct grid grid;
    const struct node_use use = find_node_use(topology);
    grid_init(&grid, settings);
    grid_add_column(&grid, "NODE", true, false, 0);
    grid_add_column(&grid, "MEMORY", true, false, 1);
    grid_add_column(&grid, "FREE", true, false, 1);
    grid_add_column(&grid, "TYPE", false, !use.has_types, 1);
    grid_add_column(&grid, "ALLOWED", false, !use.has_forbidden, 1);
    grid_add_column(&grid, "CPUS", false, false, 1);
    if (use.has_memory_only) {
        grid_add_column(&grid, "NEAR CPUS", false, false, 1);
    }
    for (size_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        grid_add_id(&grid, node->node);
        add_memory(&grid, node->memory_bytes);
        add_memory(&grid, node->free_memory_bytes);
        grid_add_text(&grid, node->subtype != NULL ? node->subtype : "");
        grid_add_text(&grid, node->is_allowed ? "yes" : "no");
        add_ids(&grid, &node->cpus);
        if (use.has_memory_only) {
            add_ids(&grid, node->cpus.count == 0 ? &node->near_cpus : &(struct id_list){0});
        }
    }
    const int error = grid_print(&grid, stream);
    grid_destroy(&grid);
    return error;
}

static int print_distances(const struct topology *topology, const struct output_settings *settings,
                           FILE *stream)
{
    struct grid grid;
    if (topology->distances == NULL) {
        return text_print_line(stream, settings->width, settings->use_ascii, 2,
                               "Node distances of the firmware: not known");
    }
    (void)fputs("Node distances of the firmware (from row to column)\n", stream);
    grid_init(&grid, settings);
    grid_add_column(&grid, "NODE", true, false, 0);
    for (size_t to = 0; to < topology->node_count; to++) {
        char heading[16];
        (void)snprintf(heading, sizeof heading, "%d", topology->nodes[to].node);
        grid_add_column(&grid, heading, true, false, 1);
    }
    for (size_t from = 0; from < topology->node_count; from++) {
        grid_add_id(&grid, topology->nodes[from].node);
        for (size_t to = 0; to < topology->node_count; to++) {
            grid_add_id(&grid, topology->distances[from * topology->node_count + to]);
        }
    }
    const int error = grid_print(&grid, stream);
    grid_destroy(&grid);
    return error;
}

static const char *yes_or_no(bool is_so)
{
    return is_so ? "yes" : "no";
}

static const char *swept_text(const struct plan *plan, size_t row)
{
    if (plan == NULL) {
        return "";
    }
    if (row == SIZE_MAX) {
        return "no";
    }
    return plan->rows[row].state == ROW_PLANNED ? "yes" : row_reason(&plan->rows[row]);
}

static void add_cpu_cell(struct grid *grid, const char *column, const struct topology_cpu *cpu,
                         const struct identity *identity, const char *swept)
{
    if (table_add_identity(grid, column, identity)) {
        return;
    }
    if (strcmp(column, "cpu") == 0) {
        grid_add_id(grid, cpu->cpu);
    } else if (strcmp(column, "online") == 0) {
        grid_add_text(grid, yes_or_no(cpu->state != CPU_OFFLINE));
    } else if (strcmp(column, "allowed") == 0) {
        grid_add_text(grid, yes_or_no(cpu->state != CPU_DISALLOWED && cpu->is_in_inherited_mask));
    } else if (strcmp(column, "isolated") == 0) {
        grid_add_text(grid, yes_or_no(cpu->is_isolated));
    } else if (strcmp(column, "nohz_full") == 0) {
        grid_add_text(grid, yes_or_no(cpu->is_nohz_full));
    } else {
        grid_add_text(grid, swept);
    }
}

static int fill_cpus(struct grid *grid, const struct topology *topology, const struct plan *plan,
                     const struct column_row *columns, const size_t *positions, size_t count)
{
    size_t *rows = rows_by_cpu(plan, topology);
    int error = rows == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < topology->cpu_count && error == 0; i++) {
        struct identity identity = {0};
        error = identity_of_cpu(topology, topology->cpus[i].cpu, &identity);
        for (size_t column = 0; column < count && error == 0; column++) {
            add_cpu_cell(grid, columns[positions[column]].name, &topology->cpus[i], &identity,
                         swept_text(plan, rows[i]));
        }
        identity_destroy(&identity);
    }
    free(rows);
    return error;
}

static bool is_flag_expendable(const struct topology *topology, const char *column_name)
{
    bool has_isolated = false;
    bool has_nohz_full = false;
    for (size_t i = 0; i < topology->cpu_count; i++) {
        has_isolated = has_isolated || topology->cpus[i].is_isolated;
        has_nohz_full = has_nohz_full || topology->cpus[i].is_nohz_full;
    }
    return (strcmp(column_name, "isolated") == 0 && !has_isolated) ||
           (strcmp(column_name, "nohz_full") == 0 && !has_nohz_full);
}

static int print_cpus(const struct topology *topology, const struct plan *plan,
                      const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    size_t column_count = 0;
    size_t count = 0;
    size_t *positions = NULL;
    const struct column_row *columns = columns_table(COLUMN_VIEW_TOPOLOGY, &column_count);
    const struct identity_use use = identity_find_use(topology);
    struct grid grid;
    int error = columns_resolve(COLUMN_VIEW_TOPOLOGY, settings->columns, &positions, &count, failure);
    if (error != 0) {
        return error;
    }
    grid_init(&grid, settings);
    for (size_t i = 0; i < count; i++) {
        const struct column_row *column = &columns[positions[i]];
        const bool tells_nothing = identity_is_expendable(&use, column->name) ||
                                   is_flag_expendable(topology, column->name);
        grid_add_column(&grid, column->heading, column->is_number,
                        settings->columns == NULL && tells_nothing, i == 0 ? 0 : 1);
    }
    error = fill_cpus(&grid, topology, plan, columns, positions, count);
    if (error == 0) {
        error = grid_print(&grid, stream);
    }
    grid_destroy(&grid);
    free(positions);
    return error;
}

static int print_title(const struct topology *topology, const struct output_settings *settings,
                       FILE *stream)
{
    struct id_list usable = {0};
    char *list = NULL;
    int error = topology_usable_cpus(topology, &usable);
    if (error == 0) {
        list = id_list_format(&usable);
        error = list == NULL ? -ENOMEM : 0;
    }
    if (error == 0) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                "Topology of %s: %zu CPUs (usable: %s) in %zu %s%s%s, fingerprint %s",
                                topology->source != NULL ? topology->source : "unknown machine",
                                topology->cpu_count, usable.count > 0 ? list : "none",
                                topology->node_count, topology->node_count == 1 ? "node" : "nodes",
                                topology->has_numa ? "" : " (Linux knows no NUMA here: made up)",
                                topology->is_this_machine ? "" : ", not this machine",
                                topology->fingerprint != NULL ? topology->fingerprint : "none");
    }
    free(list);
    id_list_destroy(&usable);
    return error;
}

static int print_kinds(const struct topology *topology, const struct output_settings *settings,
                       FILE *stream)
{
    int error = 0;
    for (size_t i = 0; i < topology->kind_count && error == 0; i++) {
        char *list = id_list_format(&topology->kinds[i].cpus);
        error = list == NULL ? -ENOMEM
                             : text_print_line(stream, settings->width, settings->use_ascii, 2,
                                               "Kind %d (%s): CPUs %s", topology->kinds[i].kind,
                                               topology->kinds[i].name, list);
        free(list);
    }
    return error;
}

static int print_disagreements(const struct topology *topology, const struct output_settings *settings,
                               FILE *stream)
{
    int error = 0;
    if (topology->disagreement_count > 0) {
        (void)fputs("\nWhere hwloc and libnuma disagree\n", stream);
    }
    for (size_t i = 0; i < topology->disagreement_count && error == 0; i++) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 4, "  %s",
                                topology->disagreements[i]);
    }
    return error;
}

int table_print_topology(const struct topology *topology, const struct plan *plan,
                         const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    int error = settings->no_headings ? 0 : print_title(topology, settings, stream);
    if (error == 0) {
        error = print_kinds(topology, settings, stream);
    }
    if (error == 0) {
        (void)fputc('\n', stream);
        error = print_nodes(topology, settings, stream);
    }
    if (error == 0) {
        (void)fputc('\n', stream);
        error = print_distances(topology, settings, stream);
    }
    if (error == 0) {
        (void)fputc('\n', stream);
        error = print_cpus(topology, plan, settings, stream, failure);
    }
    if (error == 0) {
        error = print_disagreements(topology, settings, stream);
    }
    return error != 0 ? error : text_stream_error(stream);
}
