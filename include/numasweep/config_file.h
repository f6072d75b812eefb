/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configuration files and installed profiles (src/platform, inih). */
#ifndef NUMASWEEP_CONFIG_FILE_H
#define NUMASWEEP_CONFIG_FILE_H

#include "numasweep/options.h"

/* An options_load_file: `kind` "config" reads the file `name`; "profile" looks for NAME.conf in
 * $NUMASWEEP_CONFIG_DIR, then the source tree's configs/ when run from a build tree, then the installed
 * folder. An unknown profile is -EINVAL and the failure names the nearest and all that there are. Bad
 * keys and values are -EINVAL with file and line. `context` is not used. */
int config_file_load(const char *kind, const char *name, struct options *options, void *context,
                     struct failure *failure);

#endif
