/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records of a result file, one JSON object a line, both ways (jansson). Pure: texts in and out.
 * Schema "numasweep/1"; a later one is refused by name.
 */
#ifndef NUMASWEEP_RECORD_H
#define NUMASWEEP_RECORD_H

#include "numasweep/failure.h"
#include "numasweep/sweep.h"

#include <stddef.h>

#define RECORD_SCHEMA "numasweep/1"

/* One line without newline; the caller frees; NULL when memory ran out.
 * The header reserves what later records need: "arms" (name, options that differ, load), "columns" (what
 * a column stands for, for this kernel) and "loads". */
char *record_encode_header(const struct sweep *sweep);
char *record_encode_visit(const struct sweep *sweep, const struct visit *visit); /* visit or failure */
char *record_encode_migrations(const struct migration_run *run);
char *record_encode_end(const struct sweep *sweep);

/* Line 1. Fills a fresh sweep, its plan included. -EINVAL: not JSON, not ours, of a later schema,
 * with a text that says which. */
int record_decode_header(const char *line, size_t size, struct sweep *sweep, struct failure *failure);

/* Any later line: a visit or a failure is added, an end record ends the sweep; records of unknown
 * type are passed over. -EINVAL with the failure filled when it is no record or names no cell of the
 * plan. */
int record_decode_line(const char *line, size_t size, struct sweep *sweep, struct failure *failure);

#endif
