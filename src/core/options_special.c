/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setters and getters of single rows with rules of their own. */
#include "options_internal.h"

#include "numasweep/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int option_set_policy(struct options *options, const struct option_row *row, const char *text,
                      struct failure *failure)
{
    const int error = option_set_choice(options, row, text, failure);
    if (error == 0) {
        options->policy_is_explicit = options->policy != POLICY_AUTO;
    }
    return error;
}

int option_set_priority(struct options *options, const struct option_row *row, const char *text,
                        struct failure *failure)
{
    int64_t priority = 0;
    if (number_parse_int64(text, 100, INT64_MAX, &priority, NULL) == 0) {
        return failure_set(failure, "options", 0,
                           "%" PRId64 " is no real-time priority: Linux has 1 to 99; give 1 to 98",
                           priority);
    }
    if (strcmp(text, "99") == 0) {
        return failure_set(
            failure, "options", 0,
            "99 is refused: Linux runs its watchdog and migration threads there; give 1 to 98");
    }
    const int error = option_set_integer(options, row, text, failure);
    if (error == 0) {
        options->priority_is_explicit = true;
    }
    return error;
}

int option_set_dma_latency(struct options *options, const struct option_row *row, const char *text,
                           struct failure *failure)
{
    const int64_t before_ns = options->dma_latency_ns;
    const int error = option_set_duration_or_word(options, row, text, failure);
    if (error != 0) {
        return error;
    }
    if (options->dma_latency_ns > 0 && options->dma_latency_ns % 1000 != 0) {
        options->dma_latency_ns = before_ns;
        return failure_set(failure, "options", 0,
                           "\"%.60s\" is not a whole number of microseconds, which is all that "
                           "/dev/cpu_dma_latency takes",
                           text);
    }
    return 0;
}

int option_set_seed(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure)
{
    if (strcmp(text, row->default_text) == 0) {
        options->has_seed = false;
        options->seed = 0;
        return 0;
    }
    uint64_t seed = 0;
    const int error = number_parse_uint64(text, &seed, failure);
    if (error == 0) {
        options->seed = seed;
        options->has_seed = true;
    }
    return error;
}

char *option_get_seed(const struct options *options, const struct option_row *row)
{
    char *text = NULL;
    if (!options->has_seed) {
        return strdup(row->default_text);
    }
    return asprintf(&text, "%" PRIu64, options->seed) < 0 ? NULL : text;
}

int option_set_save(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure)
{
    if (strcmp(text, "-") == 0) {
        return failure_set(failure, "options", 0,
                           "the result file cannot be standard output; name a file, "
                           "or use \"--output json\"");
    }
    return option_set_optional_text(options, row, text, failure);
}

int option_set_bandwidth(struct options *options, const struct option_row *row, const char *text,
                         struct failure *failure)
{
    int64_t *field = (int64_t *)(void *)((char *)options + row->offset);
    const int64_t before_ns = *field;
    const int error = option_set_duration_or_word(options, row, text, failure);
    if (error == 0 && *field > 0 && *field % 1000 != 0) {
        *field = before_ns;
        return failure_set(
            failure, "options", 0,
            "\"%.60s\" is not a whole number of microseconds, which is all that cgroups take", text);
    }
    return error;
}

/* Kept in its one form, so that the same load is never taken for another. */
int option_set_load(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure)
{
    char whole[LOAD_TEXT_SIZE];
    struct load load;
    const int error = load_parse(text, &load, failure);
    return error != 0 ? error : option_set_text(options, row, load_format(&load, whole), failure);
}
