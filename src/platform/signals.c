/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t first_signal;

static void remember_signal(int signal_number)
{
    if (first_signal == 0) {
        first_signal = signal_number;
    }
}

int signals_install(void)
{
    /* All that would end the process and that somebody sends on purpose, a timer or ulimit -t included.
     */
    static const int stopping_signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                           SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};
    struct sigaction action = {.sa_handler = remember_signal};
    if (sigemptyset(&action.sa_mask) != 0) {
        return -errno;
    }
    for (size_t i = 0; i < sizeof stopping_signals / sizeof stopping_signals[0]; i++) {
        struct sigaction inherited;
        if (sigaction(stopping_signals[i], NULL, &inherited) != 0) {
            return -errno;
        }
        /* nohup and shells' background jobs ignore some of them on purpose. */
        if (inherited.sa_handler == SIG_IGN) {
            continue;
        }
        if (sigaction(stopping_signals[i], &action, NULL) != 0) {
            return -errno;
        }
    }
    return 0;
}

int signals_pending(void)
{
    return (int)first_signal;
}
