/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exit statuses that scripts rely on. Where several apply: signal, 5, 2, 3, 4, 1. */
#ifndef NUMASWEEP_EXIT_STATUS_H
#define NUMASWEEP_EXIT_STATUS_H

enum exit_status {
    EXIT_STATUS_COMPLETE = 0,    /* the sweep is complete */
    EXIT_STATUS_FOUND = 1,       /* complete, and something named in --fail-on was found */
    EXIT_STATUS_BAD_INPUT = 2,   /* the command line, a configuration file or an input file is wrong */
    EXIT_STATUS_NOT_ALLOWED = 3, /* this machine or its rights do not allow what was asked for */
    EXIT_STATUS_PARTIAL = 4,     /* some cells are missing, each with its reason */
    EXIT_STATUS_BROKEN = 5,      /* numasweep itself failed: output not written, memory ran out */
    EXIT_STATUS_SIGNAL_BASE = 128
};

/* The one of two statuses that wins by the order above. */
int exit_status_combine(int first, int second);

#endif
