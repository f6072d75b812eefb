/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST_VALUE = 24, MARK_WIDTH = 2, COLUMN_GAPS = 2 };

struct fact_printer {
    struct grid grid;
    struct output_settings settings; /* of the grid: values are wrapped here, so no panels */
    size_t value_width;              /* 0: unlimited */
};

static const char *mark_of(enum fact_severity severity)
{
    switch (severity) {
    case FACT_WARNING:
        return "!!";
    case FACT_NOTICE:
        return "!";
    case FACT_INFORMATION:
    default:
        return NULL;
    }
}

static size_t find_value_width(const struct environment *environment, int width)
{
    size_t others = 0;
    if (width == 0) {
        return 0;
    }
    for (size_t i = 0; i < environment->count; i++) {
        const size_t length = text_width(environment->facts[i].name);
        others = length > others ? length : others;
    }
    others += MARK_WIDTH + COLUMN_GAPS;
    return (size_t)width > others + NARROWEST_VALUE ? (size_t)width - others : NARROWEST_VALUE;
}

static void add_or_blank(struct grid *grid, const char *text, bool is_strong)
{
    if (text == NULL) {
        grid_add_blank(grid);
    } else if (is_strong) {
        grid_add_strong(grid, text);
    } else {
        grid_add_text(grid, text);
    }
}

/* NULL leaves a cell blank. */
static void add_line(struct fact_printer *printer, const char *mark, const char *name, const char *value,
                     bool is_strong)
{
    add_or_blank(&printer->grid, mark, is_strong);
    add_or_blank(&printer->grid, name, is_strong);
    add_or_blank(&printer->grid, value, is_strong);
}

/* A long text takes several lines; only the first carries the mark and the name. */
static int add_wrapped(struct fact_printer *printer, const char *mark, const char *name,
                       const char *text, bool is_strong)
{
    char *printable = text_printable(text, printer->settings.use_ascii);
    char *rest = printable;
    if (printable == NULL) {
        return -ENOMEM;
    }
    do {
        const char *next = NULL;
        const size_t length = text_wrap(rest, printer->value_width, &next);
        const size_t skipped = (size_t)(next - rest);
        const bool is_last = *next == '\0';
        /* Where a word is broken, the next line starts with this very byte. */
        const char first_of_next = rest[length];
        rest[length] = '\0';
        add_line(printer, mark, name, rest, is_strong);
        rest[length] = first_of_next;
        mark = NULL;
        name = NULL;
        rest = is_last ? NULL : rest + skipped;
    } while (rest != NULL);
    free(printable);
    return 0;
}

static int add_fact(struct fact_printer *printer, const struct environment_fact *fact)
{
    char *advice = NULL;
    int error = add_wrapped(printer, mark_of(fact->severity), fact->name, fact->value,
                            fact->severity == FACT_WARNING);
    if (error != 0 || fact->advice == NULL) {
        return error;
    }
    if (asprintf(&advice, "-> %s", fact->advice) < 0) {
        return -ENOMEM;
    }
    error = add_wrapped(printer, NULL, NULL, advice, false);
    free(advice);
    return error;
}

static int fill(struct fact_printer *printer, const struct environment *environment)
{
    const char *group = "";
    int error = 0;
    grid_add_column(&printer->grid, " ", false, false, 0);
    grid_add_column(&printer->grid, "FACT", false, false, 0);
    grid_add_column(&printer->grid, "VALUE", false, false, 0);
    for (size_t i = 0; error == 0 && i < environment->count; i++) {
        const struct environment_fact *fact = &environment->facts[i];
        if (strcmp(fact->group, group) != 0) {
            char *heading = NULL;
            if (asprintf(&heading, "[%s]", fact->group) < 0) {
                return -ENOMEM;
            }
            add_line(printer, NULL, heading, NULL, true);
            free(heading);
            group = fact->group;
        }
        error = add_fact(printer, fact);
    }
    return error;
}

static int print_counts(const struct environment *environment, const struct output_settings *settings,
                        FILE *stream)
{
    size_t notices = 0;
    size_t warnings = 0;
    for (size_t i = 0; i < environment->count; i++) {
        notices += environment->facts[i].severity == FACT_NOTICE ? 1 : 0;
        warnings += environment->facts[i].severity == FACT_WARNING ? 1 : 0;
    }
    (void)fputc('\n', stream);
    return text_print_line(
        stream, settings->width, settings->use_ascii, 2,
        "%zu that would spoil a measurement (!!), %zu that shift or hide something (!)", warnings,
        notices);
}

int table_print_environment(const struct environment *environment,
                            const struct output_settings *settings, FILE *stream,
                            struct failure *failure)
{
    struct fact_printer printer = {.settings = *settings,
                                   .value_width = find_value_width(environment, settings->width)};
    (void)failure;
    printer.settings.width = 0;
    grid_init(&printer.grid, &printer.settings);
    int error = fill(&printer, environment);
    if (error == 0) {
        error = grid_print(&printer.grid, stream);
    }
    if (error == 0) {
        error = print_counts(environment, settings, stream);
    }
    grid_destroy(&printer.grid);
    return error != 0 ? error : text_stream_error(stream);
}
