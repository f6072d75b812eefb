/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/saturated.h"
#include "numasweep/visit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 32 };

void counter_set_destroy(struct counter_set *set)
{
    free(set->items);
    *set = (struct counter_set){0};
}

/* The position of `name`, or the one where it belongs. */
static size_t find_position(const struct counter_set *set, const char *name)
{
    size_t low = 0;
    size_t high = set->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(set->items[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int reserve(struct counter_set *set)
{
    if (set->count < set->capacity) {
        return 0;
    }
    const size_t capacity = set->capacity == 0 ? FIRST_CAPACITY : 2 * set->capacity;
    struct counter *items = realloc(set->items, capacity * sizeof *items);
    if (items == NULL) {
        return -ENOMEM;
    }
    set->items = items;
    set->capacity = capacity;
    return 0;
}

int counter_set_add(struct counter_set *set, const char *name, int64_t value)
{
    char key[COUNTER_NAME_SIZE];
    (void)snprintf(key, sizeof key, "%s", name);
    const size_t position = find_position(set, key);
    if (position < set->count && strcmp(set->items[position].name, key) == 0) {
        set->items[position].value = saturated_add(set->items[position].value, value);
        return 0;
    }
    if (reserve(set) != 0) {
        return -ENOMEM;
    }
    memmove(&set->items[position + 1], &set->items[position],
            (set->count - position) * sizeof *set->items);
    set->items[position] = (struct counter){.value = value};
    memcpy(set->items[position].name, key, sizeof key);
    set->count++;
    return 0;
}

const struct counter *counter_set_find(const struct counter_set *set, const char *name)
{
    const size_t position = find_position(set, name);
    if (position < set->count && strcmp(set->items[position].name, name) == 0) {
        return &set->items[position];
    }
    return NULL;
}

bool counter_is_level(const char *name)
{
    return strncmp(name, COUNTER_LEVEL_PREFIX, sizeof COUNTER_LEVEL_PREFIX - 1) == 0;
}

static int64_t combine(const struct counter *after, const struct counter *before)
{
    const int64_t difference = saturated_subtract(after->value, before->value);
    return counter_is_level(after->name) ? before->value + difference / 2 : difference;
}

int counter_set_subtract(const struct counter_set *after, const struct counter_set *before,
                         struct counter_set *difference)
{
    counter_set_destroy(difference);
    for (size_t i = 0; i < after->count; i++) {
        const struct counter *old = counter_set_find(before, after->items[i].name);
        const int64_t value = old == NULL ? 0 : combine(&after->items[i], old);
        const int error = value == 0 ? 0 : counter_set_add(difference, after->items[i].name, value);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}
