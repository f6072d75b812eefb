/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holding /dev/cpu_dma_latency (src/platform): the request ends with the descriptor, so it is undone on
 * every way out. Source: Linux Documentation/power/pm_qos_interface. */
#ifndef NUMASWEEP_DMA_LATENCY_H
#define NUMASWEEP_DMA_LATENCY_H

#include "numasweep/failure.h"

#include <stdint.h>

/* Returns a descriptor that holds it, or a negative errno. The device takes whole microseconds. */
int dma_latency_hold(int64_t latency_ns, struct failure *failure);

#endif
