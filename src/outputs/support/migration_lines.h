/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of several files of migrations, in groups, as all formats show them. */
#ifndef NUMASWEEP_OUTPUTS_MIGRATION_LINES_H
#define NUMASWEEP_OUTPUTS_MIGRATION_LINES_H

#include "numasweep/comparison.h"
#include "numasweep/migrations.h"

#include <stdbool.h>
#include <stddef.h>

/* What makes runs comparable. */
struct migration_key {
    enum migration_pin pin;
    bool is_limited;
};

enum { MIGRATION_KEYS = 2 * MIGRATION_PINS };

struct migration_key migration_key_at(size_t position);

/* Borrowed from the group's files, in their order. */
struct migration_runs {
    const struct migration_run **runs;
    size_t count;
};

int migration_runs_collect(const struct comparison_group *group, const struct migration_key *key,
                           struct migration_runs *runs);
void migration_runs_destroy(struct migration_runs *runs);

bool migration_groups_have(const struct comparison_groups *groups, const struct migration_key *key);
/* The largest number of runs of one key in one group. */
size_t migration_groups_most_runs(const struct comparison_groups *groups);

#endif
