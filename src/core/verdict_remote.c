/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include "numasweep/verdict_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct remote_working {
    double *unit_differences; /* [unit][round] */
    double *unit_levels;      /* [unit][round]: the local value */
    double *differences;      /* [round] */
    double *levels;           /* [round] */
    double *values;           /* of units or columns */
    double *others;
};

static void working_destroy(struct remote_working *working)
{
    free(working->unit_differences);
    free(working->unit_levels);
    free(working->differences);
    free(working->levels);
    free(working->values);
    free(working->others);
}

static int working_create(const struct verdict_remote_input *input, struct remote_working *working)
{
    const size_t most = input->unit_count + input->column_count + input->round_count;
    *working = (struct remote_working){
        .unit_differences = calloc(input->unit_count * input->round_count, sizeof(double)),
        .unit_levels = calloc(input->unit_count * input->round_count, sizeof(double)),
        .differences = calloc(input->round_count, sizeof(double)),
        .levels = calloc(input->round_count, sizeof(double)),
        .values = calloc(most, sizeof(double)),
        .others = calloc(most, sizeof(double)),
    };
    if (working->unit_differences == NULL || working->unit_levels == NULL ||
        working->differences == NULL || working->levels == NULL || working->values == NULL ||
        working->others == NULL) {
        working_destroy(working);
        return -ENOMEM;
    }
    return 0;
}

static double value_at(const struct verdict_remote_input *input, size_t column, size_t round,
                       size_t unit)
{
    const double value =
        input->values_ns[(column * input->round_count + round) * input->unit_count + unit];
    return isfinite(value) ? value : NAN;
}

static double local_at(const struct verdict_remote_input *input, size_t round, size_t unit)
{
    const int local = input->local_column_of_unit[unit];
    return local < 0 ? NAN : value_at(input, (size_t)local, round, unit);
}

static void compute_unit_differences(const struct verdict_remote_input *input,
                                     struct remote_working *working)
{
    for (size_t unit = 0; unit < input->unit_count; unit++) {
        for (size_t round = 0; round < input->round_count; round++) {
            size_t count = 0;
            for (size_t column = 0; column < input->column_count; column++) {
                const double value = value_at(input, column, round, unit);
                if ((int)column != input->local_column_of_unit[unit] && isfinite(value)) {
                    working->values[count++] = value;
                }
            }
            const size_t at = unit * input->round_count + round;
            working->unit_levels[at] = local_at(input, round, unit);
            working->unit_differences[at] = verdict_median(working->values, count) -
                                            working->unit_levels[at];
        }
    }
}

static double median_of_finite(const double *values, size_t count, double *room)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            room[kept++] = values[i];
        }
    }
    return verdict_median(room, kept);
}

static int compute_units(const struct verdict_remote_input *input, double level,
                         struct remote_working *working, struct verdict_remote *remote)
{
    int status = 0;
    for (size_t unit = 0; unit < input->unit_count && status == 0; unit++) {
        const size_t first = unit * input->round_count;
        const double level_ns = median_of_finite(working->unit_levels + first, input->round_count,
                                                 working->values);
        status = verdict_shift_compute(working->unit_differences + first, input->round_count, level_ns,
                                       level, &remote->units[unit]);
    }
    return status;
}

/* From what working->differences and working->levels hold by round. */
static int compute_shift(const struct verdict_remote_input *input, double level,
                         struct remote_working *working, struct verdict_shift *shift)
{
    const double level_ns = median_of_finite(working->levels, input->round_count, working->values);
    return verdict_shift_compute(working->differences, input->round_count, level_ns, level, shift);
}

static int compute_pair(const struct verdict_remote_input *input, double level,
                        struct remote_working *working, struct verdict_remote_pair *pair)
{
    for (size_t round = 0; round < input->round_count; round++) {
        size_t count = 0;
        for (size_t unit = 0; unit < input->unit_count; unit++) {
            if (input->local_column_of_unit[unit] != (int)pair->from) {
                continue;
            }
            const double local = local_at(input, round, unit);
            const double value = value_at(input, pair->column, round, unit);
            if (isfinite(local) && isfinite(value)) {
                working->values[count] = value - local;
                working->others[count++] = local;
            }
        }
        working->differences[round] = verdict_median(working->values, count);
        working->levels[round] = verdict_median(working->others, count);
    }
    return compute_shift(input, level, working, &pair->shift);
}

static int compute_pairs(const struct verdict_remote_input *input, double level,
                         struct remote_working *working, struct verdict_remote *remote)
{
    int status = 0;
    for (size_t from = 0; from < input->column_count; from++) {
        for (size_t column = 0; column < input->column_count && status == 0; column++) {
            struct verdict_remote_pair pair = {.from = from, .column = column};
            if (from != column) {
                status = compute_pair(input, level, working, &pair);
            }
            if (pair.shift.pair_count > 0) {
                remote->pairs[remote->pair_count++] = pair;
            }
        }
    }
    return status;
}

static int compute_machine(const struct verdict_remote_input *input, double level,
                           struct remote_working *working, struct verdict_remote *remote)
{
    for (size_t round = 0; round < input->round_count; round++) {
        size_t count = 0;
        for (size_t unit = 0; unit < input->unit_count; unit++) {
            const size_t at = unit * input->round_count + round;
            if (isfinite(working->unit_differences[at])) {
                working->values[count] = working->unit_differences[at];
                working->others[count++] = working->unit_levels[at];
            }
        }
        working->differences[round] = verdict_median(working->values, count);
        working->levels[round] = verdict_median(working->others, count);
    }
    return compute_shift(input, level, working, &remote->machine);
}

static int compare_shifts(const void *first, const void *second)
{
    const double a = (*(struct verdict_shift *const *)first)->p;
    const double b = (*(struct verdict_shift *const *)second)->p;
    return (a > b) - (a < b);
}

/* Holm: the smallest p counts for all, the next for all but one, and none is smaller than one before. */
static void adjust(struct verdict_shift **shifts, size_t count)
{
    qsort(shifts, count, sizeof(struct verdict_shift *), compare_shifts);
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double p = shifts[i]->p * (double)(count - i);
        const double bounded = p < 1 ? p : 1;
        largest = bounded > largest ? bounded : largest;
        shifts[i]->p_adjusted = largest;
    }
}

static int adjust_all(const struct verdict_remote_input *input, struct verdict_remote *remote)
{
    struct verdict_shift **shifts = calloc(input->unit_count + remote->pair_count + 1,
                                           sizeof(struct verdict_shift *));
    if (shifts == NULL) {
        return -ENOMEM;
    }
    size_t count = 0;
    for (size_t i = 0; i < input->unit_count; i++) {
        if (remote->units[i].pair_count > 0) {
            shifts[count++] = &remote->units[i];
        }
    }
    adjust(shifts, count);
    for (size_t i = 0; i < remote->pair_count; i++) {
        shifts[i] = &remote->pairs[i].shift;
    }
    adjust(shifts, remote->pair_count);
    free(shifts);
    return 0;
}

int verdict_remote_compare(const struct verdict_remote_input *input, double level,
                           struct verdict_remote *remote)
{
    *remote = (struct verdict_remote){.machine = {.p = 1, .p_adjusted = 1}};
    if (input->round_count == 0 || input->unit_count == 0 || input->column_count == 0 || level <= 0 ||
        level >= 1) {
        return -EINVAL;
    }
    struct remote_working working;
    int status = working_create(input, &working);
    if (status != 0) {
        return status;
    }
    remote->units = calloc(input->unit_count, sizeof *remote->units);
    remote->pairs = calloc(input->column_count * input->column_count, sizeof *remote->pairs);
    status = remote->units == NULL || remote->pairs == NULL ? -ENOMEM : 0;
    if (status == 0) {
        compute_unit_differences(input, &working);
        status = compute_units(input, level, &working, remote);
    }
    if (status == 0) {
        status = compute_pairs(input, level, &working, remote);
    }
    if (status == 0) {
        status = compute_machine(input, level, &working, remote);
    }
    if (status == 0) {
        status = adjust_all(input, remote);
    }
    working_destroy(&working);
    if (status != 0) {
        verdict_remote_destroy(remote);
    }
    return status;
}

void verdict_remote_destroy(struct verdict_remote *remote)
{
    free(remote->units);
    free(remote->pairs);
    *remote = (struct verdict_remote){0};
}
