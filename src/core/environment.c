/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/environment.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void destroy_fact(struct environment_fact *fact)
{
    free(fact->group);
    free(fact->name);
    free(fact->value);
    free(fact->advice);
}

void environment_destroy(struct environment *environment)
{
    for (size_t i = 0; i < environment->count; i++) {
        destroy_fact(&environment->facts[i]);
    }
    free(environment->facts);
    *environment = (struct environment){0};
}

static int reserve(struct environment *environment)
{
    enum { FIRST_CAPACITY = 32 };
    if (environment->count < environment->capacity) {
        return 0;
    }
    const size_t capacity = environment->capacity == 0 ? FIRST_CAPACITY : 2 * environment->capacity;
    struct environment_fact *facts = realloc(environment->facts, capacity * sizeof *facts);
    if (facts == NULL) {
        return -ENOMEM;
    }
    environment->facts = facts;
    environment->capacity = capacity;
    return 0;
}

int environment_add(struct environment *environment, const char *group, const char *name,
                    enum fact_severity severity, const char *advice, const char *value_format, ...)
{
    struct environment_fact fact = {.severity = severity};
    va_list arguments;
    if (reserve(environment) != 0) {
        return -ENOMEM;
    }
    va_start(arguments, value_format);
    const int length = vasprintf(&fact.value, value_format, arguments);
    va_end(arguments);
    if (length < 0) {
        fact.value = NULL;
    }
    fact.group = strdup(group);
    fact.name = strdup(name);
    fact.advice = advice != NULL ? strdup(advice) : NULL;
    if (fact.value == NULL || fact.group == NULL || fact.name == NULL ||
        (advice != NULL && fact.advice == NULL)) {
        destroy_fact(&fact);
        return -ENOMEM;
    }
    environment->facts[environment->count] = fact;
    environment->count++;
    return 0;
}

const struct environment_fact *environment_find(const struct environment *environment, const char *name)
{
    for (size_t i = 0; i < environment->count; i++) {
        if (strcmp(environment->facts[i].name, name) == 0) {
            return &environment->facts[i];
        }
    }
    return NULL;
}

const char *environment_value(const struct environment *environment, const char *name)
{
    const struct environment_fact *fact = environment_find(environment, name);
    const bool is_known = fact != NULL && strcmp(fact->value, ENVIRONMENT_NOT_READABLE) != 0;
    return is_known ? fact->value : "";
}

const char *fact_severity_name(enum fact_severity severity)
{
    switch (severity) {
    case FACT_INFORMATION:
        return "information";
    case FACT_NOTICE:
        return "notice";
    case FACT_WARNING:
        return "warning";
    }
    return "unknown";
}
