/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/kernel.h"

#include <errno.h>

/* clock_nanosleep(2) sleeps to an absolute expiry, as cyclictest does: the time from the clock's reading
 * to the entry is not part of the overshoot. It knows CLOCK_MONOTONIC, but not CLOCK_MONOTONIC_RAW, so
 * the expiry is always on the former; with --clock raw the sample is still taken on the latter. */
static int sample_clock_nanosleep(struct kernel_context *context, int64_t requested_ns,
                                  struct kernel_reading *reading)
{
    const int64_t expiry_ns = kernel_clock_ns(CLOCK_MONOTONIC) + requested_ns;
    const struct timespec expiry = {
        .tv_sec = expiry_ns / 1000000000,
        .tv_nsec = expiry_ns % 1000000000,
    };
    if (context->clock == CLOCK_MONOTONIC) {
        reading->start_ns = expiry_ns - requested_ns;
    } else {
        reading->start_ns = kernel_clock_ns(context->clock);
    }
    const int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &expiry, NULL);
    reading->end_ns = kernel_clock_ns(context->clock);
    return -error;
}

const struct measurement_kernel kernel_clock_nanosleep = {
    .name = "clock_nanosleep",
    .summary = "clock_nanosleep() to an absolute expiry on CLOCK_MONOTONIC",
    .column_meaning = "memory node",
    .sample = sample_clock_nanosleep,
};
