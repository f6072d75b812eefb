/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test point of the format `tap`, and what makes it "not ok". */
#ifndef NUMASWEEP_OUTPUTS_TAP_POINT_H
#define NUMASWEEP_OUTPUTS_TAP_POINT_H

#include "numasweep/report.h"

#include <stddef.h>

struct tap_point {
    const struct report *report;
    const struct report_table *table;
    size_t row;
    const struct report_row *shown;
    const struct report_cell *cells;
    char **problems; /* what makes the point "not ok" */
    size_t problem_count;
};

/* -ENOMEM. */
int tap_point_find_problems(struct tap_point *point);
void tap_point_destroy(struct tap_point *point);

#endif
