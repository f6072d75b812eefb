/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sub-command: one file in src/commands defines one descriptor named `command_<file name>`. */
#ifndef NUMASWEEP_COMMAND_H
#define NUMASWEEP_COMMAND_H

#include "numasweep/failure.h"
#include "numasweep/options.h"

struct command {
    enum option_command command;
    /* Returns the exit status. What went wrong is in `failure` (text "" when there is nothing to say);
     * main prints it. Warnings are printed with command_warn(). */
    int (*run)(const struct options *options, int argc, char **argv, struct failure *failure);
};

extern const struct command *const commands[]; /* ends with NULL; generated */

/* The status for a failure of errno `error` (negative) outside of bad input: 5, or 3 where the machine
 * refuses.
 */
int command_status_of(int error);

/* "numasweep: warning: ..." on stderr. */
void command_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
