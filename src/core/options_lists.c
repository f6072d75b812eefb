/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setters and getters of the rows whose value is a list. */
#include "options_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int option_set_cpus(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure)
{
    if (strcmp(text, row->default_text) != 0) {
        const int error = cpu_selection_check(text, failure);
        if (error != 0) {
            return error;
        }
    }
    return option_set_optional_text(options, row, text, failure);
}

int option_set_nodes(struct options *options, const struct option_row *row, const char *text,
                     struct failure *failure)
{
    (void)row;
    struct node_selection selection = {.kind = NODES_ALL};
    const int error = node_selection_parse(text, &selection, failure);
    if (error != 0) {
        node_selection_destroy(&selection);
        return error;
    }
    node_selection_destroy(&options->nodes);
    options->nodes = selection;
    options->nodes_is_explicit = true;
    return 0;
}

char *option_get_nodes(const struct options *options, const struct option_row *row)
{
    (void)row;
    switch (options->nodes.kind) {
    case NODES_ALL:
        return strdup("all");
    case NODES_LOCAL:
        return strdup("local");
    case NODES_NONE:
        return strdup("none");
    case NODES_LIST:
        break;
    }
    return id_list_format(&options->nodes.nodes);
}

static int check_not_repeated(const int64_t *timeouts_ns, size_t count, int64_t timeout_ns,
                              struct failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        if (timeouts_ns[i] == timeout_ns) {
            char text[DURATION_TEXT_SIZE] = "";
            return failure_set(failure, "options", 0, "%s is given twice; each timeout makes one table",
                               duration_format(timeout_ns, text));
        }
    }
    return 0;
}

static int parse_timeouts(const struct option_row *row, char *words, int64_t *timeouts_ns, size_t *count,
                          struct failure *failure)
{
    char *rest = words;
    for (const char *word = strsep(&rest, ","); word != NULL; word = strsep(&rest, ",")) {
        int64_t timeout_ns = 0;
        int error = duration_parse(word, row->minimum, row->maximum, &timeout_ns, failure);
        if (error == 0) {
            error = check_not_repeated(timeouts_ns, *count, timeout_ns, failure);
        }
        if (error != 0) {
            return error;
        }
        timeouts_ns[(*count)++] = timeout_ns;
    }
    return 0;
}

static size_t count_characters(const char *text, char wanted)
{
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == wanted ? 1 : 0;
    }
    return count;
}

int option_set_timeouts(struct options *options, const struct option_row *row, const char *text,
                        struct failure *failure)
{
    size_t count = 0;
    int error = -ENOMEM;
    char *const words = strdup(text);
    int64_t *timeouts_ns = calloc(count_characters(text, ',') + 1, sizeof *timeouts_ns);
    if (words == NULL || timeouts_ns == NULL) {
        goto out;
    }
    error = parse_timeouts(row, words, timeouts_ns, &count, failure);
    if (error == 0) {
        int64_t *const replaced = options->timeouts_ns;
        options->timeouts_ns = timeouts_ns;
        options->timeout_count = count;
        timeouts_ns = replaced;
    }
out:
    free(words);
    free(timeouts_ns);
    return error;
}

char *option_get_timeouts(const struct options *options, const struct option_row *row)
{
    (void)row;
    char *const text = calloc(options->timeout_count + 1, DURATION_TEXT_SIZE);
    if (text == NULL) {
        return NULL;
    }
    char *end = text;
    for (size_t i = 0; i < options->timeout_count; i++) {
        char duration[DURATION_TEXT_SIZE] = "";
        if (i > 0) {
            *end++ = ',';
        }
        end = stpcpy(end, duration_format(options->timeouts_ns[i], duration));
    }
    return text;
}

void option_outputs_clear(struct options *options)
{
    for (size_t i = 0; i < options->output_count; i++) {
        free(options->outputs[i].format);
        free(options->outputs[i].file);
    }
    free(options->outputs);
    options->outputs = NULL;
    options->output_count = 0;
}

/* "FORMAT", "FORMAT:FILE"; the file "-" is standard output, as without one. */
static int add_output(struct options *options, const char *word, struct failure *failure)
{
    const size_t format_length = strcspn(word, ":");
    const char *const file = word[format_length] == ':' ? word + format_length + 1 : NULL;
    if (format_length == 0) {
        return failure_set(failure, "options", 0, "the format is missing; give FORMAT or FORMAT:FILE");
    }
    if (file != NULL && file[0] == '\0') {
        return failure_set(failure, "options", 0, "the file is missing after \"%.60s\"", word);
    }
    struct output_request *const grown = reallocarray(options->outputs, options->output_count + 1,
                                                      sizeof *grown);
    if (grown == NULL) {
        return -ENOMEM;
    }
    options->outputs = grown;
    struct output_request *const request = &grown[options->output_count];
    *request = (struct output_request){.format = strndup(word, format_length)};
    if (request->format == NULL) {
        return -ENOMEM;
    }
    options->output_count++;
    if (file != NULL && strcmp(file, "-") != 0) {
        request->file = strdup(file);
        return request->file == NULL ? -ENOMEM : 0;
    }
    return 0;
}

/* Adds to what is there. Newlines part several requests: that is how the getter writes them. */
int option_set_outputs(struct options *options, const struct option_row *row, const char *text,
                       struct failure *failure)
{
    (void)row;
    char *const words = strdup(text);
    if (words == NULL) {
        return -ENOMEM;
    }
    int error = 0;
    char *rest = words;
    for (const char *word = strsep(&rest, "\n"); word != NULL && error == 0;
         word = strsep(&rest, "\n")) {
        error = add_output(options, word, failure);
    }
    free(words);
    return error;
}

char *option_get_outputs(const struct options *options, const struct option_row *row)
{
    (void)row;
    size_t size = 1;
    for (size_t i = 0; i < options->output_count; i++) {
        const struct output_request *const request = &options->outputs[i];
        size += strlen(request->format) + (request->file == NULL ? 0 : strlen(request->file)) + 2;
    }
    char *const text = calloc(size, 1);
    if (text == NULL) {
        return NULL;
    }
    char *end = text;
    for (size_t i = 0; i < options->output_count; i++) {
        if (i > 0) {
            *end++ = '\n';
        }
        end = stpcpy(end, options->outputs[i].format);
        if (options->outputs[i].file != NULL) {
            *end++ = ':';
            end = stpcpy(end, options->outputs[i].file);
        }
    }
    return text;
}

/* Bits of an unsigned field, in the order of the row's choices; its default text is none of them. */
static int set_words(struct options *options, const struct option_row *row, const char *what,
                     const char *text, struct failure *failure)
{
    unsigned *field = (unsigned *)(void *)((char *)options + row->offset);
    unsigned bits = 0;
    if (strcmp(text, row->default_text) == 0) {
        *field = 0;
        return 0;
    }
    char *const words = strdup(text);
    if (words == NULL) {
        return -ENOMEM;
    }
    int error = 0;
    char *rest = words;
    for (const char *word = strsep(&rest, ","); word != NULL && error == 0; word = strsep(&rest, ",")) {
        size_t position = 0;
        while (row->choices[position] != NULL && strcmp(word, row->choices[position]) != 0) {
            position++;
        }
        if (row->choices[position] != NULL) {
            bits |= 1U << position;
        } else {
            error = option_fail_unknown(what, word, row->choices, position, failure);
        }
    }
    free(words);
    if (error == 0) {
        *field = bits;
    }
    return error;
}

int option_set_fail_on(struct options *options, const struct option_row *row, const char *text,
                       struct failure *failure)
{
    return set_words(options, row, "something to fail on", text, failure);
}

int option_set_pins(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure)
{
    return set_words(options, row, "something to pin to", text, failure);
}

char *option_get_words(const struct options *options, const struct option_row *row)
{
    const unsigned bits = *(const unsigned *)(const void *)((const char *)options + row->offset);
    char text[128] = "";
    for (size_t i = 0; row->choices[i] != NULL; i++) {
        const size_t length = strlen(text);
        if ((bits & (1U << i)) != 0) {
            (void)snprintf(text + length, sizeof text - length, "%s%s", length > 0 ? "," : "",
                           row->choices[i]);
        }
    }
    return strdup(text[0] != '\0' ? text : row->default_text);
}
