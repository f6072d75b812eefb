/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Life cycle of the options, and setting them by name. */
#include "options_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct option_row *options_find(const char *name)
{
    size_t count = 0;
    const struct option_row *const rows = options_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

bool option_is_recorded_by(const struct option_row *row, enum option_command command)
{
    return row->is_config_key && (row->commands & command) != 0 &&
           (row->is_replayed || (row->commands & FOR_REPORT) == 0);
}

bool option_is_recorded(const struct option_row *row)
{
    return option_is_recorded_by(row, FOR_RUN) || option_is_recorded_by(row, FOR_MIGRATIONS);
}

int options_init(struct options *options)
{
    size_t count = 0;
    const struct option_row *const rows = options_table(&count);
    *options = (struct options){.command = FOR_RUN};
    for (size_t i = 0; i < count; i++) {
        if (rows[i].default_text == NULL) {
            continue;
        }
        const int error = rows[i].set(options, &rows[i], rows[i].default_text, NULL);
        if (error != 0) {
            options_destroy(options);
            return error;
        }
    }
    options->policy_is_explicit = false;
    options->priority_is_explicit = false;
    options->nodes_is_explicit = false;
    return 0;
}

static void destroy_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts != NULL && i < count; i++) {
        free(texts[i]);
    }
    free(texts);
}

void options_destroy(struct options *options)
{
    free(options->cpus);
    node_selection_destroy(&options->nodes);
    free(options->kernel);
    free(options->load);
    free(options->timeouts_ns);
    free(options->topology);
    option_outputs_clear(options);
    option_limits_clear(options);
    free(options->save);
    free(options->columns);
    destroy_texts(options->arguments, options->argument_count);
    destroy_texts(options->set_names, options->set_name_count);
    destroy_texts(options->set_origins, options->set_name_count);
    *options = (struct options){0};
}

static int copy_text(char **destination, const char *source)
{
    if (source == NULL) {
        return 0;
    }
    *destination = strdup(source);
    return *destination == NULL ? -ENOMEM : 0;
}

static int copy_texts(char ***destination, char *const *source, size_t count)
{
    *destination = calloc(count + 1, sizeof **destination);
    int error = *destination == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        error = copy_text(&(*destination)[i], source[i]);
    }
    return error;
}

static int copy_outputs(struct options *destination, const struct options *source)
{
    destination->outputs = calloc(source->output_count + 1, sizeof *destination->outputs);
    if (destination->outputs == NULL) {
        return -ENOMEM;
    }
    destination->output_count = source->output_count;
    int error = 0;
    for (size_t i = 0; i < source->output_count && error == 0; i++) {
        error = copy_text(&destination->outputs[i].format, source->outputs[i].format);
        if (error == 0) {
            error = copy_text(&destination->outputs[i].file, source->outputs[i].file);
        }
    }
    return error;
}

static int copy_timeouts(struct options *destination, const struct options *source)
{
    destination->timeouts_ns = calloc(source->timeout_count + 1, sizeof *destination->timeouts_ns);
    if (destination->timeouts_ns == NULL) {
        return -ENOMEM;
    }
    if (source->timeout_count > 0) {
        memcpy(destination->timeouts_ns, source->timeouts_ns,
               source->timeout_count * sizeof *destination->timeouts_ns);
    }
    destination->timeout_count = source->timeout_count;
    return 0;
}

/* Everything that the source points to is the source's own. */
static void forget_pointers(struct options *options)
{
    options->cpus = NULL;
    options->nodes.nodes = (struct id_list){0};
    options->kernel = NULL;
    options->load = NULL;
    options->timeouts_ns = NULL;
    options->timeout_count = 0;
    options->topology = NULL;
    options->outputs = NULL;
    options->output_count = 0;
    options->save = NULL;
    options->limits = (struct limit_list){0};
    options->columns = NULL;
    options->arguments = NULL;
    options->set_names = NULL;
    options->set_origins = NULL;
}

int options_copy(struct options *destination, const struct options *source)
{
    *destination = *source;
    forget_pointers(destination);
    if (copy_text(&destination->cpus, source->cpus) != 0 ||
        id_list_copy(&destination->nodes.nodes, &source->nodes.nodes) != 0 ||
        copy_text(&destination->kernel, source->kernel) != 0 ||
        copy_text(&destination->load, source->load) != 0 || copy_timeouts(destination, source) != 0 ||
        copy_text(&destination->topology, source->topology) != 0 ||
        copy_outputs(destination, source) != 0 ||
        limit_list_copy(&destination->limits, &source->limits) != 0 ||
        copy_text(&destination->save, source->save) != 0 ||
        copy_text(&destination->columns, source->columns) != 0 ||
        copy_texts(&destination->arguments, source->arguments, source->argument_count) != 0 ||
        copy_texts(&destination->set_names, source->set_names, source->set_name_count) != 0 ||
        copy_texts(&destination->set_origins, source->set_origins, source->set_name_count) != 0) {
        options_destroy(destination);
        return -ENOMEM;
    }
    return 0;
}

static const char *origin_of(const struct options *options, const char *name)
{
    for (size_t i = 0; i < options->set_name_count; i++) {
        if (strcmp(options->set_names[i], name) == 0) {
            return options->set_origins[i];
        }
    }
    return NULL;
}

bool options_was_set(const struct options *options, const char *name)
{
    return origin_of(options, name) != NULL;
}

bool option_is_from_command_line(const struct options *options, const char *name)
{
    const char *const origin = origin_of(options, name);
    return origin != NULL && origin[0] == '\0';
}

static int append_name(struct options *options, const char *name, char *origin)
{
    const size_t count = options->set_name_count;
    char **const names = reallocarray(options->set_names, count + 1, sizeof *names);
    if (names == NULL) {
        return -ENOMEM;
    }
    options->set_names = names;
    char **const origins = reallocarray(options->set_origins, count + 1, sizeof *origins);
    if (origins == NULL) {
        return -ENOMEM;
    }
    options->set_origins = origins;
    names[count] = strdup(name);
    if (names[count] == NULL) {
        return -ENOMEM;
    }
    origins[count] = origin;
    options->set_name_count++;
    return 0;
}

/* Takes note that `name` was set by `origin`: a file's name, or "" for the command line. */
static int note_set(struct options *options, const char *name, const char *origin, size_t origin_length)
{
    char *const copy = strndup(origin, origin_length);
    if (copy == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < options->set_name_count; i++) {
        if (strcmp(options->set_names[i], name) == 0) {
            free(options->set_origins[i]);
            options->set_origins[i] = copy;
            return 0;
        }
    }
    const int error = append_name(options, name, copy);
    if (error != 0) {
        free(copy);
    }
    return error;
}

/* A message is one line, whatever the value holds. */
static void replace_control_characters(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20U || *text == 0x7f) {
            *text = '?';
        }
    }
}

/* "--timeout" names the option already; "quick.conf:12" does not. */
static int fail_with_origin(const char *origin, bool names_option, const char *name,
                            const struct failure *why, struct failure *failure)
{
    failure_set(failure, "options", 0, "%s%s%s: %s", origin, names_option ? "" : ": ",
                names_option ? "" : name, why->text);
    if (failure != NULL) {
        replace_control_characters(failure->text);
    }
    return -EINVAL;
}

static int set_row(struct options *options, const struct option_row *row, const char *text,
                   const char *origin, size_t origin_length, struct failure *why)
{
    const char *const earlier = origin_of(options, row->name);
    const bool has_same_origin = earlier != NULL && strlen(earlier) == origin_length &&
                                 strncmp(earlier, origin, origin_length) == 0;
    if (row->clear != NULL && !has_same_origin) {
        row->clear(options);
    }
    const int error = row->set(options, row, text, why);
    return error != 0 ? error : note_set(options, row->name, origin, origin_length);
}

int options_set(struct options *options, const char *name, const char *text, const char *origin,
                struct failure *failure)
{
    const struct option_row *const row = options_find(name);
    struct failure why = {0};
    if (row == NULL) {
        return failure_set(failure, "options", 0, "%s: there is no option \"%.60s\"", origin, name);
    }
    const int error = set_row(options, row, text, "", 0, &why);
    if (error == 0 || error == -ENOMEM) {
        return error;
    }
    return fail_with_origin(origin, origin[0] == '-', name, &why, failure);
}

static int fail_unknown_key(const char *key, const char *origin, struct failure *failure)
{
    size_t row_count = 0;
    size_t key_count = 0;
    const struct option_row *const rows = options_table(&row_count);
    const char **const keys = calloc(row_count, sizeof *keys);
    if (keys == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < row_count; i++) {
        if (rows[i].is_config_key) {
            keys[key_count++] = rows[i].name;
        }
    }
    const char *const nearest = options_nearest(key, keys, key_count);
    failure_set(failure, "options", 0, "%s: unknown key \"%.60s\"%s%s%s", origin, key,
                nearest == NULL ? "; the keys are the long options of \"numasweep --help\""
                                : "; did you mean \"",
                nearest == NULL ? "" : nearest, nearest == NULL ? "" : "\"?");
    free(keys);
    if (failure != NULL) {
        replace_control_characters(failure->text);
    }
    return -EINVAL;
}

/* A bad value is an error even where it is not used. */
static int check_value(const struct option_row *row, const char *text, struct failure *why)
{
    struct options scratch = {0};
    const int error = row->set(&scratch, row, text, why);
    options_destroy(&scratch);
    return error;
}

int options_set_from_file(struct options *options, const char *key, const char *value,
                          const char *origin, struct failure *failure)
{
    const struct option_row *const row = options_find(key);
    if (row == NULL) {
        return fail_unknown_key(key, origin, failure);
    }
    if (!row->is_config_key) {
        return failure_set(failure, "options", 0, "%s: %s can be given on the command line only", origin,
                           key);
    }
    const char *const colon = strrchr(origin, ':');
    const size_t file_length = colon == NULL ? strlen(origin) : (size_t)(colon - origin);
    struct failure why = {0};
    int error = 0;
    if (option_is_from_command_line(options, key) || (row->commands & options->command) == 0) {
        error = check_value(row, value, &why);
    } else {
        error = set_row(options, row, value, origin, file_length, &why);
    }
    if (error == 0 || error == -ENOMEM) {
        return error;
    }
    return fail_with_origin(origin, false, key, &why, failure);
}
