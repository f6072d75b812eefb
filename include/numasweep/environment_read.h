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
 *
 *   system       kernel_release, kernel_version, kernel_is_preempt_rt, hypervisor, container,
 *                mitigations, vulnerabilities
 *   scheduling   sched_rt_runtime_us, rt_group_scheduling, timer_migration, numa_balancing,
 *                cgroup_cpu_quota
 *   load         load_average (of 1, 5 and 15 minutes; running tasks of all)
 *   rights       effective_uid, fifo_is_allowed, inherited_policy, inherited_nice,
 *                inherited_affinity, timer_slack_ns, inherited_memory_policy, cpu_dma_latency,
 *                rlimit_rtprio, rlimit_rttime_us, rlimit_memlock_bytes
 *   CPUs         smt, isolated, nohz_full, default_irq_affinity
 *   memory       transparent_huge_pages
 *   frequency    cpufreq_driver, cpufreq_governor
 *   idle states  cpuidle_driver, cpuidle_governor, idle_states (name, exit latency, residency)
 *   clock        clocksource, clock_resolution_ns, clock_read_ns
 *   boot         boot_parameters
 *
 * The rights, the clock's resolution and its cost are of the running machine only.
 */
int environment_read(const char *root, const struct topology *topology, struct environment *environment);

#endif
