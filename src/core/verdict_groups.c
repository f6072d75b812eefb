/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct numbered_unit {
    int number;
    size_t unit;
};

static int compare_numbered(const void *first, const void *second)
{
    const struct numbered_unit *const a = first;
    const struct numbered_unit *const b = second;
    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static bool is_known(const struct verdict_groups *groups, const size_t *members, size_t count)
{
    for (size_t i = 0; i < groups->count; i++) {
        if (groups->items[i].member_count == count &&
            memcmp(groups->items[i].members, members, count * sizeof *members) == 0) {
            return true;
        }
    }
    return false;
}

static int add_group(struct verdict_groups *groups, size_t partition, const struct numbered_unit *units,
                     size_t count)
{
    size_t *members = calloc(count, sizeof *members);
    if (members == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        members[i] = units[i].unit;
    }
    if (is_known(groups, members, count)) {
        free(members);
        return 0;
    }
    groups->items[groups->count++] = (struct verdict_group){
        .partition = partition,
        .number = units[0].number,
        .members = members,
        .member_count = count,
        .first = members[0],
        .last = members[count - 1],
    };
    return 0;
}

static int add_partition(const struct verdict_input *input, size_t partition,
                         struct numbered_unit *units, struct verdict_groups *groups)
{
    const int *const numbers = input->partitions[partition].group_of_unit;
    size_t count = 0;
    for (size_t unit = 0; unit < input->unit_count; unit++) {
        if (numbers[unit] >= 0) {
            units[count++] = (struct numbered_unit){numbers[unit], unit};
        }
    }
    qsort(units, count, sizeof *units, compare_numbered);
    size_t end = 0;
    for (size_t first = 0; first < count; first = end) {
        end = first + 1;
        while (end < count && units[end].number == units[first].number) {
            end++;
        }
        const bool is_of_use = end - first > 1 || input->partitions[partition].is_kind;
        if (!is_of_use || end - first == input->unit_count) {
            continue;
        }
        const int status = add_group(groups, partition, units + first, end - first);
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

int verdict_groups_create(const struct verdict_input *input, bool kinds_only,
                          struct verdict_groups *groups)
{
    *groups = (struct verdict_groups){0};
    struct numbered_unit *units = calloc(input->unit_count + 1, sizeof *units);
    groups->items = calloc(input->partition_count * input->unit_count + 1, sizeof *groups->items);
    int status = units == NULL || groups->items == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < input->partition_count && status == 0; i++) {
        if (input->partitions[i].is_kind == kinds_only) {
            status = add_partition(input, i, units, groups);
        }
    }
    free(units);
    if (status != 0) {
        verdict_groups_destroy(groups);
    }
    return status;
}

void verdict_groups_destroy(struct verdict_groups *groups)
{
    for (size_t i = 0; groups->items != NULL && i < groups->count; i++) {
        free(groups->items[i].members);
    }
    free(groups->items);
    *groups = (struct verdict_groups){0};
}
