/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

size_t verdict_column_count_round(const struct verdict_column *column, size_t round)
{
    return column->list_starts[(round + 1) * column->strata] -
           column->list_starts[round * column->strata];
}

int verdict_column_build_lists(struct verdict_column *column)
{
    size_t *order = calloc(column->units + 1, sizeof *order);
    if (order == NULL) {
        return -ENOMEM;
    }
    size_t end = 0;
    for (size_t list = 0; list < column->rounds * column->strata; list++) {
        const size_t round = list / column->strata;
        const int stratum = (int)(list % column->strata);
        const double *const deviations_ns = column->deviations_ns + round * column->units;
        const size_t start = column->list_starts[list] = end;
        for (size_t unit = 0; unit < column->units; unit++) {
            const bool is_here = column->stratum_of_unit == NULL ||
                                 column->stratum_of_unit[unit] == stratum;
            if (is_here && isfinite(deviations_ns[unit])) {
                order[end - start] = unit;
                column->positions[end++] = unit;
            }
        }
        random_stream_shuffle(column->stream, order, end - start);
        for (size_t i = 0; i < end - start; i++) {
            const float deviation = (float)deviations_ns[order[i]];
            column->pool[2 * start + i] = deviation;
            column->pool[start + end + i] = deviation;
        }
    }
    column->list_starts[column->rounds * column->strata] = end;
    free(order);
    return 0;
}

/* In parts, so that no addition waits for the one before. */
static float sum_of(const float *values, size_t count)
{
    enum { PARTS = 8 };
    float parts[PARTS] = {0};
    float rest = 0;
    size_t i = 0;
    for (; i + PARTS <= count; i += PARTS) {
        for (size_t part = 0; part < PARTS; part++) {
            parts[part] += values[i + part];
        }
    }
    for (; i < count; i++) {
        rest += values[i];
    }
    return rest + (((parts[0] + parts[1]) + (parts[2] + parts[3])) +
                   ((parts[4] + parts[5]) + (parts[6] + parts[7])));
}

static float sum_of_members(const float *clipped, const struct verdict_group *group)
{
    float sum = 0;
    /* Most groups are cores. */
    if (group->member_count == 2) {
        return clipped[group->first] + clipped[group->last];
    }
    if (group->last - group->first + 1 == group->member_count) {
        return sum_of(clipped + group->first, group->member_count);
    }
    const size_t *const members = group->members;
    float others[3] = {0};
    size_t i = 0;
    for (; i + 4 <= group->member_count; i += 4) {
        sum += clipped[members[i]];
        others[0] += clipped[members[i + 1]];
        others[1] += clipped[members[i + 2]];
        others[2] += clipped[members[i + 3]];
    }
    for (; i < group->member_count; i++) {
        sum += clipped[members[i]];
    }
    return (sum + others[0]) + (others[1] + others[2]);
}

static void clip_row(const float *restrict row, const float *restrict limits, size_t units,
                     float *restrict clipped)
{
    for (size_t unit = 0; unit < units; unit++) {
        const float limit = limits[unit];
        const float low = row[unit] > -limit ? row[unit] : -limit;
        const float held = low < limit ? low : limit;
        clipped[unit] = row[unit] < INFINITY ? held : 0.0F;
    }
}

static void compute_group_round(struct verdict_column *column, size_t round)
{
    float *const row = column->values + round * column->lanes.stride;
    float *const clipped = column->scratch + verdict_lanes_scratch(column->rounds);
    clip_row(row, column->clip_limits, column->units, clipped);
    const float total = sum_of(clipped, column->units);
    const struct verdict_group_weights *const weights = column->group_weights +
                                                        round * column->groups->count;
    for (size_t i = 0; i < column->groups->count; i++) {
        if (weights[i].inside <= 0 || column->counts[column->units + i] == 0) {
            row[column->units + i] = INFINITY;
            continue;
        }
        const float sum = sum_of_members(clipped, &column->groups->items[i]);
        row[column->units + i] = sum * weights[i].inside - (total - sum) * weights[i].outside;
    }
}

static void compute_groups(struct verdict_column *column)
{
    for (size_t round = 0; round < column->rounds && column->groups->count > 0; round++) {
        compute_group_round(column, round);
    }
}

static double largest_score(const float *slow, const float *fast, size_t first, size_t end)
{
    float largest = -INFINITY;
    for (size_t lane = first; lane < end; lane++) {
        largest = slow[lane] > largest ? slow[lane] : largest;
        largest = fast[lane] > largest ? fast[lane] : largest;
    }
    return largest;
}

void verdict_column_score(struct verdict_column *column, float *slow, float *fast, double *largest)
{
    compute_groups(column);
    verdict_lanes_score(&column->lanes, column->values, slow, fast, column->scratch);
    largest[VERDICT_UNITS] = largest_score(slow, fast, 0, column->units);
    largest[VERDICT_GROUPS] = largest_score(slow, fast, column->units, column->lane_count);
}

/* Short lists are shuffled each time. Long ones stand in an order that was random once, and are turned
 * by a random step: these turns are a group as well, so that the test stays exact, at a tenth of the
 * cost. */
enum { TURNED_FROM = 32 };

static size_t draw_below(struct random_stream *stream, size_t count)
{
    return (size_t)random_stream_between(stream, 0, (int64_t)count - 1);
}

static void shuffle_list(struct verdict_column *column, size_t list)
{
    const size_t start = column->list_starts[list];
    const size_t count = column->list_starts[list + 1] - start;
    float *const pool = column->pool + 2 * start;
    size_t turn = 0;
    if (count >= TURNED_FROM) {
        turn = draw_below(column->stream, count);
    }
    for (size_t i = count; i > 1 && count < TURNED_FROM; i--) {
        const size_t other = draw_below(column->stream, i);
        const float held = pool[i - 1];
        pool[i - 1] = pool[other];
        pool[other] = held;
    }
    float *const row = column->values + list / column->strata * column->lanes.stride;
    for (size_t i = 0; i < count; i++) {
        row[column->positions[start + i]] = pool[turn + i];
    }
}

void verdict_column_shuffle(struct verdict_column *column)
{
    for (size_t list = 0; list < column->rounds * column->strata; list++) {
        shuffle_list(column, list);
    }
    verdict_column_score(column, column->shuffled_slow, column->shuffled_fast,
                         column->maxima + VERDICT_FAMILIES * column->maxima_count);
    column->maxima_count++;
}
