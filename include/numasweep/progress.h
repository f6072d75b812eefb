/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on stderr: between visits, from a CPU that is not under test (src/platform). */
#ifndef NUMASWEEP_PROGRESS_H
#define NUMASWEEP_PROGRESS_H

#include "numasweep/coordinator.h"
#include "numasweep/options.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool is_on;
    bool is_terminal;      /* one line rewritten; else a line now and then */
    bool is_for_long_only; /* `auto`: short sweeps show nothing */
    int64_t shown_at_ns;   /* elapsed_ns of the state that was shown last; -1: none yet */
    int line_length;       /* columns of the terminal's line that are to be cleared */
};

/* `auto` shows progress on a terminal only, and only for sweeps of two seconds or more. On a terminal
 * the line is rewritten at most ten times a second, elsewhere a line is written at most every ten
 * seconds. Where standard error is closed, or refuses a write, nothing more is shown. */
void progress_init(struct progress *progress, enum when_choice choice);
void progress_show(struct progress *progress, const struct coordinator_progress *state);
void progress_end(struct progress *progress); /* clears the terminal's line; accepts a zeroed struct */

#endif
