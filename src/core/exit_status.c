/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/exit_status.h"

static int rank(int status)
{
    switch (status) {
    case EXIT_STATUS_COMPLETE:
        return 0;
    case EXIT_STATUS_FOUND:
        return 1;
    case EXIT_STATUS_PARTIAL:
        return 2;
    case EXIT_STATUS_NOT_ALLOWED:
        return 3;
    case EXIT_STATUS_BAD_INPUT:
        return 4;
    case EXIT_STATUS_BROKEN:
        return 5;
    default:
        return 6;
    }
}

int exit_status_combine(int first, int second)
{
    return rank(second) > rank(first) ? second : first;
}
