/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/columns.h"

#include "numasweep/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct column_row report_columns[] = {
    {.name = "cpu",
     .heading = "CPU",
     .help = "CPU, or the wider row by --by",
     .is_default = true,
     .is_number = true},
    {.name = "node",
     .heading = "NODE",
     .help = "NUMA node of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "package",
     .heading = "PACKAGE",
     .help = "package of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "l3", .heading = "L3", .help = "L3 cache of the CPU", .is_number = true},
    {.name = "core",
     .heading = "CORE",
     .help = "core of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "sibling", .heading = "SIBLING", .help = "SMT siblings of the CPU", .is_default = true},
    {.name = "kind", .heading = "KIND", .help = "kind of the core", .is_default = true},
    {.name = "cpus", .heading = "CPUS", .help = "all CPUs that the worker was pinned to"},
    {.name = "nodes",
     .heading = "NODES",
     .help = "one column for each memory node",
     .is_default = true,
     .is_number = true},
    {.name = "min",
     .heading = "MIN",
     .help = "minimum over all memory nodes",
     .is_default = true,
     .is_number = true},
    {.name = "max",
     .heading = "MAX",
     .help = "maximum over all memory nodes",
     .is_default = true,
     .is_number = true},
    {.name = "median",
     .heading = "MEDIAN",
     .help = "median over all memory nodes",
     .is_default = true,
     .is_number = true},
    {.name = "mean",
     .heading = "MEAN",
     .help = "mean over all memory nodes",
     .is_default = true,
     .is_number = true},
    {.name = "trimmed",
     .heading = "TRIMMED",
     .help = "mean without the largest samples",
     .is_number = true},
    {.name = "p90",
     .heading = "P90",
     .help = "90th percentile over all memory nodes",
     .is_number = true},
    {.name = "p99",
     .heading = "P99",
     .help = "99th percentile over all memory nodes",
     .is_number = true},
    {.name = "p99.9",
     .heading = "P99.9",
     .help = "99.9th percentile over all memory nodes",
     .is_number = true},
    {.name = "samples",
     .heading = "SAMPLES",
     .help = "samples over all memory nodes",
     .is_number = true},
    {.name = "early",
     .heading = "EARLY",
     .help = "early wake-ups",
     .is_default = true,
     .is_number = true},
    {.name = "limits", .heading = "LIMITS", .help = "limits that a cell of the row breaks"},
    {.name = "verdict",
     .heading = "VERDICT",
     .help = "slow, fast or differs, where the verdict says so"},
    {.name = "status",
     .heading = "STATUS",
     .help = "ok, or what is missing and why",
     .is_default = true},
};

static const struct column_row topology_columns[] = {
    {.name = "cpu",
     .heading = "CPU",
     .help = "kernel number of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "node",
     .heading = "NODE",
     .help = "NUMA node that the CPU allocates from",
     .is_default = true,
     .is_number = true},
    {.name = "package",
     .heading = "PACKAGE",
     .help = "package of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "l3",
     .heading = "L3",
     .help = "L3 cache of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "core",
     .heading = "CORE",
     .help = "core of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "sibling", .heading = "SIBLING", .help = "SMT siblings of the CPU", .is_default = true},
    {.name = "kind", .heading = "KIND", .help = "kind of the core", .is_default = true},
    {.name = "online", .heading = "ONLINE", .help = "whether the CPU is online", .is_default = true},
    {.name = "allowed",
     .heading = "ALLOWED",
     .help = "whether cpuset and inherited mask allow it",
     .is_default = true},
    {.name = "isolated",
     .heading = "ISOLATED",
     .help = "whether isolcpus isolates it",
     .is_default = true},
    {.name = "nohz_full",
     .heading = "NOHZ_FULL",
     .help = "whether its tick may stop",
     .is_default = true},
    {.name = "swept",
     .heading = "SWEPT",
     .help = "yes, or why a sweep leaves it out",
     .is_default = true},
};

static const struct column_row plan_columns[] = {
    {.name = "cpu",
     .heading = "CPU",
     .help = "CPU, or the wider row by --by",
     .is_default = true,
     .is_number = true},
    {.name = "node",
     .heading = "NODE",
     .help = "NUMA node of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "package",
     .heading = "PACKAGE",
     .help = "package of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "l3", .heading = "L3", .help = "L3 cache of the CPU", .is_number = true},
    {.name = "core",
     .heading = "CORE",
     .help = "core of the CPU",
     .is_default = true,
     .is_number = true},
    {.name = "sibling", .heading = "SIBLING", .help = "SMT siblings of the CPU", .is_default = true},
    {.name = "kind", .heading = "KIND", .help = "kind of the core", .is_default = true},
    {.name = "cpus", .heading = "CPUS", .help = "all CPUs that the worker will be pinned to"},
    {.name = "nodes", .heading = "NODES", .help = "one column for each memory node", .is_default = true},
    {.name = "cells",
     .heading = "CELLS",
     .help = "cells of the row, over arms and timeouts",
     .is_default = true,
     .is_number = true},
    {.name = "status", .heading = "STATUS", .help = "planned, or why not", .is_default = true},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const struct column_row *columns_table(enum column_view view, size_t *count)
{
    switch (view) {
    case COLUMN_VIEW_TOPOLOGY:
        *count = COUNT_OF(topology_columns);
        return topology_columns;
    case COLUMN_VIEW_PLAN:
        *count = COUNT_OF(plan_columns);
        return plan_columns;
    case COLUMN_VIEW_REPORT:
    default:
        *count = COUNT_OF(report_columns);
        return report_columns;
    }
}

static void take_defaults(const struct column_row *table, size_t table_count, size_t *positions,
                          size_t *count)
{
    for (size_t i = 0; i < table_count; i++) {
        if (table[i].is_default) {
            positions[(*count)++] = i;
        }
    }
}

static int refuse_unknown(const struct column_row *table, size_t table_count, const char *word,
                          struct failure *failure)
{
    const char *names[COUNT_OF(report_columns)] = {NULL};
    char all[FAILURE_TEXT_SIZE] = "";
    size_t length = 0;
    for (size_t i = 0; i < table_count; i++) {
        names[i] = table[i].name;
        const size_t name_length = strlen(names[i]);
        if (length + name_length + 3 <= sizeof all) {
            (void)memcpy(all + length, i > 0 ? ", " : "", i > 0 ? 2 : 0);
            length += i > 0 ? 2 : 0;
            (void)memcpy(all + length, names[i], name_length + 1);
            length += name_length;
        }
    }
    const char *nearest = options_nearest(word, names, table_count);
    if (nearest != NULL) {
        return failure_set(failure, "columns", EINVAL,
                           "--columns: unknown column '%.60s': did you mean '%s'? There are: %s", word,
                           nearest, all);
    }
    return failure_set(failure, "columns", EINVAL, "--columns: unknown column '%.60s'. There are: %s",
                       word, all);
}

static int take_word(const struct column_row *table, size_t table_count, const char *word,
                     size_t *positions, size_t *count, struct failure *failure)
{
    if (word[0] == '\0') {
        return failure_set(failure, "columns", EINVAL,
                           "--columns: a name is missing: give names separated by single commas, as in "
                           "'cpu,nodes,status'");
    }
    size_t position = 0;
    while (position < table_count && strcmp(table[position].name, word) != 0) {
        position++;
    }
    if (position == table_count) {
        return refuse_unknown(table, table_count, word, failure);
    }
    for (size_t i = 0; i < *count; i++) {
        if (positions[i] == position) {
            return failure_set(failure, "columns", EINVAL,
                               "--columns: '%s' is named twice: name each column once", word);
        }
    }
    positions[(*count)++] = position;
    return 0;
}

static int take_words(const struct column_row *table, size_t table_count, char *words, size_t *positions,
                      size_t *count, struct failure *failure)
{
    char *word = words;
    while (word != NULL) {
        char *comma = strchr(word, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        const int error = take_word(table, table_count, word, positions, count, failure);
        if (error != 0) {
            return error;
        }
        word = comma != NULL ? comma + 1 : NULL;
    }
    return 0;
}

int columns_resolve(enum column_view view, const char *text, size_t **positions, size_t *count,
                    struct failure *failure)
{
    size_t table_count = 0;
    const struct column_row *table = columns_table(view, &table_count);
    int error = 0;
    char *words = NULL;

    *count = 0;
    *positions = calloc(table_count, sizeof **positions);
    if (*positions == NULL) {
        return -ENOMEM;
    }
    if (text == NULL) {
        take_defaults(table, table_count, *positions, count);
        return 0;
    }
    words = strdup(text);
    error = words == NULL ? -ENOMEM : take_words(table, table_count, words, *positions, count, failure);
    free(words);
    if (error != 0) {
        free(*positions);
        *positions = NULL;
        *count = 0;
    }
    return error;
}
