/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What coordinator and launcher say to one another, private to src/platform/launcher*.c. One program,
 * one machine: structures go over the socket as they are, one message each. */
#ifndef NUMASWEEP_LAUNCHER_MESSAGES_H
#define NUMASWEEP_LAUNCHER_MESSAGES_H

#include "numasweep/launcher.h"
#include "numasweep/visit.h"

#include <signal.h>
#include <stdint.h>

enum launcher_order_type { LAUNCHER_ORDER_FORK = 1, LAUNCHER_ORDER_KILL, LAUNCHER_ORDER_STOP };

/* LAUNCHER_ORDER_FORK is followed by cpu_count and then launcher_cpu_count CPU numbers (int32_t), and
 * carries two descriptors: the report pipe's and the gate's. */
struct launcher_order {
    int32_t type;
    uint32_t cpu_count;
    uint32_t launcher_cpu_count;
    uint32_t reserved;
    struct visit_request request; /* KILL uses request.visit alone */
};

/* The answer to LAUNCHER_ORDER_STOP, after which the socket closes. */
enum { LAUNCHER_USAGE = 100 };

struct launcher_answer {
    int32_t type; /* enum launcher_event_type, or LAUNCHER_USAGE */
    int32_t error;
    uint64_t visit;
    int32_t pid;
    int32_t wait_status;
    int64_t cpu_ns;
};

/* The launcher's whole life; never returns. `coordinator` must be its parent. */
/* All signals are blocked; `original_mask` is what the workers get. */
_Noreturn void launcher_serve(int fd, pid_t coordinator, const sigset_t *original_mask);

#endif
