/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "environment_parts.h"
#include "numasweep/kernel.h"
#include "numasweep/statistics.h"

#include <inttypes.h>
#include <string.h>

enum { COST_READS = 1001, SLOW_READ_NS = 500, COARSE_NS = 1000 };

/* Sources that are read without a system call and do not jump; tsc-early is the TSC before its
 * calibration. */
static bool is_good_source(const char *source)
{
    static const char *const good[] = {"tsc",      "tsc-early",        "arch_sys_counter",
                                       "timebase", "kvm-clock",        "hyperv_clocksource_tsc_page",
                                       "tod",      "riscv_clocksource"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (strcmp(source, good[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int add_source(struct environment_reader *reader)
{
    const char *source = environment_file(
        reader, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    const bool is_bad = source != NULL && !is_good_source(source);
    return environment_add_fact(
        reader, "clock", "clocksource", is_bad ? FACT_WARNING : FACT_INFORMATION,
        is_bad ? "reading it is slow, a system call each time, and it may be coarse: boot with "
                 "tsc=reliable where the hardware's TSC is sound"
               : NULL,
        "%s", source != NULL ? source : ENVIRONMENT_NOT_READABLE);
}

static int add_resolution(struct environment_reader *reader)
{
    struct timespec resolution = {0};
    (void)clock_getres(CLOCK_MONOTONIC, &resolution);
    const int64_t resolution_ns = (int64_t)resolution.tv_sec * 1000000000 + resolution.tv_nsec;
    const bool is_coarse = resolution_ns > COARSE_NS;
    return environment_add_fact(
        reader, "clock", "clock_resolution_ns", is_coarse ? FACT_WARNING : FACT_INFORMATION,
        is_coarse ? "sleeps end at ticks of this length: boot without highres=off and nohz=off" : NULL,
        "%" PRId64, resolution_ns);
}

static int add_cost(struct environment_reader *reader)
{
    int64_t costs_ns[COST_READS];
    for (size_t i = 0; i < COST_READS; i++) {
        const int64_t before_ns = kernel_clock_ns(CLOCK_MONOTONIC);
        costs_ns[i] = kernel_clock_ns(CLOCK_MONOTONIC) - before_ns;
    }
    samples_sort(costs_ns, COST_READS);
    const int64_t cost_ns = quantile_nearest_rank(costs_ns, COST_READS, 0.5);
    const bool is_slow = cost_ns > SLOW_READ_NS;
    return environment_add_fact(
        reader, "clock", "clock_read_ns", is_slow ? FACT_NOTICE : FACT_INFORMATION,
        is_slow ? "each sample holds about one read of the clock: mind it in small figures" : NULL,
        "%" PRId64, cost_ns);
}

int environment_read_clock(struct environment_reader *reader)
{
    int error = add_source(reader);
    if (error != 0 || !environment_is_running_machine(reader)) {
        return error;
    }
    error = add_resolution(reader);
    return error != 0 ? error : add_cost(reader);
}
