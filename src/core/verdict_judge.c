/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Which yardstick is used for a unit's scatter is chosen by the data, for each figure; p is widened for
 * that. */
#define RESERVE_OF_ONE 1.25
#define RESERVE_OF_FURTHER 0.1
#define RESERVE_MOST 2.25
#define SHUFFLES_SCATTER 1.4

/* Shuffling takes as long as there are values to shuffle. A big sweep has fewer of them: the error rate
 * holds for any number, and the least still resolves the level. */
#define SHUFFLED_VALUES 4e8
enum { SHUFFLES_LEAST = 999 };

/* Far more than any sweep took: a bound for the loop, not for what it may find. */
enum { STEPS_MAXIMUM = 64 };

void verdict_settings_init(struct verdict_settings *settings)
{
    *settings = (struct verdict_settings){
        .level = 0.01, .minimum_share = 0.10, .minimum_ns = 1000, .shuffle_count = 1999, .seed = 1};
}

double verdict_pass_p(const struct verdict_pass *pass, enum verdict_family family, double score)
{
    size_t made = pass->settings->shuffle_count;
    for (size_t i = 0; i < pass->column_count; i++) {
        made = pass->columns[i].maxima_count < made ? pass->columns[i].maxima_count : made;
    }
    size_t beyond = 0;
    for (size_t shuffle = 0; shuffle < made; shuffle++) {
        bool is_beyond = false;
        for (size_t i = 0; i < pass->column_count && !is_beyond; i++) {
            is_beyond = pass->columns[i].maxima[VERDICT_FAMILIES * shuffle + family] >= score;
        }
        beyond += is_beyond;
    }
    return (double)(beyond + 1) / (double)(made + 1);
}

static double largest_of_all(const struct verdict_pass *pass, enum verdict_family family)
{
    double largest = -INFINITY;
    for (size_t i = 0; i < pass->column_count; i++) {
        const double of_column = pass->columns[i].largest[family];
        largest = of_column > largest ? of_column : largest;
    }
    return largest;
}

/* Makes the shuffle in all columns that have not made it. Whether any reaches the score. */
static bool shuffle_reaches(struct verdict_pass *pass, size_t shuffle, enum verdict_family family,
                            double score)
{
    bool is_reached = false;
    for (size_t i = 0; i < pass->column_count; i++) {
        struct verdict_column *const column = &pass->columns[i];
        if (column->maxima_count <= shuffle) {
            verdict_column_shuffle(column);
        }
        is_reached = is_reached || column->maxima[VERDICT_FAMILIES * shuffle + family] >= score;
    }
    return is_reached;
}

/* Shuffles until all are made, or until so many were beyond the largest scores that nothing can be
 * confirmed whatever the rest would be. */
static bool shuffle_all(struct verdict_pass *pass, const double *largest)
{
    const size_t planned = pass->settings->shuffle_count;
    const double enough = pass->level * (double)(planned + 1);
    double beyond[VERDICT_FAMILIES];
    for (int family = 0; family < VERDICT_FAMILIES; family++) {
        beyond[family] = isfinite(largest[family]) ? 1 : enough + 1;
    }
    for (size_t shuffle = 0; shuffle < planned; shuffle++) {
        for (int family = 0; family < VERDICT_FAMILIES; family++) {
            beyond[family] += shuffle_reaches(pass, shuffle, (enum verdict_family)family,
                                              largest[family]);
        }
        if (beyond[VERDICT_UNITS] > enough && beyond[VERDICT_GROUPS] > enough) {
            return false;
        }
    }
    return true;
}

/* The columns at these indices anew, with the scatter of all. */
static int prepare_columns(struct verdict_pass *pass, const bool *is_changed, uint64_t first_stream)
{
    int status = 0;
    for (size_t i = 0; i < pass->column_count && status == 0; i++) {
        status = is_changed[i] ? verdict_column_compare(&pass->columns[i]) : 0;
    }
    double p = 1;
    if (status == 0) {
        status = verdict_scatter_p(pass->columns, pass->column_count, &p);
    }
    for (size_t i = 0; i < pass->column_count && status == 0; i++) {
        if (is_changed[i]) {
            pass->columns[i].scatter_p = p;
            status = verdict_column_prepare(&pass->columns[i], pass->settings->seed, first_stream + i);
        }
    }
    return status;
}

static int run_step(struct verdict_pass *pass, bool *is_more)
{
    *is_more = false;
    double largest[VERDICT_FAMILIES];
    for (int family = 0; family < VERDICT_FAMILIES; family++) {
        largest[family] = largest_of_all(pass, (enum verdict_family)family);
    }
    if (!isfinite(largest[VERDICT_UNITS]) && !isfinite(largest[VERDICT_GROUPS])) {
        return 0;
    }
    const bool is_worth = shuffle_all(pass, largest);
    double p[VERDICT_FAMILIES];
    for (int family = 0; family < VERDICT_FAMILIES; family++) {
        p[family] = verdict_pass_p(pass, (enum verdict_family)family, largest[family]);
        if (pass->streams == 0 && p[family] * pass->p_factor < pass->verdict->smallest_p) {
            pass->verdict->smallest_p = p[family] * pass->p_factor;
        }
    }
    if (!is_worth) {
        return 0;
    }
    bool *is_changed = calloc(pass->column_count, sizeof *is_changed);
    int status = is_changed == NULL ? -ENOMEM : 0;
    /* All columns are looked at before any of them starts its shuffles anew. */
    for (size_t i = 0; i < pass->column_count && status == 0; i++) {
        size_t found = 0;
        status = verdict_confirm_column(pass, i, &found);
        is_changed[i] = found > 0;
        *is_more = *is_more || found > 0;
    }
    pass->streams += pass->column_count;
    if (status == 0 && *is_more) {
        status = prepare_columns(pass, is_changed, pass->streams);
    }
    free(is_changed);
    for (int family = 0; family < VERDICT_FAMILIES; family++) {
        const bool is_more_likely = p[family] <= pass->level && p[family] > pass->p_floors[family];
        pass->p_floors[family] = is_more_likely ? p[family] : pass->p_floors[family];
    }
    return status;
}

static void pass_destroy(struct verdict_pass *pass)
{
    for (size_t i = 0; i < pass->column_count; i++) {
        verdict_column_destroy(&pass->columns[i]);
    }
    free(pass->columns);
    verdict_groups_destroy(&pass->groups);
}

static int pass_create(struct verdict_pass *pass, const int *stratum_of_unit, size_t strata,
                       bool of_kinds)
{
    int status = verdict_groups_create(pass->input, of_kinds, &pass->groups);
    if (status != 0) {
        return status;
    }
    pass->columns = calloc(pass->input->figure_count, sizeof *pass->columns);
    bool *is_new = calloc(pass->input->figure_count, sizeof *is_new);
    status = pass->columns == NULL || is_new == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < pass->input->figure_count && status == 0; i++) {
        pass->columns[i] = (struct verdict_column){
            .strata = of_kinds ? 1 : strata,
            .stratum_of_unit = of_kinds ? NULL : stratum_of_unit,
            .groups = &pass->groups,
            .judges_units = !of_kinds,
        };
        pass->column_count++;
        is_new[i] = true;
        status = verdict_column_create(&pass->columns[i], pass->input, i, pass->settings->shuffle_count);
    }
    if (status == 0) {
        status = prepare_columns(pass, is_new, of_kinds ? UINT64_C(1) << 32 : 0);
    }
    for (size_t i = 0; i < pass->column_count && status == 0; i++) {
        pass->verdict->comparison_count += 2 * pass->columns[i].judged_lanes;
    }
    free(is_new);
    return status;
}

static double reserve(const struct verdict_input *input)
{
    const double all = RESERVE_OF_ONE + RESERVE_OF_FURTHER * ((double)input->figure_count - 1);
    return all < RESERVE_MOST ? all : RESERVE_MOST;
}

/* Units, groups of them, and kinds. */
static double count_families(const struct verdict_input *input, size_t strata)
{
    bool has_groups = false;
    for (size_t i = 0; i < input->partition_count; i++) {
        has_groups = has_groups || (!input->partitions[i].is_kind && input->unit_count > 2);
    }
    return 1.0 + (has_groups ? 1 : 0) + (strata > 1 ? 1 : 0);
}

static int run_pass(const struct verdict_input *input, const struct verdict_settings *settings,
                    const int *stratum_of_unit, size_t strata, bool of_kinds, struct verdict *verdict)
{
    const double parts = reserve(input) * count_families(input, strata);
    struct verdict_pass pass = {
        .input = input,
        .settings = settings,
        .level = settings->level / parts,
        .p_factor = parts,
        .verdict = verdict,
    };
    int status = pass_create(&pass, stratum_of_unit, strata, of_kinds);
    bool is_more = input->round_count >= VERDICT_ROUNDS_MINIMUM;
    for (size_t step = 0; step < STEPS_MAXIMUM && is_more && status == 0; step++) {
        status = run_step(&pass, &is_more);
    }
    if (status == 0 && !of_kinds) {
        status = verdict_list_outliers(&pass);
    }
    pass_destroy(&pass);
    return status;
}

/* Numbers the kinds from 0 up; those in none are of a kind of their own. */
static size_t number_strata(const struct verdict_input *input, int *stratum_of_unit)
{
    const struct verdict_partition *kinds = NULL;
    for (size_t i = 0; i < input->partition_count && kinds == NULL; i++) {
        kinds = input->partitions[i].is_kind ? &input->partitions[i] : NULL;
    }
    size_t strata = 0;
    for (size_t unit = 0; unit < input->unit_count; unit++) {
        size_t same = 0;
        while (kinds != NULL && same < unit &&
               kinds->group_of_unit[same] != kinds->group_of_unit[unit]) {
            same++;
        }
        const bool is_new = kinds == NULL ? unit == 0 : same == unit;
        const int next = kinds == NULL ? 0 : stratum_of_unit[same];
        stratum_of_unit[unit] = is_new ? (int)strata : next;
        strata += is_new;
    }
    return strata;
}

/* No more than one in so many orders of the labels can be as extreme as the most extreme one; the share
 * of them among the shuffles scatters. */
static size_t rounds_to_confirm(const struct verdict_input *input, double level)
{
    const double units = (double)input->unit_count;
    const double share = level / (SHUFFLES_SCATTER * reserve(input) * (double)input->figure_count);
    const double rounds = 1 - floor(log(share) / log(units));
    return rounds > VERDICT_ROUNDS_MINIMUM ? (size_t)rounds : VERDICT_ROUNDS_MINIMUM;
}

static void set_state(const struct verdict_input *input, const struct verdict_settings *settings,
                      struct verdict *verdict)
{
    if (input->unit_count < 2) {
        verdict->state = VERDICT_TOO_FEW_UNITS;
        return;
    }
    const size_t needed = rounds_to_confirm(input, settings->level);
    if (input->round_count >= needed) {
        return;
    }
    verdict->rounds_needed = needed;
    verdict->state = input->round_count == 1 ? VERDICT_ONE_ROUND : VERDICT_TOO_FEW_ROUNDS;
}

static bool is_sound(const struct verdict_input *input, const struct verdict_settings *settings)
{
    return input->round_count > 0 && input->unit_count > 0 && input->figure_count > 0 &&
           input->values_ns != NULL && settings->level > 0 && settings->level < 1 &&
           settings->shuffle_count > 0;
}

static size_t bound_shuffles(const struct verdict_input *input, size_t wanted)
{
    const double values = (double)input->figure_count * (double)input->round_count *
                          (double)input->unit_count;
    const double affordable = SHUFFLED_VALUES / values;
    if (wanted <= SHUFFLES_LEAST || affordable >= (double)wanted) {
        return wanted;
    }
    return affordable > SHUFFLES_LEAST ? (size_t)affordable : SHUFFLES_LEAST;
}

int verdict_judge(const struct verdict_input *input, const struct verdict_settings *settings,
                  struct verdict *verdict)
{
    *verdict = (struct verdict){.smallest_p = 1};
    if (!is_sound(input, settings)) {
        return -EINVAL;
    }
    set_state(input, settings, verdict);
    if (verdict->state == VERDICT_TOO_FEW_UNITS) {
        return 0;
    }
    int *stratum_of_unit = calloc(input->unit_count, sizeof *stratum_of_unit);
    if (stratum_of_unit == NULL) {
        return -ENOMEM;
    }
    const size_t strata = number_strata(input, stratum_of_unit);
    struct verdict_settings bounded = *settings;
    bounded.shuffle_count = bound_shuffles(input, settings->shuffle_count);
    int status = 0;
    if (strata > 1) {
        status = run_pass(input, &bounded, stratum_of_unit, strata, true, verdict);
    }
    if (status == 0) {
        status = run_pass(input, &bounded, stratum_of_unit, strata, false, verdict);
    }
    free(stratum_of_unit);
    if (status != 0) {
        verdict_destroy(verdict);
        return status;
    }
    /* The rounds that are needed are an estimate; what the shuffles confirm is confirmed. */
    if (verdict->finding_count > 0) {
        verdict->state = VERDICT_JUDGED;
        verdict->rounds_needed = 0;
    }
    verdict_sort(verdict);
    return 0;
}
