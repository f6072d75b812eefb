/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several sub-commands refuse, or print, in the same way. */
#ifndef NUMASWEEP_COMMAND_CHECKS_H
#define NUMASWEEP_COMMAND_CHECKS_H

#include "numasweep/columns.h"
#include "numasweep/failure.h"
#include "numasweep/options.h"
#include "numasweep/output.h"
#include "numasweep/topology.h"

#include <stdio.h>

/* The outputs and columns that were asked for; -EINVAL before anything is looked at or measured. */
int command_check_outputs(const struct options *options, enum column_view view, struct failure *failure);

/* These, and the options and the kernel of a sweep. */
int command_check_sweep(const struct options *options, enum column_view view, struct failure *failure);

/* What ends with status 1: a broken limit too where --fail-on says nothing. */
unsigned command_fail_on(const struct options *options, const struct report *report);

/* An output_print; `context` is a struct report. */
int command_print_report(const struct output_format *format, const struct output_settings *settings,
                         FILE *stream, void *context, struct failure *failure);

/* topology_discover(), and a warning where hwloc had to do without a part of it. */
int command_discover(const char *source, struct topology *topology, struct failure *failure);

#endif
