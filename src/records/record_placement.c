/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_fields.h"
#include "record_parts.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum field_type { FIELD_INT32, FIELD_INT64 };

struct placement_field {
    const char *key;
    enum field_type type;
    size_t offset;
    bool is_optional; /* files of before the field have none: 0 */
};

#define INT32(name)                                                                                     \
    {                                                                                                   \
#name, FIELD_INT32, offsetof(struct placement, name), false                                     \
    }
#define INT32_LATER(name)                                                                               \
    {                                                                                                   \
#name, FIELD_INT32, offsetof(struct placement, name), true                                      \
    }
#define INT64(name)                                                                                     \
    {                                                                                                   \
#name, FIELD_INT64, offsetof(struct placement, name), false                                     \
    }

/* Both ways from one list, so that none can be forgotten in one of them. */
static const struct placement_field fields[] = {
    INT32(cpu_before),
    INT32(cpu_after),
    INT32(memory_node_before),
    INT32(mask_matches_before),
    INT32(mask_matches_after),
    INT32(policy),
    INT32(priority),
    INT32(policy_errno),
    INT64(timer_slack_ns),
    INT64(pages_total),
    INT64(pages_on_node),
    INT64(pages_unknown),
    INT32(memory_is_bound),
    INT32(memory_errno),
    INT32(memory_is_locked),
    INT32(clock_id),
    INT64(clock_resolution_ns),
    INT64(clock_read_ns),
    INT64(clock_drift_ns),
    INT64(started_ns),
    INT64(asleep_ns),
    INT64(finished_ns),
    INT64(early_count),
    INT64(elsewhere_count),
    INT64(interrupted_count),
    INT64(migrations),
    INT32(coordinator_distance),
    INT32_LATER(unknown),
};

json_t *record_placement_encode(const struct placement *placement)
{
    char policy[32];
    json_t *object = json_pack("{s:s, s:o}", "policy_name",
                               policy_text(placement->policy, placement->priority, policy), "eviction",
                               json_from_text(placement->eviction));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const char *at = (const char *)placement + fields[i].offset;
        int32_t narrow = 0;
        int64_t wide = 0;
        if (fields[i].type == FIELD_INT32) {
            memcpy(&narrow, at, sizeof narrow);
            wide = narrow;
        } else {
            memcpy(&wide, at, sizeof wide);
        }
        (void)json_object_set_new(object, fields[i].key, json_integer(wide));
    }
    return object;
}

int record_placement_decode(const json_t *object, struct placement *placement, struct failure *failure)
{
    const char *eviction = NULL;
    int error = json_field_text(object, "eviction", &eviction, failure);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && error == 0; i++) {
        char *at = (char *)placement + fields[i].offset;
        int64_t wide = 0;
        if (fields[i].is_optional && json_object_get(object, fields[i].key) == NULL) {
            continue;
        }
        if (fields[i].type == FIELD_INT64) {
            error = json_field_int64(object, fields[i].key, INT64_MIN, INT64_MAX, &wide, failure);
            memcpy(at, &wide, sizeof wide);
            continue;
        }
        error = json_field_int64(object, fields[i].key, INT32_MIN, INT32_MAX, &wide, failure);
        const int32_t narrow = (int32_t)wide;
        memcpy(at, &narrow, sizeof narrow);
    }
    if (error == 0) {
        (void)snprintf(placement->eviction, sizeof placement->eviction, "%s", eviction);
    }
    return error;
}
