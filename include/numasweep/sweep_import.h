/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples that another tool took become a sweep. Pure. */
#ifndef NUMASWEEP_SWEEP_IMPORT_H
#define NUMASWEEP_SWEEP_IMPORT_H

#include "numasweep/failure.h"
#include "numasweep/sample_csv.h"
#include "numasweep/sweep.h"

/* `sweep` has its options, its topology, its start and imported_from, and neither plan nor visits. The
 * options become those that would have planned these samples: their CPUs, nodes, rounds and timeout.
 * Samples of one round, CPU and node are one visit, in the order of the file; `table` is sorted by that.
 * -EINVAL with the failure filled ("line 3: ..."), -ENOMEM. */
int sweep_import(struct sweep *sweep, struct sample_table *table, struct failure *failure);

#endif
