/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Differences with their intervals: of pairs (remote against local memory, by round) and of two sweeps
 * (before and after). Pure; values are nanoseconds, NAN or infinite where there is no visit.
 *
 * Errors: -ENOMEM, -EINVAL (sizes or settings that make no sense).
 */
#ifndef NUMASWEEP_VERDICT_COMPARE_H
#define NUMASWEEP_VERDICT_COMPARE_H

#include "numasweep/verdict_statistics.h"

#include <stdbool.h>
#include <stddef.h>

/* What paired differences say of the difference: estimate and interval from the averages of all two of
 * them (Hodges and Lehmann), p from the ranks of their sizes under all ways to swap the pairs
 * (Wilcoxon). */
struct verdict_shift {
    size_t pair_count;        /* 0: nothing else here is meaningful; all is 0, p is 1 */
    struct verdict_size size; /* nominal 95 %; up to five pairs: the interval spans them */
    double p;                 /* two-sided, of this one difference */
    double p_adjusted;        /* for all that it was tested together with (Holm) */
    /* The smallest difference that would have been confirmed four times of five; 0 when so few pairs
     * cannot confirm any. */
    double detectable_ns;
};

/* `differences_ns` is left as it is; those that are not finite are left out. `level_ns` is what a share
 * is of; `level` is the error rate for detectable_ns. */
int verdict_shift_compute(const double *differences_ns, size_t count, double level_ns, double level,
                          struct verdict_shift *shift);

struct verdict_remote_input {
    size_t round_count;
    size_t unit_count;
    size_t column_count;     /* memory nodes */
    const double *values_ns; /* [column][round][unit] */
    /* The column that is local to the unit, which also says where the unit is; negative: none. */
    const int *local_column_of_unit;
};

struct verdict_remote_pair {
    size_t from;   /* the units whose local column this is */
    size_t column; /* the memory, another column */
    struct verdict_shift shift;
};

struct verdict_remote {
    struct verdict_shift *units; /* unit_count: its remote columns' median against its local one */
    struct verdict_remote_pair
        *pairs; /* those with values; by round the median of the units' differences */
    size_t pair_count;
    struct verdict_shift machine; /* by round the median of the units' differences */
};

int verdict_remote_compare(const struct verdict_remote_input *input, double level,
                           struct verdict_remote *remote);
void verdict_remote_destroy(struct verdict_remote *remote);

/* Two sweeps of the same cells. */
struct verdict_change_input {
    size_t before_rounds;
    size_t after_rounds;
    size_t cell_count;
    const double *before_ns; /* [round][cell] */
    const double *after_ns;
    const struct verdict_partition *partitions; /* of cells: by node, ... */
    size_t partition_count;
};

struct verdict_change {
    struct verdict_subject subject; /* VERDICT_SINGLE: a cell. VERDICT_ALL: all cells together */
    struct verdict_size size;       /* positive: slower after; the level is that of before. Of one round
                                     * each the interval is NAN */
    double p;                       /* adjusted for all cells and groups */
    size_t before_count;            /* rounds with values */
    size_t after_count;
    bool is_confirmed; /* p is at most the level */
    bool is_large;     /* at least the minimum size */
};
#define VERDICT_ALL ((size_t)-2)

struct verdict_changes {
    struct verdict_change *items; /* the cells in order, then groups, last all cells together */
    size_t count;
    size_t confirmed_count;
    double smallest_possible_p; /* with so many rounds; above the level: nothing can be confirmed */
    size_t drift_rounds; /* so many rounds that follow one another are alike; 1: the machine is steady */
};

/* Ranks of each cell's values over the rounds of both sweeps; the labels "before" and "after" of whole
 * rounds are shuffled, so that what the cells of a round have in common is kept, and the largest
 * standardised sum of ranks anywhere is what each is compared with. Where the machine drifts within the
 * sweeps, rounds that follow one another are shuffled together: a drift is no change. */
int verdict_changes_compute(const struct verdict_change_input *input,
                            const struct verdict_settings *settings, struct verdict_changes *changes);
/* With how many rounds in each of two sweeps a change can be confirmed at this level. */
size_t verdict_changes_rounds_needed(double level);
void verdict_changes_destroy(struct verdict_changes *changes);

#endif
