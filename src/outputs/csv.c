/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/output.h"

#include "support/csv_line.h"
#include "support/identity.h"
#include "support/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_figure(struct csv_line *line, const struct figure_summary *figure)
{
    csv_integer(line, (int64_t)figure->sample_count);
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        csv_number_ns(line, figure->has_value[metric] ? figure->values_ns[metric] : (double)NAN);
    }
}

static void put_figure_heading(FILE *stream, const char *name)
{
    (void)fprintf(stream, ",%s_samples", name);
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        (void)fprintf(stream, ",%s_%s_ns", name, metric_name((enum metric)metric));
    }
}

static void put_report_heading(FILE *stream)
{
    (void)fputs(
        "arm,timeout_ns,row,cpu,cpus,node,package,l3,core,siblings,kind,memory_node,is_local,state,"
        "visits_planned,visits_measured,visits_failed",
        stream);
    put_figure_heading(stream, "wake");
    put_figure_heading(stream, "touch");
    (void)fputs(",early,elsewhere,unproved,policy,status\n", stream);
}

static int put_row_part(struct csv_line *line, const struct report *report,
                        const struct report_table *table, const struct report_row *row)
{
    const struct plan *plan = &report->sweep->plan;
    char *cpus = row_cpus_text(row->row);
    if (cpus == NULL) {
        return -ENOMEM;
    }
    csv_text(line, plan->arms[table->arm].name);
    csv_integer(line, plan->timeouts_ns[table->timeout]);
    csv_text(line, row->row->label);
    csv_id(line, row->row->cpu);
    csv_text(line, cpus);
    csv_id(line, row->node);
    csv_id(line, row->package);
    csv_id(line, row->l3);
    csv_id(line, row->core);
    csv_text(line, row->siblings);
    csv_text(line, row->kind);
    free(cpus);
    return 0;
}

static void put_cell_part(struct csv_line *line, const struct report_cell *cell, int memory_node,
                          const char *status)
{
    char policy[32] = "";
    csv_id(line, memory_node);
    csv_bool(line, cell->is_local);
    csv_text(line, cell_state_word(cell->state));
    csv_integer(line, (int64_t)cell->visits_planned);
    csv_integer(line, (int64_t)cell->visits_measured);
    csv_integer(line, (int64_t)cell->visits_failed);
    put_figure(line, &cell->wake);
    put_figure(line, &cell->touch);
    csv_integer(line, cell->early_count);
    csv_integer(line, cell->elsewhere_count);
    csv_integer(line, cell->unproved_count);
    csv_text(line, cell->policy >= 0 ? policy_text(cell->policy, cell->priority, policy) : "");
    csv_text(line, status);
    csv_end(line);
}

static int put_row(struct csv_line *line, const struct report *report, const struct report_table *table,
                   size_t row_index)
{
    static const struct report_cell none = {
        .state = REPORT_CELL_NOT_PLANNED, .policy = -1, .priority = -1};
    const struct plan *plan = &report->sweep->plan;
    const struct report_row *row = &table->rows[row_index];
    bool has_cell = false;
    int error = 0;
    for (size_t column = 0; column < plan->column_count && error == 0; column++) {
        const struct report_cell *cell = &table->cells[row_index * plan->column_count + column];
        if (cell->state == REPORT_CELL_NOT_PLANNED) {
            continue;
        }
        has_cell = true;
        error = put_row_part(line, report, table, row);
        put_cell_part(line, cell, plan->columns[column].node,
                      cell->problem[0] != '\0' ? cell->problem : row->status);
    }
    /* Nothing is silently missing: a row without cells is a line too. */
    if (!has_cell && error == 0) {
        error = put_row_part(line, report, table, row);
        put_cell_part(line, &none, TOPOLOGY_NONE, row->status);
    }
    return error;
}

static int print_report(const struct report *report, const struct output_settings *settings,
                        FILE *stream, struct failure *failure)
{
    struct csv_line line = {.stream = stream};
    int error = 0;
    (void)failure;
    if (!settings->no_headings) {
        put_report_heading(stream);
    }
    for (size_t i = 0; i < report->table_count; i++) {
        for (size_t row = 0; row < report->sweep->plan.row_count && error == 0; row++) {
            error = put_row(&line, report, &report->tables[i], row);
        }
    }
    return error != 0 ? error : text_stream_error(stream);
}

static int print_topology(const struct topology *topology, const struct plan *plan,
                          const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    struct csv_line line = {.stream = stream};
    size_t *rows = rows_by_cpu(plan, topology);
    int error = rows == NULL ? -ENOMEM : 0;
    (void)failure;
    if (!settings->no_headings) {
        csv_heading(stream,
                    "cpu,state,node,package,l3,core,siblings,kind,isolated,nohz_full,swept,reason");
    }
    for (size_t i = 0; i < topology->cpu_count && error == 0; i++) {
        const struct topology_cpu *cpu = &topology->cpus[i];
        struct identity identity = {0};
        const struct plan_row *row = plan != NULL && rows[i] != SIZE_MAX ? &plan->rows[rows[i]] : NULL;
        error = identity_of_cpu(topology, cpu->cpu, &identity);
        csv_id(&line, cpu->cpu);
        csv_text(&line, cpu_state_name(cpu->state));
        csv_id(&line, identity.node);
        csv_id(&line, identity.package);
        csv_id(&line, identity.l3);
        csv_id(&line, identity.core);
        csv_text(&line, identity.siblings != NULL ? identity.siblings : "");
        csv_text(&line, identity.kind != NULL ? identity.kind : "");
        csv_bool(&line, cpu->is_isolated);
        csv_bool(&line, cpu->is_nohz_full);
        csv_bool(&line, row != NULL && row->state == ROW_PLANNED);
        csv_text(&line, row != NULL ? row_reason(row) : "");
        csv_end(&line);
        identity_destroy(&identity);
    }
    free(rows);
    return error != 0 ? error : text_stream_error(stream);
}

static void put_visit(struct csv_line *line, const struct plan *plan, int64_t round, size_t position,
                      size_t cell_index)
{
    const struct plan_cell *cell = &plan->cells[cell_index];
    csv_integer(line, round + 1);
    csv_integer(line, (int64_t)position + 1);
    csv_text(line, plan->arms[cell->arm].name);
    csv_integer(line, plan->timeouts_ns[cell->timeout]);
    csv_text(line, plan->rows[cell->row].label);
    csv_id(line, plan->rows[cell->row].cpu);
    csv_id(line, plan->columns[cell->column].node);
    csv_bool(line, cell->is_local);
    csv_text(line, "planned");
    csv_end(line);
}

static void put_left_out(struct csv_line *line, const struct plan_row *row)
{
    for (int field = 0; field < 4; field++) {
        csv_text(line, "");
    }
    csv_text(line, row->label);
    csv_id(line, row->cpu);
    csv_text(line, "");
    csv_text(line, "");
    csv_text(line, row_reason(row));
    csv_end(line);
}

static int print_plan(const struct plan *plan, const struct topology *topology,
                      const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    struct csv_line line = {.stream = stream};
    size_t *order = calloc(plan->cell_count + 1, sizeof *order);
    int error = order == NULL ? -ENOMEM : 0;
    (void)topology;
    (void)failure;
    if (!settings->no_headings) {
        csv_heading(stream, "round,position,arm,timeout_ns,row,cpu,memory_node,is_local,status");
    }
    for (int64_t round = 0; round < plan->round_count && error == 0 && ferror(stream) == 0; round++) {
        error = plan_round_order(plan, round, order);
        for (size_t i = 0; i < plan->cell_count && error == 0; i++) {
            put_visit(&line, plan, round, i, order[i]);
        }
    }
    for (size_t i = 0; i < plan->row_count; i++) {
        if (plan->rows[i].state != ROW_PLANNED) {
            put_left_out(&line, &plan->rows[i]);
        }
    }
    free(order);
    return error != 0 ? error : text_stream_error(stream);
}

static int print_environment(const struct environment *environment,
                             const struct output_settings *settings, FILE *stream,
                             struct failure *failure)
{
    struct csv_line line = {.stream = stream};
    (void)failure;
    if (!settings->no_headings) {
        csv_heading(stream, "group,name,value,severity,advice");
    }
    for (size_t i = 0; i < environment->count; i++) {
        const struct environment_fact *fact = &environment->facts[i];
        csv_text(&line, fact->group);
        csv_text(&line, fact->name);
        csv_text(&line, fact->value);
        csv_text(&line, fact_severity_name(fact->severity));
        csv_text(&line, fact->advice != NULL ? fact->advice : "");
        csv_end(&line);
    }
    return text_stream_error(stream);
}

const struct output_format output_csv = {
    .name = "csv",
    .summary = "one line a cell (RFC 4180), every metric in ns",
    .print_report = print_report,
    .print_topology = print_topology,
    .print_plan = print_plan,
    .print_environment = print_environment,
};
