/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an output may use, by options, stream and environment. */
#ifndef NUMASWEEP_OUTPUTS_OUTPUT_SETTINGS_H
#define NUMASWEEP_OUTPUTS_OUTPUT_SETTINGS_H

#include "numasweep/options.h"
#include "numasweep/output.h"

/* Borrows options->columns. `fd` is that of the stream. */
struct output_settings output_settings_make(const struct options *options, int fd);

#endif
