/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* With fewer peers their spread says nothing. */
enum { UNITS_MINIMUM = 6, ROUNDS_FOR_SCATTER = 5 };

struct standing {
    double *effects_ns; /* of each unit: the median over rounds; NAN: not active, not measured */
    double *distances;  /* signed */
    bool *is_listed;
};

static void standing_destroy(struct standing *standing)
{
    free(standing->effects_ns);
    free(standing->distances);
    free(standing->is_listed);
}

static int standing_create(size_t units, struct standing *standing)
{
    *standing = (struct standing){
        .effects_ns = calloc(units, sizeof(double)),
        .distances = calloc(units, sizeof(double)),
        .is_listed = calloc(units, sizeof(bool)),
    };
    if (standing->effects_ns == NULL || standing->distances == NULL || standing->is_listed == NULL) {
        standing_destroy(standing);
        return -ENOMEM;
    }
    return 0;
}

static int compute_effects(const struct verdict_column *column, struct standing *standing)
{
    for (size_t unit = 0; unit < column->units; unit++) {
        struct verdict_contrast contrast;
        const int status = verdict_unit_contrast(column, unit, &contrast);
        if (status != 0) {
            return status;
        }
        standing->effects_ns[unit] = contrast.size.estimate_ns;
        verdict_contrast_destroy(&contrast);
    }
    return 0;
}

static int compute_distances(const struct verdict_column *column, struct standing *standing)
{
    double *known = calloc(2 * column->units, sizeof *known);
    if (known == NULL) {
        return -ENOMEM;
    }
    for (size_t stratum = 0; stratum < column->strata; stratum++) {
        size_t count = 0;
        for (size_t unit = 0; unit < column->units; unit++) {
            const bool is_here = column->stratum_of_unit == NULL ||
                                 column->stratum_of_unit[unit] == (int)stratum;
            if (is_here && isfinite(standing->effects_ns[unit])) {
                known[column->units + count] = known[count] = standing->effects_ns[unit];
                count++;
            }
        }
        const double middle = verdict_median(known + column->units, count);
        const double spread = verdict_spread(known, count);
        for (size_t unit = 0; unit < column->units && count >= UNITS_MINIMUM && spread > 0; unit++) {
            const bool is_here = column->stratum_of_unit == NULL ||
                                 column->stratum_of_unit[unit] == (int)stratum;
            if (is_here && isfinite(standing->effects_ns[unit])) {
                standing->distances[unit] = (standing->effects_ns[unit] - middle) / spread;
            }
        }
    }
    free(known);
    return 0;
}

/* As many rounds as make the score reach what the shuffles did not exceed but at the level. Where no
 * score could be had, the distance stands for it and Student's distribution for the shuffles. */
static size_t rounds_needed(const struct verdict_pass *pass, const struct verdict_column *column,
                            size_t lane, double distance)
{
    const double comparisons = 2.0 * (double)column->lane_count * (double)pass->column_count;
    double effect = fabs(distance);
    if (column->rounds >= ROUNDS_FOR_SCATTER) {
        const double score = column->slow[lane] > column->fast[lane] ? column->slow[lane]
                                                                     : column->fast[lane];
        effect = score / sqrt((double)column->rounds);
    }
    size_t rounds = VERDICT_ROUNDS_MINIMUM;
    while (rounds < VERDICT_ROUNDS_MANY) {
        const double threshold = gsl_cdf_tdist_Qinv(pass->level / comparisons, (double)rounds - 1);
        if (effect * sqrt((double)rounds) >= threshold) {
            break;
        }
        rounds++;
    }
    const bool is_short = rounds <= column->rounds && column->rounds >= ROUNDS_FOR_SCATTER;
    return is_short ? column->rounds + 1 : rounds;
}

static int add(struct verdict_pass *pass, size_t figure, size_t lane,
               const struct verdict_contrast *contrast, double distance)
{
    const struct verdict_column *const column = &pass->columns[figure];
    struct verdict_outlier *outlier = verdict_add_outlier(pass->verdict);
    if (outlier == NULL) {
        return -ENOMEM;
    }
    const struct verdict_group *const group = lane < column->units
                                                  ? NULL
                                                  : &column->groups->items[lane - column->units];
    *outlier = (struct verdict_outlier){
        .subject = {.partition = group == NULL ? VERDICT_SINGLE : group->partition,
                    .group = group == NULL ? 0 : group->number,
                    .unit = group == NULL ? lane : group->members[0]},
        .direction = distance > 0 ? VERDICT_SLOW : VERDICT_FAST,
        .figure = figure,
        .size = contrast->size,
        .distance = fabs(distance),
        .rounds_needed = rounds_needed(pass, column, lane, distance),
    };
    return 0;
}

/* All active members stand out, not listed before, on the same side: the least distance, signed. */
static double common_distance(const struct verdict_column *column, const struct verdict_group *group,
                              const struct standing *standing)
{
    double least = 0;
    size_t count = 0;
    for (size_t i = 0; i < group->member_count; i++) {
        const size_t unit = group->members[i];
        const double distance = standing->distances[unit];
        if (!column->is_active[unit] || !isfinite(standing->effects_ns[unit])) {
            continue;
        }
        if (fabs(distance) < VERDICT_OUTLIER_DISTANCE || standing->is_listed[unit] ||
            distance * least < 0) {
            return 0;
        }
        least = count == 0 || fabs(distance) < fabs(least) ? distance : least;
        count++;
    }
    return count >= 2 ? least : 0;
}

static int list_group(struct verdict_pass *pass, size_t figure, size_t index, struct standing *standing)
{
    const struct verdict_column *const column = &pass->columns[figure];
    const struct verdict_group *const group = &column->groups->items[index];
    const double distance = common_distance(column, group, standing);
    if (distance == 0 || 2 * group->member_count > column->units || column->is_group_found[index]) {
        return 0;
    }
    struct verdict_contrast contrast;
    int status = verdict_contrast_compute(column, group, &contrast);
    if (status != 0) {
        return status;
    }
    const enum verdict_direction direction = distance > 0 ? VERDICT_SLOW : VERDICT_FAST;
    if (fabs(contrast.size.estimate_ns) >= pass->settings->minimum_ns &&
        verdict_contrast_is_common(&contrast, group->member_count, direction)) {
        status = add(pass, figure, column->units + index, &contrast, distance);
        for (size_t i = 0; i < group->member_count; i++) {
            standing->is_listed[group->members[i]] = true;
        }
    }
    verdict_contrast_destroy(&contrast);
    return status;
}

static int list_unit(struct verdict_pass *pass, size_t figure, size_t unit,
                     const struct standing *standing)
{
    const struct verdict_column *const column = &pass->columns[figure];
    const double distance = standing->distances[unit];
    if (fabs(distance) < VERDICT_OUTLIER_DISTANCE || standing->is_listed[unit] ||
        fabs(standing->effects_ns[unit]) < pass->settings->minimum_ns) {
        return 0;
    }
    struct verdict_contrast contrast;
    int status = verdict_unit_contrast(column, unit, &contrast);
    if (status == 0) {
        status = add(pass, figure, unit, &contrast, distance);
        verdict_contrast_destroy(&contrast);
    }
    return status;
}

static int list_column(struct verdict_pass *pass, size_t figure, struct standing *standing)
{
    const struct verdict_column *const column = &pass->columns[figure];
    int status = compute_effects(column, standing);
    if (status == 0) {
        status = compute_distances(column, standing);
    }
    for (size_t i = 0; i < column->groups->count && status == 0; i++) {
        status = list_group(pass, figure, i, standing);
    }
    for (size_t unit = 0; unit < column->units && status == 0; unit++) {
        status = list_unit(pass, figure, unit, standing);
    }
    return status;
}

int verdict_list_outliers(struct verdict_pass *pass)
{
    int status = 0;
    for (size_t figure = 0; figure < pass->column_count && status == 0; figure++) {
        struct standing standing;
        status = standing_create(pass->columns[figure].units, &standing);
        if (status == 0) {
            status = list_column(pass, figure, &standing);
            standing_destroy(&standing);
        }
    }
    return status;
}
