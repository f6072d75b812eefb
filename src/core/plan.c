/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan_internal.h"

#include "numasweep/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_arm(struct plan *plan, const struct options *options)
{
    plan->arms = calloc(1, sizeof *plan->arms);
    if (plan->arms == NULL) {
        return -ENOMEM;
    }
    plan->arm_count = 1;
    plan->arms[0] = (struct plan_arm){
        .name = "default",
        .kernel = options->kernel,
        .sample_count = options->sample_count,
        .warmup_count = options->warmup_count,
        .dither_percent = options->dither_percent,
        .touch_lines = options->touch_lines,
        .clock = options->clock,
        .policy = options->policy,
        .policy_is_required = (options->policy_is_explicit && options->policy != POLICY_AUTO) ||
                              options->priority_is_explicit,
        .priority = options->priority,
        .timer_slack_ns = options->timer_slack_ns,
        .load = options->load,
    };
    return 0;
}

static int add_timeouts(struct plan *plan, const struct options *options)
{
    plan->timeouts_ns = calloc(options->timeout_count + 1, sizeof *plan->timeouts_ns);
    if (plan->timeouts_ns == NULL) {
        return -ENOMEM;
    }
    plan->timeout_count = options->timeout_count;
    for (size_t i = 0; i < plan->timeout_count; i++) {
        plan->timeouts_ns[i] = options->timeouts_ns[i];
    }
    return 0;
}

/* The levels of --by and --concurrent that a machine may lack. */
static int check_level(const char *option, enum row_level level, const char *word,
                       const struct topology *topology, struct failure *failure)
{
    bool is_there = level == ROW_PU || level == ROW_MACHINE;
    for (size_t i = 0; i < topology->cpu_count && !is_there; i++) {
        is_there = plan_object_number(level, &topology->cpus[i]) != TOPOLOGY_NONE;
    }
    return is_there ? 0
                    : failure_set(failure, "plan", EINVAL,
                                  "%s %s: the topology shows no %s of any CPU; 'numasweep topology' "
                                  "prints what it has",
                                  option, word, word);
}

static int check_levels(const struct options *options, const struct topology *topology,
                        struct failure *failure)
{
    static const enum row_level domains[] = {
        [CONCURRENT_ONE] = ROW_MACHINE, [CONCURRENT_PACKAGE] = ROW_PACKAGE, [CONCURRENT_NODE] = ROW_NODE,
        [CONCURRENT_L3] = ROW_L3,       [CONCURRENT_CORE] = ROW_CORE,       [CONCURRENT_ALL] = ROW_PU};
    const int error = check_level("--by", options->by, row_level_name(options->by), topology, failure);
    return error != 0 ? error
                      : check_level("--concurrent", domains[options->concurrent],
                                    concurrency_name(options->concurrent), topology, failure);
}

static int check_load(const struct options *options, const struct topology *topology,
                      const struct plan *plan, struct failure *failure)
{
    struct load load = {.kind = LOAD_NONE};
    int error = load_parse(options->load, &load, failure);
    if (error == 0 && load.kind == LOAD_SIBLING && options->concurrent == CONCURRENT_ALL) {
        error = failure_set(failure, "plan", 0,
                            "--load %s: with --concurrent all no sibling is left to be busy; give "
                            "--concurrent core, or less",
                            options->load);
    }
    for (size_t i = 0; i < plan->row_count && error == 0; i++) {
        if (plan->rows[i].state == ROW_PLANNED) {
            error = load_check(&load, topology, &plan->rows[i].cpus, plan->rows[i].label, failure);
        }
    }
    return error;
}

int plan_create(const struct options *options, const struct topology *topology, struct plan *plan,
                struct failure *failure)
{
    *plan = (struct plan){
        .round_count = options->round_count,
        .seed = options->seed,
        .by = options->by,
        .concurrent = options->concurrent,
        .coordinator_cpu = OPTION_COORDINATOR_AUTO,
    };
    int error = check_levels(options, topology, failure);
    if (error == 0) {
        error = add_arm(plan, options);
    }
    if (error == 0) {
        error = add_timeouts(plan, options);
    }
    if (error == 0) {
        error = plan_add_rows(plan, options, topology, failure);
    }
    if (error == 0) {
        error = check_load(options, topology, plan, failure);
    }
    if (error == 0) {
        error = plan_add_columns_and_cells(plan, options, topology, failure);
    }
    if (error == 0) {
        error = plan_set_measured_cpus(plan, topology);
    }
    if (error == 0) {
        error = plan_set_coordinator(plan, options, topology, failure);
    }
    if (error == 0) {
        error = plan_domains_create(plan, topology);
    }
    if (error != 0) {
        plan_destroy(plan);
    }
    return error;
}

void plan_destroy(struct plan *plan)
{
    for (size_t i = 0; i < plan->row_count; i++) {
        id_list_destroy(&plan->rows[i].cpus);
    }
    free(plan->arms);
    free(plan->timeouts_ns);
    free(plan->rows);
    free(plan->columns);
    free(plan->cells);
    id_list_destroy(&plan->measured_cpus);
    id_list_destroy(&plan->coordinator_cpus);
    plan_domains_destroy(plan->domains);
    *plan = (struct plan){0};
}

const char *row_state_name(enum row_state state)
{
    switch (state) {
    case ROW_PLANNED:
        return "planned";
    case ROW_OFFLINE:
        return "offline";
    case ROW_DISALLOWED:
        return "not allowed";
    case ROW_NOT_IN_MASK:
        return "not in the inherited mask";
    case ROW_NOT_SELECTED:
        return "not selected";
    case ROW_NO_LOCAL_NODE:
        return "no local node";
    }
    return "unknown";
}
