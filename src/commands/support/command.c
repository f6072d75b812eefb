/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/command.h"

#include "numasweep/exit_status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int command_status_of(int error)
{
    switch (error) {
    case 0:
        return EXIT_STATUS_COMPLETE;
    case -EINVAL:
    case -ERANGE:
    case -EEXIST:
        return EXIT_STATUS_BAD_INPUT;
    case -EPERM:
    case -EACCES:
    case -ENOSYS:
    case -ETIMEDOUT:
        return EXIT_STATUS_NOT_ALLOWED;
    default:
        return EXIT_STATUS_BROKEN;
    }
}

void command_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("numasweep: warning: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
}
