/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the environment facts of the running machine (src/platform). */
#ifndef NUMASWEEP_ENVIRONMENT_READ_H
#define NUMASWEEP_ENVIRONMENT_READ_H

#include "numasweep/environment.h"
#include "numasweep/topology.h"

/*
 * `root` is "" for the running machine, or a folder that holds captured proc/ and sys/ trees (tests).
 * What cannot be read is a fact with the value "not readable", never a failure. -ENOMEM.
 *
 * Facts, by group:
 *  system      kernel_release, kernel_version, kernel_is_preempt_rt, hypervisor, container,
 * boot_parameters scheduling  sched_rt_runtime_us, rt_group_scheduling, fifo_is_allowed, rlimit_rtprio,
 * rlimit_rttime, inherited_policy, inherited_affinity, inherited_nice, timer_slack_ns, timer_migration,
 *              numa_balancing, cgroup_cpu_quota
 *  memory      rlimit_memlock, transparent_huge_pages, inherited_memory_policy
 *  CPUs        smt, isolated, nohz_full, irq_affinity, mitigations
 *  frequency   cpufreq_driver, cpufreq_governor
 *  idle        cpuidle_driver, cpuidle_governor, idle_states (name, exit latency, residency),
 * dma_latency clock       clocksource, clock_resolution_ns, clock_read_ns
 */
int environment_read(const char *root, const struct topology *topology, struct environment *environment);

#endif
