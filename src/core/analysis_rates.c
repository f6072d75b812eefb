/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a visit's counters say for each sample, and by what a difference in it is judged. */
#include "analysis_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char analysis_exit_name[] = "idle_exit_ns";
const char analysis_coordinator_name[] = "coordinator_near";
const char analysis_clock_name[] = COUNTER_LEVEL_PREFIX "clock_percent";

static const char entries_suffix[] = ":entries";

bool analysis_is_entries(const char *name)
{
    const size_t length = strlen(name);
    return strncmp(name, ANALYSIS_IDLE_PREFIX, sizeof ANALYSIS_IDLE_PREFIX - 1) == 0 &&
           length > sizeof entries_suffix &&
           strcmp(name + length - (sizeof entries_suffix - 1), entries_suffix) == 0;
}

size_t analysis_state_length(const char *entries_name)
{
    return strlen(entries_name) - (sizeof ANALYSIS_IDLE_PREFIX - 1) - (sizeof entries_suffix - 1);
}

double analysis_exit_latency_us(const struct environment *environment, const char *state, size_t length)
{
    const char *text = environment_value(environment, "idle_states");
    for (const char *found = strstr(text, " exit "); found != NULL;
         found = strstr(found + 1, " exit ")) {
        if ((size_t)(found - text) >= length && strncmp(found - length, state, length) == 0 &&
            (found - length == text || found[-(ptrdiff_t)length - 1] == ' ')) {
            return (double)strtol(found + 6, NULL, 10);
        }
    }
    return -1;
}

static double mean_exit_ns(const struct visit *visit, const struct environment *environment)
{
    double entries = 0;
    double sum_us = 0;
    for (size_t i = 0; i < visit->counters.count; i++) {
        const struct counter *counter = &visit->counters.items[i];
        if (analysis_is_entries(counter->name)) {
            const double latency_us = analysis_exit_latency_us(
                environment, counter->name + sizeof ANALYSIS_IDLE_PREFIX - 1,
                analysis_state_length(counter->name));
            entries += (double)counter->value;
            sum_us += latency_us > 0 ? latency_us * (double)counter->value : 0;
        }
    }
    return entries > 0 ? 1000 * sum_us / entries : 0;
}

/* In per cent. NAN where the processor's counts were not read. */
static double clock_share(const struct visit *visit)
{
    const struct counter *cycles = counter_set_find(&visit->counters, "aperf");
    const struct counter *base = counter_set_find(&visit->counters, "mperf");
    return cycles != NULL && base != NULL && base->value > 0
               ? 100 * (double)cycles->value / (double)base->value
               : (double)NAN;
}

double analysis_rate(const struct visit *visit, const char *name, const struct environment *environment)
{
    if (strcmp(name, analysis_exit_name) == 0) {
        return mean_exit_ns(visit, environment);
    }
    if (strcmp(name, analysis_coordinator_name) == 0) {
        return visit->placement.coordinator_distance > 0 ? 1 : 0;
    }
    if (strcmp(name, analysis_clock_name) == 0) {
        return clock_share(visit);
    }
    const struct counter *counter = counter_set_find(&visit->counters, name);
    if (counter_is_level(name)) {
        return counter != NULL ? (double)counter->value : (double)NAN;
    }
    return counter != NULL ? (double)counter->value / (double)visit->sample_count : 0;
}

struct analysis_yardstick analysis_yardstick(const char *name)
{
    const size_t length = strlen(name);
    /* Counters of a quiet machine are often all but constant; a clock that is 2 % slower is not noise.
     */
    struct analysis_yardstick yardstick = {.smallest = 0.05, .spread_share = 0.1};
    if (counter_is_level(name)) {
        return (struct analysis_yardstick){
            .less_is_slow = true, .smallest_share = 0.02, .spread_share = 0.01};
    }
    if (length > 3 && strcmp(name + length - 3, "_ns") == 0) {
        yardstick.smallest = 200;
    } else if (strcmp(name, analysis_coordinator_name) == 0) {
        yardstick.smallest = 0.2;
    }
    return yardstick;
}
