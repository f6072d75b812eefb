/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done with migrations, measured or read. */
#ifndef NUMASWEEP_COMMAND_MIGRATIONS_H
#define NUMASWEEP_COMMAND_MIGRATIONS_H

#include "numasweep/comparison.h"
#include "numasweep/failure.h"
#include "numasweep/options.h"
#include "numasweep/sweep.h"

/* The outputs, and the exit status: 4 where a run failed by a breach, or some are missing. */
int command_show_migrations(const struct options *options, const struct sweep *sweep,
                            struct failure *failure);

/* The files' runs, group by group. */
int command_show_migration_groups(const struct options *options, struct comparison_groups *groups,
                                  struct failure *failure);

#endif
