/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters around one visit (src/platform), read by the worker itself at normal priority, before the
 * gate and after the last sample. What Linux has but does not let be read is
 * noted in `unknown`; nothing here fails a visit.
 *
 *   irq:NAME                interrupts by line of /proc/interrupts, on the row's CPUs
 *   idle:STATE:entries      entries into the idle state (cpuidle usage), on the row's CPUs
 *   idle:STATE:time_us      time in it
 *   steal_ms                taken by the hypervisor (/proc/stat, in ticks)
 *   throttled:core, throttled:package   thermal throttling events
 *   smi                     system management interrupts (Intel only)
 *   aperf, mperf            cycles of the CPU's clock, and of its base clock, while it was not idle
 *                           (these three by the PMU "msr", or by the msr driver; they need a right)
 *   level:frequency_khz     scaling_cur_freq; the mean of before and after. Rows of one CPU
 *   sibling_busy_ms         not idle, of the SMT siblings that are not the row's (/proc/stat, in ticks)
 *   cgroup_throttled, cgroup_throttled_us   CPU bandwidth limit of the worker's cgroup
 *   voluntary_switches, involuntary_switches, minor_faults, major_faults
 *                           of the worker (getrusage), from the gate to the last sample: added by it
 *   migrations              of the worker (/proc/self/sched)
 *   run_delay_ns            the worker was ready, but not yet running (/proc/self/schedstat)
 */
#ifndef NUMASWEEP_EVIDENCE_H
#define NUMASWEEP_EVIDENCE_H

#include "numasweep/id_list.h"
#include "numasweep/visit.h"

/* Where evidence is read from: files that are opened once and read twice, since opening costs more than
 * reading, and both stand between two visits. */
struct evidence_source;

struct evidence {
    struct evidence_source *sources;
    size_t source_count;
    size_t source_capacity;
    const struct id_list *cpus; /* borrowed */
    struct id_list siblings;    /* SMT siblings of the CPUs, without these */
    char *text;                 /* of the file read last */
    size_t text_capacity;
    int32_t unknown; /* bits of enum placement_unknown */
};

/* Opens what is there. What is a file of each CPU is left out of rows of over 64 CPUs. -ENOMEM. */
int evidence_open(struct evidence *evidence, const struct id_list *cpus);
/* Reads all that is readable now into an empty set. -ENOMEM. */
int evidence_read(struct evidence *evidence, struct counter_set *counters);
void evidence_close(struct evidence *evidence); /* accepts a zeroed struct */

#endif
