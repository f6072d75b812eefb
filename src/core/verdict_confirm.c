/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* With few units a slow one makes the others look fast by half as much (and the other way round): the
 * direction that explains more goes first. Between equals it is called slow. */
#define FAST_OVER_SLOW 1.4

struct candidate {
    size_t lane; /* SIZE_MAX: none */
    enum verdict_direction direction;
    double p;
    double effect_ns;
    double explained; /* sum of squares, by unit */
    struct verdict_size size;
    size_t rounds_beyond;
    size_t rounds;
};

static const struct candidate no_candidate = {.lane = SIZE_MAX};

static double score_of(const struct verdict_column *column, size_t lane,
                       enum verdict_direction direction)
{
    return direction == VERDICT_SLOW ? column->slow[lane] : column->fast[lane];
}

static void fill_candidate(struct candidate *candidate, const struct verdict_contrast *contrast)
{
    candidate->effect_ns = contrast->size.estimate_ns;
    candidate->size = contrast->size;
    candidate->rounds = contrast->rounds;
    candidate->rounds_beyond = candidate->direction == VERDICT_SLOW ? contrast->rounds_beyond_zero
                                                                    : contrast->rounds_below_zero;
}

/* In nearly all rounds: three of four. */
static bool is_steady(const struct candidate *candidate)
{
    return candidate->rounds > 0 && 4 * candidate->rounds_beyond >= 3 * candidate->rounds &&
           candidate->effect_ns * (double)candidate->direction > 0;
}

static int examine_group(const struct verdict_pass *pass, const struct verdict_column *column,
                         size_t index, enum verdict_direction direction, struct candidate *best)
{
    const size_t lane = column->units + index;
    const struct verdict_group *const group = &column->groups->items[index];
    const double p = verdict_pass_p(pass, VERDICT_GROUPS, score_of(column, lane, direction));
    if (p > pass->level) {
        return 0;
    }
    struct verdict_contrast contrast;
    const int status = verdict_contrast_compute(column, group, &contrast);
    if (status != 0) {
        return status;
    }
    struct candidate candidate = {.lane = lane, .direction = direction, .p = p};
    fill_candidate(&candidate, &contrast);
    const double inside = (double)verdict_count_active(column, group);
    const double all = (double)verdict_count_active(column, NULL);
    candidate.explained = candidate.effect_ns * candidate.effect_ns * inside * (all - inside) / all;
    const bool is_common = verdict_contrast_is_common(&contrast, group->member_count, direction);
    const bool is_better = candidate.explained > best->explained ||
                           (candidate.explained >= best->explained && direction == VERDICT_SLOW);
    if (is_common && is_steady(&candidate) && is_better) {
        *best = candidate;
    }
    verdict_contrast_destroy(&contrast);
    return 0;
}

/* Of two halves the slow one is named. */
static bool has_other_half(const struct verdict_column *column, size_t index)
{
    const struct verdict_group *const group = &column->groups->items[index];
    const size_t inside = verdict_count_active(column, group);
    if (2 * inside != verdict_count_active(column, NULL)) {
        return false;
    }
    for (size_t i = 0; i < column->groups->count; i++) {
        const struct verdict_group *const other = &column->groups->items[i];
        if (i != index && other->partition == group->partition &&
            verdict_count_active(column, other) == inside) {
            return true;
        }
    }
    return false;
}

static int find_best_group(const struct verdict_pass *pass, const struct verdict_column *column,
                           struct candidate *best)
{
    *best = no_candidate;
    int status = 0;
    for (size_t i = 0; i < column->groups->count && status == 0; i++) {
        if (column->counts[column->units + i] > 0) {
            status = examine_group(pass, column, i, VERDICT_SLOW, best);
        }
        if (column->counts[column->units + i] > 0 && status == 0 && !has_other_half(column, i)) {
            status = examine_group(pass, column, i, VERDICT_FAST, best);
        }
    }
    return status;
}

static int examine_unit(const struct verdict_pass *pass, const struct verdict_column *column,
                        size_t unit, enum verdict_direction direction, struct candidate *candidate)
{
    *candidate = no_candidate;
    const double p = verdict_pass_p(pass, VERDICT_UNITS, score_of(column, unit, direction));
    if (p > pass->level || column->counts[unit] == 0) {
        return 0;
    }
    struct verdict_contrast contrast;
    const int status = verdict_unit_contrast(column, unit, &contrast);
    if (status != 0) {
        return status;
    }
    *candidate = (struct candidate){.lane = unit, .direction = direction, .p = p};
    fill_candidate(candidate, &contrast);
    candidate->explained = candidate->effect_ns * candidate->effect_ns;
    if (!is_steady(candidate)) {
        *candidate = no_candidate;
    }
    verdict_contrast_destroy(&contrast);
    return 0;
}

static int add_candidate(struct verdict_pass *pass, size_t figure, const struct candidate *candidate,
                         struct verdict_subject subject, bool is_mutual)
{
    struct verdict_finding *finding = verdict_add_finding(pass->verdict);
    if (finding == NULL) {
        return -ENOMEM;
    }
    const double floor =
        pass->p_floors[subject.partition == VERDICT_SINGLE ? VERDICT_UNITS : VERDICT_GROUPS];
    const double p = candidate->p > floor ? candidate->p : floor;
    *finding = (struct verdict_finding){
        .subject = subject,
        .direction = candidate->direction,
        .figure = figure,
        .size = candidate->size,
        .p = p * pass->p_factor < 1 ? p * pass->p_factor : 1,
        .rounds_beyond = candidate->rounds_beyond,
        .rounds_measured = candidate->rounds,
        .is_large = verdict_size_is_large(pass->settings, &candidate->size),
        .is_mutual = is_mutual,
    };
    return 0;
}

static int take_group(struct verdict_pass *pass, size_t figure, const struct candidate *candidate)
{
    struct verdict_column *const column = &pass->columns[figure];
    const size_t index = candidate->lane - column->units;
    const struct verdict_group *const group = &column->groups->items[index];
    const bool is_mutual = 2 * verdict_count_active(column, group) == verdict_count_active(column, NULL);
    for (size_t i = 0; i < group->member_count; i++) {
        for (size_t round = 0; round < column->rounds; round++) {
            column->values_ns[round * column->units + group->members[i]] -= candidate->effect_ns;
        }
    }
    column->is_group_found[index] = true;
    const struct verdict_subject subject = {
        .partition = group->partition, .group = group->number, .unit = group->members[0]};
    return add_candidate(pass, figure, candidate, subject, is_mutual);
}

/* The units that the unit is compared with, itself included: found ones too or active ones only. */
static size_t count_stratum(const struct verdict_column *column, size_t unit, bool with_found)
{
    size_t count = 0;
    for (size_t other = 0; other < column->units; other++) {
        const bool is_here = column->stratum_of_unit == NULL ||
                             column->stratum_of_unit[other] == column->stratum_of_unit[unit];
        count += is_here && (with_found || column->is_active[other]);
    }
    return count;
}

static int take_units(struct verdict_pass *pass, size_t figure, const struct candidate *candidates,
                      size_t *found)
{
    struct verdict_column *const column = &pass->columns[figure];
    for (size_t unit = 0; unit < column->units; unit++) {
        if (candidates[unit].lane != SIZE_MAX) {
            column->is_active[unit] = false;
        }
    }
    for (size_t unit = 0; unit < column->units; unit++) {
        if (candidates[unit].lane == SIZE_MAX) {
            continue;
        }
        const bool is_half = 2 * count_stratum(column, unit, false) <= count_stratum(column, unit, true);
        const struct verdict_subject subject = {.partition = VERDICT_SINGLE, .unit = unit};
        const int status = add_candidate(pass, figure, &candidates[unit], subject, is_half);
        if (status != 0) {
            return status;
        }
        (*found)++;
    }
    return 0;
}

static const struct candidate *best_of(const struct candidate *candidates, size_t count)
{
    const struct candidate *best = &no_candidate;
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].lane != SIZE_MAX && candidates[i].explained > best->explained) {
            best = &candidates[i];
        }
    }
    return best;
}

static int examine_units(const struct verdict_pass *pass, const struct verdict_column *column,
                         struct candidate *slow, struct candidate *fast)
{
    int status = 0;
    for (size_t unit = 0; unit < column->units && status == 0; unit++) {
        status = examine_unit(pass, column, unit, VERDICT_SLOW, &slow[unit]);
        if (status == 0) {
            status = examine_unit(pass, column, unit, VERDICT_FAST, &fast[unit]);
        }
    }
    return status;
}

static int confirm(struct verdict_pass *pass, size_t figure, struct candidate *slow,
                   struct candidate *fast, size_t *found)
{
    const struct verdict_column *const column = &pass->columns[figure];
    struct candidate group;
    int status = find_best_group(pass, column, &group);
    if (status == 0) {
        status = examine_units(pass, column, slow, fast);
    }
    if (status != 0) {
        return status;
    }
    const double slow_explained = best_of(slow, column->units)->explained;
    const double fast_explained = best_of(fast, column->units)->explained;
    const double explained = slow_explained > fast_explained ? slow_explained : fast_explained;
    if (group.lane != SIZE_MAX && group.explained >= explained) {
        (*found)++;
        return take_group(pass, figure, &group);
    }
    const bool is_fast = fast_explained > FAST_OVER_SLOW * FAST_OVER_SLOW * slow_explained;
    return take_units(pass, figure, is_fast ? fast : slow, found);
}

int verdict_confirm_column(struct verdict_pass *pass, size_t figure, size_t *found)
{
    const size_t units = pass->columns[figure].units;
    struct candidate *candidates = calloc(2 * units + 1, sizeof *candidates);
    if (candidates == NULL) {
        return -ENOMEM;
    }
    const int status = confirm(pass, figure, candidates, candidates + units, found);
    free(candidates);
    return status;
}
