/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of /proc, /sys and cgroups: whole, small, and never kept open. */
#ifndef NUMASWEEP_SMALL_FILE_H
#define NUMASWEEP_SMALL_FILE_H

#include <stddef.h>

/* At most size - 1 bytes, and a zero. 0 or a negative errno. */
int small_file_read(const char *path, char *text, size_t size);
/* The whole text with one write(2). 0 or a negative errno. */
int small_file_write(const char *path, const char *text);

#endif
