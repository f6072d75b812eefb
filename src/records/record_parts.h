/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of records, private to src/records. Encoders return NULL when memory ran out. */
#ifndef NUMASWEEP_RECORD_PARTS_H
#define NUMASWEEP_RECORD_PARTS_H

#include "numasweep/failure.h"
#include "numasweep/sweep.h"

#include <jansson.h>

json_t *record_topology_encode(const struct topology *topology);
int record_topology_decode(const json_t *object, struct topology *topology, struct failure *failure);

json_t *record_environment_encode(const struct environment *environment);
int record_environment_decode(const json_t *array, struct environment *environment,
                              struct failure *failure);

json_t *record_options_encode(const struct options *options);
json_t *record_explicit_options_encode(const struct options *options);
int record_options_decode(const json_t *header, struct options *options, struct failure *failure);

json_t *record_placement_encode(const struct placement *placement);
int record_placement_decode(const json_t *object, struct placement *placement, struct failure *failure);

int record_visit_decode(const json_t *object, struct sweep *sweep, struct failure *failure);

/* A whole record as one line; takes the reference. */
char *record_line(json_t *record);

int record_migrations_decode(const json_t *object, struct sweep *sweep, struct failure *failure);

#endif
