/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done with a sweep that was read, not measured. */
#ifndef NUMASWEEP_COMMAND_RESULTS_H
#define NUMASWEEP_COMMAND_RESULTS_H

#include "numasweep/failure.h"
#include "numasweep/options.h"
#include "numasweep/sweep.h"

/* To options->save, as one result file. */
int command_save_sweep(const struct options *options, const struct sweep *sweep,
                       struct failure *failure);

/* Warnings, verdict, limits and outputs. Returns the exit status. */
int command_show_sweep(const struct options *options, struct sweep *sweep, struct failure *failure);

#endif
