/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parsers for texts from /proc and /sys: pure, on a text that was read elsewhere, so that they can be
 * tested and fuzzed on captured bytes. Unknown lines are passed over; malformed numbers are skipped, not
 * guessed. All return 0 or -ENOMEM unless stated.
 */
#ifndef NUMASWEEP_PROCFS_H
#define NUMASWEEP_PROCFS_H

#include "numasweep/id_list.h"
#include "numasweep/visit.h"

#include <stdbool.h>
#include <stdint.h>

/* All three of these add nothing when the text lacks one of the CPUs (it went offline), since a sum over
 * fewer CPUs would be no sum to compare with. */

/* /proc/interrupts: adds "irq:NAME" (NAME as in the first column: "24", "LOC", "RES") for each line,
 * summed over `cpus`. The heading says which column is which CPU: numbers may be sparse. */
int procfs_parse_interrupts(const char *text, const struct id_list *cpus, struct counter_set *counters);

/* /proc/stat: adds "steal_ms" and "softirq_ms", summed over `cpus`; ticks are 1000/ticks_per_second ms.
 */
int procfs_parse_stat(const char *text, const struct id_list *cpus, long ticks_per_second,
                      struct counter_set *counters);

/* Likewise: adds, under the name, the time that the CPUs were not idle. Of no CPUs: nothing. */
int procfs_parse_stat_busy(const char *text, const struct id_list *cpus, long ticks_per_second,
                           const char *name, struct counter_set *counters);

/* Value of "key : value" (sched, cpuinfo) or "key:\tvalue" (status) as an integer; false if absent.
 * The key must match whole. */
bool procfs_find_int64(const char *text, const char *key, int64_t *value);
/* The same as text without surrounding blanks, cut to size; false if absent. */
bool procfs_find_text(const char *text, const char *key, char *value, size_t size);

/* Value of a word on the kernel command line: "isolcpus=2,3" -> "2,3"; "quiet" -> "". False if absent.
 */
bool procfs_find_boot_parameter(const char *command_line, const char *name, char *value, size_t size);

/* /proc/self/cgroup: the path of a controller ("cpu", v1) or of the unified hierarchy (controller "").
 */
bool procfs_find_cgroup(const char *text, const char *controller, char *path, size_t size);

/* cpu.stat of a cgroup: nr_throttled and throttled_usec (v2) or throttled_time (v1, ns), in counters
 * "cgroup_throttled" (times) and "cgroup_throttled_us". */
/* /proc/PID/schedstat: "run_delay_ns", the second number: time spent on a run queue
 * (Documentation/scheduler/sched-stats.rst). */
int procfs_parse_schedstat(const char *text, struct counter_set *counters);
int procfs_parse_cpu_stat(const char *text, struct counter_set *counters);

/* cpu.stat of a cgroup, v1 or v2: how often it was throttled, and for how long. */
bool procfs_find_throttling(const char *text, int64_t *throttled, int64_t *throttled_ns);

/* /proc/PID/stat: the state letter and the CPU that the process was last on (field 39). The name in
 * brackets may hold anything. False where the text is too short or malformed. */
bool procfs_find_last_cpu(const char *text, char *state, int *cpu);
/* /proc/PID/schedstat: the first number, the time spent on a CPU. */
bool procfs_find_run_time(const char *text, int64_t *run_ns);

/* /proc/self/mountinfo: where the cgroup hierarchy of a controller (v1), or the unified one (controller
 * ""), is mounted, and which of its directories that shows. Octal escapes are resolved; both texts have
 * room for `size`. */
bool procfs_find_cgroup_mount(const char *text, const char *controller, char *root, char *mount_point,
                              size_t size);
/* Whether `word` stands among words parted by blanks (cgroup.controllers). */
bool procfs_has_word(const char *text, const char *word);

/* The format of a tracepoint (tracefs): where a field of four bytes stands in the raw record. */
bool procfs_find_trace_field(const char *text, const char *name, size_t *offset);

#endif
