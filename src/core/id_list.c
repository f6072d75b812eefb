/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/id_list.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void id_list_destroy(struct id_list *list)
{
    free(list->ids);
    *list = (struct id_list){0};
}

static int reserve(struct id_list *list, size_t wanted)
{
    if (list->ids != NULL && wanted <= list->capacity) {
        return 0;
    }
    size_t capacity = list->capacity < 8 ? 8 : list->capacity * 2;
    if (capacity < wanted) {
        capacity = wanted;
    }
    int *ids = reallocarray(list->ids, capacity, sizeof *ids);
    if (ids == NULL) {
        return -ENOMEM;
    }
    list->ids = ids;
    list->capacity = capacity;
    return 0;
}

/* Position of the first id that is not smaller. */
static size_t lower_bound(const struct id_list *list, int id)
{
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int id_list_add(struct id_list *list, int id)
{
    const size_t position = lower_bound(list, id);
    if (position < list->count && list->ids[position] == id) {
        return 0;
    }
    const int error = reserve(list, list->count + 1);
    if (error != 0) {
        return error;
    }
    memmove(&list->ids[position + 1], &list->ids[position],
            (list->count - position) * sizeof *list->ids);
    list->ids[position] = id;
    list->count++;
    return 0;
}

int id_list_add_range(struct id_list *list, int first, int last, int stride)
{
    if (first > last || stride < 1) {
        return -EINVAL;
    }
    const size_t count = (size_t)(((int64_t)last - first) / stride) + 1;
    struct id_list range = {0};
    int error = reserve(&range, count);
    if (error != 0) {
        return error;
    }
    for (size_t i = 0; i < count; i++) {
        range.ids[i] = (int)(first + (int64_t)i * stride);
    }
    range.count = count;
    error = id_list_union(list, &range);
    id_list_destroy(&range);
    return error;
}

bool id_list_contains(const struct id_list *list, int id)
{
    const size_t position = lower_bound(list, id);
    return position < list->count && list->ids[position] == id;
}

bool id_list_equal(const struct id_list *a, const struct id_list *b)
{
    if (a->count != b->count) {
        return false;
    }
    return a->count == 0 || memcmp(a->ids, b->ids, a->count * sizeof *a->ids) == 0;
}

bool id_list_intersects(const struct id_list *a, const struct id_list *b)
{
    size_t i = 0;
    size_t k = 0;
    while (i < a->count && k < b->count) {
        if (a->ids[i] == b->ids[k]) {
            return true;
        }
        if (a->ids[i] < b->ids[k]) {
            i++;
        } else {
            k++;
        }
    }
    return false;
}

static int append(struct id_list *destination, const struct id_list *source)
{
    const int error = reserve(destination, destination->count + source->count);
    if (error != 0) {
        return error;
    }
    memcpy(&destination->ids[destination->count], source->ids, source->count * sizeof *source->ids);
    destination->count += source->count;
    return 0;
}

int id_list_copy(struct id_list *destination, const struct id_list *source)
{
    if (destination == source) {
        return 0;
    }
    destination->count = 0;
    return source->count == 0 ? 0 : append(destination, source);
}

static size_t merge(const struct id_list *a, const struct id_list *b, int *merged)
{
    size_t i = 0;
    size_t k = 0;
    size_t count = 0;
    while (i < a->count || k < b->count) {
        if (k == b->count || (i < a->count && a->ids[i] < b->ids[k])) {
            merged[count++] = a->ids[i++];
            continue;
        }
        if (i < a->count && a->ids[i] == b->ids[k]) {
            i++;
        }
        merged[count++] = b->ids[k++];
    }
    return count;
}

int id_list_union(struct id_list *destination, const struct id_list *source)
{
    if (source->count == 0 || destination == source) {
        return 0;
    }
    if (destination->count == 0 || destination->ids[destination->count - 1] < source->ids[0]) {
        return append(destination, source);
    }
    struct id_list result = {0};
    const int error = reserve(&result, destination->count + source->count);
    if (error != 0) {
        return error;
    }
    result.count = merge(destination, source, result.ids);
    id_list_destroy(destination);
    *destination = result;
    return 0;
}

/* Keeps the ids whose presence in `source` is `wanted`. */
static void keep_where(struct id_list *destination, const struct id_list *source, bool wanted)
{
    size_t kept = 0;
    for (size_t i = 0; i < destination->count; i++) {
        if (id_list_contains(source, destination->ids[i]) == wanted) {
            destination->ids[kept++] = destination->ids[i];
        }
    }
    destination->count = kept;
}

int id_list_intersect(struct id_list *destination, const struct id_list *source)
{
    if (destination != source) {
        keep_where(destination, source, true);
    }
    return 0;
}

int id_list_subtract(struct id_list *destination, const struct id_list *source)
{
    if (destination == source) {
        destination->count = 0;
        return 0;
    }
    keep_where(destination, source, false);
    return 0;
}
