/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manual page's OPTIONS section and the bash completion, from the table. */
#include "options_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MANUAL_WIDTH = 76 };

static void put_escaped(const char *text, FILE *stream)
{
    for (; *text != '\0'; text++) {
        (void)fputs(*text == '-' ? "\\-" : (const char[]){*text, '\0'}, stream);
    }
}

static void print_manual_heading(const struct option_row *row, FILE *stream)
{
    (void)fputs(".TP\n", stream);
    if (row->short_name != 0) {
        (void)fprintf(stream, "\\fB\\-%c\\fR, ", row->short_name);
    }
    (void)fputs("\\fB\\-\\-", stream);
    put_escaped(row->name, stream);
    (void)fputs("\\fR", stream);
    if (row->argument != NULL) {
        (void)fputs(" \\fI", stream);
        put_escaped(row->argument, stream);
        (void)fputs("\\fR", stream);
    }
    (void)fputc('\n', stream);
}

/* The help of a row as a sentence. */
static void print_sentence(struct text_wrap *wrap, const char *text)
{
    char sentence[512];
    const size_t length = strlen(text);
    const bool ends = length > 0 && text[length - 1] == '.';
    (void)snprintf(sentence, sizeof sentence, "%s%s", text, ends ? "" : ".");
    if (sentence[0] >= 'a' && sentence[0] <= 'z') {
        sentence[0] = (char)(sentence[0] - 'a' + 'A');
    }
    text_wrap_words(wrap, sentence);
}

static void print_manual_commands(struct text_wrap *wrap, const struct option_row *row)
{
    size_t count = 0;
    const struct command_name *names = options_commands(&count);
    if ((row->commands & FOR_ALL) == FOR_ALL) {
        return;
    }
    text_wrap_words(wrap, "For:");
    for (size_t i = 0, left = (size_t)__builtin_popcount(row->commands & FOR_ALL); i < count; i++) {
        if ((row->commands & (unsigned)names[i].command) != 0) {
            char word[32];
            left--;
            (void)snprintf(word, sizeof word, "%s%s", names[i].name, left > 0 ? "," : ".");
            text_wrap_words(wrap, word);
        }
    }
}

static void print_manual_row(const struct option_row *row, FILE *stream)
{
    struct text_wrap wrap = {
        .stream = stream, .width = MANUAL_WIDTH, .is_line_start = true, .is_roff = true};
    print_manual_heading(row, stream);
    print_sentence(&wrap, row->help);
    if (row->value == OPTION_VALUE_CHOICE && row->choices != NULL) {
        text_wrap_words(&wrap, "One of");
        for (size_t i = 0; row->choices[i] != NULL; i++) {
            char word[64];
            (void)snprintf(word, sizeof word, "%s%s", row->choices[i],
                           row->choices[i + 1] != NULL ? "," : ".");
            text_wrap_words(&wrap, word);
        }
    }
    if (row->details != NULL) {
        text_wrap_words(&wrap, row->details);
    }
    if (row->default_text != NULL && row->value != OPTION_VALUE_NONE) {
        char text[128];
        (void)snprintf(text, sizeof text, "Default: %s.", row->default_text);
        text_wrap_words(&wrap, text);
    }
    print_manual_commands(&wrap, row);
    text_wrap_end(&wrap);
}

int options_print_manual(FILE *stream)
{
    size_t count = 0;
    const char *group = "";
    const struct option_row *rows = options_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].group, group) != 0) {
            group = rows[i].group;
            (void)fprintf(stream, ".SS \"%s\"\n", group);
        }
        print_manual_row(&rows[i], stream);
    }
    return ferror(stream) != 0 ? -EIO : 0;
}

static void print_command_words(const struct command_name *name, FILE *stream)
{
    size_t count = 0;
    const struct option_row *rows = options_table(&count);
    (void)fprintf(stream, "        %s) options='", name->name);
    for (size_t i = 0; i < count; i++) {
        if ((rows[i].commands & (unsigned)name->command) != 0) {
            (void)fprintf(stream, "--%s ", rows[i].name);
        }
    }
    (void)fputs("' ;;\n", stream);
}

static const char *find_words(const struct option_row *row, const struct option_completion *completions)
{
    for (; completions != NULL && completions->option != NULL; completions++) {
        if (strcmp(completions->option, row->name) == 0) {
            return completions->words;
        }
    }
    return NULL;
}

static void print_value_words(const struct option_row *row, const struct option_completion *completions,
                              FILE *stream)
{
    const char *words = find_words(row, completions);
    if (row->value == OPTION_VALUE_NONE) {
        return;
    }
    (void)fprintf(stream, "        --%s", row->name);
    if (row->short_name != 0) {
        (void)fprintf(stream, "|-%c", row->short_name);
    }
    (void)fputs(") ", stream);
    if (row->value == OPTION_VALUE_FILE) {
        (void)fputs("COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", stream);
        return;
    }
    if (strcmp(row->name, "topology") == 0) {
        (void)fputs("COMPREPLY=($(compgen -f -X '!*.xml' -- \"$cur\")); return ;;\n", stream);
        return;
    }
    if (words != NULL) {
        (void)fprintf(stream, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", words);
        return;
    }
    (void)fputs("COMPREPLY=($(compgen -W '", stream);
    for (size_t i = 0; row->choices != NULL && row->choices[i] != NULL; i++) {
        (void)fprintf(stream, "%s ", row->choices[i]);
    }
    (void)fputs("' -- \"$cur\")); return ;;\n", stream);
}

int options_print_completion(FILE *stream, const struct option_completion *completions)
{
    size_t count = 0;
    size_t name_count = 0;
    const struct option_row *rows = options_table(&count);
    const struct command_name *names = options_commands(&name_count);
    (void)fputs("# bash completion for numasweep(1), made from its table of options\n"
                "_numasweep()\n{\n"
                "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                "    local options command=run word\n"
                "    # readline takes the = of --option=value for a word of its own.\n"
                "    if [[ $cur == = ]]; then\n        cur=\n"
                "    elif [[ $prev == = ]]; then\n        prev=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n"
                "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n        case $word in\n"
                "            ",
                stream);
    for (size_t i = 0; i < name_count; i++) {
        (void)fprintf(stream, "%s%s", i > 0 ? "|" : "", names[i].name);
    }
    (void)fputs(") command=$word ;;\n        esac\n    done\n    case $prev in\n", stream);
    for (size_t i = 0; i < count; i++) {
        print_value_words(&rows[i], completions, stream);
    }
    (void)fputs("    esac\n    case $command in\n", stream);
    for (size_t i = 0; i < name_count; i++) {
        print_command_words(&names[i], stream);
    }
    (void)fputs(
        "    esac\n    if [[ $cur == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
        "    elif [[ $command == report || $command == compare || $command == import ]]; then\n        "
        "COMPREPLY=($(compgen -f -- "
        "\"$cur\"))\n    else\n"
        "        COMPREPLY=($(compgen -W '",
        stream);
    for (size_t i = 0; i < name_count; i++) {
        (void)fprintf(stream, "%s ", names[i].name);
    }
    (void)fputs("' -- \"$cur\"))\n    fi\n} &&\n    complete -o filenames -F _numasweep numasweep\n",
                stream);
    return ferror(stream) != 0 ? -EIO : 0;
}
