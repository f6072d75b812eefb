/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One visit of a cell: what the worker is asked for, what it found of its own placement, the samples,
 * and the evidence. These are the coordinator's and the worker's common words; no system calls here.
 */
#ifndef NUMASWEEP_VISIT_H
#define NUMASWEEP_VISIT_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"
#include "numasweep/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNTER_NAME_SIZE = 40, KERNEL_NAME_SIZE = 32, EVICTION_NAME_SIZE = 16 };

/* Evidence over a visit: differences of counters, named: "irq:LOC", "idle:C6:entries",
 * "idle:C6:time_us", "steal_ms", "involuntary_switches", "minor_faults", "throttled:core", "smi", ...
 * The names and units are listed in platform/evidence.h. */
struct counter {
    char name[COUNTER_NAME_SIZE];
    int64_t value;
};

struct counter_set {
    struct counter *items; /* ascending by name */
    size_t count;
    size_t capacity;
};

/* Names that begin so are of states, not of counts: their value is that of a moment. */
#define COUNTER_LEVEL_PREFIX "level:"
bool counter_is_level(const char *name);

void counter_set_destroy(struct counter_set *set);
int counter_set_add(struct counter_set *set, const char *name,
                    int64_t value); /* adds to what is there */
const struct counter *counter_set_find(const struct counter_set *set, const char *name); /* or NULL */
/* difference = after - before, for names in both; zeros are left out. Of levels their mean. Replaces
 * `difference`. */
int counter_set_subtract(const struct counter_set *after, const struct counter_set *before,
                         struct counter_set *difference);

/* Over 31 years; figures beyond it are no times, and would not survive the arithmetic of a report. */
#define SAMPLE_LONGEST_NS INT64_C(1000000000000000000)

struct sample {
    int64_t requested_ns;
    int64_t elapsed_ns;
    int64_t touch_ns; /* -1: no touch asked for */
    int32_t cpu;      /* where it ended (getcpu); a sample outside the row's CPUs is quarantined */
    int32_t flags;    /* bits of sample_flag */
};

enum sample_flag {
    SAMPLE_ELSEWHERE = 1 /* taken on a CPU that is not the row's: counted, never in a figure */
};

/* What Linux has, but the worker could not read, or set up, in a visit: bits of placement.unknown. None
 * of it fails the visit; all of it is told. */
enum placement_unknown {
    UNKNOWN_INTERRUPTS = 1,      /* /proc/interrupts */
    UNKNOWN_STEAL = 2,           /* /proc/stat */
    UNKNOWN_RUN_QUEUE = 4,       /* /proc/self/schedstat */
    UNKNOWN_MIGRATIONS = 8,      /* /proc/self/sched */
    UNKNOWN_IDLE_STATES = 16,    /* /sys/devices/system/cpu/cpuN/cpuidle */
    UNKNOWN_BANDWIDTH = 32,      /* the cgroup's cpu.stat */
    UNKNOWN_SWITCHES = 64,       /* getrusage */
    UNKNOWN_MEMORY_POLICY = 128, /* get_mempolicy */
    UNKNOWN_TIME_LIMIT = 256,    /* RLIMIT_RTTIME could not be set */
    UNKNOWN_SIBLINGS = 512       /* /sys/devices/system/cpu/cpuN/topology: whose work is evidence */
};

/* placement.policy where nobody looked: samples of another program. -1: it could not be read. */
enum { PLACEMENT_POLICY_UNKNOWN = -2 };

/* What the worker read back about itself; everything "effective", nothing repeated from the request. */
struct placement {
    int32_t cpu_before; /* getcpu before the first and after the last sample */
    int32_t cpu_after;
    int32_t memory_node_before;  /* node of getcpu */
    int32_t mask_matches_before; /* sched_getaffinity equals what was asked for: 1, 0 */
    int32_t mask_matches_after;
    int32_t policy; /* SCHED_* number as read by sched_getscheduler */
    int32_t priority;
    int32_t policy_errno;     /* errno with which a real-time policy was refused under auto, else 0 */
    int64_t timer_slack_ns;   /* PR_GET_TIMERSLACK; 0 for real-time tasks */
    int64_t pages_total;      /* pages of samples, stack and touched lines */
    int64_t pages_on_node;    /* of them on the cell's node (when not bound: on the CPU's node) */
    int64_t pages_unknown;    /* move_pages gave no node */
    int32_t memory_is_bound;  /* 1: set_mempolicy accepted and read back */
    int32_t memory_errno;     /* errno with which the binding was refused under the default, else 0 */
    int32_t memory_is_locked; /* 1: mlock accepted */
    int32_t clock_id;         /* CLOCK_* number of the samples */
    int64_t clock_resolution_ns;
    int64_t clock_read_ns;        /* cost of one read, median of many, on the CPU under test */
    int64_t clock_drift_ns;       /* other clock's elapsed minus this clock's, over the visit */
    int64_t started_ns;           /* CLOCK_MONOTONIC at the first warm-up */
    int64_t asleep_ns;            /* time spent in sleeping and touching, warm-ups and phase included */
    int64_t finished_ns;          /* CLOCK_MONOTONIC after the last sample */
    int64_t early_count;          /* overshoot < 0 */
    int64_t elsewhere_count;      /* quarantined samples */
    int64_t interrupted_count;    /* EINTR: not a sample, repeated */
    int64_t migrations;           /* during the measurement; -1: not readable */
    int32_t coordinator_distance; /* filled by the coordinator: 0 away, 1 SMT sibling, 2 the same CPU */
    int32_t unknown;              /* bits of enum placement_unknown */
    char eviction[EVICTION_NAME_SIZE]; /* "clflush", "dc civac", "displaced", "none" */
};

/* What the worker is asked to do. Sent as it is to the launcher: numbers only, then the CPU numbers. */
struct visit_request {
    uint64_t visit; /* running number of the visit within the sweep */
    int64_t round;
    uint64_t cell;
    uint64_t seed;
    int64_t timeout_ns;
    int64_t sample_count;
    int64_t warmup_count;
    int64_t dither_percent;
    int64_t touch_lines;
    int64_t timer_slack_ns;
    int32_t node;             /* TOPOLOGY_NONE: not bound */
    int32_t node_is_required; /* a refused binding fails the visit */
    int32_t clock;            /* enum sample_clock */
    int32_t policy;           /* enum policy_choice */
    int32_t policy_is_required;
    int32_t priority;
    int32_t cpu; /* the row's lowest CPU */
    char kernel[KERNEL_NAME_SIZE];
};

/* The longest that the samples of a visit take when nothing disturbs them: sleeps and touches, in ns. */
int64_t visit_request_duration_ns(const struct visit_request *request);

enum visit_outcome { VISIT_MEASURED, VISIT_FAILED };

struct visit {
    enum visit_outcome outcome;
    int64_t round;
    size_t cell; /* index in plan->cells */
    struct placement placement;
    struct sample *samples; /* in time order, warm-ups not included */
    size_t sample_count;
    struct counter_set counters;
    struct failure failure; /* for VISIT_FAILED */
    int64_t ended_unix_ns;  /* CLOCK_REALTIME when the coordinator took it in */
};

void visit_destroy(struct visit *visit);

/* "SCHED_FIFO 50", "SCHED_OTHER" for people, from the numbers read back. Returns text. */
const char *policy_text(int policy, int priority, char text[32]);

/* Why set_mempolicy(2) refused to bind memory to a node, for people, from its errno. */
const char *binding_refusal_cause(int error);

/* The visit measured what its label says: the mask, each sample's CPU, and (where memory was to be
 * bound) each page. `is_one_cpu`: the row is a single CPU, so that any migration disproves it. */
bool placement_is_proved(const struct placement *placement, bool is_one_cpu, bool is_bound);

#endif
