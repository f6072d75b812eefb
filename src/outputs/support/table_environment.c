/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"
#include "text.h"

#include <string.h>

static const char *mark_of(enum fact_severity severity)
{
    switch (severity) {
    case FACT_WARNING:
        return "!!";
    case FACT_NOTICE:
        return "! ";
    case FACT_INFORMATION:
        break;
    }
    return "  ";
}

static int print_fact(const struct environment_fact *fact, const struct output_settings *settings,
                      FILE *stream)
{
    const bool is_strong = settings->use_color && fact->severity == FACT_WARNING;
    if (is_strong) {
        (void)fputs("\033[1m", stream);
    }
    int error = text_print_line(stream, settings->width, settings->use_ascii, 34, "%s %-30s %s",
                                mark_of(fact->severity), fact->name, fact->value);
    if (is_strong) {
        (void)fputs("\033[0m", stream);
    }
    if (error == 0 && fact->advice != NULL) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 8, "     -> %s",
                                fact->advice);
    }
    return error;
}

int table_print_environment(const struct environment *environment,
                            const struct output_settings *settings, FILE *stream,
                            struct failure *failure)
{
    const char *group = "";
    size_t warnings = 0;
    size_t notices = 0;
    int error = 0;
    (void)failure;
    for (size_t i = 0; i < environment->count && error == 0; i++) {
        const struct environment_fact *fact = &environment->facts[i];
        if (strcmp(fact->group, group) != 0) {
            (void)fprintf(stream, "%s%s\n", i > 0 ? "\n" : "", fact->group);
            group = fact->group;
        }
        warnings += fact->severity == FACT_WARNING;
        notices += fact->severity == FACT_NOTICE;
        error = print_fact(fact, settings, stream);
    }
    if (error == 0) {
        (void)fputc('\n', stream);
        error = text_print_line(
            stream, settings->width, settings->use_ascii, 2,
            "%zu things would spoil a measurement (!!), %zu shift or hide something (!)", warnings,
            notices);
    }
    return error != 0 ? error : text_stream_error(stream);
}
