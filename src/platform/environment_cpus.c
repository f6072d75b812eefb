/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts that may differ from CPU to CPU: told by groups of CPUs with the same value. */
#include "environment_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value_group {
    char *value;
    struct id_list cpus;
};

struct value_groups {
    struct value_group *groups;
    size_t count;
};

static void destroy_groups(struct value_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        free(groups->groups[i].value);
        id_list_destroy(&groups->groups[i].cpus);
    }
    free(groups->groups);
}

static int add_value(struct value_groups *groups, const char *value, int cpu)
{
    for (size_t i = 0; i < groups->count; i++) {
        if (strcmp(groups->groups[i].value, value) == 0) {
            return id_list_add(&groups->groups[i].cpus, cpu);
        }
    }
    struct value_group *grown = realloc(groups->groups, (groups->count + 1) * sizeof *grown);
    if (grown == NULL) {
        return -ENOMEM;
    }
    groups->groups = grown;
    struct value_group *added = &grown[groups->count];
    *added = (struct value_group){.value = strdup(value)};
    if (added->value == NULL) {
        return -ENOMEM;
    }
    groups->count++;
    return id_list_add(&added->cpus, cpu);
}

/* "performance on 0-63, powersave on 64-127"; one value alone without its CPUs. */
static char *describe_groups(const struct value_groups *groups)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < groups->count; i++) {
        char *cpus = id_list_format(&groups->groups[i].cpus);
        (void)fprintf(stream, "%s%s", i > 0 ? ", " : "", groups->groups[i].value);
        if (groups->count > 1) {
            (void)fprintf(stream, " on %s", cpus != NULL ? cpus : "?");
        }
        free(cpus);
    }
    return fclose(stream) == 0 ? text : NULL;
}

static bool all_are(const struct value_groups *groups, const char *good)
{
    return groups->count == 1 && strcmp(groups->groups[0].value, good) == 0;
}

/* A file of each CPU; `good` is the value that needs no advice. */
static int add_file_of_cpus(struct environment_reader *reader, const char *group, const char *name,
                            const char *file, const char *good, const char *advice)
{
    struct value_groups groups = {0};
    int error = 0;
    for (size_t i = 0; i < reader->topology->cpu_count && error == 0; i++) {
        const struct topology_cpu *cpu = &reader->topology->cpus[i];
        const char *value = cpu->state == CPU_OFFLINE
                                ? NULL
                                : environment_file(reader, "/sys/devices/system/cpu/cpu%d/%s", cpu->cpu,
                                                   file);
        if (value != NULL) {
            error = add_value(&groups, value, cpu->cpu);
        }
    }
    if (error == 0 && groups.count == 0) {
        error = environment_add_fact(reader, group, name, FACT_INFORMATION, NULL, "none");
    } else if (error == 0) {
        char *text = describe_groups(&groups);
        const bool is_good = good == NULL || all_are(&groups, good);
        error = text == NULL
                    ? -ENOMEM
                    : environment_add_fact(reader, group, name, is_good ? FACT_INFORMATION : FACT_NOTICE,
                                           is_good ? NULL : advice, "%s", text);
        free(text);
    }
    destroy_groups(&groups);
    return error;
}

static int add_list_file(struct environment_reader *reader, const char *name, const char *path)
{
    const char *text = environment_file(reader, "%s", path);
    const bool is_none = text == NULL || text[0] == '\0' || text[0] == '(';
    return environment_add_fact(reader, "CPUs", name, FACT_INFORMATION, NULL, "%s",
                                is_none ? "none" : text);
}

static int add_smt(struct environment_reader *reader)
{
    int64_t is_active = 0;
    if (!environment_file_number(reader, &is_active, "/sys/devices/system/cpu/smt/active")) {
        return environment_add_fact(reader, "CPUs", "smt", FACT_INFORMATION, NULL,
                                    ENVIRONMENT_NOT_READABLE);
    }
    return environment_add_fact(
        reader, "CPUs", "smt", is_active ? FACT_NOTICE : FACT_INFORMATION,
        is_active ? "a busy SMT sibling slows the measured CPU; the coordinator stays off it, other "
                    "work may not: isolate both, or echo off > /sys/devices/system/cpu/smt/control"
                  : NULL,
        "%s", is_active ? "on" : "off");
}

int environment_read_cpus(struct environment_reader *reader)
{
    int error = add_smt(reader);
    if (error == 0) {
        error = add_list_file(reader, "isolated", "/sys/devices/system/cpu/isolated");
    }
    if (error == 0) {
        error = add_list_file(reader, "nohz_full", "/sys/devices/system/cpu/nohz_full");
    }
    if (error == 0) {
        const char *mask = environment_file(reader, "/proc/irq/default_smp_affinity");
        error = environment_add_fact(reader, "CPUs", "default_irq_affinity", FACT_INFORMATION, NULL,
                                     "%s", mask != NULL ? mask : ENVIRONMENT_NOT_READABLE);
    }
    if (error == 0) {
        const char *huge = environment_file(reader, "/sys/kernel/mm/transparent_hugepage/enabled");
        error = environment_add_fact(reader, "memory", "transparent_huge_pages", FACT_INFORMATION, NULL,
                                     "%s", huge != NULL ? huge : ENVIRONMENT_NOT_READABLE);
    }
    if (error == 0) {
        error = add_file_of_cpus(reader, "frequency", "cpufreq_driver", "cpufreq/scaling_driver", NULL,
                                 NULL);
    }
    if (error == 0) {
        error = add_file_of_cpus(reader, "frequency", "cpufreq_governor", "cpufreq/scaling_governor",
                                 "performance",
                                 "a CPU that wakes at a low frequency is slow for a while: "
                                 "'cpupower frequency-set -g performance'");
    }
    return error;
}

enum { DEEP_STATE_US = 50 };

/* "POLL 0 us, C1 2 us, C6 133 us (off)" of one CPU; the deepest enabled exit latency in *deepest_us. */
static int describe_states(struct environment_reader *reader, int cpu, char **text, int64_t *deepest_us)
{
    size_t size = 0;
    FILE *stream = open_memstream(text, &size);
    if (stream == NULL) {
        return -ENOMEM;
    }
    for (int state = 0;; state++) {
        char name[64];
        int64_t latency_us = 0;
        int64_t residency_us = 0;
        int64_t is_disabled = 0;
        const char *found = environment_file(
            reader, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name", cpu, state);
        if (found == NULL) {
            break;
        }
        (void)snprintf(name, sizeof name, "%.60s", found);
        (void)environment_file_number(
            reader, &latency_us, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/latency", cpu, state);
        (void)environment_file_number(reader, &residency_us,
                                      "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/residency", cpu,
                                      state);
        (void)environment_file_number(
            reader, &is_disabled, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", cpu, state);
        (void)fprintf(stream, "%s%s exit %lld us residency %lld us%s", state > 0 ? "; " : "", name,
                      (long long)latency_us, (long long)residency_us, is_disabled ? " (disabled)" : "");
        if (!is_disabled && latency_us > *deepest_us) {
            *deepest_us = latency_us;
        }
    }
    /* Where it had no memory from the start, closing succeeds all the same. */
    return fclose(stream) == 0 && *text != NULL ? 0 : -ENOMEM;
}

static int add_states(struct environment_reader *reader)
{
    struct value_groups groups = {0};
    int64_t deepest_us = 0;
    int error = 0;
    for (size_t i = 0; i < reader->topology->cpu_count && error == 0; i++) {
        char *text = NULL;
        if (reader->topology->cpus[i].state == CPU_OFFLINE) {
            continue;
        }
        error = describe_states(reader, reader->topology->cpus[i].cpu, &text, &deepest_us);
        if (error == 0 && text[0] != '\0') {
            error = add_value(&groups, text, reader->topology->cpus[i].cpu);
        }
        free(text);
    }
    char *text = error == 0 ? describe_groups(&groups) : NULL;
    if (error == 0) {
        const bool is_deep = deepest_us >= DEEP_STATE_US;
        error = text == NULL
                    ? -ENOMEM
                    : environment_add_fact(
                          reader, "idle states", "idle_states", is_deep ? FACT_NOTICE : FACT_INFORMATION,
                          is_deep ? "a CPU that sleeps deep takes that long to wake: measure once more "
                                    "with --dma-latency 0 to see how much of the figure it is"
                                  : NULL,
                          "%s", text[0] != '\0' ? text : "none");
    }
    free(text);
    destroy_groups(&groups);
    return error;
}

int environment_read_idle(struct environment_reader *reader)
{
    const char *driver = environment_file(reader, "/sys/devices/system/cpu/cpuidle/current_driver");
    int error = environment_add_fact(reader, "idle states", "cpuidle_driver", FACT_INFORMATION, NULL,
                                     "%s", driver != NULL ? driver : "none");
    if (error == 0) {
        const char *governor = environment_file(reader,
                                                "/sys/devices/system/cpu/cpuidle/current_governor");
        if (governor == NULL) {
            governor = environment_file(reader, "/sys/devices/system/cpu/cpuidle/current_governor_ro");
        }
        error = environment_add_fact(reader, "idle states", "cpuidle_governor", FACT_INFORMATION, NULL,
                                     "%s", governor != NULL ? governor : "none");
    }
    return error != 0 ? error : add_states(reader);
}
