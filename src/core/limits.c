/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/limits.h"

#include "numasweep/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NS INT64_C(3600000000000)
#define MOST_EARLY INT64_C(1000000000000)

/* By figure and then metric; a unit test compares them with metric_name(). */
static const char *const names[LIMIT_NAME_COUNT] = {
    "median",    "mean",      "trimmed",      "min",         "max",           "p90",
    "p99",       "p99.9",     "touch-median", "touch-mean",  "touch-trimmed", "touch-min",
    "touch-max", "touch-p90", "touch-p99",    "touch-p99.9", "early",
};

const char *const *limit_names(void)
{
    return names;
}

static size_t name_position(const struct limit *limit)
{
    if (limit->figure == LIMIT_EARLY) {
        return LIMIT_NAME_COUNT - 1;
    }
    return (limit->figure == LIMIT_TOUCH ? METRIC_COUNT : 0) + (size_t)limit->metric;
}

const char *limit_name(const struct limit *limit)
{
    return names[name_position(limit)];
}

static int find_name(const char *text, size_t length, struct limit *limit)
{
    for (size_t i = 0; i < LIMIT_NAME_COUNT; i++) {
        if (strlen(names[i]) != length || strncmp(names[i], text, length) != 0) {
            continue;
        }
        *limit = (struct limit){.figure = LIMIT_EARLY, .metric = METRIC_COUNT};
        if (i < LIMIT_NAME_COUNT - 1) {
            limit->figure = i < METRIC_COUNT ? LIMIT_WAKE : LIMIT_TOUCH;
            limit->metric = (enum metric)(i % METRIC_COUNT);
        }
        return 0;
    }
    return -ENOENT;
}

int limit_parse(const char *text, struct limit *limit, struct failure *failure)
{
    const size_t length = strcspn(text, "=");
    const char *const most = text[length] == '=' ? text + length + 1 : "";
    struct limit parsed = {0};
    int error = find_name(text, length, &parsed);
    if (error != 0) {
        return error;
    }
    const bool is_count = parsed.figure == LIMIT_EARLY;
    if (most[0] == '\0') {
        return failure_set(failure, "limit", 0, "the limit of %s is missing; give %s=%s",
                           limit_name(&parsed), limit_name(&parsed),
                           is_count ? "COUNT, as in early=0" : "DURATION, as in p99=100us");
    }
    error = is_count ? number_parse_int64(most, 0, MOST_EARLY, &parsed.most, failure)
                     : duration_parse(most, 0, MOST_NS, &parsed.most, failure);
    if (error == 0) {
        *limit = parsed;
    }
    return error;
}

const char *limit_format(const struct limit *limit, char text[LIMIT_TEXT_SIZE])
{
    char duration[DURATION_TEXT_SIZE];
    if (limit->figure == LIMIT_EARLY) {
        (void)snprintf(text, LIMIT_TEXT_SIZE, "%s=%" PRId64, limit_name(limit), limit->most);
        return text;
    }
    (void)snprintf(text, LIMIT_TEXT_SIZE, "%s=%s", limit_name(limit),
                   duration_format(limit->most, duration));
    return text;
}

int limit_list_add(struct limit_list *list, const struct limit *limit)
{
    for (size_t i = 0; i < list->count; i++) {
        if (name_position(&list->items[i]) == name_position(limit)) {
            return -EEXIST;
        }
    }
    struct limit *const grown = reallocarray(list->items, list->count + 1, sizeof *grown);
    if (grown == NULL) {
        return -ENOMEM;
    }
    list->items = grown;
    list->items[list->count++] = *limit;
    return 0;
}

int limit_list_copy(struct limit_list *destination, const struct limit_list *source)
{
    *destination = (struct limit_list){0};
    for (size_t i = 0; i < source->count; i++) {
        const int error = limit_list_add(destination, &source->items[i]);
        if (error != 0) {
            limit_list_clear(destination);
            return error;
        }
    }
    return 0;
}

void limit_list_clear(struct limit_list *list)
{
    free(list->items);
    *list = (struct limit_list){0};
}

bool limit_list_equal(const struct limit_list *first, const struct limit_list *second)
{
    bool is_equal = first->count == second->count;
    for (size_t i = 0; is_equal && i < first->count; i++) {
        is_equal = name_position(&first->items[i]) == name_position(&second->items[i]) &&
                   first->items[i].most == second->items[i].most;
    }
    return is_equal;
}

bool limit_list_has_figure(const struct limit_list *list, enum limit_figure figure)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].figure == figure) {
            return true;
        }
    }
    return false;
}

static struct limit_judgement judge_value(const struct limit *limit, double value)
{
    return (struct limit_judgement){.verdict = value > (double)limit->most ? LIMIT_BROKEN : LIMIT_KEPT,
                                    .value = value};
}

struct limit_judgement limit_judge(const struct limit *limit, const struct figure_summary *wake,
                                   const struct figure_summary *touch, int64_t early_count)
{
    const struct figure_summary *const figure = limit->figure == LIMIT_TOUCH ? touch : wake;
    /* Sleeps that were cut short are known even where every sample of theirs was left out. */
    if (limit->figure == LIMIT_EARLY && (early_count > 0 || wake->sample_count > 0)) {
        return judge_value(limit, (double)early_count);
    }
    if (figure->sample_count == 0) {
        return (struct limit_judgement){.verdict = LIMIT_NO_SAMPLES, .value = (double)NAN};
    }
    if (!figure->has_value[limit->metric]) {
        return (struct limit_judgement){.verdict = LIMIT_TOO_FEW, .value = (double)NAN};
    }
    return judge_value(limit, figure->values_ns[limit->metric]);
}

const char *limit_verdict_text(enum limit_verdict verdict)
{
    switch (verdict) {
    case LIMIT_KEPT:
        return "kept";
    case LIMIT_BROKEN:
        return "broken";
    case LIMIT_TOO_FEW:
        return "not judged: too few samples";
    case LIMIT_NO_SAMPLES:
    default:
        return "not judged: no samples";
    }
}
