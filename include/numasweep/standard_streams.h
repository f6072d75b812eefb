/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors 0 to 2 and the signals of writing (src/platform). */
#ifndef NUMASWEEP_STANDARD_STREAMS_H
#define NUMASWEEP_STANDARD_STREAMS_H

/*
 * To be called first of all. A descriptor that was closed at the start would be given to the next file
 * that is opened, and messages would go into it: so each is opened. Standard output that was closed
 * takes no bytes, so that writing to it fails and is noticed; standard error that was closed swallows
 * them. A closed pipe and a file-size limit become errors of write(2) (SIGPIPE and SIGXFSZ are ignored).
 * 0 or a negative errno.
 */
int standard_streams_guard(void);

#endif
