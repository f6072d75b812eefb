/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the format `json`. Each returns a new reference, or NULL when memory ran out. */
#ifndef NUMASWEEP_OUTPUTS_JSON_PARTS_H
#define NUMASWEEP_OUTPUTS_JSON_PARTS_H

#include "numasweep/comparison.h"
#include "numasweep/environment.h"
#include "numasweep/output.h"
#include "numasweep/plan.h"
#include "numasweep/report.h"
#include "numasweep/topology.h"

#include <jansson.h>

json_t *json_of_text(const char *text);          /* made valid UTF-8; NULL gives null */
json_t *json_of_id(int number);                  /* negative gives null */
json_t *json_of_ns(double value_ns);             /* not finite gives null, a whole number an integer */
json_t *json_of_ids(const struct id_list *list); /* as an array of numbers */
json_t *json_of_texts(char *const *texts, size_t count);

/* Takes `value` over. When memory ran out (`value` or the array is NULL too) the array becomes NULL, so
 * that the document fails as a whole instead of lacking something. */
void json_append(json_t **array, json_t *value);

json_t *json_of_limits(const struct report *report);
json_t *json_of_verdict(const struct report *report); /* null: not judged */
json_t *json_of_size(const struct verdict_size *size);
json_t *json_of_comparison(const struct comparison *comparison);
json_t *json_of_groups(const struct comparison_groups *groups);
json_t *json_of_report(const struct report *report);
json_t *json_of_topology(const struct topology *topology, const struct plan *plan);
json_t *json_of_columns(const struct plan *plan);
json_t *json_of_plan(const struct plan *plan, const struct topology *topology);
json_t *json_of_environment(const struct environment *environment);

json_t *json_of_options(const struct options *options);
json_t *json_of_migrations(const struct migration_report *report);
json_t *json_of_migration_groups(const struct comparison_groups *groups);

#endif
