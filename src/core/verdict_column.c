/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The scatter of a unit over rounds is taken as at least a part of that of all: a few rounds that are
 * alike by chance are no evidence. Where units do not scatter alike the part is small, or a CPU would be
 * called slow for being noisier than the others; where nothing speaks against it, it is large, which is
 * worth many rounds. Between the two p's it grows evenly. */
#define PART_UNLIKE 0.15
#define PART_ALIKE 0.8
#define P_UNLIKE 0.1
#define P_ALIKE 0.5
/* With few rounds, unlike scatter hides too well. */
#define PART_ALIKE_FEW 0.35
enum { ROUNDS_FEW = 7 };
/* In a group's mean no single value counts for more than this many spreads. */
#define GROUP_CLIP_SPREADS 2.0

static size_t round_up(size_t count)
{
    return (count + VERDICT_LANES - 1) / VERDICT_LANES * VERDICT_LANES;
}

static bool has_missing_memory(const struct verdict_column *column)
{
    const void *const parts[] = {
        column->values_ns, column->is_active,      column->deviations_ns, column->levels_ns,
        column->counts,    column->least_errors,   column->values,        column->scratch,
        column->slow,      column->fast,           column->shuffled_slow, column->shuffled_fast,
        column->positions, column->pool,           column->list_starts,   column->group_weights,
        column->maxima,    column->is_group_found, column->spreads_ns,    column->clip_limits};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i] == NULL) {
            return true;
        }
    }
    return false;
}

int verdict_column_create(struct verdict_column *column, const struct verdict_input *input,
                          size_t figure, size_t shuffle_count)
{
    const size_t rounds = column->rounds = input->round_count;
    const size_t units = column->units = input->unit_count;
    const size_t size = rounds * units;
    column->lane_count = units + column->groups->count;
    const size_t stride = column->lanes.stride = round_up(column->lane_count);
    column->lanes.rounds = rounds;
    column->values_ns = calloc(size, sizeof *column->values_ns);
    column->is_active = calloc(units, sizeof *column->is_active);
    column->deviations_ns = calloc(size, sizeof *column->deviations_ns);
    column->levels_ns = calloc(size, sizeof *column->levels_ns);
    column->spreads_ns = calloc(units, sizeof *column->spreads_ns);
    column->clip_limits = calloc(units, sizeof *column->clip_limits);
    column->counts = calloc(stride, sizeof *column->counts);
    column->least_errors = calloc(stride, sizeof *column->least_errors);
    column->values = calloc(rounds * stride, sizeof *column->values);
    column->scratch = calloc(verdict_lanes_scratch(rounds) + units, sizeof *column->scratch);
    column->slow = calloc(stride, sizeof *column->slow);
    column->fast = calloc(stride, sizeof *column->fast);
    column->shuffled_slow = calloc(stride, sizeof *column->shuffled_slow);
    column->shuffled_fast = calloc(stride, sizeof *column->shuffled_fast);
    column->positions = calloc(size, sizeof *column->positions);
    column->pool = calloc(2 * size, sizeof *column->pool);
    column->list_starts = calloc(rounds * column->strata + 1, sizeof *column->list_starts);
    column->group_weights = calloc(rounds * column->groups->count + 1, sizeof *column->group_weights);
    column->is_group_found = calloc(column->groups->count + 1, sizeof *column->is_group_found);
    column->maxima = calloc(VERDICT_FAMILIES * shuffle_count, sizeof *column->maxima);
    if (has_missing_memory(column) || verdict_network_create(rounds, &column->lanes.network) != 0) {
        return -ENOMEM;
    }
    column->lanes.counts = column->counts;
    column->lanes.least_errors = column->least_errors;
    memcpy(column->values_ns, input->values_ns + figure * size, size * sizeof *column->values_ns);
    for (size_t unit = 0; unit < units; unit++) {
        column->is_active[unit] = true;
    }
    return 0;
}

void verdict_column_destroy(struct verdict_column *column)
{
    free(column->values_ns);
    free(column->is_active);
    free(column->deviations_ns);
    free(column->levels_ns);
    free(column->spreads_ns);
    free(column->clip_limits);
    free(column->counts);
    free(column->least_errors);
    free(column->values);
    free(column->scratch);
    free(column->slow);
    free(column->fast);
    free(column->shuffled_slow);
    free(column->shuffled_fast);
    free(column->positions);
    free(column->pool);
    free(column->list_starts);
    free(column->group_weights);
    free(column->maxima);
    free(column->is_group_found);
    verdict_network_destroy(&column->lanes.network);
    random_stream_destroy(column->stream);
    *column = (struct verdict_column){0};
}

/* The deviations of the stratum's units, or what they differ by from their unit's own median. */
static size_t collect_stratum(const struct verdict_column *column, int stratum, bool from_own,
                              double *collected)
{
    size_t count = 0;
    for (size_t unit = 0; unit < column->units; unit++) {
        if (column->stratum_of_unit != NULL && column->stratum_of_unit[unit] != stratum) {
            continue;
        }
        const size_t first = count;
        for (size_t round = 0; round < column->rounds; round++) {
            const double deviation_ns = column->deviations_ns[round * column->units + unit];
            if (isfinite(deviation_ns)) {
                collected[count++] = deviation_ns;
            }
        }
        const double own_ns = from_own ? verdict_median(collected + first, count - first) : 0;
        for (size_t i = first; i < count; i++) {
            collected[i] -= own_ns;
        }
    }
    return count;
}

/* The scatter of units over rounds, which is the same when half of them are slow. The median of a few
 * values is nearer to them than the true middle. */
static double stratum_spread(const struct verdict_column *column, int stratum, double *collected)
{
    const double rounds = (double)column->rounds;
    const size_t own = collect_stratum(column, stratum, true, collected);
    const double spread_ns = verdict_spread(collected, own) * rounds / (rounds - 0.8);
    if (spread_ns > 0) {
        return spread_ns;
    }
    return verdict_spread(collected, collect_stratum(column, stratum, false, collected));
}

static void compute_spreads(struct verdict_column *column, double *finite)
{
    for (size_t stratum = 0; stratum < column->strata; stratum++) {
        const double spread_ns = stratum_spread(column, (int)stratum, finite);
        for (size_t unit = 0; unit < column->units; unit++) {
            if (column->stratum_of_unit == NULL || column->stratum_of_unit[unit] == (int)stratum) {
                column->spreads_ns[unit] = spread_ns;
                column->clip_limits[unit] = (float)(GROUP_CLIP_SPREADS * spread_ns);
            }
        }
    }
}

int verdict_column_compare(struct verdict_column *column)
{
    const size_t size = column->rounds * column->units;
    for (size_t round = 0; round < column->rounds; round++) {
        const size_t first = round * column->units;
        const int status = verdict_deviations(column->values_ns + first, column->is_active,
                                              column->stratum_of_unit, column->strata, column->units,
                                              column->deviations_ns + first, column->levels_ns + first);
        if (status != 0) {
            return status;
        }
    }
    double *finite = calloc(size + 1, sizeof *finite);
    if (finite == NULL) {
        return -ENOMEM;
    }
    compute_spreads(column, finite);
    memcpy(finite, column->spreads_ns, column->units * sizeof *finite);
    column->spread_ns = verdict_median(finite, column->units);
    free(finite);
    return 0;
}

static double least_part(double p, size_t rounds)
{
    const double alike = rounds > ROUNDS_FEW ? PART_ALIKE : PART_ALIKE_FEW;
    const double share = (p - P_UNLIKE) / (P_ALIKE - P_UNLIKE);
    const double bounded = share < 0 ? 0 : share;
    return PART_UNLIKE + (alike - PART_UNLIKE) * (bounded < 1 ? bounded : 1);
}

static void count_units(struct verdict_column *column, double part)
{
    for (size_t unit = 0; unit < column->units; unit++) {
        int32_t count = 0;
        for (size_t round = 0; round < column->rounds; round++) {
            count += isfinite(column->deviations_ns[round * column->units + unit]) ? 1 : 0;
        }
        const bool is_judged = column->judges_units && count >= VERDICT_ROUNDS_MINIMUM;
        column->counts[unit] = is_judged ? count : 0;
        column->least_errors[unit] = (float)(part * column->spreads_ns[unit]) + FLT_MIN;
    }
}

size_t verdict_count_active(const struct verdict_column *column, const struct verdict_group *group)
{
    size_t count = 0;
    const size_t members = group == NULL ? column->units : group->member_count;
    for (size_t i = 0; i < members; i++) {
        count += column->is_active[group == NULL ? i : group->members[i]];
    }
    return count;
}

/* The rounds in which at least half of the group and half of the others were measured. */
static int32_t count_group_rounds(struct verdict_column *column, size_t index, size_t inside,
                                  size_t outside)
{
    const struct verdict_group *const group = &column->groups->items[index];
    int32_t rounds = 0;
    for (size_t round = 0; round < column->rounds; round++) {
        const double *const deviations_ns = column->deviations_ns + round * column->units;
        const size_t all = verdict_column_count_round(column, round);
        size_t here = 0;
        for (size_t i = 0; i < group->member_count; i++) {
            here += isfinite(deviations_ns[group->members[i]]) ? 1 : 0;
        }
        const bool is_enough = 2 * here >= inside && 2 * (all - here) >= outside && here > 0 &&
                               all > here;
        column->group_weights[round * column->groups->count + index] = (struct verdict_group_weights){
            .inside = is_enough ? 1.0F / (float)here : 0,
            .outside = is_enough ? 1.0F / (float)(all - here) : 0,
        };
        rounds += is_enough ? 1 : 0;
    }
    return rounds;
}

static void count_groups(struct verdict_column *column, double part)
{
    const size_t all = verdict_count_active(column, NULL);
    for (size_t i = 0; i < column->groups->count; i++) {
        const size_t inside = verdict_count_active(column, &column->groups->items[i]);
        const size_t lane = column->units + i;
        column->counts[lane] = 0;
        column->least_errors[lane] = 1;
        /* What is more than half is what the rest differs from. */
        if (column->is_group_found[i] || inside == 0 || (inside == 1 && column->judges_units) ||
            2 * inside > all) {
            continue;
        }
        const int32_t rounds = count_group_rounds(column, i, inside, all - inside);
        column->counts[lane] = rounds >= VERDICT_ROUNDS_MINIMUM ? rounds : 0;
        const double share = sqrt(1 / (double)inside + 1 / (double)(all - inside));
        column->least_errors[lane] = (float)(part * column->spread_ns * share) + FLT_MIN;
    }
}

static void score_as_it_is(struct verdict_column *column)
{
    for (size_t round = 0; round < column->rounds; round++) {
        float *const row = column->values + round * column->lanes.stride;
        const double *const deviations_ns = column->deviations_ns + round * column->units;
        for (size_t lane = 0; lane < column->lanes.stride; lane++) {
            const bool is_there = lane < column->units && isfinite(deviations_ns[lane]);
            row[lane] = is_there ? (float)deviations_ns[lane] : INFINITY;
        }
    }
    verdict_column_score(column, column->slow, column->fast, column->largest);
    column->judged_lanes = 0;
    for (size_t lane = 0; lane < column->lane_count; lane++) {
        column->judged_lanes += column->counts[lane] > 0;
    }
}

int verdict_column_prepare(struct verdict_column *column, uint64_t seed, uint64_t stream)
{
    random_stream_destroy(column->stream);
    column->stream = random_stream_create(seed, RANDOM_VERDICT, 0, stream);
    if (column->stream == NULL) {
        return -ENOMEM;
    }
    double p = 1;
    int status = verdict_scatter_p(column, 1, &p);
    if (status == 0) {
        status = verdict_column_build_lists(column);
    }
    if (status != 0) {
        return status;
    }
    const double part = least_part(p < column->scatter_p ? p : column->scatter_p, column->rounds);
    count_units(column, part);
    count_groups(column, part);
    score_as_it_is(column);
    column->maxima_count = 0;
    return 0;
}
