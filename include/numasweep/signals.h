/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGINT, SIGTERM, SIGHUP and SIGQUIT while measuring: one flag, the only mutable file-scope state. */
#ifndef NUMASWEEP_SIGNALS_H
#define NUMASWEEP_SIGNALS_H

/* Installs the handlers (no SA_RESTART, so that poll() returns). */
int signals_install(void);
/* The first signal that arrived, or 0. A second one does nothing more: the table is being printed. */
int signals_pending(void);

#endif
