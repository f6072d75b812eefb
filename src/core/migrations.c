/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/migrations.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *migration_pin_name(enum migration_pin pin)
{
    static const char *const names[] = {"none", "cpu", "node"};
    return names[pin];
}

const char *migration_pin_label(enum migration_pin pin)
{
    static const char *const labels[] = {"unpinned", "to a CPU", "to a node"};
    return labels[pin];
}

const char *migration_counter_name(enum migration_counter counter)
{
    static const char *const names[] = {"sched", "perf"};
    return names[counter];
}

const char *migration_counter_label(enum migration_counter counter)
{
    static const char *const labels[] = {"se.nr_migrations of /proc/PID/sched",
                                         "the perf software counter cpu-migrations"};
    return labels[counter];
}

const char *migration_crossing_name(enum migration_crossing crossing)
{
    static const char *const names[] = {"one-node", "tracepoint", "samples"};
    return names[crossing];
}

const char *migration_crossing_label(enum migration_crossing crossing)
{
    static const char *const labels[] = {
        "none possible: there is one node", "every move, from the tracepoint sched_migrate_task",
        "an ESTIMATE from the workers' CPUs, looked at now and then: a lower bound"};
    return labels[crossing];
}

void migration_run_destroy(struct migration_run *run)
{
    free(run->workers);
    free(run->nodes);
    *run = (struct migration_run){0};
}

void migration_list_destroy(struct migration_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        migration_run_destroy(&list->runs[i]);
    }
    free(list->runs);
    *list = (struct migration_list){0};
}

int migration_list_add(struct migration_list *list, struct migration_run *run)
{
    struct migration_run *runs = reallocarray(list->runs, list->count + 1, sizeof *runs);
    if (runs == NULL) {
        return -ENOMEM;
    }
    list->runs = runs;
    list->runs[list->count] = *run;
    list->count++;
    *run = (struct migration_run){0};
    return 0;
}

/* A file may hold any number; none of them is negative. */
static int64_t add_up(int64_t sum, int64_t value)
{
    return value > INT64_MAX - sum ? INT64_MAX : sum + value;
}

int64_t migration_run_total(const struct migration_run *run)
{
    int64_t total = 0;
    for (size_t i = 0; i < run->worker_count; i++) {
        total = add_up(total, run->workers[i].migrations);
    }
    return total;
}

int64_t migration_run_crossings(const struct migration_run *run)
{
    int64_t total = 0;
    for (size_t i = 0; i < run->worker_count; i++) {
        total = add_up(total, run->workers[i].crossings);
    }
    return total;
}

int64_t migration_run_cpu_ns(const struct migration_run *run)
{
    int64_t total_ns = 0;
    for (size_t i = 0; i < run->worker_count; i++) {
        total_ns = add_up(total_ns, run->workers[i].cpu_ns);
    }
    return total_ns;
}

static int node_of_cpu(const struct topology *topology, int cpu)
{
    const struct topology_cpu *found = topology_find_cpu(topology, cpu);
    return found != NULL ? found->node : TOPOLOGY_NONE;
}

static int add_node(struct migration_run *run, int node)
{
    size_t position = 0;
    while (position < run->node_count && run->nodes[position].node < node) {
        position++;
    }
    if (position < run->node_count && run->nodes[position].node == node) {
        return 0;
    }
    struct migration_node *nodes = reallocarray(run->nodes, run->node_count + 1, sizeof *nodes);
    if (nodes == NULL) {
        return -ENOMEM;
    }
    run->nodes = nodes;
    memmove(nodes + position + 1, nodes + position, (run->node_count - position) * sizeof *nodes);
    nodes[position] = (struct migration_node){.node = node};
    run->node_count++;
    return 0;
}

int migration_run_plan(const struct topology *topology, const struct id_list *cpus, int64_t per_cpu,
                       int64_t groups, enum migration_pin pin, struct migration_run *run)
{
    run->pin = pin;
    run->is_limited = groups > 0;
    run->throttled = MIGRATION_NONE;
    run->throttled_ns = MIGRATION_NONE;
    run->worker_count = cpus->count * (size_t)per_cpu;
    run->workers = calloc(run->worker_count + 1, sizeof *run->workers);
    int error = run->workers == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < run->worker_count && error == 0; i++) {
        const int cpu = cpus->ids[i / (size_t)per_cpu];
        const int node = node_of_cpu(topology, cpu);
        run->workers[i] = (struct migration_worker){
            .cpu = pin == MIGRATION_PINNED_CPU ? cpu : MIGRATION_NONE,
            .node = pin != MIGRATION_UNPINNED ? node : MIGRATION_NONE,
            .group = groups > 0 ? (int)(i % (size_t)groups) : MIGRATION_NONE,
        };
        error = add_node(run, node);
    }
    if (error != 0) {
        migration_run_destroy(run);
    }
    return error;
}

int migration_worker_cpus(const struct topology *topology, const struct id_list *cpus,
                          const struct migration_worker *worker, struct id_list *bound)
{
    id_list_destroy(bound);
    if (worker->cpu != MIGRATION_NONE) {
        return id_list_add(bound, worker->cpu);
    }
    if (worker->node == MIGRATION_NONE) {
        return id_list_copy(bound, cpus);
    }
    int error = 0;
    for (size_t i = 0; i < cpus->count && error == 0; i++) {
        if (node_of_cpu(topology, cpus->ids[i]) == worker->node) {
            error = id_list_add(bound, cpus->ids[i]);
        }
    }
    return error;
}

void migration_run_take_move(const struct topology *topology, struct migration_run *run, size_t worker,
                             int from_cpu, int to_cpu)
{
    const struct topology_cpu *from = topology_find_cpu(topology, from_cpu);
    const struct topology_cpu *to = topology_find_cpu(topology, to_cpu);
    if (from == NULL || to == NULL || from_cpu == to_cpu) {
        return;
    }
    if (from->node != to->node) {
        run->workers[worker].crossings++;
        return;
    }
    for (size_t i = 0; i < run->node_count; i++) {
        run->nodes[i].migrations += run->nodes[i].node == from->node;
    }
}

void migration_run_settle(struct migration_run *run)
{
    if (run->crossing == MIGRATION_CROSSING_TRACEPOINT ||
        (run->pin == MIGRATION_UNPINNED && run->node_count > 1)) {
        return;
    }
    for (size_t node = 0; node < run->node_count; node++) {
        run->nodes[node].migrations = 0;
        for (size_t i = 0; i < run->worker_count; i++) {
            const struct migration_worker *worker = &run->workers[i];
            if (run->node_count == 1 || worker->node == run->nodes[node].node) {
                run->nodes[node].migrations += worker->migrations - worker->crossings;
            }
        }
    }
}

void migration_run_judge(struct migration_run *run)
{
    for (size_t i = 0; i < run->worker_count && run->breach[0] == '\0'; i++) {
        const struct migration_worker *worker = &run->workers[i];
        if (worker->cpu != MIGRATION_NONE && worker->migrations > 0) {
            (void)snprintf(run->breach, sizeof run->breach,
                           "worker %zu was pinned to CPU %d and was moved %lld times", i + 1,
                           worker->cpu, (long long)worker->migrations);
        } else if (worker->node != MIGRATION_NONE && worker->crossings > 0) {
            (void)snprintf(run->breach, sizeof run->breach,
                           "worker %zu was pinned to node %d and was moved between nodes %lld times",
                           i + 1, worker->node, (long long)worker->crossings);
        }
    }
}
