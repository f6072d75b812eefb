/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/saturated.h"
#include "numasweep/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Files of one measurement differ in these only. */
static bool may_differ(const char *name)
{
    static const char *const free_options[] = {"seed",     "rounds",      "save",
                                               "topology", "coordinator", "progress"};
    for (size_t i = 0; i < sizeof free_options / sizeof free_options[0]; i++) {
        if (strcmp(name, free_options[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_option(const struct option_row *row, const struct options *first,
                          const struct options *second, struct failure *failure)
{
    char *one = row->get(first, row);
    char *other = row->get(second, row);
    int result = one == NULL || other == NULL ? -ENOMEM : 0;
    if (result == 0 && strcmp(one, other) != 0) {
        result = failure_set(
            failure, "merge", 0,
            "they cannot be taken together: --%s is %.80s in one and %.80s in the other", row->name, one,
            other);
    }
    free(other);
    free(one);
    return result;
}

static int compare_options(const struct options *first, const struct options *second,
                           struct failure *failure)
{
    size_t count = 0;
    const struct option_row *rows = options_table(&count);
    for (size_t i = 0; i < count; i++) {
        /* What `report` takes too is about showing. */
        if (!rows[i].is_config_key || (rows[i].commands & FOR_RUN) == 0 ||
            (rows[i].commands & FOR_REPORT) != 0 || may_differ(rows[i].name)) {
            continue;
        }
        const int error = compare_option(&rows[i], first, second, failure);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static bool is_same_plan(const struct plan *first, const struct plan *second)
{
    if (first->row_count != second->row_count || first->column_count != second->column_count ||
        first->cell_count != second->cell_count) {
        return false;
    }
    for (size_t i = 0; i < first->row_count; i++) {
        if (first->rows[i].state != second->rows[i].state ||
            !id_list_equal(&first->rows[i].cpus, &second->rows[i].cpus)) {
            return false;
        }
    }
    for (size_t i = 0; i < first->column_count; i++) {
        if (first->columns[i].node != second->columns[i].node) {
            return false;
        }
    }
    return true;
}

/* A sample that counts twice makes percentiles look better founded than they are. */
static bool is_same_sweep(const struct sweep *sweep, const struct sweep *other)
{
    return sweep->started_unix_ns == other->started_unix_ns &&
           sweep->options.seed == other->options.seed;
}

static int compare_ends(const void *first, const void *second)
{
    const struct visit *a = *(const struct visit *const *)first;
    const struct visit *b = *(const struct visit *const *)second;
    if (a->ended_unix_ns != b->ended_unix_ns) {
        return a->ended_unix_ns < b->ended_unix_ns ? -1 : 1;
    }
    return (a->cell > b->cell) - (a->cell < b->cell);
}

static const struct visit **sort_by_end(const struct sweep *sweep)
{
    const struct visit **visits = calloc(sweep->visit_count + 1, sizeof *visits);
    for (size_t i = 0; visits != NULL && i < sweep->visit_count; i++) {
        visits[i] = &sweep->visits[i];
    }
    if (visits != NULL) {
        qsort(visits, sweep->visit_count, sizeof *visits, compare_ends);
    }
    return visits;
}

/* A merged file has the start and seed of its first part only: its other parts are known by their
 * visits. A cell is not visited twice in the same nanosecond. 1, 0 or -ENOMEM. */
static int share_a_visit(const struct sweep *sweep, const struct sweep *other)
{
    const struct visit **visits = sort_by_end(sweep);
    int result = visits == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < other->visit_count && result == 0; i++) {
        const struct visit *wanted = &other->visits[i];
        result = bsearch(&wanted, visits, sweep->visit_count, sizeof *visits, compare_ends) != NULL;
    }
    free(visits);
    return result;
}

static int check_mergeable(const struct sweep *sweep, const struct sweep *other, struct failure *failure)
{
    if (strcmp(sweep->host, other->host) != 0) {
        return failure_set(
            failure, "merge", 0,
            "they cannot be taken together: one is of the machine %.80s, the other of %.80s",
            sweep->host, other->host);
    }
    if ((sweep->imported_from != NULL) != (other->imported_from != NULL)) {
        return failure_set(
            failure, "merge", 0,
            "they cannot be taken together: one holds imported samples, of whose placement "
            "nothing is known, the other measured ones");
    }
    if (strcmp(sweep->topology.fingerprint, other->topology.fingerprint) != 0) {
        return failure_set(
            failure, "merge", 0,
            "they cannot be taken together: the machine's shape differs (fingerprints %s and %s)",
            sweep->topology.fingerprint, other->topology.fingerprint);
    }
    if (is_same_sweep(sweep, other)) {
        return failure_set(
            failure, "merge", 0,
            "they cannot be taken together: both hold the sweep of seed %llu that began at the same "
            "nanosecond, whose samples would count twice; name it once",
            (unsigned long long)other->options.seed);
    }
    int error = share_a_visit(sweep, other);
    if (error > 0) {
        return failure_set(failure, "merge", 0,
                           "they cannot be taken together: some visits are in both, and their samples "
                           "would count twice; leave out the merged file or its parts");
    }
    if (error == 0) {
        error = compare_options(&sweep->options, &other->options, failure);
    }
    if (error == 0 && !is_same_plan(&sweep->plan, &other->plan)) {
        return failure_set(
            failure, "merge", 0,
            "they cannot be taken together: other CPUs or nodes could be measured in one than in the "
            "other");
    }
    return error;
}

static int take_warnings(struct sweep *sweep, const struct sweep *other)
{
    int error = 0;
    for (size_t i = 0; i < other->warning_count && error == 0; i++) {
        error = sweep_add_warning(sweep, "%s", other->warnings[i]);
    }
    return error;
}

int sweep_merge(struct sweep *sweep, struct sweep *other, struct failure *failure)
{
    const int64_t first_round = sweep->plan.round_count;
    int error = check_mergeable(sweep, other, failure);
    if (error == 0) {
        error = take_warnings(sweep, other);
    }
    for (size_t i = 0; i < other->visit_count && error == 0; i++) {
        other->visits[i].round += first_round;
        error = sweep_add_visit(sweep, &other->visits[i]);
    }
    if (error != 0) {
        return error;
    }
    other->visit_count = 0;
    sweep->plan.round_count += other->plan.round_count;
    sweep->options.round_count = sweep->plan.round_count;
    sweep->sweep_count += other->sweep_count;
    sweep->has_ended = sweep->has_ended && other->has_ended;
    sweep->is_cut = sweep->is_cut || other->is_cut;
    sweep->stop_signal = sweep->stop_signal != 0 ? sweep->stop_signal : other->stop_signal;
    sweep->wall_ns = saturated_add(sweep->wall_ns, other->wall_ns);
    sweep->load_cpu_ns = saturated_add(sweep->load_cpu_ns, other->load_cpu_ns);
    sweep->load_wall_ns = saturated_add(sweep->load_wall_ns, other->load_wall_ns);
    sweep->asleep_ns = saturated_add(sweep->asleep_ns, other->asleep_ns);
    sweep->coordinator_cpu_ns = saturated_add(sweep->coordinator_cpu_ns, other->coordinator_cpu_ns);
    return 0;
}
