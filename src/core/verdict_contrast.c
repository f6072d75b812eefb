/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One in this many members may be an exception of its group. */
enum { MEMBERS_PER_EXCEPTION = 8 };
/* Three of four rounds on one side. */
#define BALANCE_STEADY 0.5

void verdict_contrast_destroy(struct verdict_contrast *contrast)
{
    free(contrast->member_effects_ns);
    free(contrast->member_balances);
    *contrast = (struct verdict_contrast){0};
}

/* What is worked with while a contrast is computed; [round] and [round][member]. */
struct working {
    double *differences_ns;
    double *levels_ns;
    double *inside;
    double *outside;
    double *centred;
    double *member_differences;
    bool *is_member;
};

static void working_destroy(struct working *working)
{
    free(working->differences_ns);
    free(working->levels_ns);
    free(working->inside);
    free(working->outside);
    free(working->centred);
    free(working->member_differences);
    free(working->is_member);
}

static int working_create(const struct verdict_column *column, size_t members, struct working *working)
{
    *working = (struct working){
        .differences_ns = calloc(column->rounds + 1, sizeof(double)),
        .levels_ns = calloc(column->rounds + 1, sizeof(double)),
        .inside = calloc(column->units + 1, sizeof(double)),
        .outside = calloc(column->units + 1, sizeof(double)),
        .centred = calloc(column->units + 1, sizeof(double)),
        .member_differences = calloc(column->rounds * members + 1, sizeof(double)),
        .is_member = calloc(column->units + 1, sizeof(bool)),
    };
    if (working->differences_ns == NULL || working->levels_ns == NULL || working->inside == NULL ||
        working->outside == NULL || working->centred == NULL || working->member_differences == NULL ||
        working->is_member == NULL) {
        working_destroy(working);
        return -ENOMEM;
    }
    return 0;
}

static bool is_known(const struct verdict_column *column, size_t round, size_t unit)
{
    return column->is_active[unit] && isfinite(column->values_ns[round * column->units + unit]);
}

/* The values of a round without what the medians of their strata differ by. */
static void centre_round(const struct verdict_column *column, size_t round, struct working *working)
{
    const double *const values_ns = column->values_ns + round * column->units;
    for (size_t unit = 0; unit < column->units; unit++) {
        working->centred[unit] = values_ns[unit];
    }
    for (size_t stratum = 0; stratum < column->strata && column->strata > 1; stratum++) {
        size_t count = 0;
        for (size_t unit = 0; unit < column->units; unit++) {
            if (column->stratum_of_unit[unit] == (int)stratum && is_known(column, round, unit)) {
                working->inside[count++] = values_ns[unit];
            }
        }
        const double level_ns = verdict_median(working->inside, count);
        for (size_t unit = 0; unit < column->units; unit++) {
            working->centred[unit] -= column->stratum_of_unit[unit] == (int)stratum ? level_ns : 0;
        }
    }
}

static void compute_round(const struct verdict_column *column, const struct verdict_group *group,
                          size_t round, struct working *working)
{
    centre_round(column, round, working);
    size_t inside = 0;
    size_t outside = 0;
    for (size_t unit = 0; unit < column->units; unit++) {
        if (is_known(column, round, unit)) {
            double *const side = working->is_member[unit] ? working->inside : working->outside;
            size_t *const count = working->is_member[unit] ? &inside : &outside;
            side[(*count)++] = working->centred[unit];
        }
    }
    const double peers_ns = verdict_median(working->outside, outside);
    working->differences_ns[round] = verdict_median(working->inside, inside) - peers_ns;
    for (size_t i = 0; i < group->member_count; i++) {
        const size_t unit = group->members[i];
        working->member_differences[i * column->rounds + round] = is_known(column, round, unit)
                                                                      ? working->centred[unit] - peers_ns
                                                                      : NAN;
    }
    working->levels_ns[round] = peers_ns;
    size_t count = 0;
    for (size_t unit = 0; unit < column->units && column->strata > 1; unit++) {
        if (is_known(column, round, unit) && !working->is_member[unit]) {
            working->outside[count++] = column->values_ns[round * column->units + unit];
        }
    }
    if (column->strata > 1) {
        working->levels_ns[round] = verdict_median(working->outside, count);
    }
}

static size_t keep_finite(double *values, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static double balance(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i] > 0 ? 1 : 0;
        sum -= values[i] < 0 ? 1 : 0;
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

static void summarise(double *differences_ns, double *levels_ns, size_t rounds,
                      struct verdict_contrast *contrast)
{
    const size_t known = keep_finite(differences_ns, rounds);
    const size_t level_count = keep_finite(levels_ns, rounds);
    contrast->rounds = known;
    for (size_t i = 0; i < known; i++) {
        contrast->rounds_beyond_zero += differences_ns[i] > 0;
        contrast->rounds_below_zero += differences_ns[i] < 0;
    }
    verdict_size_compute(differences_ns, known, verdict_median(levels_ns, level_count), &contrast->size);
}

int verdict_contrast_compute(const struct verdict_column *column, const struct verdict_group *group,
                             struct verdict_contrast *contrast)
{
    *contrast = (struct verdict_contrast){
        .member_effects_ns = calloc(group->member_count, sizeof *contrast->member_effects_ns),
        .member_balances = calloc(group->member_count, sizeof *contrast->member_balances)};
    struct working working = {0};
    int status = contrast->member_effects_ns == NULL || contrast->member_balances == NULL ? -ENOMEM : 0;
    if (status == 0) {
        status = working_create(column, group->member_count, &working);
    }
    if (status != 0) {
        verdict_contrast_destroy(contrast);
        return status;
    }
    for (size_t i = 0; i < group->member_count; i++) {
        working.is_member[group->members[i]] = true;
    }
    for (size_t round = 0; round < column->rounds; round++) {
        compute_round(column, group, round, &working);
    }
    for (size_t i = 0; i < group->member_count; i++) {
        double *const differences = working.member_differences + i * column->rounds;
        const size_t known = keep_finite(differences, column->rounds);
        contrast->member_balances[i] = balance(differences, known);
        contrast->member_effects_ns[i] = verdict_median(differences, known);
    }
    summarise(working.differences_ns, working.levels_ns, column->rounds, contrast);
    working_destroy(&working);
    return 0;
}

int verdict_unit_contrast(const struct verdict_column *column, size_t unit,
                          struct verdict_contrast *contrast)
{
    *contrast = (struct verdict_contrast){0};
    double *values = calloc(2 * column->rounds + 1, sizeof *values);
    if (values == NULL) {
        return -ENOMEM;
    }
    for (size_t round = 0; round < column->rounds; round++) {
        values[round] = column->deviations_ns[round * column->units + unit];
        values[column->rounds + round] = column->levels_ns[round * column->units + unit];
    }
    summarise(values, values + column->rounds, column->rounds, contrast);
    free(values);
    return 0;
}

bool verdict_contrast_is_common(const struct verdict_contrast *contrast, size_t member_count,
                                enum verdict_direction direction)
{
    double *effects = calloc(member_count, sizeof *effects);
    if (effects == NULL) {
        return false;
    }
    for (size_t i = 0; i < member_count; i++) {
        const bool is_steady = (double)direction * contrast->member_balances[i] >= BALANCE_STEADY;
        effects[i] = (double)direction * contrast->member_effects_ns[i];
        if (member_count < MEMBERS_PER_EXCEPTION && effects[i] > 0 && !is_steady) {
            effects[i] = 0;
        }
    }
    const size_t known = keep_finite(effects, member_count);
    size_t common = 0;
    if (known > 0) {
        (void)verdict_median_sorting(effects, known);
        const double enough = effects[known / 2] / 2;
        for (size_t i = 0; i < known; i++) {
            common += enough > 0 && effects[i] >= enough;
        }
    }
    free(effects);
    return common > 0 && common + known / MEMBERS_PER_EXCEPTION >= known;
}
