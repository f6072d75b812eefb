/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits that a sweep must keep in each of its cells: "p99=100us" of wake, "touch-median=8us" of touch,
 * "early=0" of sleeps that ended before their time. Pure.
 */
#ifndef NUMASWEEP_LIMITS_H
#define NUMASWEEP_LIMITS_H

#include "numasweep/failure.h"
#include "numasweep/statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum limit_figure { LIMIT_WAKE, LIMIT_TOUCH, LIMIT_EARLY };

struct limit {
    enum limit_figure figure;
    enum metric metric; /* of wake or touch; METRIC_COUNT for LIMIT_EARLY */
    int64_t most;       /* what is still kept: ns, or a count for LIMIT_EARLY */
};

struct limit_list {
    struct limit *items;
    size_t count;
};

enum {
    LIMIT_NAME_COUNT = 2 * METRIC_COUNT + 1,
    LIMIT_NAME_SIZE = 24,
    LIMIT_TEXT_SIZE = 64 /* room for any limit as text */
};

/* All names, in the order of the metrics: "median", ..., "touch-median", ..., "early". */
const char *const *limit_names(void);
/* "p99.9", "touch-median", "early". */
const char *limit_name(const struct limit *limit);

/* Reads "NAME=MOST". -ENOENT: there is no such name, `failure` left alone, so that the caller can name
 * the nearest; else -EINVAL or -ERANGE with failure filled. */
int limit_parse(const char *text, struct limit *limit, struct failure *failure);
/* The text that limit_parse() reads back. Returns text. */
const char *limit_format(const struct limit *limit, char text[LIMIT_TEXT_SIZE]);

/* Adds a copy. -EEXIST: a limit of the same name is there. -ENOMEM. */
int limit_list_add(struct limit_list *list, const struct limit *limit);
/* Into an empty list. -ENOMEM. */
int limit_list_copy(struct limit_list *destination, const struct limit_list *source);
void limit_list_clear(struct limit_list *list); /* accepts an empty list */
/* Whether both hold the same limits in the same order. */
bool limit_list_equal(const struct limit_list *first, const struct limit_list *second);
bool limit_list_has_figure(const struct limit_list *list, enum limit_figure figure);

enum limit_verdict {
    LIMIT_KEPT,
    LIMIT_BROKEN,
    LIMIT_TOO_FEW,   /* not judged: too few samples for the percentile */
    LIMIT_NO_SAMPLES /* not judged: there are none */
};

struct limit_judgement {
    enum limit_verdict verdict;
    double value; /* what was compared, in the unit of limit.most; NAN where it was not judged */
};

/* Of the figures of one cell. */
struct limit_judgement limit_judge(const struct limit *limit, const struct figure_summary *wake,
                                   const struct figure_summary *touch, int64_t early_count);

/* "kept", "broken", "not judged: too few samples", "not judged: no samples". */
const char *limit_verdict_text(enum limit_verdict verdict);

#endif
