/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_fields.h"
#include "record_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

json_t *record_options_encode(const struct options *options)
{
    size_t count = 0;
    const struct option_row *rows = options_table(&count);
    const enum option_command command = options->command == FOR_MIGRATIONS ? FOR_MIGRATIONS : FOR_RUN;
    json_t *object = json_object();
    for (size_t i = 0; i < count && object != NULL; i++) {
        if (!option_is_recorded_by(&rows[i], command)) {
            continue;
        }
        char *text = rows[i].get(options, &rows[i]);
        if (text == NULL || json_object_set_new(object, rows[i].name, json_from_text(text)) != 0) {
            json_decref(object);
            object = NULL;
        }
        free(text);
    }
    return object;
}

/* Whether the sweep had asked for it decides what a refusal means. */
json_t *record_explicit_options_encode(const struct options *options)
{
    return json_pack("{s:b, s:b, s:b}", "policy", options->policy_is_explicit, "priority",
                     options->priority_is_explicit, "nodes", options->nodes_is_explicit);
}

static int set_option(const char *name, const json_t *value, struct options *options,
                      struct failure *failure)
{
    const struct option_row *row = options_find(name);
    const char *text = json_string_value(value);
    /* Options of a later version of the same schema are its own business. */
    if (row == NULL) {
        return 0;
    }
    if (text == NULL || !option_is_recorded(row)) {
        return json_field_refuse(name, "is no option of a sweep, or no text", failure);
    }
    return options_set(options, name, text, "options", failure);
}

static int decode_explicit(const json_t *header, struct options *options, struct failure *failure)
{
    json_t *object = NULL;
    int error = json_field_object(header, "explicit_options", &object, failure);
    if (error == 0) {
        error = json_field_bool(object, "policy", &options->policy_is_explicit, failure);
    }
    if (error == 0) {
        error = json_field_bool(object, "priority", &options->priority_is_explicit, failure);
    }
    if (error == 0) {
        error = json_field_bool(object, "nodes", &options->nodes_is_explicit, failure);
    }
    return error;
}

int record_options_decode(const json_t *header, struct options *options, struct failure *failure)
{
    json_t *object = NULL;
    const char *name = NULL;
    json_t *value = NULL;
    int error = json_field_object(header, "options", &object, failure);
    if (error == 0) {
        error = options_init(options);
    }
    if (error == 0) {
        json_object_foreach(object, name, value)
        {
            error = set_option(name, value, options, failure);
            if (error != 0) {
                return error;
            }
        }
        error = decode_explicit(header, options, failure);
    }
    return error;
}
