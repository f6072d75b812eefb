/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NUMASWEEP_COMMAND_IDENTIFY_H
#define NUMASWEEP_COMMAND_IDENTIFY_H

#include "numasweep/failure.h"
#include "numasweep/sweep.h"

/* What is known before anything is looked at: version, host, time and command line. */
int command_identify(struct sweep *sweep, int argc, char **argv, struct failure *failure);

#endif
