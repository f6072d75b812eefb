/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NUMASWEEP_COMMAND_SEED_H
#define NUMASWEEP_COMMAND_SEED_H

#include "numasweep/failure.h"
#include "numasweep/options.h"

/* Draws a seed from the operating system where none was given, so that it can be printed and saved. */
int command_choose_seed(struct options *options, struct failure *failure);

#endif
