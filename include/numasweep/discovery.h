/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the topology model from hwloc and libnuma (src/platform). */
#ifndef NUMASWEEP_DISCOVERY_H
#define NUMASWEEP_DISCOVERY_H

#include "numasweep/failure.h"
#include "numasweep/topology.h"

/*
 * `source` is "this", an hwloc synthetic text, or the name of an hwloc XML file (one that exists wins
 * over a synthetic text).
 *
 * For "this": hwloc is loaded once, in a child process of its own with a deadline, since it moves its
 * caller over every CPU and can stall behind a real-time spinner (hwloc#474); sched_getaffinity() is
 * probed first, since hwloc 2.9 never returns where it always fails. HWLOC_XMLFILE, HWLOC_SYNTHETIC and
 * HWLOC_THISSYSTEM of the environment are honoured as hwloc does, but then the topology is not this
 * machine's unless it agrees with the kernel (is_this_machine false otherwise). libnuma gives the nodes'
 * memory, distances and each CPU's node; /sys tells where libnuma refuses (CPUs of memoryless nodes),
 * and what is isolated, nohz_full, offline.
 *
 * -EINVAL: the text or file is no topology (status 2); -ETIMEDOUT; -ENOMEM.
 */
int topology_discover(const char *source, struct topology *topology, struct failure *failure);

#endif
