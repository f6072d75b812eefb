/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/sweep_import.h"

#include "numasweep/number.h"
#include "numasweep/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_DITHER_PERCENT = 90, LARGEST_SAMPLE_COUNT = 1000000 };

static const int64_t shortest_timeout_ns = 1000;
static const int64_t longest_timeout_ns = INT64_C(3600000000000);

/* What the samples have in common. */
struct extent {
    struct id_list cpus;
    struct id_list nodes;
    size_t not_bound;
    bool is_local; /* every sample is of one of its CPU's own nodes */
    bool has_touch;
    int64_t rounds;
    int64_t shortest_ns;
    int64_t longest_ns;
    int64_t middle_ns; /* the requested time that is nearest to the middle */
};

static int refuse_line(const struct sample_line *line, struct failure *failure, const char *text)
{
    return failure_set(failure, "import", 0, "line %lld: %s", (long long)line->line, text);
}

static int refuse_place(const struct topology *topology, const struct sample_line *line,
                        const char *what, int number, struct failure *failure)
{
    return failure_set(failure, "import", 0, "line %lld: there is no %s %d on %.100s%s",
                       (long long)line->line, what, number, topology->source,
                       topology->is_this_machine
                           ? "; --topology SYNTHETIC|FILE.xml names the machine that the samples are of"
                           : "");
}

static int take_node(const struct topology *topology, const struct sample_line *line,
                     struct extent *extent, struct failure *failure)
{
    struct id_list own = {0};
    if (line->node == TOPOLOGY_NONE) {
        extent->not_bound++;
        extent->is_local = false;
        return 0;
    }
    if (!id_list_contains(&extent->nodes, line->node)) {
        const struct topology_node *node = topology_find_node(topology, line->node);
        if (node == NULL || !topology_node_has_memory(node)) {
            return refuse_place(topology, line, "memory node", line->node, failure);
        }
        const int error = id_list_add(&extent->nodes, line->node);
        if (error != 0) {
            return error;
        }
    }
    if (!extent->is_local) {
        return 0;
    }
    const int error = topology_own_nodes(topology, line->cpu, &own);
    extent->is_local = id_list_contains(&own, line->node);
    id_list_destroy(&own);
    return error;
}

static int take_place(const struct topology *topology, const struct sample_line *line,
                      struct extent *extent, struct failure *failure)
{
    if (!id_list_contains(&extent->cpus, line->cpu)) {
        if (topology_find_cpu(topology, line->cpu) == NULL) {
            return refuse_place(topology, line, "CPU", line->cpu, failure);
        }
        const int error = id_list_add(&extent->cpus, line->cpu);
        if (error != 0) {
            return error;
        }
    }
    return take_node(topology, line, extent, failure);
}

static int measure_extent(const struct topology *topology, const struct sample_table *table,
                          struct extent *extent, struct failure *failure)
{
    *extent = (struct extent){.is_local = true, .shortest_ns = INT64_MAX};
    for (size_t i = 0; i < table->count; i++) {
        const struct sample_line *line = &table->lines[i];
        const int error = take_place(topology, line, extent, failure);
        if (error != 0) {
            return error;
        }
        if (extent->not_bound > 0 && extent->nodes.count > 0) {
            return refuse_line(
                line, failure,
                "some samples have a node and some have none: import them from two files");
        }
        extent->has_touch = extent->has_touch || line->touch_ns >= 0;
        extent->rounds = line->round > extent->rounds ? line->round : extent->rounds;
        extent->shortest_ns = line->requested_ns < extent->shortest_ns ? line->requested_ns
                                                                       : extent->shortest_ns;
        extent->longest_ns = line->requested_ns > extent->longest_ns ? line->requested_ns
                                                                     : extent->longest_ns;
    }
    const int64_t middle_ns = extent->shortest_ns + (extent->longest_ns - extent->shortest_ns) / 2;
    extent->middle_ns = extent->shortest_ns;
    for (size_t i = 0; i < table->count; i++) {
        if (llabs(table->lines[i].requested_ns - middle_ns) < llabs(extent->middle_ns - middle_ns)) {
            extent->middle_ns = table->lines[i].requested_ns;
        }
    }
    return 0;
}

/* A timeout that was asked for is the user's word that the samples belong together. */
static int set_timeout(struct options *options, const struct extent *extent, struct failure *failure)
{
    const bool is_given = options_was_set(options, "timeout");
    const int64_t timeout_ns = is_given ? options->timeouts_ns[0] : extent->middle_ns;
    if (timeout_ns < shortest_timeout_ns || timeout_ns > longest_timeout_ns) {
        return failure_set(
            failure, "import", 0,
            "requested_ns: the samples asked for about %lld ns, and a timeout is from 1us "
            "to 60m",
            (long long)timeout_ns);
    }
    const int64_t below_ns = timeout_ns - extent->shortest_ns;
    const int64_t above_ns = extent->longest_ns - timeout_ns;
    const int64_t farthest_ns = below_ns > above_ns ? below_ns : above_ns;
    const int64_t allowed_ns = timeout_ns / 100 * LARGEST_DITHER_PERCENT;
    if (farthest_ns > allowed_ns && !is_given) {
        char shortest[DURATION_TEXT_SIZE];
        char longest[DURATION_TEXT_SIZE];
        return failure_set(failure, "import", 0,
                           "requested_ns: %s to %s are several timeouts: import each from a file of its "
                           "own, or give --timeout DURATION to take them for one",
                           duration_format(extent->shortest_ns, shortest),
                           duration_format(extent->longest_ns, longest));
    }
    options->dither_percent = farthest_ns > allowed_ns
                                  ? LARGEST_DITHER_PERCENT
                                  : (farthest_ns * 100 + timeout_ns - 1) / timeout_ns;
    options->timeouts_ns[0] = timeout_ns;
    options->timeout_count = 1;
    return 0;
}

static int set_nodes(struct options *options, const struct extent *extent)
{
    node_selection_destroy(&options->nodes);
    options->nodes = (struct node_selection){.kind = NODES_LIST};
    options->nodes_is_explicit = true;
    if (extent->not_bound > 0) {
        options->nodes.kind = NODES_NONE;
        return 0;
    }
    if (extent->is_local) {
        options->nodes.kind = NODES_LOCAL;
        return 0;
    }
    return id_list_copy(&options->nodes.nodes, &extent->nodes);
}

/* The options that would have planned these samples. */
static int set_options(struct options *options, const struct extent *extent, struct failure *failure)
{
    char *kernel = strdup("unknown");
    char *cpus = id_list_format(&extent->cpus);
    if (kernel == NULL || cpus == NULL) {
        free(kernel);
        free(cpus);
        return -ENOMEM;
    }
    free(options->kernel);
    free(options->cpus);
    options->kernel = kernel;
    options->cpus = cpus;
    options->by = ROW_PU;
    options->concurrent = CONCURRENT_ONE;
    options->coordinator_cpu = OPTION_COORDINATOR_AUTO;
    options->round_count = extent->rounds;
    options->warmup_count = 0;
    options->touch_lines = extent->has_touch ? 1 : 0;
    options->seed = 0;
    options->has_seed = true;
    const int error = set_nodes(options, extent);
    return error != 0 ? error : set_timeout(options, extent, failure);
}

/* What was measured then need not be online or allowed here and now. */
static void allow_places(struct topology *topology, const struct extent *extent)
{
    for (size_t i = 0; i < topology->cpu_count; i++) {
        if (id_list_contains(&extent->cpus, topology->cpus[i].cpu)) {
            topology->cpus[i].state = CPU_ONLINE;
        }
    }
    for (size_t i = 0; i < topology->node_count; i++) {
        if (id_list_contains(&extent->nodes, topology->nodes[i].node)) {
            topology->nodes[i].is_allowed = true;
        }
    }
}

static int compare_lines(const void *first, const void *second)
{
    const struct sample_line *a = first;
    const struct sample_line *b = second;
    if (a->round != b->round) {
        return a->round < b->round ? -1 : 1;
    }
    if (a->cpu != b->cpu) {
        return a->cpu < b->cpu ? -1 : 1;
    }
    if (a->node != b->node) {
        return a->node < b->node ? -1 : 1;
    }
    return a->position < b->position ? -1 : 1;
}

static bool is_one_visit(const struct sample_line *a, const struct sample_line *b)
{
    return a->round == b->round && a->cpu == b->cpu && a->node == b->node;
}

static bool is_before(const struct plan *plan, const struct plan_cell *cell,
                      const struct sample_line *line)
{
    const int cpu = plan->rows[cell->row].cpu;
    return cpu != line->cpu ? cpu < line->cpu : plan->columns[cell->column].node < line->node;
}

static size_t find_cell(const struct plan *plan, const struct sample_line *line)
{
    size_t low = 0;
    size_t high = plan->cell_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_before(plan, &plan->cells[middle], line)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Every answer that only the measuring process could have given is left open. */
static struct placement unknown_placement(void)
{
    return (struct placement){
        .cpu_before = -1,
        .cpu_after = -1,
        .memory_node_before = TOPOLOGY_NONE,
        .policy = PLACEMENT_POLICY_UNKNOWN,
        .priority = -1,
        .timer_slack_ns = -1,
        .clock_id = -1,
        .migrations = -1,
        .coordinator_distance = -1,
    };
}

static int fill_visit(const struct sample_line *lines, size_t count, struct visit *visit,
                      struct failure *failure)
{
    const bool has_touch = lines[0].touch_ns >= 0;
    visit->samples = calloc(count, sizeof *visit->samples);
    if (visit->samples == NULL) {
        return -ENOMEM;
    }
    visit->sample_count = count;
    for (size_t i = 0; i < count; i++) {
        if ((lines[i].touch_ns >= 0) != has_touch) {
            return refuse_line(&lines[i], failure,
                               "touch_ns must be given for all samples of a round, CPU and node, or for "
                               "none");
        }
        visit->samples[i] = (struct sample){
            .requested_ns = lines[i].requested_ns,
            .elapsed_ns = lines[i].elapsed_ns,
            .touch_ns = lines[i].touch_ns,
            .cpu = lines[i].cpu,
        };
        visit->placement.early_count += lines[i].elapsed_ns < lines[i].requested_ns;
    }
    return 0;
}

static int add_visit(struct sweep *sweep, const struct sample_line *lines, size_t count,
                     struct failure *failure)
{
    struct visit visit = {
        .outcome = VISIT_MEASURED,
        .round = lines[0].round - 1,
        .cell = find_cell(&sweep->plan, &lines[0]),
        .placement = unknown_placement(),
        .ended_unix_ns = sweep->started_unix_ns,
    };
    int error = fill_visit(lines, count, &visit, failure);
    if (error == 0) {
        error = sweep_add_visit(sweep, &visit);
    }
    if (error != 0) {
        visit_destroy(&visit);
    }
    return error;
}

static size_t visit_length(const struct sample_table *table, size_t start)
{
    size_t end = start + 1;
    while (end < table->count && is_one_visit(&table->lines[start], &table->lines[end])) {
        end++;
    }
    return end - start;
}

static int64_t longest_visit(const struct sample_table *table)
{
    size_t longest = 1;
    for (size_t start = 0; start < table->count;) {
        const size_t length = visit_length(table, start);
        longest = length > longest ? length : longest;
        start += length;
    }
    return longest < LARGEST_SAMPLE_COUNT ? (int64_t)longest : LARGEST_SAMPLE_COUNT;
}

int sweep_import(struct sweep *sweep, struct sample_table *table, struct failure *failure)
{
    struct extent extent = {0};
    int error = measure_extent(&sweep->topology, table, &extent, failure);
    if (error == 0) {
        error = set_options(&sweep->options, &extent, failure);
    }
    if (error == 0) {
        allow_places(&sweep->topology, &extent);
        qsort(table->lines, table->count, sizeof *table->lines, compare_lines);
        sweep->options.sample_count = longest_visit(table);
        error = plan_create(&sweep->options, &sweep->topology, &sweep->plan, failure);
    }
    for (size_t start = 0; start < table->count && error == 0;) {
        const size_t length = visit_length(table, start);
        error = add_visit(sweep, &table->lines[start], length, failure);
        start += length;
    }
    sweep->has_ended = error == 0;
    id_list_destroy(&extent.cpus);
    id_list_destroy(&extent.nodes);
    return error == -ENOMEM ? failure_set(failure, "import", ENOMEM, "out of memory") : error;
}
