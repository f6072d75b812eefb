/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_fields.h"
#include "record_parts.h"

#include <errno.h>
#include <string.h>

json_t *record_environment_encode(const struct environment *environment)
{
    json_t *array = json_array();
    for (size_t i = 0; i < environment->count; i++) {
        const struct environment_fact *fact = &environment->facts[i];
        (void)json_array_append_new(
            array,
            json_pack("{s:o, s:o, s:o, s:s, s:o}", "group", json_from_text(fact->group), "name",
                      json_from_text(fact->name), "value", json_from_text(fact->value), "severity",
                      fact_severity_name(fact->severity), "advice", json_from_text(fact->advice)));
    }
    return array;
}

static int decode_severity(const json_t *object, enum fact_severity *severity, struct failure *failure)
{
    const char *name = NULL;
    const int error = json_field_text(object, "severity", &name, failure);
    for (int i = FACT_INFORMATION; error == 0 && i <= FACT_WARNING; i++) {
        if (strcmp(name, fact_severity_name((enum fact_severity)i)) == 0) {
            *severity = (enum fact_severity)i;
            return 0;
        }
    }
    return error != 0 ? error : json_field_refuse("severity", "is none that there is", failure);
}

static int decode_fact(const json_t *object, struct environment *environment, struct failure *failure)
{
    const char *group = NULL;
    const char *name = NULL;
    const char *value = NULL;
    enum fact_severity severity = FACT_INFORMATION;
    int error = json_field_text(object, "group", &group, failure);
    if (error == 0) {
        error = json_field_text(object, "name", &name, failure);
    }
    if (error == 0) {
        error = json_field_text(object, "value", &value, failure);
    }
    if (error == 0) {
        error = decode_severity(object, &severity, failure);
    }
    if (error != 0) {
        return error;
    }
    return environment_add(environment, group, name, severity,
                           json_string_value(json_object_get(object, "advice")), "%s", value);
}

int record_environment_decode(const json_t *array, struct environment *environment,
                              struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < json_array_size(array) && error == 0; i++) {
        error = decode_fact(json_array_get(array, i), environment, failure);
    }
    return error;
}
