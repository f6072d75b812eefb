/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader of the figures must be told aloud, drawn from the visits and the environment. Pure. */
#ifndef NUMASWEEP_SWEEP_WARNINGS_H
#define NUMASWEEP_SWEEP_WARNINGS_H

#include "numasweep/sweep.h"

/* Adds to sweep->warnings, each sentence once: a real-time policy that was refused (with the likely
 * cause and the way out), memory that could not be bound or locked, a coarse clock, early wake-ups,
 * samples taken elsewhere. -ENOMEM. */
int sweep_collect_warnings(struct sweep *sweep);

#endif
