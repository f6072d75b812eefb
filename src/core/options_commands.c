/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options_internal.h"

static const struct command_name names[] = {
    {
        .name = "run",
        .command = FOR_RUN,
        .summary = "sweep this machine and print the table (the default)",
        .arguments = "",
    },
    {
        .name = "plan",
        .command = FOR_PLAN,
        .summary = "print what would be measured, in which order, and for how long",
        .arguments = "",
    },
    {
        .name = "topology",
        .command = FOR_TOPOLOGY,
        .summary = "print nodes, CPUs, memory, distances and what would be swept",
        .arguments = "",
    },
    {
        .name = "report",
        .command = FOR_REPORT,
        .summary = "print saved results again, alone or merged",
        .arguments = "FILE...",
    },
    {
        .name = "compare",
        .command = FOR_COMPARE,
        .summary = "compare saved results: before and after, or many in groups",
        .arguments = "FILE FILE...",
    },
    {
        .name = "import",
        .command = FOR_IMPORT,
        .summary = "take the samples of another program, from CSV, for a sweep",
        .arguments = "FILE.csv",
    },
    {
        .name = "migrations",
        .command = FOR_MIGRATIONS,
        .summary = "count how often busy workers are moved between CPUs and nodes",
        .arguments = "",
    },
    {
        .name = "check",
        .command = FOR_CHECK,
        .summary = "print the environment, with advice on what would spoil a measurement",
        .arguments = "",
    },
};

const struct command_name *options_commands(size_t *count)
{
    *count = sizeof names / sizeof names[0];
    return names;
}

const struct command_name *options_find_command(enum option_command command)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].command == command) {
            return &names[i];
        }
    }
    return NULL;
}
