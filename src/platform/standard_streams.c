/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

int standard_streams_guard(void)
{
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            continue;
        }
        /* The lowest free descriptor is this one. */
        if (open("/dev/null", modes[fd]) != fd) {
            return -errno;
        }
    }
    if (sigaction(SIGPIPE, &ignore, NULL) != 0 || sigaction(SIGXFSZ, &ignore, NULL) != 0) {
        return -errno;
    }
    return 0;
}
