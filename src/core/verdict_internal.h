/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the verdict's statistics share. Nothing outside src/core includes it. */
#ifndef NUMASWEEP_VERDICT_INTERNAL_H
#define NUMASWEEP_VERDICT_INTERNAL_H

#include "numasweep/random.h"
#include "numasweep/verdict_statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lanes are computed in blocks of this many side by side, so that the compiler can use vectors. */
enum { VERDICT_LANES = 64 };

/* A sorting network: exchanges to be done in order, whatever the values. */
struct verdict_exchange {
    uint32_t low;
    uint32_t high;
};

struct verdict_network {
    struct verdict_exchange *exchanges;
    size_t count;
    size_t wires;
};

int verdict_network_create(size_t wires, struct verdict_network *network);
void verdict_network_destroy(struct verdict_network *network);

/* A matrix [round][lane] whose rows are `stride` (a multiple of VERDICT_LANES) apart. */
struct verdict_lanes {
    size_t rounds;
    size_t stride;
    const int32_t *counts; /* values of each lane; the others are INFINITY. 0: the lane is not judged */
    const float *least_errors; /* the standard error of a lane is taken as this at least; above zero */
    struct verdict_network network; /* of `rounds` wires */
};

/* How consistently each lane is above (slow) and below (fast) zero: a trimmed mean over rounds, trimmed
 * more on the side of the claim, divided by its standard error. -INFINITY for lanes not judged. */
void verdict_lanes_score(const struct verdict_lanes *lanes, const float *values, float *slow,
                         float *fast, float *scratch);
size_t verdict_lanes_scratch(size_t rounds); /* how many floats */

/* Units and groups are judged by the largest score of their own: where half of the units are slow, the
 * labels of a few rounds can fall so that a unit gets nothing but slow values, which no group does. */
enum verdict_family { VERDICT_UNITS, VERDICT_GROUPS, VERDICT_FAMILIES };

/* A group of units that is looked at. */
struct verdict_group {
    size_t partition;
    int number;
    size_t *members; /* ascending */
    size_t member_count;
    size_t first; /* of the members */
    size_t last;
};

struct verdict_groups {
    struct verdict_group *items;
    size_t count;
};

/* `kinds_only`: those of partitions of kinds; else those of the others. */
int verdict_groups_create(const struct verdict_input *input, bool kinds_only,
                          struct verdict_groups *groups);
void verdict_groups_destroy(struct verdict_groups *groups);

/* Of the sums of the values in a group and of all others: one over how many were measured. A group of
 * which too few were measured in the round has zeros. */
struct verdict_group_weights {
    float inside;
    float outside;
};

/* One figure while it is judged. */
struct verdict_column {
    size_t rounds;
    size_t units;
    size_t strata;
    const int *stratum_of_unit; /* peers are the units of the same stratum; NULL: all are peers */
    const struct verdict_groups *groups;
    bool judges_units;

    double *values_ns; /* [round][unit], without the effects of the groups that were found */
    bool *is_active;   /* units not found yet */
    bool *is_group_found;
    double *deviations_ns; /* [round][unit]: from the median of the active peers in the round; NAN */
    double *levels_ns;     /* [round][unit]: that median */
    double spread_ns;      /* scatter of a unit over rounds, robust: the median of all strata's */
    double *spreads_ns;    /* that of the unit's stratum */
    float *clip_limits;    /* of the unit's values where they are added up for its groups */
    double scatter_p;      /* of all columns: whether units scatter alike; see verdict_scatter_p() */

    struct verdict_lanes lanes; /* units, then groups */
    size_t lane_count;
    int32_t *counts;
    float *least_errors;
    float *values; /* [round][lane]: as they are, then shuffled */
    float *scratch;
    float *slow; /* scores as they are */
    float *fast;
    float *shuffled_slow;
    float *shuffled_fast;

    size_t *positions; /* the units that share their labels: by round and stratum */
    float *pool;       /* their deviations, each list twice in a row */
    size_t *list_starts;
    struct verdict_group_weights *group_weights; /* [round][group] */
    struct random_stream *stream;
    double *maxima; /* of each shuffle that was made: [shuffle][family] */
    size_t maxima_count;
    double largest[VERDICT_FAMILIES]; /* scores as they are */
    size_t judged_lanes;
};

int verdict_column_create(struct verdict_column *column, const struct verdict_input *input,
                          size_t figure, size_t shuffle_count);
void verdict_column_destroy(struct verdict_column *column);
/* Deviations anew, after units were taken out or groups corrected for; then scores and shuffling. */
int verdict_column_compare(struct verdict_column *column);
int verdict_column_prepare(struct verdict_column *column, uint64_t seed, uint64_t stream);
/* How likely such differences between the scatters of the units are when they scatter alike. Needs the
 * deviations of the columns, which have the same units and strata. */
int verdict_scatter_p(const struct verdict_column *columns, size_t column_count, double *p);
/* The lists of units that share their labels in a round, and their deviations in a random order. */
int verdict_column_build_lists(struct verdict_column *column);
/* The units whose deviations are known in the round. */
size_t verdict_column_count_round(const struct verdict_column *column, size_t round);
/* Scores the values of the units, and of the groups made from them; the largest of each family. */
void verdict_column_score(struct verdict_column *column, float *slow, float *fast, double *largest);
/* The largest scores of the next shuffle. */
void verdict_column_shuffle(struct verdict_column *column);

/* One family: all columns, judged until nothing more is found. */
struct verdict_pass {
    const struct verdict_input *input;
    const struct verdict_settings *settings;
    struct verdict_groups groups;
    struct verdict_column *columns; /* one for each figure */
    size_t column_count;
    double level;                      /* this family's part of the whole level */
    double p_factor;                   /* the whole level over this family's part */
    double p_floors[VERDICT_FAMILIES]; /* p of the step before: later ones are not smaller */
    uint64_t streams;
    struct verdict *verdict;
};

/* p of a score in its family, without the factor, from the shuffles that all columns have made. */
double verdict_pass_p(const struct verdict_pass *pass, enum verdict_family family, double score);

/* Adds what the column's scores confirm; what is found is taken out of it. `found` counts it up. */
int verdict_confirm_column(struct verdict_pass *pass, size_t figure, size_t *found);
/* Lists what stands out of what is left in the columns. */
int verdict_list_outliers(struct verdict_pass *pass);

/* What a group differs by from all others, from the values without the differences between strata. */
struct verdict_contrast {
    struct verdict_size size;
    size_t rounds_beyond_zero; /* above it */
    size_t rounds_below_zero;
    size_t rounds;
    double
        *member_effects_ns;  /* of the group's members in order: NAN where not active or not measured */
    double *member_balances; /* likewise: rounds above less rounds below zero, as a share of all */
};
int verdict_contrast_compute(const struct verdict_column *column, const struct verdict_group *group,
                             struct verdict_contrast *contrast);
void verdict_contrast_destroy(struct verdict_contrast *contrast);
/* The members deviate together: all but one in eight by at least half of what their upper half does. Of
 * fewer than eight each does so in nearly all rounds as well: one slow CPU makes no slow core. */
bool verdict_contrast_is_common(const struct verdict_contrast *contrast, size_t member_count,
                                enum verdict_direction direction);
/* Likewise of one unit. */
int verdict_unit_contrast(const struct verdict_column *column, size_t unit,
                          struct verdict_contrast *contrast);
size_t verdict_count_active(const struct verdict_column *column, const struct verdict_group *group);

/* Room for one more item; NULL when memory ran out. */
struct verdict_finding *verdict_add_finding(struct verdict *verdict);
struct verdict_outlier *verdict_add_outlier(struct verdict *verdict);
/* Large ones first, those of one subject and direction together. */
void verdict_sort(struct verdict *verdict);

/* Deviations of one round: of each value from the median of the other values of its stratum. */
int verdict_deviations(const double *values_ns, const bool *is_active, const int *stratum_of_unit,
                       size_t strata, size_t units, double *deviations_ns, double *levels_ns);

/* Over how many rounds the values of two sweeps, those of before first, are alike: 1 where each round
 * stands for itself. From the correlation of neighbouring rounds within each sweep. */
size_t verdict_drift_length(const double *values, size_t before_rounds, size_t after_rounds);

/* Reorders the values. Of an even count the mean of the middle two; NAN of none. */
double verdict_median(double *values, size_t count);
double verdict_median_sorting(double *values, size_t count); /* likewise; leaves them ascending */
/* A robust standard deviation of the finite ones; reorders. */
double verdict_spread(double *values, size_t count);
/* With the shares of the level, where it is above zero. */
void verdict_size_set(struct verdict_size *size, double estimate_ns, double low_ns, double high_ns,
                      double level_ns);
/* At least the minimum size, in time and as a share where there is one. */
bool verdict_size_is_large(const struct verdict_settings *settings, const struct verdict_size *size);
/* The median of the values over rounds with its interval; reorders. NAN of none. */
void verdict_size_compute(double *deviations_ns, size_t count, double level_ns,
                          struct verdict_size *size);

#endif
