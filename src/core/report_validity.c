/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The validity lines: what was had, what is proved, what disturbed. Counted over all measured visits. */
#include "numasweep/saturated.h"
#include "report_parts.h"

#include "numasweep/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOUCH_STRIDE = 256, LINE_SIZE = 512 };

struct tally {
    size_t visits;
    size_t pinned; /* mask read back as asked for, before and after */
    size_t bound;
    size_t on_node; /* all pages where they should be */
    size_t locked;
    int64_t pages;
    int64_t pages_on_node;
    int64_t pages_unknown;
    int64_t samples;
    int64_t elsewhere;
    int64_t early;
    int64_t interrupted;
    int64_t migrations;
    size_t migrations_unknown;
    size_t coordinator[3]; /* away, sibling, same CPU */
    int64_t smallest_read_ns;
    int64_t largest_read_ns;
    int64_t resolution_ns;
    int64_t largest_drift_ns;
    int64_t slack_min_ns;
    int64_t slack_max_ns;
    int32_t unknown; /* bits of enum placement_unknown, of any visit */
    struct counter_set counters;
};

static void take_clock(struct tally *tally, const struct placement *placement)
{
    const int64_t drift_ns = placement->clock_drift_ns < 0
                                 ? saturated_subtract(0, placement->clock_drift_ns)
                                 : placement->clock_drift_ns;
    const bool is_first = tally->visits == 1;
    if (is_first || placement->clock_read_ns < tally->smallest_read_ns) {
        tally->smallest_read_ns = placement->clock_read_ns;
    }
    if (is_first || placement->clock_read_ns > tally->largest_read_ns) {
        tally->largest_read_ns = placement->clock_read_ns;
    }
    if (placement->clock_resolution_ns > tally->resolution_ns) {
        tally->resolution_ns = placement->clock_resolution_ns;
    }
    if (drift_ns > tally->largest_drift_ns) {
        tally->largest_drift_ns = drift_ns;
    }
    if (is_first || placement->timer_slack_ns < tally->slack_min_ns) {
        tally->slack_min_ns = placement->timer_slack_ns;
    }
    if (is_first || placement->timer_slack_ns > tally->slack_max_ns) {
        tally->slack_max_ns = placement->timer_slack_ns;
    }
}

static int take_visit(struct tally *tally, const struct visit *visit)
{
    const struct placement *placement = &visit->placement;
    tally->visits++;
    tally->pinned += placement->mask_matches_before && placement->mask_matches_after;
    tally->bound += placement->memory_is_bound != 0;
    tally->on_node += placement->pages_unknown == 0 &&
                      placement->pages_on_node == placement->pages_total;
    tally->locked += placement->memory_is_locked != 0;
    tally->pages = saturated_add(tally->pages, placement->pages_total);
    tally->pages_on_node = saturated_add(tally->pages_on_node, placement->pages_on_node);
    tally->pages_unknown = saturated_add(tally->pages_unknown, placement->pages_unknown);
    tally->unknown |= placement->unknown;
    tally->samples += (int64_t)visit->sample_count;
    tally->elsewhere = saturated_add(tally->elsewhere, placement->elsewhere_count);
    tally->early = saturated_add(tally->early, placement->early_count);
    tally->interrupted = saturated_add(tally->interrupted, placement->interrupted_count);
    tally->migrations = saturated_add(tally->migrations,
                                      placement->migrations > 0 ? placement->migrations : 0);
    tally->migrations_unknown += placement->migrations < 0;
    if (placement->coordinator_distance >= 0 && placement->coordinator_distance <= 2) {
        tally->coordinator[placement->coordinator_distance]++;
    }
    take_clock(tally, placement);
    for (size_t i = 0; i < visit->counters.count; i++) {
        const int error = counter_set_add(&tally->counters, visit->counters.items[i].name,
                                          visit->counters.items[i].value);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static int add_line(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int add_line(struct report *report, const char *format, ...)
{
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return -ENOMEM;
    }
    char **lines = realloc(report->validity, (report->validity_count + 1) * sizeof *lines);
    if (lines == NULL) {
        free(line);
        return -ENOMEM;
    }
    report->validity = lines;
    report->validity[report->validity_count] = line;
    report->validity_count++;
    return 0;
}

/* "in all 400 visits", "in 12 of 400 visits" */
static const char *share(size_t part, size_t whole, char text[64])
{
    if (part == whole) {
        (void)snprintf(text, 64, "in %s%zu visit%s", whole == 1 ? "the " : "all ", whole,
                       number_plural((int64_t)whole));
    } else {
        (void)snprintf(text, 64, "in %zu of %zu visits", part, whole);
    }
    return text;
}

/* Each policy that was read back, with the number of visits that had it. */
static int add_policies(struct report *report, const struct tally *tally)
{
    struct counter_set policies = {0};
    char line[LINE_SIZE] = "";
    int error = 0;
    for (size_t i = 0; i < report->sweep->visit_count && error == 0; i++) {
        const struct visit *visit = &report->sweep->visits[i];
        char name[32];
        if (visit->outcome == VISIT_MEASURED) {
            error = counter_set_add(
                &policies, policy_text(visit->placement.policy, visit->placement.priority, name), 1);
        }
    }
    for (size_t i = 0; i < policies.count && error == 0; i++) {
        char part[64];
        const size_t length = strlen(line);
        (void)snprintf(line + length, sizeof line - length, "%s%s %s", i > 0 ? ", " : "",
                       policies.items[i].name,
                       share((size_t)policies.items[i].value, tally->visits, part));
    }
    counter_set_destroy(&policies);
    if (error != 0) {
        return error;
    }
    if (tally->slack_min_ns < 0) {
        return add_line(report, "policy: %s, read back; timer slack could not be read%s", line,
                        tally->slack_max_ns < 0 ? "" : " in some visits");
    }
    if (tally->slack_min_ns == tally->slack_max_ns) {
        return add_line(report, "policy: %s, read back; timer slack %" PRId64 " ns", line,
                        tally->slack_min_ns);
    }
    return add_line(report, "policy: %s, read back; timer slack %" PRId64 " to %" PRId64 " ns", line,
                    tally->slack_min_ns, tally->slack_max_ns);
}

static int add_pinning(struct report *report, const struct tally *tally)
{
    char pinned[64];
    char migrations[96] = "";
    if (tally->migrations_unknown == tally->visits) {
        (void)snprintf(migrations, sizeof migrations, "migrations not readable");
    } else {
        (void)snprintf(migrations, sizeof migrations, "%" PRId64 " migration%s", tally->migrations,
                       number_plural(tally->migrations));
    }
    return add_line(report,
                    "pinning: mask read back before and after %s; CPU checked at each of %" PRId64
                    " samples, %" PRId64 " taken elsewhere and left out; %s",
                    share(tally->pinned, tally->visits, pinned), tally->samples, tally->elsewhere,
                    migrations);
}

static int add_memory(struct report *report, const struct tally *tally)
{
    char bound[64];
    char on_node[64];
    char locked[64];
    char unknown[64] = "";
    if (tally->pages_unknown > 0) {
        (void)snprintf(unknown, sizeof unknown, "; of %" PRId64 " the node could not be read",
                       tally->pages_unknown);
    }
    if (tally->bound == 0) {
        return add_line(
            report,
            "memory: not bound; %" PRId64 " of %" PRId64 " pages on the CPU's own node%s; locked %s",
            tally->pages_on_node, tally->pages, unknown, share(tally->locked, tally->visits, locked));
    }
    return add_line(report,
                    "memory: bound %s, every page on its node %s (%" PRId64 " of %" PRId64
                    " pages: samples, stack, touched lines%s); locked %s",
                    share(tally->bound, tally->visits, bound),
                    share(tally->on_node, tally->visits, on_node), tally->pages_on_node, tally->pages,
                    unknown, share(tally->locked, tally->visits, locked));
}

static const char *first_eviction(const struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->visit_count; i++) {
        if (sweep->visits[i].outcome == VISIT_MEASURED) {
            return sweep->visits[i].placement.eviction;
        }
    }
    return "none";
}

static int add_touch(struct report *report)
{
    const int64_t lines = report->sweep->options.touch_lines;
    if (lines == 0) {
        return add_line(report, "touch: none");
    }
    return add_line(report,
                    "touch: %" PRId64
                    " cache lines, %d bytes apart, read in dependent random order, evicted before the "
                    "sleep (%s)",
                    lines, TOUCH_STRIDE, first_eviction(report->sweep));
}

static int add_clock(struct report *report, const struct tally *tally)
{
    char read_cost[64];
    if (tally->smallest_read_ns == tally->largest_read_ns) {
        (void)snprintf(read_cost, sizeof read_cost, "%" PRId64, tally->smallest_read_ns);
    } else {
        (void)snprintf(read_cost, sizeof read_cost, "%" PRId64 " to %" PRId64, tally->smallest_read_ns,
                       tally->largest_read_ns);
    }
    const char *source = environment_value(&report->sweep->environment, "clocksource");
    return add_line(
        report,
        "clock: %s%s%s, resolution %" PRId64
        " ns, one read %s ns; the other clock differed by at most %" PRId64 " ns over a visit",
        report->sweep->options.clock == SAMPLE_CLOCK_RAW ? "CLOCK_MONOTONIC_RAW" : "CLOCK_MONOTONIC",
        source[0] != '\0' ? " from " : "", source, tally->resolution_ns, read_cost,
        tally->largest_drift_ns);
}

static int add_coordinator(struct report *report, const struct tally *tally)
{
    char part[64];
    const char *why = report->sweep->options.coordinator_cpu == OPTION_COORDINATOR_AUTO
                          ? "since there is no better place"
                          : "where --coordinator has it";
    if (tally->coordinator[0] == tally->visits) {
        return add_line(report, "coordinator: never on a measured core");
    }
    if (tally->coordinator[2] > 0) {
        return add_line(report, "coordinator: on the measured CPU itself %s, %s",
                        share(tally->coordinator[2], tally->visits, part), why);
    }
    return add_line(report, "coordinator: on an SMT sibling of the measured CPU %s, %s",
                    share(tally->coordinator[1], tally->visits, part), why);
}

static int64_t value_of(const struct tally *tally, const char *name)
{
    const struct counter *counter = counter_set_find(&tally->counters, name);
    return counter != NULL ? counter->value : 0;
}

static void append_count(char *line, int64_t count, const char *one, const char *many)
{
    const size_t length = strlen(line);
    if (count != 0) {
        (void)snprintf(line + length, LINE_SIZE - length, "%s%" PRId64 " %s", length > 0 ? ", " : "",
                       count, count == 1 ? one : many);
    }
}

static int64_t sum_of(const struct tally *tally, const char *prefix, const char *suffix)
{
    int64_t sum = 0;
    for (size_t i = 0; i < tally->counters.count; i++) {
        const char *name = tally->counters.items[i].name;
        const size_t length = strlen(name);
        const size_t tail = strlen(suffix);
        if (strncmp(name, prefix, strlen(prefix)) == 0 && length >= tail &&
            strcmp(name + length - tail, suffix) == 0) {
            sum = saturated_add(sum, tally->counters.items[i].value);
        }
    }
    return sum;
}

static int add_disturbances(struct report *report, const struct tally *tally)
{
    char line[LINE_SIZE] = "";
    append_count(line, tally->early, "early wake-up", "early wake-ups");
    append_count(line, tally->interrupted, "interrupted sleep, repeated",
                 "interrupted sleeps, repeated");
    const struct {
        const char *name;
        const char *one;
        const char *many;
    } counted[] = {
        {"involuntary_switches", "involuntary switch", "involuntary switches"},
        {"major_faults", "major fault", "major faults"},
        {"steal_ms", "ms stolen by the hypervisor", "ms stolen by the hypervisor"},
        {"throttled:core", "thermal throttling of a core", "thermal throttlings of a core"},
        {"throttled:package", "thermal throttling of a package", "thermal throttlings of a package"},
        {"cgroup_throttled", "cgroup bandwidth throttling", "cgroup bandwidth throttlings"},
        {"smi", "system management interrupt", "system management interrupts"},
    };
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        append_count(line, value_of(tally, counted[i].name), counted[i].one, counted[i].many);
    }
    const char *nothing = (tally->unknown & ~(UNKNOWN_TIME_LIMIT | UNKNOWN_MEMORY_POLICY)) == 0
                              ? "nothing that is counted"
                              : "nothing that could be read";
    int error = add_line(report, "disturbed by: %s", line[0] != '\0' ? line : nothing);
    if (error != 0) {
        return error;
    }
    const int64_t waited_ns = value_of(tally, "run_delay_ns");
    if (waited_ns > 0 && tally->samples > 0) {
        char all[DURATION_TEXT_SIZE];
        char each[DURATION_TEXT_SIZE];
        error = add_line(
            report, "run queue: the workers waited %s for their CPUs in all, %s a sample on average",
            duration_format_rough(waited_ns, all),
            duration_format_rough(waited_ns / tally->samples, each));
        if (error != 0) {
            return error;
        }
    }
    const int64_t interrupts = sum_of(tally, "irq:", "");
    const int64_t timer = value_of(tally, "irq:LOC");
    const int64_t rescheduling = value_of(tally, "irq:RES");
    const int64_t call = value_of(tally, "irq:CAL");
    const int64_t named = saturated_add(saturated_add(timer, rescheduling), call);
    if (interrupts == 0) {
        return 0;
    }
    return add_line(report,
                    "interrupts on the measured CPUs: %" PRId64 " local timer, %" PRId64
                    " rescheduling, %" PRId64 " function call, %" PRId64 " other",
                    timer, rescheduling, call, saturated_subtract(interrupts, named));
}

/* What is missing from the lines above, and in how many visits. */
static int add_unknown(struct report *report, const struct tally *tally)
{
    static const struct {
        int32_t bit;
        const char *name;
    } names[] = {
        {UNKNOWN_INTERRUPTS, "interrupts (/proc/interrupts)"},
        {UNKNOWN_STEAL, "time stolen by the hypervisor (/proc/stat)"},
        {UNKNOWN_RUN_QUEUE, "waiting for the CPU (/proc/self/schedstat)"},
        {UNKNOWN_MIGRATIONS, "migrations (/proc/self/sched)"},
        {UNKNOWN_IDLE_STATES, "idle states (/sys/devices/system/cpu)"},
        {UNKNOWN_SIBLINGS, "SMT siblings (/sys/devices/system/cpu)"},
        {UNKNOWN_BANDWIDTH, "CPU bandwidth of the cgroup (cpu.stat)"},
        {UNKNOWN_SWITCHES, "switches and faults (getrusage)"},
        {UNKNOWN_MEMORY_POLICY, "the memory policy (get_mempolicy)"},
    };
    char line[2 * LINE_SIZE] = "";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t visits = 0;
        for (size_t k = 0; k < report->sweep->visit_count && (tally->unknown & names[i].bit) != 0; k++) {
            const struct visit *visit = &report->sweep->visits[k];
            visits += visit->outcome == VISIT_MEASURED && (visit->placement.unknown & names[i].bit) != 0;
        }
        char part[64];
        const size_t used = strlen(line);
        if (visits > 0) {
            (void)snprintf(line + used, sizeof line - used, "%s%s %s", used > 0 ? ", " : "",
                           names[i].name, share(visits, tally->visits, part));
        }
    }
    int error = line[0] != '\0' ? add_line(report, "could not be read: %s", line) : 0;
    if (error == 0 && (tally->unknown & UNKNOWN_TIME_LIMIT) != 0) {
        error = add_line(report,
                         "could not be set: RLIMIT_RTTIME, which ends a real-time worker that spins");
    }
    return error;
}

enum { LINUX_FIFO = 1, LINUX_RR = 2 }; /* sched(7) */

/* How long Linux keeps real-time tasks off a CPU once they have used up their runtime
 * (Documentation/scheduler/sched-rt-group.rst); 0: it does not, or it is not known. */
static int64_t throttling_gap_ns(const struct sweep *sweep)
{
    long long runtime_us = 0;
    long long period_us = 0;
    const char *fact = environment_value(&sweep->environment, "sched_rt_runtime_us");
    if (sscanf(fact, "%lld of %lld", &runtime_us, &period_us) != 2 || runtime_us < 0 ||
        runtime_us >= period_us || period_us > INT32_MAX) {
        return 0;
    }
    return (int64_t)(period_us - runtime_us) * 1000;
}

/* From three quarters to five quarters of the gap: a sleep may end within it. */
static int64_t count_throttled(const struct sweep *sweep, int64_t gap_ns)
{
    int64_t count = 0;
    for (size_t i = 0; i < sweep->visit_count && gap_ns > 0; i++) {
        const struct visit *visit = &sweep->visits[i];
        const bool is_real_time = visit->placement.policy == LINUX_FIFO ||
                                  visit->placement.policy == LINUX_RR;
        for (size_t k = 0; k < visit->sample_count && is_real_time; k++) {
            const int64_t late_ns = visit->samples[k].elapsed_ns - visit->samples[k].requested_ns;
            count += late_ns >= gap_ns / 4 * 3 && late_ns <= gap_ns / 4 * 5;
        }
    }
    return count;
}

static int add_throttling(struct report *report, const struct tally *tally)
{
    char gap[DURATION_TEXT_SIZE];
    const int64_t gap_ns = throttling_gap_ns(report->sweep);
    const int64_t count = count_throttled(report->sweep, gap_ns);
    (void)tally;
    return count == 0
               ? 0
               : add_line(report,
                          "real-time throttling: %" PRId64 " sample%s late by about %s, as long as "
                          "Linux keeps real-time tasks off a CPU (sched_rt_runtime_us): no fault of "
                          "the CPU",
                          count, number_plural(count), duration_format_rough(gap_ns, gap));
}

static int add_idle_states(struct report *report, const struct tally *tally)
{
    static const char prefix[] = "idle:";
    static const char suffix[] = ":entries";
    const int64_t all = sum_of(tally, prefix, suffix);
    char line[LINE_SIZE] = "";
    for (size_t i = 0; i < tally->counters.count && all > 0; i++) {
        const struct counter *counter = &tally->counters.items[i];
        const size_t length = strlen(counter->name);
        if (strncmp(counter->name, prefix, sizeof prefix - 1) != 0 || length < sizeof suffix ||
            strcmp(counter->name + length - (sizeof suffix - 1), suffix) != 0) {
            continue;
        }
        const size_t used = strlen(line);
        (void)snprintf(line + used, sizeof line - used, "%s%.*s %.0f %%", used > 0 ? ", " : "",
                       (int)(length - (sizeof prefix - 1) - (sizeof suffix - 1)),
                       counter->name + sizeof prefix - 1, 100.0 * (double)counter->value / (double)all);
    }
    return line[0] != '\0' ? add_line(report, "idle states entered: %s", line) : 0;
}

/* The proof that the load was there. */
static int add_load(struct report *report)
{
    const struct sweep *sweep = report->sweep;
    if (strcmp(sweep->plan.arms[0].load, "none") == 0 && sweep->load_workers == 0) {
        return 0;
    }
    if (sweep->load_wall_ns <= 0) {
        report->has_invalid = report->has_invalid || sweep->has_ended;
        return add_line(report, "load: %s, of which nothing is known: no proof that it was there",
                        sweep->plan.arms[0].load);
    }
    report->has_invalid = report->has_invalid || sweep->load_cpu_ns == 0;
    return add_line(report,
                    "load: %s; %" PRId64
                    " busy worker%s, SCHED_OTHER, nice 0, pinned, read back; they used "
                    "%.1f %% of the time of the CPUs that they ran on",
                    sweep->plan.arms[0].load, sweep->load_workers, number_plural(sweep->load_workers),
                    100.0 * (double)sweep->load_cpu_ns / (double)sweep->load_wall_ns);
}

static int add_efficiency(struct report *report)
{
    char wall[DURATION_TEXT_SIZE];
    const struct sweep *sweep = report->sweep;
    if (sweep->wall_ns <= 0 || sweep->options.concurrent != CONCURRENT_ONE) {
        return 0;
    }
    return add_line(report,
                    "efficiency: %.1f %% of %s spent sleeping and touching; coordinator and launcher "
                    "used %.2f %% of a CPU",
                    100.0 * (double)sweep->asleep_ns / (double)sweep->wall_ns,
                    duration_format_rough(sweep->wall_ns, wall),
                    100.0 * (double)sweep->coordinator_cpu_ns / (double)sweep->wall_ns);
}

/* Nothing was read back: that is no failed proof, and no proof. */
static int add_imported(struct report *report, const struct tally *tally)
{
    int error = add_line(
        report, "samples: %" PRId64 " in %zu visit%s, imported from %s; another program took them",
        tally->samples, tally->visits, number_plural((int64_t)tally->visits),
        report->sweep->imported_from);
    if (error == 0) {
        error = add_line(report, "placement: CPU and memory node are as that file has them; policy, "
                                 "pinning, memory and clock are not known");
    }
    if (error == 0) {
        error = tally->early == 0
                    ? add_line(report, "disturbed by: not known")
                    : add_line(report, "disturbed by: %" PRId64 " early wake-up%s; more is not known",
                               tally->early, number_plural(tally->early));
    }
    return error;
}

int report_fill_validity(struct report *report)
{
    struct tally tally = {0};
    int error = 0;
    for (size_t i = 0; i < report->sweep->visit_count && error == 0; i++) {
        if (report->sweep->visits[i].outcome == VISIT_MEASURED) {
            error = take_visit(&tally, &report->sweep->visits[i]);
        }
    }
    if (error == 0 && tally.visits == 0) {
        error = add_line(report, "nothing was measured");
    } else if (error == 0 && report->sweep->imported_from != NULL) {
        error = add_imported(report, &tally);
    } else if (error == 0) {
        int (*const parts[])(struct report *, const struct tally *) = {
            add_policies,     add_pinning,    add_memory,      add_clock,  add_coordinator,
            add_disturbances, add_throttling, add_idle_states, add_unknown};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0] && error == 0; i++) {
            error = parts[i](report, &tally);
        }
        error = error != 0 ? error : add_touch(report);
        error = error != 0 ? error : add_load(report);
        error = error != 0 ? error : add_efficiency(report);
    }
    counter_set_destroy(&tally.counters);
    return error;
}
