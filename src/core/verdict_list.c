/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verdict_internal.h"

#include <math.h>
#include <stdlib.h>

static void *grow(void *items, size_t count, size_t item_size)
{
    /* Full at each power of two. */
    if ((count & (count - 1)) != 0) {
        return items;
    }
    return realloc(items, (count == 0 ? 1 : 2 * count) * item_size);
}

struct verdict_finding *verdict_add_finding(struct verdict *verdict)
{
    struct verdict_finding *const items = grow(verdict->findings, verdict->finding_count,
                                               sizeof *verdict->findings);
    if (items == NULL) {
        return NULL;
    }
    verdict->findings = items;
    return &items[verdict->finding_count++];
}

struct verdict_outlier *verdict_add_outlier(struct verdict *verdict)
{
    struct verdict_outlier *const items = grow(verdict->outliers, verdict->outlier_count,
                                               sizeof *verdict->outliers);
    if (items == NULL) {
        return NULL;
    }
    verdict->outliers = items;
    return &items[verdict->outlier_count++];
}

void verdict_destroy(struct verdict *verdict)
{
    free(verdict->findings);
    free(verdict->outliers);
    *verdict = (struct verdict){.smallest_p = 1};
}

static double weight_of(const struct verdict_size *size)
{
    /* A share of nothing is more than any other. */
    return size->has_share ? fabs(size->share) : INFINITY;
}

static int compare_numbers(double first, double second)
{
    return (first > second) - (first < second);
}

static int compare_sizes(const struct verdict_size *first, const struct verdict_size *second)
{
    const int by_share = compare_numbers(weight_of(second), weight_of(first));
    return by_share != 0 ? by_share
                         : compare_numbers(fabs(second->estimate_ns), fabs(first->estimate_ns));
}

static int compare_subjects(const struct verdict_subject *first, const struct verdict_subject *second)
{
    /* Widest first: VERDICT_SINGLE is the largest number. */
    if (first->partition != second->partition) {
        return first->partition < second->partition ? -1 : 1;
    }
    if (first->group != second->group) {
        return first->group < second->group ? -1 : 1;
    }
    return (first->unit > second->unit) - (first->unit < second->unit);
}

static int compare_findings(const void *first, const void *second)
{
    const struct verdict_finding *const a = first;
    const struct verdict_finding *const b = second;
    if (a->is_large != b->is_large) {
        return a->is_large ? -1 : 1;
    }
    const int by_size = compare_sizes(&a->size, &b->size);
    const int by_subject = by_size != 0 ? by_size : compare_subjects(&a->subject, &b->subject);
    return by_subject != 0 ? by_subject : (a->figure > b->figure) - (a->figure < b->figure);
}

static int compare_outliers(const void *first, const void *second)
{
    const struct verdict_outlier *const a = first;
    const struct verdict_outlier *const b = second;
    const int by_size = compare_sizes(&a->size, &b->size);
    const int by_subject = by_size != 0 ? by_size : compare_subjects(&a->subject, &b->subject);
    return by_subject != 0 ? by_subject : (a->figure > b->figure) - (a->figure < b->figure);
}

static bool is_same(const struct verdict_subject *first, enum verdict_direction first_direction,
                    const struct verdict_subject *second, enum verdict_direction second_direction)
{
    return compare_subjects(first, second) == 0 && first_direction == second_direction;
}

/* Moves the findings of one subject behind its first one, keeping the order otherwise. */
static void gather_findings(struct verdict_finding *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct verdict_finding *const first = &items[i];
        size_t end = i + 1;
        for (size_t k = end; k < count; k++) {
            if (!is_same(&first->subject, first->direction, &items[k].subject, items[k].direction)) {
                continue;
            }
            const struct verdict_finding moved = items[k];
            for (size_t m = k; m > end; m--) {
                items[m] = items[m - 1];
            }
            items[end] = moved;
            items[end++].is_repeat = true;
        }
        i = end - 1;
    }
}

static void gather_outliers(struct verdict_outlier *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct verdict_outlier *const first = &items[i];
        size_t end = i + 1;
        for (size_t k = end; k < count; k++) {
            if (!is_same(&first->subject, first->direction, &items[k].subject, items[k].direction)) {
                continue;
            }
            const struct verdict_outlier moved = items[k];
            for (size_t m = k; m > end; m--) {
                items[m] = items[m - 1];
            }
            items[end] = moved;
            items[end++].is_repeat = true;
        }
        i = end - 1;
    }
}

void verdict_sort(struct verdict *verdict)
{
    if (verdict->finding_count > 0) {
        qsort(verdict->findings, verdict->finding_count, sizeof *verdict->findings, compare_findings);
        gather_findings(verdict->findings, verdict->finding_count);
    }
    if (verdict->outlier_count > 0) {
        qsort(verdict->outliers, verdict->outlier_count, sizeof *verdict->outliers, compare_outliers);
        gather_outliers(verdict->outliers, verdict->outlier_count);
    }
}
