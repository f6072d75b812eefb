/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The setters and getters that several rows share. */
#include "options_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void *field_of(struct options *options, const struct option_row *row)
{
    return (char *)options + row->offset;
}

static const void *field_of_const(const struct options *options, const struct option_row *row)
{
    return (const char *)options + row->offset;
}

int option_choice_find(const char *const *choices, const char *text)
{
    for (int i = 0; choices[i] != NULL; i++) {
        if (strcmp(choices[i], text) == 0) {
            return i;
        }
    }
    return -1;
}

int option_set_flag(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure)
{
    static const char *const yes[] = {"yes", "true", "on", NULL};
    static const char *const no[] = {"no", "false", "off", NULL};
    bool *const flag = field_of(options, row);
    if (option_choice_find(yes, text) >= 0) {
        *flag = true;
        return 0;
    }
    if (option_choice_find(no, text) >= 0) {
        *flag = false;
        return 0;
    }
    return failure_set(failure, "options", 0,
                       "\"%.60s\" is neither yes, true or on, nor no, false or off", text);
}

char *option_get_flag(const struct options *options, const struct option_row *row)
{
    const bool *const flag = field_of_const(options, row);
    return strdup(*flag ? "yes" : "no");
}

/* The enumerations of struct options all start at 0 in the order of their choices. */
int option_set_choice(struct options *options, const struct option_row *row, const char *text,
                      struct failure *failure)
{
    const int position = option_choice_find(row->choices, text);
    if (position < 0) {
        size_t count = 0;
        while (row->choices[count] != NULL) {
            count++;
        }
        return option_fail_unknown("one of its choices", text, row->choices, count, failure);
    }
    const unsigned value = (unsigned)position;
    memcpy(field_of(options, row), &value, sizeof value);
    return 0;
}

char *option_get_choice(const struct options *options, const struct option_row *row)
{
    unsigned value = 0;
    memcpy(&value, field_of_const(options, row), sizeof value);
    return strdup(row->choices[value]);
}

int option_set_integer(struct options *options, const struct option_row *row, const char *text,
                       struct failure *failure)
{
    int64_t value = 0;
    const int error = number_parse_int64(text, row->minimum, row->maximum, &value, failure);
    if (error == 0) {
        *(int64_t *)field_of(options, row) = value;
    }
    return error;
}

char *option_get_integer(const struct options *options, const struct option_row *row)
{
    const int64_t *const value = field_of_const(options, row);
    char *text = NULL;
    return asprintf(&text, "%" PRId64, *value) < 0 ? NULL : text;
}

static int replace_text(char **field, const char *text)
{
    char *copy = NULL;
    if (text != NULL) {
        copy = strdup(text);
        if (copy == NULL) {
            return -ENOMEM;
        }
    }
    free(*field);
    *field = copy;
    return 0;
}

int option_set_text(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure)
{
    if (text[0] == '\0') {
        return failure_set(failure, "options", 0, "the value is empty; give %s", row->argument);
    }
    return replace_text(field_of(options, row), text);
}

int option_set_optional_text(struct options *options, const struct option_row *row, const char *text,
                             struct failure *failure)
{
    if (strcmp(text, row->default_text) == 0) {
        return replace_text(field_of(options, row), NULL);
    }
    return option_set_text(options, row, text, failure);
}

char *option_get_text(const struct options *options, const struct option_row *row)
{
    char *const *const text = field_of_const(options, row);
    return strdup(*text == NULL ? row->default_text : *text);
}

int option_set_integer_or_word(struct options *options, const struct option_row *row, const char *text,
                               struct failure *failure)
{
    int64_t value = -1;
    if (strcmp(text, row->choices[0]) != 0) {
        struct failure why = {0};
        const int error = number_parse_int64(text, row->minimum, row->maximum, &value, &why);
        if (error != 0) {
            failure_set(failure, "options", 0, "%s; or \"%s\"", why.text, row->choices[0]);
            return error;
        }
    }
    *(int64_t *)field_of(options, row) = value;
    return 0;
}

char *option_get_integer_or_word(const struct options *options, const struct option_row *row)
{
    const int64_t *const value = field_of_const(options, row);
    return *value == -1 ? strdup(row->choices[0]) : option_get_integer(options, row);
}

int option_set_duration_or_word(struct options *options, const struct option_row *row, const char *text,
                                struct failure *failure)
{
    int64_t value = -1;
    if (row->choices == NULL || strcmp(text, row->choices[0]) != 0) {
        struct failure why = {0};
        const int error = duration_parse(text, row->minimum, row->maximum, &value, &why);
        if (error != 0) {
            return row->choices == NULL
                       ? failure_set(failure, "options", 0, "%s", why.text)
                       : failure_set(failure, "options", 0, "%s; or \"%s\"", why.text, row->choices[0]);
        }
    }
    *(int64_t *)field_of(options, row) = value;
    return 0;
}

char *option_get_duration_or_word(const struct options *options, const struct option_row *row)
{
    const int64_t *const value = field_of_const(options, row);
    char text[DURATION_TEXT_SIZE] = "";
    return strdup(*value == -1 ? row->choices[0] : duration_format(*value, text));
}

int option_set_source(struct options *options, const struct option_row *row, const char *text,
                      struct failure *failure)
{
    (void)options;
    if (text[0] == '\0') {
        return failure_set(failure, "options", 0, "the value is empty; give %s", row->argument);
    }
    return 0;
}

char *option_get_source(const struct options *options, const struct option_row *row)
{
    (void)options;
    (void)row;
    return strdup("");
}
