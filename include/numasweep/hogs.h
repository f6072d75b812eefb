/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Busy workers ("hogs"): loops without a system call, at normal priority, pinned and read back. A keeper
 * process forks them and makes their cgroups: at the end of file on its pipe, whatever ended the
 * coordinator, it kills them, reaps them and removes the cgroups. Should the keeper be killed, they die
 * with it (PR_SET_PDEATHSIG).
 */
#ifndef NUMASWEEP_HOGS_H
#define NUMASWEEP_HOGS_H

#include "numasweep/bandwidth.h"
#include "numasweep/failure.h"
#include "numasweep/id_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { HOG_NO_GROUP = -1 };

struct hog {
    struct id_list cpus; /* what it is pinned to */
    int group;           /* or HOG_NO_GROUP */
    pid_t pid;           /* 0: not started */
    int counter_fd;      /* perf's software counter of its migrations; -1: none */
};

struct hogs {
    struct hog *list;
    size_t count;
    pid_t keeper;               /* 0: none */
    int life_fd;                /* the keeper lives as long as this is open */
    int gate_fd;                /* a byte for each hog lets it run */
    struct bandwidth bandwidth; /* version 0: without */
};

/* As many hogs as asked for, each with an empty mask, none started. -ENOMEM. */
int hogs_init(struct hogs *hogs, size_t count);
/* Forks the keeper and, through it, all hogs; comes back when each has been pinned, has the policy
 * SCHED_OTHER at nice 0, sits in its cgroup and has read all of that back, and waits at the gate.
 * `limit`: NULL for none. What the system refuses is -EPERM, -EAGAIN, ... with a text; nothing stays. */
int hogs_start(struct hogs *hogs, const struct bandwidth_limit *limit, struct failure *failure);
/* Opens perf's counter for each. */
int hogs_open_counters(struct hogs *hogs, struct failure *failure);
int hogs_go(struct hogs *hogs, struct failure *failure);
/* Stops the running hogs, or lets them go on (SIGSTOP, SIGCONT). */
void hogs_pause(const struct hogs *hogs, bool is_paused);
/* Ends all of them; comes back when they are gone. -EBUSY or such where a cgroup could not be removed.
 */
int hogs_stop(struct hogs *hogs, struct failure *failure);
void hogs_destroy(struct hogs *hogs); /* accepts a zeroed struct; stops what runs */

/* Each is false where the hog has died or the kernel does not tell. */
bool hog_read_migrations(const struct hog *hog, bool from_counter, int64_t *migrations);
bool hog_read_run_time(const struct hog *hog, int64_t *run_ns);
bool hog_read_cpu(const struct hog *hog, int *cpu);
/* Whether its mask is still what it was pinned to. */
bool hog_is_pinned(const struct hog *hog);

#endif
