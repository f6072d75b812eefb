/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NUMASWEEP_OUTPUTS_COMPARE_NAMES_H
#define NUMASWEEP_OUTPUTS_COMPARE_NAMES_H

#include "numasweep/comparison.h"
#include "numasweep/options.h"

/* "machine", "node", "cell" */
const char *comparison_scope_name(enum comparison_scope scope);
/* "wake" or "touch" */
const char *comparison_figure_name(enum analysis_figure figure);
/* Over all cells of a report's first table; NAN: none. */
double comparison_run_value(const struct report *report, bool is_touch, enum metric metric);

#endif
