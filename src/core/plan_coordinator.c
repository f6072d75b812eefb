/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan_internal.h"

#include <errno.h>
#include <stdlib.h>

int plan_set_measured_cpus(struct plan *plan, const struct topology *topology)
{
    bool *is_measured = calloc(topology->cpu_count + 1, sizeof *is_measured);
    if (is_measured == NULL) {
        return -ENOMEM;
    }
    for (size_t row = 0; row < plan->row_count; row++) {
        const struct id_list *cpus = &plan->rows[row].cpus;
        for (size_t i = 0; i < cpus->count && plan->rows[row].state == ROW_PLANNED; i++) {
            is_measured[topology_find_cpu(topology, cpus->ids[i]) - topology->cpus] = true;
        }
    }
    int error = 0;
    for (size_t i = 0; i < topology->cpu_count && error == 0; i++) {
        if (is_measured[i]) {
            error = id_list_add(&plan->measured_cpus, topology->cpus[i].cpu);
        }
    }
    free(is_measured);
    return error;
}

enum coordinator_reach {
    REACH_MASK,         /* housekeeping CPUs in the inherited mask */
    REACH_HOUSEKEEPING, /* all housekeeping CPUs */
    REACH_MASK_ISOLATED,
    REACH_ALL
};

static bool is_candidate(const struct topology_cpu *cpu, enum coordinator_reach reach)
{
    const bool is_housekeeping = !cpu->is_isolated && !cpu->is_nohz_full;
    if (cpu->state != CPU_ONLINE) {
        return false;
    }
    switch (reach) {
    case REACH_MASK:
        return cpu->is_in_inherited_mask && is_housekeeping;
    case REACH_HOUSEKEEPING:
        return is_housekeeping;
    case REACH_MASK_ISOLATED:
        return cpu->is_in_inherited_mask;
    case REACH_ALL:
        break;
    }
    return true;
}

static int list_candidates(const struct topology *topology, enum coordinator_reach reach,
                           struct id_list *cpus)
{
    int error = 0;
    cpus->count = 0;
    for (size_t i = 0; i < topology->cpu_count && error == 0; i++) {
        if (is_candidate(&topology->cpus[i], reach)) {
            error = id_list_add(cpus, topology->cpus[i].cpu);
        }
    }
    return error;
}

static int cpu_core(const struct topology *topology, int cpu)
{
    const struct topology_cpu *found = topology_find_cpu(topology, cpu);
    return found != NULL ? found->core : TOPOLOGY_NONE;
}

static int list_cores(const struct topology *topology, const struct id_list *cpus, struct id_list *cores)
{
    int error = 0;
    for (size_t i = 0; i < cpus->count && error == 0; i++) {
        const int core = cpu_core(topology, cpus->ids[i]);
        if (core != TOPOLOGY_NONE) {
            error = id_list_add(cores, core);
        }
    }
    return error;
}

/* How near to the busy CPUs a CPU is: 0 away, 1 an SMT sibling, 2 one of them. */
static int cpu_nearness(const struct topology *topology, int cpu, const struct id_list *busy,
                        const struct id_list *busy_cores)
{
    if (id_list_contains(busy, cpu)) {
        return 2;
    }
    const int core = cpu_core(topology, cpu);
    return core != TOPOLOGY_NONE && id_list_contains(busy_cores, core) ? 1 : 0;
}

/* Whether every row leaves one of the CPUs on an undisturbed core. */
static int check_away_from_each_row(const struct plan *plan, const struct topology *topology,
                                    const struct id_list *cpus, bool *is_away)
{
    *is_away = true;
    for (size_t row = 0; row < plan->row_count && *is_away; row++) {
        const struct id_list *busy = &plan->rows[row].cpus;
        if (plan->rows[row].state != ROW_PLANNED) {
            continue;
        }
        struct id_list cores = {0};
        const int error = list_cores(topology, busy, &cores);
        size_t i = 0;
        while (i < cpus->count && cpu_nearness(topology, cpus->ids[i], busy, &cores) != 0) {
            i++;
        }
        *is_away = i < cpus->count;
        id_list_destroy(&cores);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

/* CPUs outside the inherited mask are taken where those inside would sit on a measured core; isolated
 * ones only where there are no others. */
static int set_automatic_cpus(struct plan *plan, const struct topology *topology)
{
    static const struct {
        enum coordinator_reach reach;
        bool must_be_away;
    } choices[] = {{REACH_MASK, true},
                   {REACH_HOUSEKEEPING, false},
                   {REACH_MASK_ISOLATED, true},
                   {REACH_ALL, false}};
    struct id_list *cpus = &plan->coordinator_cpus;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        bool is_away = true;
        int error = list_candidates(topology, choices[i].reach, cpus);
        if (error == 0 && choices[i].must_be_away) {
            error = check_away_from_each_row(plan, topology, cpus, &is_away);
        }
        if (error != 0 || (is_away && cpus->count > 0)) {
            return error;
        }
    }
    return 0;
}

int plan_set_coordinator(struct plan *plan, const struct options *options,
                         const struct topology *topology, struct failure *failure)
{
    if (options->coordinator_cpu == OPTION_COORDINATOR_AUTO) {
        return set_automatic_cpus(plan, topology);
    }
    const int cpu = (int)options->coordinator_cpu;
    const struct topology_cpu *found = topology_find_cpu(topology, cpu);
    if (found == NULL) {
        return failure_set(
            failure, "plan", EINVAL,
            "--coordinator: there is no CPU %d; give the number of an online CPU, or auto", cpu);
    }
    if (found->state != CPU_ONLINE) {
        return failure_set(failure, "plan", EINVAL,
                           "--coordinator: CPU %d is %s; give the number of another CPU, or auto", cpu,
                           cpu_state_name(found->state));
    }
    plan->coordinator_cpu = cpu;
    return id_list_add(&plan->coordinator_cpus, cpu);
}

/* The CPUs of the plan's that are no nearer than `nearness` to the busy ones. */
static int list_coordinator_cpus(const struct plan *plan, const struct topology *topology,
                                 const struct id_list *busy, const struct id_list *busy_cores,
                                 int nearness, struct id_list *cpus)
{
    int error = 0;
    cpus->count = 0;
    for (size_t i = 0; i < plan->coordinator_cpus.count && error == 0; i++) {
        const int cpu = plan->coordinator_cpus.ids[i];
        if (cpu_nearness(topology, cpu, busy, busy_cores) <= nearness) {
            error = id_list_add(cpus, cpu);
        }
    }
    return error;
}

int plan_coordinator_cpus(const struct plan *plan, const struct topology *topology,
                          const struct id_list *busy, struct id_list *cpus, int *quality)
{
    struct id_list busy_cores = {0};
    int error = list_cores(topology, busy, &busy_cores);
    *quality = 0;
    for (int nearness = 0; nearness <= 2 && error == 0; nearness++) {
        error = list_coordinator_cpus(plan, topology, busy, &busy_cores, nearness, cpus);
        *quality = nearness;
        if (cpus->count > 0) {
            break;
        }
    }
    id_list_destroy(&busy_cores);
    return error;
}
