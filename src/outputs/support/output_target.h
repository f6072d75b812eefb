/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where one output goes: standard output, a special file, or a regular file that is replaced as a whole.
 */
#ifndef NUMASWEEP_OUTPUTS_OUTPUT_TARGET_H
#define NUMASWEEP_OUTPUTS_OUTPUT_TARGET_H

#include "descriptor_stream.h"
#include "numasweep/failure.h"

#include <stdio.h>

enum target_type { TARGET_STANDARD_OUTPUT, TARGET_SPECIAL, TARGET_REGULAR };

struct output_target {
    enum target_type type;
    const char *name;                /* as the user gave it, for messages; borrowed */
    char *final_path;                /* links resolved; NULL for standard output */
    char *part_path;                 /* beside it, while it is being written */
    struct descriptor_stream output; /* open: has a stream */
};

/* NULL, "-" and /dev/stdout are standard output. -EINVAL with the failure filled where the file can
 * never be written: no such folder, a folder itself, no right. Nothing is opened or made. */
int output_target_find(const char *name, struct output_target *target, struct failure *failure);

int output_target_open(struct output_target *target, struct failure *failure);

/* Writes out what is buffered, closes (not standard output) and renames. On an error nothing is left. */
int output_target_finish(struct output_target *target, struct failure *failure);

/* Accepts a zeroed struct. What was not finished is removed. */
void output_target_destroy(struct output_target *target);

#endif
