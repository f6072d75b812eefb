/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "identify.h"

#include "command_line.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

int command_identify(struct sweep *sweep, int argc, char **argv, struct failure *failure)
{
    struct utsname name = {0};
    struct timespec now = {0};
    (void)uname(&name);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    sweep->started_unix_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    sweep->version = strdup(NUMASWEEP_VERSION);
    sweep->host = strdup(name.nodename);
    sweep->command_line = command_line_join(argc, argv);
    if (sweep->version == NULL || sweep->host == NULL || sweep->command_line == NULL) {
        return failure_set(failure, "run", ENOMEM, "out of memory");
    }
    return 0;
}
