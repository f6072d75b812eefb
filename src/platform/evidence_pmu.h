/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of the processor that Linux offers by perf_event_open(2). */
#ifndef NUMASWEEP_EVIDENCE_PMU_H
#define NUMASWEEP_EVIDENCE_PMU_H

/* A descriptor that reads as the event's count on the CPU, a uint64_t; the unit and the event by their
 * names below /sys/bus/event_source/devices. Below zero where there is no such event, or no right. */
int evidence_pmu_open(const char *unit, const char *event, int cpu);

#endif
