/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan_internal.h"

#include "numasweep/selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int plan_object_number(enum row_level level, const struct topology_cpu *cpu)
{
    switch (level) {
    case ROW_PU:
        return cpu->cpu;
    case ROW_CORE:
        return cpu->core;
    case ROW_L3:
        return cpu->l3;
    case ROW_NODE:
        return cpu->node;
    case ROW_PACKAGE:
        return cpu->package;
    case ROW_MACHINE:
        return 0;
    }
    return TOPOLOGY_NONE;
}

static const char *object_name(enum row_level level)
{
    switch (level) {
    case ROW_CORE:
        return "core";
    case ROW_L3:
        return "L3";
    case ROW_NODE:
        return "node";
    case ROW_PACKAGE:
        return "package";
    case ROW_PU:
    case ROW_MACHINE:
        break;
    }
    return "CPU";
}

static void set_label(struct plan_row *row, enum row_level by)
{
    if (row->level == ROW_MACHINE) {
        (void)snprintf(row->label, sizeof row->label, "machine");
    } else if (row->id == TOPOLOGY_NONE) {
        (void)snprintf(row->label, sizeof row->label, "no %s", object_name(row->level));
    } else if (by == ROW_PU) {
        (void)snprintf(row->label, sizeof row->label, "%d", row->id);
    } else {
        (void)snprintf(row->label, sizeof row->label, "%s %d", object_name(row->level), row->id);
    }
}

static const char *reason_text(enum row_state state)
{
    switch (state) {
    case ROW_OFFLINE:
        return "offline";
    case ROW_DISALLOWED:
        return "not allowed (outside the cpuset)";
    case ROW_NOT_IN_MASK:
        return "outside the inherited affinity mask; --cpus reaches it";
    case ROW_NOT_SELECTED:
        return "not in --cpus";
    case ROW_PLANNED:
    case ROW_NO_LOCAL_NODE:
        break;
    }
    return "";
}

/* What the options say about CPUs, resolved once. */
struct cpu_choice {
    bool is_explicit;
    bool reaches_beyond_mask;
    struct id_list cpus; /* of an explicit list */
};

static enum row_state cpu_row_state(const struct cpu_choice *choice, const struct topology_cpu *cpu)
{
    if (choice->is_explicit && !id_list_contains(&choice->cpus, cpu->cpu)) {
        return ROW_NOT_SELECTED;
    }
    if (cpu->state == CPU_OFFLINE) {
        return ROW_OFFLINE;
    }
    if (cpu->state == CPU_DISALLOWED) {
        return ROW_DISALLOWED;
    }
    if (!cpu->is_in_inherited_mask && !choice->reaches_beyond_mask) {
        return ROW_NOT_IN_MASK;
    }
    return ROW_PLANNED;
}

/* A worker that is not pinned runs wherever its inherited mask lets it: a list cannot take CPUs away. */
static int check_machine_list(const struct cpu_choice *choice, const struct topology *topology,
                              struct failure *failure)
{
    for (size_t i = 0; i < topology->cpu_count; i++) {
        const struct topology_cpu *cpu = &topology->cpus[i];
        if (cpu->state == CPU_ONLINE && cpu->is_in_inherited_mask &&
            !id_list_contains(&choice->cpus, cpu->cpu)) {
            return failure_set(
                failure, "plan", EINVAL,
                "--cpus leaves CPU %d out, but --by machine does not pin its worker, which "
                "could run there; leave out --cpus, or start numasweep under taskset",
                cpu->cpu);
        }
    }
    return 0;
}

static int choose_cpus(const struct options *options, const struct topology *topology,
                       struct cpu_choice *choice, struct failure *failure)
{
    if (options->cpus == NULL) {
        return 0;
    }
    choice->is_explicit = true;
    choice->reaches_beyond_mask = options->by != ROW_MACHINE;
    const int error = cpu_selection_resolve(options->cpus, topology, &choice->cpus, failure);
    if (error != 0 || options->by != ROW_MACHINE) {
        return error;
    }
    return check_machine_list(choice, topology, failure);
}

/* One CPU on its way into a row: those with the same group make one row. */
struct row_member {
    int group;
    const struct topology_cpu *cpu;
    enum row_state state;
};

/* Planned CPUs by group; those left out, which have rows of their own, after them. */
static int compare_members(const void *left, const void *right)
{
    const struct row_member *a = left;
    const struct row_member *b = right;
    const bool a_is_out = a->state != ROW_PLANNED;
    const bool b_is_out = b->state != ROW_PLANNED;
    if (a_is_out != b_is_out) {
        return a_is_out ? 1 : -1;
    }
    if (a->group != b->group) {
        return (a->group > b->group) - (a->group < b->group);
    }
    return (a->cpu->cpu > b->cpu->cpu) - (a->cpu->cpu < b->cpu->cpu);
}

static int compare_rows(const void *left, const void *right)
{
    const struct plan_row *a = left;
    const struct plan_row *b = right;
    return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static struct plan_row *start_row(struct plan *plan, const struct row_member *member,
                                  const struct cpu_choice *choice)
{
    struct plan_row *row = &plan->rows[plan->row_count++];
    const bool is_planned = member->state == ROW_PLANNED;
    row->level = is_planned ? plan->by : ROW_PU;
    row->id = is_planned ? member->group : member->cpu->cpu;
    row->cpu = member->cpu->cpu;
    row->state = member->state;
    row->is_asked_for = is_planned || (choice->is_explicit && member->state != ROW_NOT_SELECTED);
    (void)snprintf(row->reason, sizeof row->reason, "%s", reason_text(member->state));
    set_label(row, plan->by);
    return row;
}

static int add_rows_of_members(struct plan *plan, const struct row_member *members, size_t count,
                               const struct cpu_choice *choice)
{
    struct plan_row *row = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct row_member *member = &members[i];
        const bool is_planned = member->state == ROW_PLANNED;
        if (row == NULL || !is_planned || member->group != row->id) {
            row = start_row(plan, member, choice);
        }
        if (is_planned && id_list_add(&row->cpus, member->cpu->cpu) != 0) {
            return -ENOMEM;
        }
    }
    return 0;
}

int plan_add_rows(struct plan *plan, const struct options *options, const struct topology *topology,
                  struct failure *failure)
{
    const size_t count = topology->cpu_count;
    struct cpu_choice choice = {0};
    struct row_member *members = calloc(count + 1, sizeof *members);
    plan->rows = calloc(count + 1, sizeof *plan->rows);
    int error = members == NULL || plan->rows == NULL ? -ENOMEM : 0;
    if (error == 0) {
        error = choose_cpus(options, topology, &choice, failure);
    }
    if (error != 0) {
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        const struct topology_cpu *cpu = &topology->cpus[i];
        members[i] = (struct row_member){.group = plan_object_number(plan->by, cpu),
                                         .cpu = cpu,
                                         .state = cpu_row_state(&choice, cpu)};
    }
    qsort(members, count, sizeof *members, compare_members);
    error = add_rows_of_members(plan, members, count, &choice);
    qsort(plan->rows, plan->row_count, sizeof *plan->rows, compare_rows);

out:
    id_list_destroy(&choice.cpus);
    free(members);
    return error;
}
