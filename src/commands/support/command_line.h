/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NUMASWEEP_COMMAND_LINE_H
#define NUMASWEEP_COMMAND_LINE_H

/* The words of a command line as one text that a shell would split again into the same words. The caller
 * frees; NULL when memory ran out. */
char *command_line_join(int argc, char **argv);

#endif
