/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of `numasweep migrations` on this machine. */
#ifndef NUMASWEEP_MIGRATION_MEASURE_H
#define NUMASWEEP_MIGRATION_MEASURE_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"
#include "numasweep/migrations.h"
#include "numasweep/options.h"
#include "numasweep/topology.h"

struct migration_settings {
    const struct options *options;
    const struct topology *topology;
    const struct id_list *cpus; /* that the workers are started for */
};

/* Starts the workers, lets them run for the duration, reads what became of them, and ends them. Fills
 * `run` (the caller destroys it); what disproves the placement is in run->breach, not an error. -EINTR:
 * a signal stopped it (signals.h), and the run counts for nothing. */
int migration_measure(const struct migration_settings *settings, enum migration_pin pin, bool is_limited,
                      int64_t number, struct migration_run *run, struct failure *failure);

#endif
