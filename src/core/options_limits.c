/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The setter and getter of --limit. */
#include "options_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_limit(struct limit_list *limits, char *word, struct failure *failure)
{
    struct limit limit = {0};
    int error = limit_parse(word, &limit, failure);
    if (error == -ENOENT) {
        word[strcspn(word, "=")] = '\0';
        return option_fail_unknown("a figure that can be limited", word, limit_names(), LIMIT_NAME_COUNT,
                                   failure);
    }
    if (error == 0) {
        error = limit_list_add(limits, &limit);
    }
    if (error == -EEXIST) {
        return failure_set(failure, "options", 0, "%s is limited twice; give one limit of it",
                           limit_name(&limit));
    }
    return error;
}

/* Adds to what is there, all of it or nothing. */
int option_set_limits(struct options *options, const struct option_row *row, const char *text,
                      struct failure *failure)
{
    struct limit_list limits = {0};
    if (strcmp(text, row->default_text) == 0) {
        limit_list_clear(&options->limits);
        return 0;
    }
    char *const words = strdup(text);
    int error = words == NULL ? -ENOMEM : limit_list_copy(&limits, &options->limits);
    char *rest = words;
    while (error == 0 && rest != NULL) {
        error = add_limit(&limits, strsep(&rest, ","), failure);
    }
    free(words);
    if (error == 0) {
        const struct limit_list replaced = options->limits;
        options->limits = limits;
        limits = replaced;
    }
    limit_list_clear(&limits);
    return error;
}

char *option_get_limits(const struct options *options, const struct option_row *row)
{
    const struct limit_list *const limits = &options->limits;
    if (limits->count == 0) {
        return strdup(row->default_text);
    }
    char *const text = calloc(limits->count, LIMIT_TEXT_SIZE + 1);
    if (text == NULL) {
        return NULL;
    }
    char *end = text;
    for (size_t i = 0; i < limits->count; i++) {
        char one[LIMIT_TEXT_SIZE];
        if (i > 0) {
            *end++ = ',';
        }
        end = stpcpy(end, limit_format(&limits->items[i], one));
    }
    return text;
}

void option_limits_clear(struct options *options)
{
    limit_list_clear(&options->limits);
}
