/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run while building: writes the manual page and the bash completion, so that options, kernels, formats
 * and columns stand in them as they are in the program.
 *
 *   document manual TEMPLATE OUTPUT
 *   document completion OUTPUT
 *
 * A line of the template that is one marker is replaced by a part; @VERSION@ and @PROFILE_DIR@ are
 * replaced anywhere.
 */
#include "numasweep/columns.h"
#include "numasweep/kernel.h"
#include "numasweep/options.h"
#include "numasweep/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    const char *marker;
    int (*print)(FILE *stream);
};

struct word {
    const char *marker;
    const char *text;
};

/* Hyphens that can be copied from the page, and no line that begins with a request. */
static void print_text(const char *text, FILE *stream)
{
    if (text[0] == '.' || text[0] == '\'') {
        (void)fputs("\\&", stream);
    }
    for (; *text != '\0'; text++) {
        if (*text == '\\') {
            (void)fputs("\\e", stream);
        } else if (*text == '-') {
            (void)fputs("\\-", stream);
        } else {
            (void)fputc(*text, stream);
        }
    }
}

static void print_entry(const char *name, const char *argument, const char *text, FILE *stream)
{
    (void)fputs(".TP\n\\fB", stream);
    print_text(name, stream);
    (void)fputs("\\fR", stream);
    if (argument[0] != '\0') {
        (void)fputs(" \\fI", stream);
        print_text(argument, stream);
        (void)fputs("\\fR", stream);
    }
    (void)fputc('\n', stream);
    print_text(text, stream);
    (void)fputs(".\n", stream);
}

static int print_commands(FILE *stream)
{
    size_t count = 0;
    const struct command_name *const names = options_commands(&count);
    for (size_t i = 0; i < count; i++) {
        print_entry(names[i].name, names[i].arguments, names[i].summary, stream);
    }
    return 0;
}

static int print_kernels(FILE *stream)
{
    for (size_t i = 0; measurement_kernels[i] != NULL; i++) {
        print_entry(measurement_kernels[i]->name, "", measurement_kernels[i]->summary, stream);
    }
    return 0;
}

static int print_formats(FILE *stream)
{
    for (size_t i = 0; output_formats[i] != NULL; i++) {
        print_entry(output_formats[i]->name, "", output_formats[i]->summary, stream);
    }
    return 0;
}

/* The columns that are shown without --columns are marked by an asterisk. */
static void print_columns_of(enum column_view view, FILE *stream)
{
    size_t count = 0;
    const struct column_row *const rows = columns_table(view, &count);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%s", rows[i].name, rows[i].is_default ? " *" : "");
        print_entry(name, "", rows[i].help, stream);
    }
}

static int print_report_columns(FILE *stream)
{
    print_columns_of(COLUMN_VIEW_REPORT, stream);
    return 0;
}

static int print_topology_columns(FILE *stream)
{
    print_columns_of(COLUMN_VIEW_TOPOLOGY, stream);
    return 0;
}

static int print_plan_columns(FILE *stream)
{
    print_columns_of(COLUMN_VIEW_PLAN, stream);
    return 0;
}

static const struct part parts[] = {
    {.marker = "@OPTIONS@\n", .print = options_print_manual},
    {.marker = "@COMMANDS@\n", .print = print_commands},
    {.marker = "@KERNELS@\n", .print = print_kernels},
    {.marker = "@FORMATS@\n", .print = print_formats},
    {.marker = "@REPORT_COLUMNS@\n", .print = print_report_columns},
    {.marker = "@TOPOLOGY_COLUMNS@\n", .print = print_topology_columns},
    {.marker = "@PLAN_COLUMNS@\n", .print = print_plan_columns},
};

static const struct word words[] = {
    {.marker = "@VERSION@", .text = NUMASWEEP_VERSION},
    {.marker = "@PROFILE_DIR@", .text = NUMASWEEP_PROFILE_DIR},
};

static const struct word *word_at(const char *text)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(text, words[i].marker, strlen(words[i].marker)) == 0) {
            return &words[i];
        }
    }
    return NULL;
}

static int print_line(const char *line, FILE *output)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(line, parts[i].marker) == 0) {
            return parts[i].print(output);
        }
    }
    while (*line != '\0') {
        const struct word *const word = *line == '@' ? word_at(line) : NULL;
        if (word != NULL) {
            (void)fputs(word->text, output);
            line += strlen(word->marker);
        } else if (*line == '@') {
            (void)fprintf(stderr, "document: unknown marker in the template: %s", line);
            return -EINVAL;
        } else {
            (void)fputc(*line++, output);
        }
    }
    return 0;
}

static int print_manual(const char *template_name, FILE *output)
{
    FILE *const template = fopen(template_name, "re");
    char *line = NULL;
    size_t size = 0;
    int error = 0;
    if (template == NULL) {
        return -errno;
    }
    while (error == 0 && getline(&line, &size, template) > 0) {
        error = print_line(line, output);
    }
    if (ferror(template) != 0) {
        error = -EIO;
    }
    free(line);
    (void)fclose(template);
    return error;
}

static void append_word(char *list, size_t size, const char *added)
{
    const size_t length = strlen(list);
    (void)snprintf(list + length, size - length, "%s%s", length > 0 ? " " : "", added);
}

static int print_completion(FILE *output)
{
    enum { WORDS_SIZE = 4096 };
    char kernels[WORDS_SIZE] = "";
    char columns[WORDS_SIZE] = "";
    for (size_t i = 0; measurement_kernels[i] != NULL; i++) {
        append_word(kernels, sizeof kernels, measurement_kernels[i]->name);
    }
    size_t count = 0;
    const struct column_row *const rows = columns_table(COLUMN_VIEW_REPORT, &count);
    for (size_t i = 0; i < count; i++) {
        append_word(columns, sizeof columns, rows[i].name);
    }
    const struct option_completion completions[] = {
        {.option = "kernel", .words = kernels},
        {.option = "columns", .words = columns},
        {.option = "profile",
         .words = "$(for file in \"$NUMASWEEP_CONFIG_DIR\"/*.conf " NUMASWEEP_PROFILE_DIR "/*.conf; do "
                  "[[ -e $file ]] && file=${file##*/} && echo \"${file%.conf}\"; done)"},
        {.option = NULL},
    };
    return options_print_completion(output, completions);
}

static int write_file(int argc, char **argv)
{
    const char *const name = argv[argc - 1];
    FILE *const output = fopen(name, "we");
    if (output == NULL) {
        return -errno;
    }
    int error = argc == 4 ? print_manual(argv[2], output) : print_completion(output);
    if (ferror(output) != 0 && error == 0) {
        error = -EIO;
    }
    if (fclose(output) != 0 && error == 0) {
        error = -errno;
    }
    return error;
}

int main(int argc, char **argv)
{
    const bool is_manual = argc == 4 && strcmp(argv[1], "manual") == 0;
    const bool is_completion = argc == 3 && strcmp(argv[1], "completion") == 0;
    if (!is_manual && !is_completion) {
        (void)fputs("usage: document manual TEMPLATE OUTPUT | document completion OUTPUT\n", stderr);
        return EXIT_FAILURE;
    }
    const int error = write_file(argc, argv);
    if (error != 0) {
        (void)fprintf(stderr, "document: %s: %s\n", argv[argc - 1], strerror(-error));
        (void)remove(argv[argc - 1]);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
