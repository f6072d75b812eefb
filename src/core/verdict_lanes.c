/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of n values over rounds, n / NEAR are dropped on the side of the claim and n / FAR on the other. A
 * disturbance is one-sided and brief: the mean of what is left does not see it, while a unit that is
 * slow in nearly all rounds is slow in what is left. */
enum { NEAR = 4, FAR = 10 };

static size_t network_build(size_t wires, struct verdict_exchange *exchanges)
{
    size_t count = 0;
    size_t width = 1;
    while (width < wires) {
        width *= 2;
    }
    /* Batcher's odd-even merge for a power of two, leaving out the wires that are not there: they would
     * hold infinity and never move. */
    for (size_t half = 1; half < width; half *= 2) {
        for (size_t step = half; step >= 1; step /= 2) {
            for (size_t first = step % half; first + step < wires; first += 2 * step) {
                for (size_t i = 0; i < step && first + i + step < wires; i++) {
                    const size_t low = first + i;
                    if (low / (2 * half) != (low + step) / (2 * half)) {
                        continue;
                    }
                    if (exchanges != NULL) {
                        exchanges[count] = (struct verdict_exchange){(uint32_t)low,
                                                                     (uint32_t)(low + step)};
                    }
                    count++;
                }
            }
        }
    }
    return count;
}

int verdict_network_create(size_t wires, struct verdict_network *network)
{
    *network = (struct verdict_network){.wires = wires, .count = network_build(wires, NULL)};
    network->exchanges = calloc(network->count + 1, sizeof *network->exchanges);
    if (network->exchanges == NULL) {
        return -ENOMEM;
    }
    (void)network_build(wires, network->exchanges);
    return 0;
}

void verdict_network_destroy(struct verdict_network *network)
{
    free(network->exchanges);
    *network = (struct verdict_network){0};
}

size_t verdict_lanes_scratch(size_t rounds)
{
    return rounds * VERDICT_LANES;
}

static void exchange_rows(float *restrict low, float *restrict high)
{
    for (size_t lane = 0; lane < VERDICT_LANES; lane++) {
        const float first = low[lane];
        const float second = high[lane];
        /* In this form both become one instruction. */
        low[lane] = second < first ? second : first;
        high[lane] = first < second ? second : first;
    }
}

/* Rows [begin, end) of each lane are kept. */
struct kept {
    int32_t begin[VERDICT_LANES];
    int32_t end[VERDICT_LANES];
    bool is_uniform; /* of all lanes that are judged the same rows: those of the first of them */
    size_t first_judged;
};

struct block_sums {
    float lowest[VERDICT_LANES]; /* of the kept ones */
    float highest[VERDICT_LANES];
    float sum[VERDICT_LANES];
    float mean[VERDICT_LANES];
    float squares[VERDICT_LANES];
};

static void add_kept(const float *restrict row, int32_t round, const struct kept *restrict kept,
                     struct block_sums *restrict sums)
{
    for (size_t lane = 0; lane < VERDICT_LANES; lane++) {
        const float value = row[lane];
        const bool is_kept = round >= kept->begin[lane] && round < kept->end[lane];
        sums->sum[lane] += is_kept ? value : 0.0F;
        sums->lowest[lane] = round == kept->begin[lane] ? value : sums->lowest[lane];
        sums->highest[lane] = is_kept ? value : sums->highest[lane];
    }
}

static void add_squares_of_kept(const float *restrict row, int32_t round,
                                const struct kept *restrict kept, struct block_sums *restrict sums)
{
    for (size_t lane = 0; lane < VERDICT_LANES; lane++) {
        const bool is_kept = round >= kept->begin[lane] && round < kept->end[lane];
        const float distance = is_kept ? row[lane] - sums->mean[lane] : 0.0F;
        sums->squares[lane] += distance * distance;
    }
}

static void add_row(const float *restrict row, float *restrict sum)
{
    for (size_t lane = 0; lane < VERDICT_LANES; lane++) {
        sum[lane] += row[lane];
    }
}

static void add_squares(const float *restrict row, const float *restrict mean, float *restrict squares)
{
    for (size_t lane = 0; lane < VERDICT_LANES; lane++) {
        const float distance = row[lane] - mean[lane];
        squares[lane] += distance * distance;
    }
}

static void sum_rows(const float *rows, size_t rounds, const struct kept *kept, struct block_sums *sums)
{
    if (!kept->is_uniform) {
        for (size_t round = 0; round < rounds; round++) {
            add_kept(rows + round * VERDICT_LANES, (int32_t)round, kept, sums);
        }
        return;
    }
    const size_t begin = (size_t)kept->begin[kept->first_judged];
    const size_t end = (size_t)kept->end[kept->first_judged];
    for (size_t round = begin; round < end; round++) {
        add_row(rows + round * VERDICT_LANES, sums->sum);
    }
    memcpy(sums->lowest, rows + begin * VERDICT_LANES, sizeof sums->lowest);
    memcpy(sums->highest, rows + (end > begin ? end - 1 : begin) * VERDICT_LANES, sizeof sums->highest);
}

static void sum_squares(const float *rows, size_t rounds, const struct kept *kept,
                        struct block_sums *sums)
{
    for (size_t round = 0; round < rounds && !kept->is_uniform; round++) {
        add_squares_of_kept(rows + round * VERDICT_LANES, (int32_t)round, kept, sums);
    }
    const size_t begin = kept->is_uniform ? (size_t)kept->begin[kept->first_judged] : 0;
    const size_t end = kept->is_uniform ? (size_t)kept->end[kept->first_judged] : 0;
    for (size_t round = begin; round < end; round++) {
        add_squares(rows + round * VERDICT_LANES, sums->mean, sums->squares);
    }
}

/* A trimmed mean over its standard error, from winsorised squares: the dropped values count as the
 * nearest kept one. */
static void score_block(const float *rows, size_t rounds, const struct kept *kept, const int32_t *counts,
                        const float *least_errors, float *scores)
{
    struct block_sums sums = {.sum = {0}};
    float below[VERDICT_LANES];
    float above[VERDICT_LANES];
    sum_rows(rows, rounds, kept, &sums);
    for (size_t lane = 0; lane < VERDICT_LANES; lane++) {
        const float count = counts[lane] > 0 ? (float)counts[lane] : 1.0F;
        below[lane] = (float)kept->begin[lane];
        above[lane] = (float)(counts[lane] - kept->end[lane]);
        sums.mean[lane] = (sums.sum[lane] + below[lane] * sums.lowest[lane] +
                           above[lane] * sums.highest[lane]) /
                          count;
    }
    sum_squares(rows, rounds, kept, &sums);
    for (size_t lane = 0; lane < VERDICT_LANES; lane++) {
        const float held = (float)(kept->end[lane] - kept->begin[lane]);
        const float divisor = held < 2 ? 2.0F : held;
        const float low = sums.lowest[lane] - sums.mean[lane];
        const float high = sums.highest[lane] - sums.mean[lane];
        const float squares = sums.squares[lane] + below[lane] * low * low + above[lane] * high * high;
        const float error = sqrtf(squares / (divisor * (divisor - 1)));
        const float least = least_errors[lane] / sqrtf(divisor);
        const float score = sums.sum[lane] / divisor / (error > least ? error : least);
        scores[lane] = held < 2 ? -INFINITY : score;
    }
}

static void keep(const int32_t *counts, int32_t drop_low, int32_t drop_high, struct kept *kept)
{
    kept->is_uniform = true;
    kept->first_judged = 0;
    while (kept->first_judged < VERDICT_LANES - 1 && counts[kept->first_judged] == 0) {
        kept->first_judged++;
    }
    for (size_t lane = 0; lane < VERDICT_LANES; lane++) {
        kept->begin[lane] = counts[lane] / drop_low;
        kept->end[lane] = counts[lane] - counts[lane] / drop_high;
        kept->is_uniform = kept->is_uniform &&
                           (counts[lane] == 0 || counts[lane] == counts[kept->first_judged]);
    }
}

void verdict_lanes_score(const struct verdict_lanes *lanes, const float *values, float *slow,
                         float *fast, float *scratch)
{
    struct kept kept;
    for (size_t first = 0; first < lanes->stride; first += VERDICT_LANES) {
        for (size_t round = 0; round < lanes->rounds; round++) {
            memcpy(scratch + round * VERDICT_LANES, values + round * lanes->stride + first,
                   VERDICT_LANES * sizeof *values);
        }
        for (size_t i = 0; i < lanes->network.count; i++) {
            exchange_rows(scratch + lanes->network.exchanges[i].low * (size_t)VERDICT_LANES,
                          scratch + lanes->network.exchanges[i].high * (size_t)VERDICT_LANES);
        }
        const int32_t *const counts = lanes->counts + first;
        keep(counts, FAR, NEAR, &kept);
        score_block(scratch, lanes->rounds, &kept, counts, lanes->least_errors + first, slow + first);
        keep(counts, NEAR, FAR, &kept);
        score_block(scratch, lanes->rounds, &kept, counts, lanes->least_errors + first, fast + first);
        for (size_t lane = first; lane < first + VERDICT_LANES; lane++) {
            fast[lane] = isinf(fast[lane]) ? fast[lane] : -fast[lane];
        }
    }
}
