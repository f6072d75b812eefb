/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/kernel.h"

#include <errno.h>
#include <sys/select.h>

/* pselect(2) takes a relative timeout: the operating system reads "now" after it was entered, so the
 * overshoot is entry + slack + interrupt + exit from the idle state + switch + return. */
static int sample_pselect(struct kernel_context *context, int64_t requested_ns,
                          struct kernel_reading *reading)
{
    const struct timespec timeout = {
        .tv_sec = requested_ns / 1000000000,
        .tv_nsec = requested_ns % 1000000000,
    };
    reading->start_ns = kernel_clock_ns(context->clock);
    const int ready = pselect(0, NULL, NULL, NULL, &timeout, NULL);
    reading->end_ns = kernel_clock_ns(context->clock);
    if (ready < 0) {
        return -errno;
    }
    return ready == 0 ? 0 : -EPROTO;
}

const struct measurement_kernel kernel_pselect = {
    .name = "pselect",
    .summary = "pselect() without descriptors: a relative sleep",
    .column_meaning = "memory node",
    .sample = sample_pselect,
};
