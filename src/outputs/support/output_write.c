/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/output.h"

#include "numasweep/columns.h"
#include "output_settings.h"
#include "output_target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct output_format *output_format_find(const char *name)
{
    for (size_t i = 0; output_formats[i] != NULL; i++) {
        if (strcmp(output_formats[i]->name, name) == 0) {
            return output_formats[i];
        }
    }
    return NULL;
}

static int refuse_format(const char *name, struct failure *failure)
{
    const char *names[32] = {NULL};
    char all[200] = "";
    size_t count = 0;
    for (; count < sizeof names / sizeof names[0] && output_formats[count] != NULL; count++) {
        names[count] = output_formats[count]->name;
        const size_t length = strlen(all);
        (void)snprintf(all + length, sizeof all - length, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    const char *nearest = options_nearest(name, names, count);
    if (nearest != NULL) {
        return failure_set(failure, "output", EINVAL,
                           "--output: unknown format '%.60s': did you mean '%s'? There are: %s", name,
                           nearest, all);
    }
    return failure_set(failure, "output", EINVAL, "--output: unknown format '%.60s'. There are: %s",
                       name, all);
}

static int print_one(const struct options *options, const struct output_format *format,
                     struct output_target *target, output_print print, void *context,
                     struct failure *failure)
{
    int error = output_target_open(target, failure);
    if (error != 0) {
        return error;
    }
    const struct output_settings settings = output_settings_make(options, target->output.fd);
    error = print(format, &settings, target->output.stream, context, failure);
    /* What the stream refused is told by finishing, with its errno. */
    if (error != 0 && ferror(target->output.stream) == 0) {
        return error;
    }
    const int finish_error = output_target_finish(target, failure);
    return finish_error != 0 ? finish_error : error;
}

static int write_request(const struct options *options, const struct output_request *request,
                         output_print print, void *context, struct failure *failure)
{
    struct output_target target = {0};
    const struct output_format *format = output_format_find(request->format);
    if (format == NULL) {
        return refuse_format(request->format, failure);
    }
    int error = output_target_find(request->file, &target, failure);
    if (error == 0) {
        error = print_one(options, format, &target, print, context, failure);
    }
    output_target_destroy(&target);
    return error;
}

/* A sweep may have taken hours: one output that fails must not cost the others. */
int output_write_all(const struct options *options, output_print print, void *context,
                     struct failure *failure)
{
    int first_error = 0;
    for (size_t i = 0; i < options->output_count; i++) {
        const int error = write_request(options, &options->outputs[i], print, context,
                                        first_error == 0 ? failure : NULL);
        first_error = first_error != 0 ? first_error : error;
    }
    return first_error;
}

static bool can_show(const struct output_format *format, enum option_command command)
{
    switch (command) {
    case FOR_PLAN:
        return format->print_plan != NULL;
    case FOR_TOPOLOGY:
        return format->print_topology != NULL;
    case FOR_CHECK:
        return format->print_environment != NULL;
    case FOR_COMPARE:
        return format->print_comparison != NULL && format->print_groups != NULL;
    case FOR_MIGRATIONS:
        return format->print_migrations != NULL;
    default:
        return format->print_report != NULL;
    }
}

static int check_columns(const struct options *options, struct failure *failure)
{
    enum column_view view = COLUMN_VIEW_REPORT;
    size_t *positions = NULL;
    size_t count = 0;
    if (options->columns == NULL || options->command == FOR_CHECK) {
        return 0;
    }
    if (options->command == FOR_PLAN) {
        view = COLUMN_VIEW_PLAN;
    } else if (options->command == FOR_TOPOLOGY) {
        view = COLUMN_VIEW_TOPOLOGY;
    }
    const int error = columns_resolve(view, options->columns, &positions, &count, failure);
    free(positions);
    return error;
}

static int check_format(const struct output_request *request, enum option_command command,
                        struct failure *failure)
{
    const struct output_format *format = output_format_find(request->format);
    if (format == NULL) {
        return refuse_format(request->format, failure);
    }
    if (!can_show(format, command)) {
        return failure_set(failure, "output", EINVAL,
                           "--output: the format '%s' cannot show this: use 'table' or 'json'",
                           request->format);
    }
    return 0;
}

static bool is_same_file(const struct output_target *a, const struct output_target *b)
{
    return a->type == TARGET_REGULAR && b->type == TARGET_REGULAR &&
           strcmp(a->final_path, b->final_path) == 0;
}

static bool is_file_of(const struct output_target *target, const char *path)
{
    struct output_target other = {0};
    const bool is_same = path != NULL && output_target_find(path, &other, NULL) == 0 &&
                         is_same_file(&other, target);
    output_target_destroy(&other);
    return is_same;
}

/* An output replaces the file of its name: never what is saved to, nor what is read. */
static int check_others(const struct options *options, const char *name,
                        const struct output_target *target, struct failure *failure)
{
    if (is_file_of(target, options->save)) {
        return failure_set(failure, "output", EINVAL,
                           "--output: the file '%.200s' is also that of --save: give each a file of its "
                           "own",
                           name);
    }
    bool is_input = strcmp(options->topology, "this") != 0 && is_file_of(target, options->topology);
    for (size_t i = 0; i < options->argument_count; i++) {
        is_input = is_input || is_file_of(target, options->arguments[i]);
    }
    return !is_input ? 0
                     : failure_set(failure, "output", EINVAL,
                                   "--output: the file '%.200s' is also read from, and would be "
                                   "overwritten: name another",
                                   name);
}

static int check_distinct(const struct options *options, const struct output_target *targets,
                          size_t count, struct failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        if (targets[i].type == TARGET_STANDARD_OUTPUT && targets[count].type == TARGET_STANDARD_OUTPUT) {
            return failure_set(
                failure, "output", EINVAL,
                "--output: %s and %s would both go to standard output: give one a file, as in "
                "%s:FILE",
                options->outputs[i].format, options->outputs[count].format,
                options->outputs[count].format);
        }
        if (is_same_file(&targets[i], &targets[count])) {
            return failure_set(
                failure, "output", EINVAL,
                "--output: the file '%.200s' is named twice (also as '%.100s'): give each "
                "output a file of its own",
                options->outputs[count].file, options->outputs[i].file);
        }
    }
    return check_others(options, options->outputs[count].file, &targets[count], failure);
}

int output_check_requests(const struct options *options, struct failure *failure)
{
    int error = check_columns(options, failure);
    if (error != 0) {
        return error;
    }
    struct output_target *targets = calloc(options->output_count + 1, sizeof *targets);
    if (targets == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; error == 0 && i < options->output_count; i++) {
        error = check_format(&options->outputs[i], options->command, failure);
        if (error == 0) {
            error = output_target_find(options->outputs[i].file, &targets[i], failure);
        }
        if (error == 0) {
            error = check_distinct(options, targets, i, failure);
        }
    }
    for (size_t i = 0; i < options->output_count; i++) {
        output_target_destroy(&targets[i]);
    }
    free(targets);
    return error;
}
