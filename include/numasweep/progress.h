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
    int64_t last_shown_ns; /* CLOCK_MONOTONIC */
    int line_length;
};

void progress_init(struct progress *progress, enum when_choice choice);
void progress_show(struct progress *progress, const struct coordinator_progress *state);
void progress_end(struct progress *progress); /* clears the line */

#endif
