/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that share one reason, named in one line each: "CPU 64-127: not selected". */
#ifndef NUMASWEEP_OUTPUTS_OMITTED_H
#define NUMASWEEP_OUTPUTS_OMITTED_H

#include "numasweep/output.h"
#include "numasweep/plan.h"

#include <stddef.h>
#include <stdio.h>

struct omitted_group {
    char *reason;
    struct id_list cpus; /* of rows that are one CPU */
    char *labels;        /* of wider rows, joined by commas; NULL: none */
};

struct omitted {
    struct omitted_group *groups;
    size_t count;
    int error; /* the first one, kept */
};

void omitted_add(struct omitted *omitted, const struct plan_row *row, const char *reason);
/* 0, the kept error, or -ENOMEM. */
int omitted_print(const struct omitted *omitted, const struct output_settings *settings, FILE *stream);
void omitted_destroy(struct omitted *omitted); /* accepts a zeroed struct */

/* Whether a row that is not measured needs no line of its own in a table: nobody asked for it, and at
 * least a few neighbours have the same reason, or an explicit list left it out. */
bool row_is_collapsed(const struct plan *plan, size_t row);

#endif
