/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include "numasweep/verdict_compare.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>

#define TAIL 0.025

/* One value for each round of both sweeps, those of before first: of a cell, or of a group of cells. */
struct series {
    size_t rounds;
    size_t count;      /* how many series */
    double *values_ns; /* [series][round] */
    double *scores;    /* [round][series]: what a round adds to the standardised sum of ranks of after */
    double *levels_ns; /* of each series: what was taken off its values, to be added again */
};

struct change_working {
    const struct verdict_change_input *input;
    const struct verdict_settings *settings;
    struct verdict_groups groups;
    struct series series;
    double *room; /* cells + rounds * rounds */
    double *sums;
    double *maxima;
    size_t maxima_count;
    /* Rounds that follow one another are shuffled together where the machine drifts. */
    size_t drift_rounds;
    size_t before_blocks;
    size_t after_blocks;
};

static void working_destroy(struct change_working *working)
{
    verdict_groups_destroy(&working->groups);
    free(working->series.values_ns);
    free(working->series.scores);
    free(working->series.levels_ns);
    free(working->room);
    free(working->sums);
    free(working->maxima);
}

static int working_create(struct change_working *working)
{
    const struct verdict_change_input *const input = working->input;
    const struct verdict_input cells = {.unit_count = input->cell_count,
                                        .partitions = input->partitions,
                                        .partition_count = input->partition_count};
    const int status = verdict_groups_create(&cells, false, &working->groups);
    if (status != 0) {
        return status;
    }
    const size_t rounds = working->series.rounds = input->before_rounds + input->after_rounds;
    const size_t count = working->series.count = input->cell_count + working->groups.count + 1;
    working->series.values_ns = calloc(rounds * count, sizeof(double));
    working->series.scores = calloc(rounds * count, sizeof(double));
    working->series.levels_ns = calloc(count, sizeof(double));
    working->room = calloc(input->cell_count + rounds * rounds + 1, sizeof(double));
    working->sums = calloc(count, sizeof(double));
    working->maxima = calloc(working->settings->shuffle_count, sizeof(double));
    if (working->series.values_ns == NULL || working->series.scores == NULL ||
        working->series.levels_ns == NULL || working->room == NULL || working->sums == NULL ||
        working->maxima == NULL) {
        working_destroy(working);
        return -ENOMEM;
    }
    return 0;
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

static void fill_cells(struct change_working *working)
{
    const struct verdict_change_input *const input = working->input;
    const size_t rounds = working->series.rounds;
    for (size_t cell = 0; cell < input->cell_count; cell++) {
        double *const values_ns = working->series.values_ns + cell * rounds;
        for (size_t round = 0; round < rounds; round++) {
            values_ns[round] =
                round < input->before_rounds
                    ? input->before_ns[round * input->cell_count + cell]
                    : input->after_ns[(round - input->before_rounds) * input->cell_count + cell];
        }
        working->series.levels_ns[cell] = median_of_finite(values_ns, rounds, working->room);
    }
}

/* By round the median of the members, each taken from its own level, so that a missing one moves
 * nothing. `group` NULL: all cells. */
static void fill_group(struct change_working *working, const struct verdict_group *group, size_t index)
{
    const size_t rounds = working->series.rounds;
    const size_t members = group == NULL ? working->input->cell_count : group->member_count;
    const struct series *const series = &working->series;
    for (size_t round = 0; round < rounds; round++) {
        size_t count = 0;
        for (size_t i = 0; i < members; i++) {
            const size_t cell = group == NULL ? i : group->members[i];
            const double value = series->values_ns[cell * rounds + round] - series->levels_ns[cell];
            if (isfinite(value)) {
                working->room[count++] = value;
            }
        }
        series->values_ns[index * rounds + round] = verdict_median(working->room, count);
    }
    size_t count = 0;
    for (size_t i = 0; i < members; i++) {
        const double level_ns = series->levels_ns[group == NULL ? i : group->members[i]];
        if (isfinite(level_ns)) {
            working->room[count++] = level_ns;
        }
    }
    series->levels_ns[index] = verdict_median(working->room, count);
}

static void fill_series(struct change_working *working)
{
    fill_cells(working);
    const size_t cells = working->input->cell_count;
    for (size_t i = 0; i < working->groups.count; i++) {
        fill_group(working, &working->groups.items[i], cells + i);
    }
    fill_group(working, NULL, cells + working->groups.count);
}

/* Ranks, less their mean, over the standard deviation of the sum of so many drawn at random. */
static void score_series(struct change_working *working, size_t index)
{
    const struct series *const series = &working->series;
    const double *const values_ns = series->values_ns + index * series->rounds;
    double squares = 0;
    for (size_t round = 0; round < series->rounds; round++) {
        double rank = 0;
        for (size_t other = 0; other < series->rounds && isfinite(values_ns[round]); other++) {
            rank += values_ns[other] < values_ns[round] ? 1 : 0;
            rank -= values_ns[other] > values_ns[round] ? 1 : 0;
        }
        series->scores[round * series->count + index] = rank / 2;
        squares += rank * rank / 4;
    }
    const double all = (double)series->rounds;
    const double before = (double)working->input->before_rounds;
    const double after = (double)working->input->after_rounds;
    const double variance = squares * before * after / (all * (all - 1));
    for (size_t round = 0; round < series->rounds; round++) {
        series->scores[round * series->count + index] *= variance > 0 ? 1 / sqrt(variance) : 0;
    }
}

static size_t count_blocks(size_t rounds, size_t length)
{
    return rounds > length ? rounds / length : 1;
}

static void divide_into_blocks(struct change_working *working)
{
    const struct verdict_change_input *const input = working->input;
    const struct series *const series = &working->series;
    const double *const all = series->values_ns + (series->count - 1) * series->rounds;
    working->drift_rounds = verdict_drift_length(all, input->before_rounds, input->after_rounds);
    working->before_blocks = count_blocks(input->before_rounds, working->drift_rounds);
    working->after_blocks = count_blocks(input->after_rounds, working->drift_rounds);
}

/* The rounds of a block; those of before come first. */
static size_t block_begin(const struct change_working *working, size_t block)
{
    const size_t before_rounds = working->input->before_rounds;
    if (block < working->before_blocks) {
        return block * before_rounds / working->before_blocks;
    }
    return before_rounds +
           (block - working->before_blocks) * working->input->after_rounds / working->after_blocks;
}

static void add_block(struct change_working *working, size_t block)
{
    const size_t width = working->series.count;
    const size_t end = block_begin(working, block + 1);
    for (size_t round = block_begin(working, block); round < end; round++) {
        const double *const row = working->series.scores + round * width;
        for (size_t i = 0; i < width; i++) {
            working->sums[i] += row[i];
        }
    }
}

/* The standardised sums of the blocks that stand first in the order; NULL: of those of after. Returns
 * the largest size. */
static double sum_blocks(struct change_working *working, const size_t *order)
{
    const size_t width = working->series.count;
    double *const sums = working->sums;
    for (size_t i = 0; i < width; i++) {
        sums[i] = 0;
    }
    for (size_t k = 0; k < working->after_blocks; k++) {
        add_block(working, order == NULL ? working->before_blocks + k : order[k]);
    }
    double largest = 0;
    for (size_t i = 0; i < width; i++) {
        largest = fabs(sums[i]) > largest ? fabs(sums[i]) : largest;
    }
    return largest;
}

/* Equal sums may differ by the order in which they were added up. */
static bool reaches(double sum, double limit)
{
    return fabs(sum) >= limit * (1 - 1e-9);
}

static int shuffle_blocks(struct change_working *working)
{
    const struct verdict_settings *const settings = working->settings;
    size_t *order = calloc(working->series.rounds, sizeof *order);
    struct random_stream *stream = random_stream_create(settings->seed, RANDOM_VERDICT, 1, 0);
    int status = -ENOMEM;
    if (order != NULL && stream != NULL) {
        const size_t blocks = working->before_blocks + working->after_blocks;
        for (size_t i = 0; i < blocks; i++) {
            order[i] = i;
        }
        const double largest = sum_blocks(working, NULL);
        const double enough = settings->level * (double)(settings->shuffle_count + 1);
        size_t beyond = 0;
        while (working->maxima_count < settings->shuffle_count && (double)(beyond + 1) <= enough) {
            random_stream_shuffle(stream, order, blocks);
            const double shuffled = sum_blocks(working, order);
            working->maxima[working->maxima_count++] = shuffled;
            beyond += reaches(shuffled, largest);
        }
        status = 0;
    }
    random_stream_destroy(stream);
    free(order);
    return status;
}

static double p_of_sum(const struct change_working *working, double sum)
{
    size_t beyond = 0;
    for (size_t i = 0; i < working->maxima_count; i++) {
        beyond += reaches(working->maxima[i], fabs(sum));
    }
    return (double)(beyond + 1) / (double)(working->maxima_count + 1);
}

/* The median of all differences between a value of after and one of before, and the two of them between
 * which it lies by the normal approximation to the sum of ranks. */
static void compute_size(struct change_working *working, size_t index, struct verdict_change *change)
{
    const size_t rounds = working->series.rounds;
    const size_t before_rounds = working->input->before_rounds;
    const double *const values_ns = working->series.values_ns + index * rounds;
    const double level_ns = median_of_finite(values_ns, before_rounds, working->room);
    size_t count = 0;
    for (size_t round = 0; round < rounds; round++) {
        const bool is_there = isfinite(values_ns[round]);
        change->before_count += is_there && round < before_rounds;
        change->after_count += is_there && round >= before_rounds;
        for (size_t other = 0; other < before_rounds && round >= before_rounds && is_there; other++) {
            if (isfinite(values_ns[other])) {
                working->room[count++] = values_ns[round] - values_ns[other];
            }
        }
    }
    if (count == 0) {
        const double level = change->before_count > 0 ? level_ns : (double)NAN;
        verdict_size_set(&change->size, (double)NAN, (double)NAN, (double)NAN, level);
        change->size.has_share = false;
        return;
    }
    const double estimate_ns = verdict_median_sorting(working->room, count);
    const double before = (double)change->before_count;
    const double after = (double)change->after_count;
    /* So many rounds that are alike say as much as one. */
    const double sigma = sqrt(before * after * (before + after + 1) / 12 *
                              (double)working->drift_rounds);
    const double outside = floor((double)count / 2 - gsl_cdf_ugaussian_Qinv(TAIL) * sigma);
    const size_t first = outside > 1 ? (size_t)outside - 1 : 0;
    const bool is_group = index >= working->input->cell_count;
    /* Of one difference nobody knows how far it scatters. */
    const double low_ns = count > 1 ? working->room[first] : (double)NAN;
    const double high_ns = count > 1 ? working->room[count - 1 - first] : (double)NAN;
    verdict_size_set(&change->size, estimate_ns, low_ns, high_ns,
                     is_group ? level_ns + working->series.levels_ns[index] : level_ns);
}

static struct verdict_subject subject_of(const struct change_working *working, size_t index)
{
    const size_t cells = working->input->cell_count;
    if (index < cells) {
        return (struct verdict_subject){.partition = VERDICT_SINGLE, .unit = index};
    }
    if (index == cells + working->groups.count) {
        return (struct verdict_subject){.partition = VERDICT_ALL};
    }
    const struct verdict_group *const group = &working->groups.items[index - cells];
    return (struct verdict_subject){
        .partition = group->partition, .group = group->number, .unit = group->members[0]};
}

static void report_changes(struct change_working *working, struct verdict_changes *changes)
{
    (void)sum_blocks(working, NULL);
    for (size_t i = 0; i < working->series.count; i++) {
        struct verdict_change *const change = &changes->items[changes->count++];
        *change = (struct verdict_change){.subject = subject_of(working, i), .p = 1};
        compute_size(working, i, change);
        if (change->before_count == 0 || change->after_count == 0) {
            continue;
        }
        change->p = p_of_sum(working, working->sums[i]);
        change->is_confirmed = change->p <= working->settings->level;
        change->is_large = verdict_size_is_large(working->settings, &change->size);
        changes->confirmed_count += change->is_confirmed;
    }
}

static double smallest_possible_p(size_t before_rounds, size_t after_rounds)
{
    const unsigned before = (unsigned)before_rounds;
    const unsigned after = (unsigned)after_rounds;
    /* Of equal numbers the opposite order is as extreme. */
    const double sides = before == after ? 2 : 1;
    return sides * exp(-gsl_sf_lnchoose(before + after, after));
}

size_t verdict_changes_rounds_needed(double level)
{
    size_t rounds = 2;
    while (rounds < VERDICT_ROUNDS_MANY && smallest_possible_p(rounds, rounds) > level) {
        rounds++;
    }
    return rounds;
}

int verdict_changes_compute(const struct verdict_change_input *input,
                            const struct verdict_settings *settings, struct verdict_changes *changes)
{
    *changes = (struct verdict_changes){0};
    if (input->before_rounds == 0 || input->after_rounds == 0 || input->cell_count == 0 ||
        settings->level <= 0 || settings->level >= 1 || settings->shuffle_count == 0) {
        return -EINVAL;
    }
    struct change_working working = {.input = input, .settings = settings};
    int status = working_create(&working);
    if (status != 0) {
        return status;
    }
    changes->items = calloc(working.series.count, sizeof *changes->items);
    status = changes->items == NULL ? -ENOMEM : 0;
    if (status == 0) {
        fill_series(&working);
        for (size_t i = 0; i < working.series.count; i++) {
            score_series(&working, i);
        }
        divide_into_blocks(&working);
        status = shuffle_blocks(&working);
    }
    if (status == 0) {
        changes->smallest_possible_p = smallest_possible_p(working.before_blocks, working.after_blocks);
        changes->drift_rounds = working.drift_rounds;
        report_changes(&working, changes);
    }
    working_destroy(&working);
    if (status != 0) {
        verdict_changes_destroy(changes);
    }
    return status;
}

void verdict_changes_destroy(struct verdict_changes *changes)
{
    free(changes->items);
    *changes = (struct verdict_changes){0};
}
