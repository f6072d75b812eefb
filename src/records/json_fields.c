/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_fields.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int json_field_refuse(const char *key, const char *what, struct failure *failure)
{
    return failure_set(failure, "record", 0, "its member \"%s\" %s", key, what);
}

int json_field_int64(const json_t *object, const char *key, int64_t minimum, int64_t maximum,
                     int64_t *value, struct failure *failure)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_integer(member)) {
        return json_field_refuse(key, member == NULL ? "is missing" : "is no whole number", failure);
    }
    const json_int_t number = json_integer_value(member);
    if (number < minimum || number > maximum) {
        return json_field_refuse(key, "is out of range", failure);
    }
    *value = number;
    return 0;
}

int json_field_int(const json_t *object, const char *key, int minimum, int maximum, int *value,
                   struct failure *failure)
{
    int64_t wide = 0;
    const int error = json_field_int64(object, key, minimum, maximum, &wide, failure);
    if (error == 0) {
        *value = (int)wide;
    }
    return error;
}

int json_field_int_or_null(const json_t *object, const char *key, int none, int *value,
                           struct failure *failure)
{
    if (json_is_null(json_object_get(object, key))) {
        *value = none;
        return 0;
    }
    return json_field_int(object, key, 0, INT_MAX, value, failure);
}

int json_field_bool(const json_t *object, const char *key, bool *value, struct failure *failure)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_boolean(member)) {
        return json_field_refuse(key, member == NULL ? "is missing" : "is neither true nor false",
                                 failure);
    }
    *value = json_is_true(member);
    return 0;
}

int json_field_text(const json_t *object, const char *key, const char **value, struct failure *failure)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_string(member)) {
        return json_field_refuse(key, member == NULL ? "is missing" : "is no text", failure);
    }
    *value = json_string_value(member);
    return 0;
}

int json_field_text_copy(const json_t *object, const char *key, char **value, struct failure *failure)
{
    const char *text = "";
    if (json_is_null(json_object_get(object, key))) {
        *value = NULL;
        return 0;
    }
    const int error = json_field_text(object, key, &text, failure);
    if (error != 0) {
        return error;
    }
    *value = strdup(text);
    return *value == NULL ? -ENOMEM : 0;
}

int json_field_ids(const json_t *object, const char *key, struct id_list *list, struct failure *failure)
{
    const char *text = NULL;
    int error = json_field_text(object, key, &text, failure);
    if (error == 0) {
        error = id_list_parse_kernel(text, list, NULL);
        if (error == -EINVAL) {
            return json_field_refuse(key, "is no list of numbers", failure);
        }
    }
    return error;
}

int json_field_array(const json_t *object, const char *key, const json_t **array,
                     struct failure *failure)
{
    *array = json_object_get(object, key);
    if (!json_is_array(*array)) {
        return json_field_refuse(key, *array == NULL ? "is missing" : "is no array", failure);
    }
    return 0;
}

int json_field_object(const json_t *object, const char *key, json_t **value, struct failure *failure)
{
    *value = json_object_get(object, key);
    if (!json_is_object(*value)) {
        return json_field_refuse(key, *value == NULL ? "is missing" : "is no object", failure);
    }
    return 0;
}

json_t *json_from_ids(const struct id_list *list)
{
    char *text = id_list_format(list);
    json_t *value = text != NULL ? json_string(text) : NULL;
    free(text);
    return value;
}

json_t *json_from_text(const char *text)
{
    if (text == NULL) {
        return json_null();
    }
    json_t *value = json_string(text);
    if (value != NULL) {
        return value;
    }
    char *plain = strdup(text);
    for (char *byte = plain; byte != NULL && *byte != '\0'; byte++) {
        if ((unsigned char)*byte >= 0x80) {
            *byte = '?';
        }
    }
    value = plain != NULL ? json_string(plain) : NULL;
    free(plain);
    return value;
}

json_t *json_from_number_or_null(int number, int none)
{
    return number == none ? json_null() : json_integer(number);
}
