/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A CSV file of samples on disk (src/platform). */
#ifndef NUMASWEEP_SAMPLE_FILE_H
#define NUMASWEEP_SAMPLE_FILE_H

#include "numasweep/failure.h"
#include "numasweep/sample_csv.h"

/* Reads the whole file; "-" is standard input. `requested_ns` as for sample_csv_create(). -EINVAL with
 * the line in the failure (the caller names the file), -ENOMEM, -EIO. */
int sample_file_read(const char *name, int64_t requested_ns, struct sample_table *table,
                     struct failure *failure);

#endif
