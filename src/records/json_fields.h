/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading members of JSON objects with type and range checked, private to src/records. Each returns 0 or
 * -EINVAL with a failure that names the member. */
#ifndef NUMASWEEP_JSON_FIELDS_H
#define NUMASWEEP_JSON_FIELDS_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

int json_field_refuse(const char *key, const char *what, struct failure *failure);
int json_field_int64(const json_t *object, const char *key, int64_t minimum, int64_t maximum,
                     int64_t *value, struct failure *failure);
int json_field_int(const json_t *object, const char *key, int minimum, int maximum, int *value,
                   struct failure *failure);
/* null counts as `none`. */
int json_field_int_or_null(const json_t *object, const char *key, int none, int *value,
                           struct failure *failure);
int json_field_bool(const json_t *object, const char *key, bool *value, struct failure *failure);
/* Borrowed from the object. */
int json_field_text(const json_t *object, const char *key, const char **value, struct failure *failure);
/* A copy; -ENOMEM too. null gives NULL. */
int json_field_text_copy(const json_t *object, const char *key, char **value, struct failure *failure);
int json_field_ids(const json_t *object, const char *key, struct id_list *list, struct failure *failure);
int json_field_array(const json_t *object, const char *key, const json_t **array,
                     struct failure *failure);
int json_field_object(const json_t *object, const char *key, json_t **value, struct failure *failure);

/* The list as its kernel text; NULL when memory ran out. */
json_t *json_from_ids(const struct id_list *list);
json_t *
json_from_text(const char *text); /* NULL gives null; bytes that are no UTF-8 are replaced by '?' */
json_t *json_from_number_or_null(int number, int none);

#endif
