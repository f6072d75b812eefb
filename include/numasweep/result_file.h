/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result file on disk: appended and flushed line by line, read tolerantly (src/platform). */
#ifndef NUMASWEEP_RESULT_FILE_H
#define NUMASWEEP_RESULT_FILE_H

#include "numasweep/failure.h"
#include "numasweep/sweep.h"

struct result_file {
    int fd; /* -1: none */
    char *name;
    int64_t whole_bytes; /* of the lines that were written whole */
};

/* Creates `name`, or takes an empty regular file. An existing file that holds anything is never
 * overwritten nor appended to: -EEXIST, and the text says whether it is a result file (then `report` and
 * a new name are named) or not ours. A name that will not do is -EINVAL (status 2); want of descriptors,
 * memory or space, and a failing device, are their own -errno (status 5). Two processes never share one
 * (O_EXCL or a lock). */
int result_file_create(const char *name, struct result_file *file, struct failure *failure);

/* Writes a line and its newline with one write(2) where the system takes it whole, the rest after.
 * A write that fails is an error with the file's name; a line of which a part was written is taken back
 * from a regular file, so that what was written before stays readable. */
int result_file_append(struct result_file *file, const char *line, struct failure *failure);

/* fsync where the file allows it, close, both checked. */
int result_file_close(struct result_file *file, struct failure *failure);

/* Reads a whole result file into a fresh sweep. A missing end record or a cut last line is accepted and
 * noted in the sweep (has_ended, is_cut, a warning); anything else malformed is -EINVAL with file and
 * line.
 * "-" is standard input. */
int result_file_read(const char *name, struct sweep *sweep, struct failure *failure);

#endif
