/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_parts.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

void json_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) != 0) {
        json_decref(*array);
        *array = NULL;
    }
}

json_t *json_of_text(const char *text)
{
    if (text == NULL) {
        return json_null();
    }
    char *valid = text_valid_utf8(text);
    json_t *value = valid != NULL ? json_string(valid) : NULL;
    free(valid);
    return value;
}

json_t *json_of_id(int number)
{
    return number < 0 ? json_null() : json_integer(number);
}

json_t *json_of_ns(double value_ns)
{
    if (!isfinite(value_ns)) {
        return json_null();
    }
    if (value_ns == floor(value_ns) && fabs(value_ns) < 9e15) {
        return json_integer((json_int_t)value_ns);
    }
    return json_real(value_ns);
}

json_t *json_of_ids(const struct id_list *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++) {
        json_append(&array, json_integer(list->ids[i]));
    }
    return array;
}

json_t *json_of_texts(char *const *texts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_append(&array, json_of_text(texts[i]));
    }
    return array;
}

json_t *json_of_environment(const struct environment *environment)
{
    json_t *array = json_array();
    for (size_t i = 0; i < environment->count; i++) {
        const struct environment_fact *fact = &environment->facts[i];
        json_append(&array,
                    json_pack("{s:o, s:o, s:o, s:s, s:o}", "group", json_of_text(fact->group), "name",
                              json_of_text(fact->name), "value", json_of_text(fact->value), "severity",
                              fact_severity_name(fact->severity), "advice", json_of_text(fact->advice)));
    }
    return array;
}
