/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "migration_lines.h"

#include "numasweep/report.h"
#include "numasweep/sweep.h"

#include <errno.h>
#include <stdlib.h>

struct migration_key migration_key_at(size_t position)
{
    return (struct migration_key){
        .pin = (enum migration_pin)(position % MIGRATION_PINS),
        .is_limited = position >= MIGRATION_PINS,
    };
}

static bool is_of(const struct migration_run *run, const struct migration_key *key)
{
    return run->pin == key->pin && run->is_limited == key->is_limited;
}

static size_t count_runs(const struct comparison_group *group, const struct migration_key *key)
{
    size_t count = 0;
    for (size_t i = 0; i < group->report_count; i++) {
        const struct migration_list *list = &group->reports[i]->sweep->migrations;
        for (size_t run = 0; run < list->count; run++) {
            count += is_of(&list->runs[run], key);
        }
    }
    return count;
}

int migration_runs_collect(const struct comparison_group *group, const struct migration_key *key,
                           struct migration_runs *runs)
{
    *runs = (struct migration_runs){0};
    runs->runs = calloc(count_runs(group, key) + 1, sizeof *runs->runs);
    if (runs->runs == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < group->report_count; i++) {
        const struct migration_list *list = &group->reports[i]->sweep->migrations;
        for (size_t run = 0; run < list->count; run++) {
            if (is_of(&list->runs[run], key)) {
                runs->runs[runs->count] = &list->runs[run];
                runs->count++;
            }
        }
    }
    return 0;
}

void migration_runs_destroy(struct migration_runs *runs)
{
    free(runs->runs);
    *runs = (struct migration_runs){0};
}

bool migration_groups_have(const struct comparison_groups *groups, const struct migration_key *key)
{
    for (size_t i = 0; i < groups->group_count; i++) {
        if (count_runs(&groups->groups[i], key) > 0) {
            return true;
        }
    }
    return false;
}

size_t migration_groups_most_runs(const struct comparison_groups *groups)
{
    size_t most = 0;
    for (size_t k = 0; k < MIGRATION_KEYS; k++) {
        const struct migration_key key = migration_key_at(k);
        for (size_t i = 0; i < groups->group_count; i++) {
            const size_t count = count_runs(&groups->groups[i], &key);
            most = count > most ? count : most;
        }
    }
    return most;
}
