/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream that remembers why it could not be written: stdio itself forgets the errno of a write that it
 * makes while it is printed to, gives up at an interruption, and tries the rest as if nothing had been.
 */
#ifndef NUMASWEEP_OUTPUTS_DESCRIPTOR_STREAM_H
#define NUMASWEEP_OUTPUTS_DESCRIPTOR_STREAM_H

#include <stdio.h>

struct descriptor_stream {
    int fd;          /* borrowed: the caller closes it, after the stream */
    int errno_value; /* of the first write that was refused; nothing is written after it. 0: none was */
    FILE *stream;    /* closed by the caller; fileno() does not know the descriptor */
};

/* -ENOMEM. `opened` must stay where it is until the stream is closed. */
int descriptor_stream_open(struct descriptor_stream *opened, int fd);

#endif
