/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/sweep.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sweep *sweep_create(void)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (sweep != NULL) {
        sweep->sweep_count = 1;
    }
    return sweep;
}

void sweep_destroy(struct sweep *sweep)
{
    if (sweep == NULL) {
        return;
    }
    for (size_t i = 0; i < sweep->visit_count; i++) {
        visit_destroy(&sweep->visits[i]);
    }
    for (size_t i = 0; i < sweep->warning_count; i++) {
        free(sweep->warnings[i]);
    }
    migration_list_destroy(&sweep->migrations);
    free(sweep->visits);
    free(sweep->warnings);
    plan_destroy(&sweep->plan);
    environment_destroy(&sweep->environment);
    topology_destroy(&sweep->topology);
    options_destroy(&sweep->options);
    free(sweep->version);
    free(sweep->command_line);
    free(sweep->host);
    free(sweep->imported_from);
    free(sweep);
}

static int reserve_visits(struct sweep *sweep, size_t count)
{
    if (count <= sweep->visit_capacity) {
        return 0;
    }
    size_t capacity = sweep->visit_capacity == 0 ? 64 : 2 * sweep->visit_capacity;
    if (capacity < count) {
        capacity = count;
    }
    struct visit *visits = realloc(sweep->visits, capacity * sizeof *visits);
    if (visits == NULL) {
        return -ENOMEM;
    }
    sweep->visits = visits;
    sweep->visit_capacity = capacity;
    return 0;
}

int sweep_add_visit(struct sweep *sweep, struct visit *visit)
{
    if (reserve_visits(sweep, sweep->visit_count + 1) != 0) {
        return -ENOMEM;
    }
    sweep->visits[sweep->visit_count] = *visit;
    sweep->visit_count++;
    *visit = (struct visit){0};
    return 0;
}

int sweep_add_warning(struct sweep *sweep, const char *format, ...)
{
    char *sentence = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&sentence, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < sweep->warning_count; i++) {
        if (strcmp(sweep->warnings[i], sentence) == 0) {
            free(sentence);
            return 0;
        }
    }
    char **warnings = realloc(sweep->warnings, (sweep->warning_count + 1) * sizeof *warnings);
    if (warnings == NULL) {
        free(sentence);
        return -ENOMEM;
    }
    sweep->warnings = warnings;
    sweep->warnings[sweep->warning_count] = sentence;
    sweep->warning_count++;
    return 0;
}
