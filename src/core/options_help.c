/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { HELP_INDENT = 30, COMMAND_INDENT = 13, MIN_WIDTH = 40 };

static bool is_shown_default(const struct option_row *row)
{
    return row->default_text != NULL && row->value != OPTION_VALUE_NONE;
}

static void print_choices(struct text_wrap *wrap, const struct option_row *row)
{
    char text[128] = "(";
    for (size_t i = 0; row->choices[i] != NULL; i++) {
        const size_t length = strlen(text);
        (void)snprintf(text + length, sizeof text - length, "%s%s", i > 0 ? ", " : "", row->choices[i]);
    }
    (void)strncat(text, ")", sizeof text - strlen(text) - 1);
    text_wrap_words(wrap, text);
}

/* Returns the columns taken. */
static int print_name(const struct option_row *row, FILE *stream)
{
    int length = 0;
    if (row->short_name != 0) {
        length = fprintf(stream, "  -%c, --%s", row->short_name, row->name);
    } else {
        length = fprintf(stream, "      --%s", row->name);
    }
    if (row->argument != NULL) {
        length += fprintf(stream, " %s", row->argument);
    }
    return length;
}

static void print_row(const struct option_row *row, size_t width, FILE *stream)
{
    struct text_wrap wrap = {
        .stream = stream, .width = width, .indent = HELP_INDENT, .is_line_start = true};
    const int length = print_name(row, stream);
    if (length + 1 >= HELP_INDENT) {
        (void)fputc('\n', stream);
    } else {
        wrap.column = length > 0 ? (size_t)length : 0;
    }
    text_wrap_words(&wrap, row->help);
    if (row->value == OPTION_VALUE_CHOICE && row->choices != NULL) {
        print_choices(&wrap, row);
    }
    if (is_shown_default(row)) {
        char default_text[80];
        (void)snprintf(default_text, sizeof default_text, "[%s]", row->default_text);
        text_wrap_words(&wrap, default_text);
    }
    text_wrap_end(&wrap);
}

static void print_options(enum option_command command, size_t width, FILE *stream)
{
    size_t count = 0;
    const char *group = "";
    const struct option_row *rows = options_table(&count);
    for (size_t i = 0; i < count; i++) {
        if ((rows[i].commands & (unsigned)command) == 0) {
            continue;
        }
        if (strcmp(rows[i].group, group) != 0) {
            group = rows[i].group;
            (void)fprintf(stream, "\n%s:\n", group);
        }
        print_row(&rows[i], width, stream);
    }
}

static void print_paragraph(const char *text, size_t width, FILE *stream)
{
    struct text_wrap wrap = {.stream = stream, .width = width, .is_line_start = true};
    (void)fputc('\n', stream);
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
}

static void print_usage(enum option_command command, size_t width, FILE *stream)
{
    const struct command_name *name = options_find_command(command);
    if (command == FOR_RUN) {
        (void)fputs("Usage: numasweep [run] [OPTION...]\n"
                    "       numasweep SUB-COMMAND [OPTION...] [FILE...]\n",
                    stream);
        print_paragraph(
            "Sweeps the CPUs and memory nodes of this machine for wake-up latency, and prints a "
            "CPU-by-node table: how late a thread wakes, and how long it then takes to read its "
            "memory.",
            width, stream);
        return;
    }
    (void)fprintf(stream, "Usage: numasweep %s [OPTION...]%s%s\n", name->name,
                  name->arguments[0] != '\0' ? " " : "", name->arguments);
    print_paragraph(name->summary, width, stream);
}

static void print_commands(size_t width, FILE *stream)
{
    size_t count = 0;
    const struct command_name *names = options_commands(&count);
    (void)fputs("\nSub-commands:\n", stream);
    for (size_t i = 0; i < count; i++) {
        struct text_wrap wrap = {
            .stream = stream, .width = width, .indent = COMMAND_INDENT, .is_line_start = true};
        wrap.column = (size_t)fprintf(stream, "  %s", names[i].name);
        text_wrap_words(&wrap, names[i].summary);
        text_wrap_end(&wrap);
    }
}

static void print_footer(size_t width, FILE *stream)
{
    print_paragraph(
        "Durations take ns, us, ms, s or m: 1ms, 2.5us. Defaults stand in brackets. Every long "
        "option but those under General is also a key of configuration files. Exit status: 0 complete, "
        "1 found "
        "(--fail-on), 2 bad input, 3 not allowed, 4 partial, 5 numasweep failed, 128+N stopped "
        "by signal N. See numasweep(1).",
        width, stream);
}

int options_print_help(enum option_command command, int width, FILE *stream)
{
    const size_t columns = (size_t)(width > MIN_WIDTH ? width : MIN_WIDTH);
    print_usage(command, columns, stream);
    if (command == FOR_RUN) {
        print_commands(columns, stream);
    }
    print_options(command, columns, stream);
    print_footer(columns, stream);
    return ferror(stream) != 0 ? -EIO : 0;
}
