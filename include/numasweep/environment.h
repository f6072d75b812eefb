/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was found on the machine once, before measuring: facts in order, each with a value for people
 * and, where it would spoil a measurement, one line of advice. A plain model; filled by
 * platform/environment_read.h, shown by `numasweep check` and stored in the result file's header.
 */
#ifndef NUMASWEEP_ENVIRONMENT_H
#define NUMASWEEP_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* The value of a fact that could not be read. */
#define ENVIRONMENT_NOT_READABLE "not readable"

enum fact_severity {
    FACT_INFORMATION, /* nothing to do */
    FACT_NOTICE,      /* shifts figures or hides something; the advice says what */
    FACT_WARNING      /* spoils a measurement or refuses a right */
};

struct environment_fact {
    char *group; /* "scheduling", "idle states", "clock", ... : headings of `check` */
    char *name;  /* snake_case, stable: a key of the JSON */
    char *value; /* for people and scripts: "performance", ENVIRONMENT_NOT_READABLE */
    enum fact_severity severity;
    char *advice; /* one line; NULL for FACT_INFORMATION */
};

struct environment {
    struct environment_fact *facts;
    size_t count;
    size_t capacity;
};

void environment_destroy(struct environment *environment);
/* Copies all texts. `advice` may be NULL. -ENOMEM. */
int environment_add(struct environment *environment, const char *group, const char *name,
                    enum fact_severity severity, const char *advice, const char *value_format, ...)
    __attribute__((format(printf, 6, 7)));
const struct environment_fact *environment_find(const struct environment *environment, const char *name);
/* "" if the fact is absent or was not readable. */
const char *environment_value(const struct environment *environment, const char *name);
const char *fact_severity_name(enum fact_severity severity);

#endif
