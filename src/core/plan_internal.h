/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of plan_create(), between the files of the plan. Each fills its part of a zeroed plan and
 * returns 0 or a negative errno; plan_destroy() frees what a failed step left behind. */
#ifndef NUMASWEEP_PLAN_INTERNAL_H
#define NUMASWEEP_PLAN_INTERNAL_H

#include "numasweep/plan.h"

/* The number of the CPU's object at a level: a core, L3, node or package, the CPU itself, or 0 for the
 * machine. TOPOLOGY_NONE where the CPU lies in none. */
int plan_object_number(enum row_level level, const struct topology_cpu *cpu);

int plan_add_rows(struct plan *plan, const struct options *options, const struct topology *topology,
                  struct failure *failure);
/* Columns, then cells; rows that turn out to have no column of their own change their state. */
int plan_add_columns_and_cells(struct plan *plan, const struct options *options,
                               const struct topology *topology, struct failure *failure);
int plan_set_measured_cpus(struct plan *plan, const struct topology *topology);
int plan_set_coordinator(struct plan *plan, const struct options *options,
                         const struct topology *topology, struct failure *failure);

int plan_domains_create(struct plan *plan, const struct topology *topology);
void plan_domains_destroy(struct plan_domains *domains); /* accepts NULL */

#endif
