/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line. The words are gathered first and applied afterwards: files before options, so that
 * the command line wins whatever the order. */
#include "options_internal.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* getopt's value of a long option: past every character. */
enum { LONG_OPTION_BASE = 256, NON_OPTION = 1 };

struct given_option {
    const struct option_row *row;
    const char *text;
};

struct words {
    struct given_option *given;
    size_t given_count;
    const char **arguments; /* what is no option, the sub-command included */
    size_t argument_count;
    struct option *long_options;
    char *short_options;
};

static void words_destroy(struct words *words)
{
    free(words->given);
    free(words->arguments);
    free(words->long_options);
    free(words->short_options);
}

static int takes_argument(const struct option_row *row)
{
    if (row->value != OPTION_VALUE_NONE) {
        return required_argument;
    }
    /* "--strict=no" takes back what a configuration file says. */
    return row->is_config_key ? optional_argument : no_argument;
}

/* "-" first: words in their order, whatever POSIXLY_CORRECT says; ":" next: no messages of getopt's. */
static int words_init(struct words *words, int argc, char **argv)
{
    size_t count = 0;
    size_t most_given = 1;
    for (int i = 0; i < argc; i++) {
        /* A cluster of short options is as many as it has characters. */
        most_given += strlen(argv[i]) + 1;
    }
    const struct option_row *const rows = options_table(&count);
    words->given = calloc(most_given, sizeof *words->given);
    words->arguments = calloc((size_t)argc + 1, sizeof *words->arguments);
    words->long_options = calloc(count + 1, sizeof *words->long_options);
    words->short_options = calloc(count * 2 + 3, 1);
    if (words->given == NULL || words->arguments == NULL || words->long_options == NULL ||
        words->short_options == NULL) {
        return -ENOMEM;
    }
    char *end = stpcpy(words->short_options, "-:");
    for (size_t i = 0; i < count; i++) {
        words->long_options[i] = (struct option){
            .name = rows[i].name,
            .has_arg = takes_argument(&rows[i]),
            .val = LONG_OPTION_BASE + (int)i,
        };
        if (rows[i].short_name != 0) {
            *end++ = rows[i].short_name;
            if (rows[i].value != OPTION_VALUE_NONE) {
                *end++ = ':';
            }
        }
    }
    return 0;
}

static const struct option_row *row_of_value(int value)
{
    size_t count = 0;
    const struct option_row *const rows = options_table(&count);
    if (value >= LONG_OPTION_BASE) {
        return &rows[value - LONG_OPTION_BASE];
    }
    for (size_t i = 0; i < count; i++) {
        if (value != 0 && rows[i].short_name == value) {
            return &rows[i];
        }
    }
    return NULL;
}

static int fail_ambiguous(const char *name, size_t length, const struct option_row *rows, size_t count,
                          struct failure *failure)
{
    char list[FAILURE_TEXT_SIZE] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t needed = strlen(rows[i].name) + 4;
        if (strncmp(rows[i].name, name, length) == 0 && used + needed < sizeof list) {
            char *const end = stpcpy(list + used, used == 0 ? "--" : ", --");
            used = (size_t)(stpcpy(end, rows[i].name) - list);
        }
    }
    return failure_set(failure, "options", 0, "--%.*s: could be any of %s", (int)length, name, list);
}

/* An option that getopt does not know, or an abbreviation of several. */
static int fail_unknown_long(const char *word, struct failure *failure)
{
    size_t count = 0;
    size_t matches = 0;
    const struct option_row *const rows = options_table(&count);
    const char *const name = word + 2;
    const size_t length = strcspn(name, "=");
    const char **const names = calloc(count, sizeof *names);
    char *const wanted = strndup(name, length);
    int error = -ENOMEM;
    if (names == NULL || wanted == NULL) {
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = rows[i].name;
        matches += strncmp(rows[i].name, name, length) == 0 ? 1 : 0;
    }
    if (matches > 1) {
        error = fail_ambiguous(name, length, rows, count, failure);
        goto out;
    }
    const char *const nearest = options_nearest(wanted, names, count);
    error = failure_set(failure, "options", 0, "--%.60s: there is no such option; %s%s%s", wanted,
                        nearest == NULL ? "see \"numasweep --help\"" : "did you mean --",
                        nearest == NULL ? "" : nearest, nearest == NULL ? "" : "?");
out:
    free(names);
    free(wanted);
    return error;
}

static int fail_refused(int result, int value, const char *word, struct failure *failure)
{
    const struct option_row *const row = row_of_value(value);
    if (result == ':' && row != NULL && value < LONG_OPTION_BASE) {
        return failure_set(failure, "options", 0, "-%c: the value is missing; give -%c %s", value, value,
                           row->argument);
    }
    if (result == ':' && row != NULL) {
        return failure_set(failure, "options", 0, "--%s: the value is missing; give --%s %s", row->name,
                           row->name, row->argument);
    }
    if (row != NULL) {
        return failure_set(failure, "options", 0, "--%s: takes no value", row->name);
    }
    if (value != 0) {
        return failure_set(failure, "options", 0,
                           "-%c: there is no such option; see \"numasweep --help\"", value);
    }
    return fail_unknown_long(word, failure);
}

static int gather(struct words *words, int argc, char **argv, struct failure *failure)
{
    opterr = 0;
    optind = 0; /* glibc: start anew */
    for (;;) {
        const int result = getopt_long(argc, argv, words->short_options, words->long_options, NULL);
        if (result == -1) {
            break;
        }
        if (result == NON_OPTION) {
            words->arguments[words->argument_count++] = optarg;
            continue;
        }
        const bool is_refused = result == '?' || result == ':';
        const struct option_row *const row = is_refused ? NULL : row_of_value(result);
        if (row == NULL) {
            return fail_refused(result, optopt, argv[optind - 1], failure);
        }
        words->given[words->given_count++] = (struct given_option){
            .row = row, .text = optarg == NULL ? "yes" : optarg};
    }
    for (int i = optind; i < argc; i++) {
        words->arguments[words->argument_count++] = argv[i];
    }
    return 0;
}

static int take_command(struct options *options, struct words *words, struct failure *failure)
{
    size_t count = 0;
    const struct command_name *const names = options_commands(&count);
    if (words->argument_count == 0) {
        return 0;
    }
    const char *const word = words->arguments[0];
    const char **const candidates = calloc(count, sizeof *candidates);
    if (candidates == NULL) {
        return -ENOMEM;
    }
    int error = -EINVAL;
    for (size_t i = 0; i < count; i++) {
        candidates[i] = names[i].name;
        if (strcmp(names[i].name, word) == 0) {
            options->command = names[i].command;
            error = 0;
        }
    }
    if (error != 0 && strcmp(word, "help") == 0) {
        error = failure_set(failure, "options", 0, "help is an option: numasweep [COMMAND] --help");
    } else if (error != 0) {
        error = option_fail_unknown("a sub-command", word, candidates, count, failure);
    }
    free(candidates);
    words->argument_count--;
    memmove(words->arguments, words->arguments + 1, words->argument_count * sizeof *words->arguments);
    return error;
}

static int take_arguments(struct options *options, const struct words *words, struct failure *failure)
{
    const struct command_name *const command = options_find_command(options->command);
    if (command->arguments[0] == '\0' && words->argument_count > 0) {
        return failure_set(failure, "options", 0, "%s takes no arguments, but \"%.60s\" was given",
                           command->name, words->arguments[0]);
    }
    if (command->arguments[0] != '\0' && words->argument_count == 0 && !options->show_help &&
        !options->show_version) {
        return failure_set(failure, "options", 0, "%s needs %s", command->name, command->arguments);
    }
    options->arguments = calloc(words->argument_count + 1, sizeof *options->arguments);
    if (options->arguments == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < words->argument_count; i++) {
        options->arguments[i] = strdup(words->arguments[i]);
        if (options->arguments[i] == NULL) {
            return -ENOMEM;
        }
        options->argument_count++;
    }
    return 0;
}

static int check_taken(const struct options *options, const struct option_row *row,
                       struct failure *failure)
{
    size_t count = 0;
    const struct command_name *const names = options_commands(&count);
    char list[FAILURE_TEXT_SIZE] = "";
    char *end = list;
    if ((row->commands & options->command) != 0) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if ((row->commands & names[i].command) != 0) {
            end = stpcpy(end, end == list ? "" : ", ");
            end = stpcpy(end, names[i].name);
        }
    }
    return failure_set(failure, "options", 0, "--%s: %s does not take it; these do: %s", row->name,
                       options_find_command(options->command)->name, list);
}

static bool is_source(const struct option_row *row)
{
    return row->set == option_set_source;
}

static int load_sources(struct options *options, const struct words *words, options_load_file load,
                        void *context, struct failure *failure)
{
    for (size_t i = 0; i < words->given_count; i++) {
        const struct given_option *const given = &words->given[i];
        if (!is_source(given->row)) {
            continue;
        }
        if (given->text[0] == '\0') {
            return failure_set(failure, "options", 0, "--%s: the value is empty; give %s",
                               given->row->name, given->row->argument);
        }
        const int error = load(given->row->name, given->text, options, context, failure);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

/* "-c 0 -c 1" would silently sweep CPU 1 alone. */
static int refuse_second_list(const struct words *words, size_t position, struct failure *failure)
{
    const struct given_option *const given = &words->given[position];
    for (size_t i = 0; i < position && given->row->is_list; i++) {
        if (words->given[i].row == given->row) {
            return failure_set(failure, "options", 0,
                               "--%s: it is given twice; give one list: --%s %.80s,%.80s",
                               given->row->name, given->row->name, words->given[i].text, given->text);
        }
    }
    return 0;
}

static int apply_options(struct options *options, const struct words *words, struct failure *failure)
{
    for (size_t i = 0; i < words->given_count; i++) {
        const struct option_row *const row = words->given[i].row;
        char origin[40] = "--";
        if (is_source(row)) {
            continue;
        }
        (void)strncat(origin, row->name, sizeof origin - 3);
        int error = refuse_second_list(words, i, failure);
        if (error == 0) {
            error = options_set(options, row->name, words->given[i].text, origin, failure);
        }
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

/* Help is to be had beside any other option that is well-formed. */
static void look_for_help(struct options *options, const struct words *words)
{
    for (size_t i = 0; i < words->given_count; i++) {
        options->show_help |= words->given[i].row->offset == offsetof(struct options, show_help);
        options->show_version |= words->given[i].row->offset == offsetof(struct options, show_version);
    }
}

static int apply_words(struct options *options, struct words *words, options_load_file load,
                       void *context, struct failure *failure)
{
    look_for_help(options, words);
    int error = take_arguments(options, words, failure);
    if (error != 0 || options->show_help || options->show_version) {
        return error;
    }
    for (size_t i = 0; i < words->given_count && error == 0; i++) {
        error = check_taken(options, words->given[i].row, failure);
    }
    if (error == 0) {
        error = load_sources(options, words, load, context, failure);
    }
    if (error == 0) {
        error = apply_options(options, words, failure);
    }
    return error;
}

int options_parse(struct options *options, int argc, char **argv, options_load_file load, void *context,
                  struct failure *failure)
{
    struct words words = {0};
    int error = words_init(&words, argc, argv);
    if (error == 0) {
        error = gather(&words, argc, argv, failure);
    }
    if (error == 0) {
        error = take_command(options, &words, failure);
    }
    if (error == 0) {
        error = apply_words(options, &words, load, context, failure);
    }
    words_destroy(&words);
    return error;
}
