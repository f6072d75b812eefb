/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which units (CPUs) of a sweep are slow or fast, by a test whose error rate is that of the whole
 * answer. Pure: it knows figures, rounds, units and groups of units, nothing of where they come from.
 *
 * Each figure (a column of the table and what is judged of it: median of wake, p90, touch) gives one
 * value for each visit. Values are compared within their round with those of the unit's peers, so that
 * what hits a whole round cancels. What is tested is whether a unit deviates in nearly all rounds, in
 * units of its own scatter; what it is tested against is the largest such value anywhere when the labels
 * of the units are shuffled within each round. p is (b + 1) / (B + 1), for the whole family of figures,
 * directions, units and groups; found units are taken out, found groups corrected for, and the rest
 * judged again.
 *
 * Errors: -ENOMEM, -EINVAL (sizes or settings that make no sense).
 */
#ifndef NUMASWEEP_VERDICT_STATISTICS_H
#define NUMASWEEP_VERDICT_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One way to divide the units: by node, package, core, ... Groups of one unit, of all units, or with the
 * same units as a group of an earlier partition are not looked at: put the widest first. */
struct verdict_partition {
    const char *name;
    const int *group_of_unit; /* unit_count numbers; negative: in no group */
    /* The kinds of core: groups are compared with one another, units only with those of their own kind.
     */
    bool is_kind;
};

struct verdict_input {
    size_t round_count;
    size_t unit_count;
    size_t figure_count;
    const double *values_ns; /* [figure][round][unit]; NAN (or infinite): no such visit */
    const struct verdict_partition *partitions;
    size_t partition_count;
};

struct verdict_settings {
    double level;         /* error rate of the whole answer, 0.01 */
    double minimum_share; /* of the peers' level, 0.10: less is no flag */
    double minimum_ns;    /* 1000: less is no flag */
    size_t shuffle_count; /* B; of many values as few as 999 are made */
    uint64_t seed;
};

void verdict_settings_init(struct verdict_settings *settings);

/* A size with its interval. The nominal coverage is 95 %; with fewer than six rounds the interval spans
 * the rounds and covers 1 - 2^(1 - n) at most. */
struct verdict_size {
    double estimate_ns; /* median over rounds */
    double low_ns;
    double high_ns;
    double level_ns; /* of the peers: the median over rounds */
    bool has_share;  /* false: the level is not above zero, so that a share of it means nothing */
    double share;    /* estimate / level; 0.1 = 10 % */
    double share_low;
    double share_high;
};

enum verdict_direction { VERDICT_FAST = -1, VERDICT_SLOW = 1 };

/* A single unit, or a group of a partition. */
#define VERDICT_SINGLE ((size_t)-1)
struct verdict_subject {
    size_t partition; /* index in the input's partitions; VERDICT_SINGLE: a unit */
    int group;        /* its number in the partition, when it is a group */
    size_t unit;      /* the unit; of a group its first */
};

struct verdict_finding {
    struct verdict_subject subject;
    enum verdict_direction direction;
    size_t figure;
    struct verdict_size size; /* positive: slower than its peers */
    double p;                 /* adjusted for the whole family */
    size_t rounds_beyond;     /* rounds in which it deviated in this direction */
    size_t rounds_measured;
    bool is_large;  /* at least the minimum size: a flag. Else real, but small */
    bool is_repeat; /* the finding before it has the same subject and direction, with another figure */
    /* The subject is half of the units that it is compared with, or one of two: that the two differ is
     * found, but not which of them is the odd one. The one with the higher figure is named as slow. */
    bool is_mutual;
};

/* What stands out from its peers without being found: the distance is that of its median deviation from
 * the middle of its peers' ones, in units of their spread (1.4826 times the median absolute deviation).
 */
struct verdict_outlier {
    struct verdict_subject subject;
    enum verdict_direction direction;
    size_t figure;
    struct verdict_size size;
    double distance;
    /* How many rounds in all would confirm it, if it goes on like this; VERDICT_ROUNDS_MANY at most. */
    size_t rounds_needed;
    bool is_repeat;
};
enum { VERDICT_ROUNDS_MANY = 1000, VERDICT_ROUNDS_MINIMUM = 5 };
#define VERDICT_OUTLIER_DISTANCE 5.0

enum verdict_state {
    VERDICT_JUDGED,
    VERDICT_ONE_ROUND,      /* nothing can be confirmed */
    VERDICT_TOO_FEW_ROUNDS, /* likewise */
    VERDICT_TOO_FEW_UNITS,  /* no unit has a peer */
};

struct verdict {
    enum verdict_state state;
    /* Large ones first, by share; findings of the same subject and direction follow one another. */
    struct verdict_finding *findings;
    size_t finding_count;
    struct verdict_outlier *outliers; /* likewise; subjects that are found are not among them */
    size_t outlier_count;
    size_t comparison_count; /* size of the family */
    double smallest_p;       /* of the family, found or not; 1 when nothing was judged */
    size_t rounds_needed;    /* when nothing can be confirmed: with how many it could; else 0 */
};

int verdict_judge(const struct verdict_input *input, const struct verdict_settings *settings,
                  struct verdict *verdict);
void verdict_destroy(struct verdict *verdict); /* accepts a zeroed struct */

#endif
