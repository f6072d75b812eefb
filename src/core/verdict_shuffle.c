/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* In a group's mean no single value counts for more than this many spreads. */
#define GROUP_CLIP_SPREADS 2.0

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

static void compute_group_round(struct verdict_column *column, size_t round)
{
    float *const row = column->values + round * column->lanes.stride;
    float *const clipped = column->scratch + verdict_lanes_scratch(column->rounds);
    float total = 0;
    for (size_t unit = 0; unit < column->units; unit++) {
        const float limit = (float)(GROUP_CLIP_SPREADS * column->spreads_ns[unit]);
        const float low = row[unit] > -limit ? row[unit] : -limit;
        const float held = low < limit ? low : limit;
        clipped[unit] = row[unit] < INFINITY ? held : 0.0F;
        total += clipped[unit];
    }
    const size_t all = verdict_column_count_round(column, round);
    for (size_t i = 0; i < column->groups->count; i++) {
        const struct verdict_group *const group = &column->groups->items[i];
        const uint32_t inside = column->group_counts[round * column->groups->count + i];
        if (inside == 0 || column->counts[column->units + i] == 0) {
            row[column->units + i] = INFINITY;
            continue;
        }
        float sum = 0;
        for (size_t k = 0; k < group->member_count; k++) {
            sum += clipped[group->members[k]];
        }
        row[column->units + i] = sum / (float)inside - (total - sum) / (float)(all - inside);
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
