/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options_internal.h"

#define FIELD(name) offsetof(struct options, name)

/* The parts that rows of one kind have in common. */
#define CHOICE(field, words)                                                                            \
    .value = OPTION_VALUE_CHOICE, .choices = (words), .is_config_key = true, .offset = FIELD(field),    \
    .set = option_set_choice, .get = option_get_choice
#define INTEGER(field, low, high)                                                                       \
    .value = OPTION_VALUE_INTEGER, .minimum = (low), .maximum = (high), .is_config_key = true,          \
    .offset = FIELD(field), .set = option_set_integer, .get = option_get_integer
#define FLAG(field)                                                                                     \
    .value = OPTION_VALUE_NONE, .offset = FIELD(field), .set = option_set_flag, .get = option_get_flag

#define MICROSECOND INT64_C(1000)
#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)

static const char group_what[] = "What is swept";
static const char group_how[] = "How it is measured";
static const char group_where[] = "Policy, place and system";
static const char group_migrations[] = "Migrations";
static const char group_output[] = "Output";
static const char group_general[] = "General";

static const char *const node_words[] = {"all", "local", "none", NULL};
static const char *const cpu_words[] = {"all", "isolated", NULL};
static const char *const level_words[] = {"pu", "core", "l3", "node", "package", "machine", NULL};
static const char *const policy_words[] = {"auto", "fifo", "rr", "other", "batch", "idle", NULL};
static const char *const concurrency_words[] = {"one", "package", "node", "l3", "core", "all", NULL};
static const char *const clock_words[] = {"monotonic", "raw", NULL};
static const char *const when_words[] = {"auto", "always", "never", NULL};
static const char *const figure_words[] = {"both", "wake", "touch", NULL};
static const char *const metric_words[] = {"median", "mean", "trimmed", "min", "max",
                                           "p90",    "p99",  "p99.9",   NULL};
static const char *const slack_words[] = {"inherit", NULL};
static const char *const latency_words[] = {"off", NULL};
static const char *const coordinator_words[] = {"auto", NULL};
static const char *const topology_words[] = {"this", NULL};
static const char *const format_words[] = {"table", "csv", "json", "tap", NULL};
/* In the order of the bits of enum fail_on. */
static const char *const fail_on_words[] = {"invalid", "slow", "remote", "limit", "regression", NULL};
/* In the order of the bits of enum pin_choice. */
static const char *const pin_words[] = {"none", "cpu", "node", NULL};
static const char *const counter_words[] = {"auto", "sched", "perf", NULL};
static const char *const crossing_words[] = {"auto", "tracepoint", "samples", NULL};
static const char *const load_words[] = {"none", "hogs", "node:hogs", "sibling", NULL};
static const char *const group_words[] = {"none",   "file",    "host", "kernel",
                                          "policy", "version", "load", NULL};

enum {
    FOR_PLACES = FOR_SWEEP | FOR_TOPOLOGY,
    FOR_TABLES = FOR_SWEEP | FOR_TOPOLOGY | FOR_REPORT | FOR_IMPORT | FOR_COMPARE | FOR_MIGRATIONS
};

static const struct option_row rows[] = {
    {
        .name = "cpus",
        .short_name = 'c',
        .value = OPTION_VALUE_TEXT,
        .argument = "LIST",
        .is_list = true,
        .choices = cpu_words,
        .default_text = "allowed",
        .help = "CPUs to sweep: 0-3,8,16-30:2, all, all:4 (each fourth), isolated, or by object: "
                "node:1, package:0, core:5, l3:2, kind:0",
        .details =
            "\"allowed\" is the CPUs that are online, in the cpuset and in the affinity mask that "
            "numasweep was started with. An explicit list reaches beyond that mask. A CPU that "
            "does not exist is an error; one that is offline or outside the cpuset gets a row "
            "that says so.",
        .group = group_what,
        .commands = FOR_PLACES | FOR_MIGRATIONS,
        .is_config_key = true,
        .offset = FIELD(cpus),
        .set = option_set_cpus,
        .get = option_get_text,
    },
    {
        .name = "nodes",
        .short_name = 'n',
        .value = OPTION_VALUE_TEXT,
        .argument = "LIST|all|local|none",
        .is_list = true,
        .choices = node_words,
        .default_text = "all",
        .help = "memory nodes, a column each: numbers, all that have memory, only the CPU's own, or no "
                "binding",
        .details =
            "Named nodes whose memory cannot be bound fail their cells; under the default, memory "
            "is measured unbound and labelled so.",
        .group = group_what,
        .commands = FOR_PLACES,
        .is_config_key = true,
        .offset = FIELD(nodes),
        .set = option_set_nodes,
        .get = option_get_nodes,
    },
    {
        .name = "by",
        .short_name = 'b',
        .argument = "LEVEL",
        .default_text = "pu",
        .help = "what one worker is pinned to",
        .details = "\"pu\" is one CPU; with \"machine\" the worker is not pinned.",
        .group = group_what,
        .commands = FOR_PLACES,
        CHOICE(by, level_words),
    },
    {
        .name = "topology",
        .value = OPTION_VALUE_TEXT,
        .argument = "this|SYNTHETIC|FILE.xml",
        .choices = topology_words,
        .default_text = "this",
        .help = "plan for another machine: an hwloc synthetic text or XML file",
        .details = "Measuring is refused unless it is this machine. With import, the machine that the "
                   "samples are of.",
        .group = group_what,
        .commands = FOR_PLACES | FOR_IMPORT,
        .is_config_key = true,
        .offset = FIELD(topology),
        .set = option_set_text,
        .get = option_get_text,
    },
    {
        .name = "kernel",
        .short_name = 'k',
        .value = OPTION_VALUE_TEXT,
        .argument = "NAME",
        .default_text = "pselect",
        .help = "the measurement kernel: the call that is sampled",
        .details = "The kernels are listed under KERNELS.",
        .group = group_how,
        .commands = FOR_SWEEP,
        .is_config_key = true,
        .offset = FIELD(kernel),
        .set = option_set_text,
        .get = option_get_text,
    },
    {
        .name = "timeout",
        .short_name = 't',
        .value = OPTION_VALUE_DURATION,
        .argument = "DURATION[,...]",
        .is_list = true,
        .minimum = MICROSECOND,
        .maximum = HOUR,
        .default_text = "1ms",
        .help = "requested sleep; several give several tables",
        .details = "From 1us to 60m. With import, what every sample asked for. Durations take ns, us, "
                   "ms, s or m, with or without a fraction.",
        .group = group_how,
        .commands = FOR_SWEEP | FOR_IMPORT,
        .is_config_key = true,
        .offset = FIELD(timeouts_ns),
        .set = option_set_timeouts,
        .get = option_get_timeouts,
    },
    {
        .name = "samples",
        .short_name = 's',
        .argument = "N",
        .default_text = "25",
        .help = "samples that a cell takes in each round",
        .group = group_how,
        .commands = FOR_SWEEP,
        INTEGER(sample_count, 1, 1000000),
    },
    {
        .name = "rounds",
        .short_name = 'r',
        .argument = "N",
        .default_text = "20",
        .help = "rounds; each visits every cell once, in an order shuffled anew",
        .group = group_how,
        .commands = FOR_SWEEP,
        INTEGER(round_count, 1, 100000),
    },
    {
        .name = "warmup",
        .short_name = 'w',
        .argument = "N",
        .default_text = "2",
        .help = "samples thrown away at the start of each visit",
        .group = group_how,
        .commands = FOR_SWEEP,
        INTEGER(warmup_count, 0, 1000000),
    },
    {
        .name = "dither",
        .argument = "PERCENT",
        .default_text = "50",
        .help = "ask for the timeout plus or minus up to this much, drawn from the seed; 0 is exactly "
                "the timeout",
        .details = "The overshoot is against what was asked for. Without dither a sleeper locks to "
                   "periodic disturbances and either never or always meets them.",
        .group = group_how,
        .commands = FOR_SWEEP,
        INTEGER(dither_percent, 0, 90),
    },
    {
        .name = "touch",
        .argument = "LINES",
        .default_text = "64",
        .help = "cache lines of the cell's memory that are read after each wake; 0 is none",
        .group = group_how,
        .commands = FOR_SWEEP,
        INTEGER(touch_lines, 0, 65536),
    },
    {
        .name = "clock",
        .argument = "CLOCK",
        .default_text = "monotonic",
        .help = "clock of the samples",
        .details = "The other one is read at both ends of each visit, and the drift between them "
                   "reported.",
        .group = group_how,
        .commands = FOR_SWEEP,
        CHOICE(clock, clock_words),
    },
    {
        .name = "seed",
        .value = OPTION_VALUE_INTEGER,
        .argument = "N",
        .default_text = "random",
        .help = "seed of the shuffles and of the dither; always printed and saved",
        .details = "Any number from 0 to 18446744073709551615.",
        .group = group_how,
        .commands = FOR_SWEEP,
        .is_config_key = true,
        .offset = FIELD(seed),
        .set = option_set_seed,
        .get = option_get_seed,
    },
    {
        .name = "policy",
        .short_name = 'p',
        .value = OPTION_VALUE_CHOICE,
        .argument = "POLICY",
        .choices = policy_words,
        .default_text = "auto",
        .help =
            "scheduling policy of the workers; auto is fifo where it is allowed, else other, labelled",
        .details =
            "A policy that was asked for and is refused fails its cells. Deadline tasks cannot be "
            "pinned, so there is no such choice.",
        .group = group_where,
        .commands = FOR_SWEEP,
        .is_config_key = true,
        .offset = FIELD(policy),
        .set = option_set_policy,
        .get = option_get_choice,
    },
    {
        .name = "priority",
        .short_name = 'P',
        .value = OPTION_VALUE_INTEGER,
        .argument = "N",
        .minimum = OPTION_PRIORITY_MIN,
        .maximum = OPTION_PRIORITY_MAX,
        .default_text = "50",
        .help = "real-time priority, 1 to 98",
        .details = "99 is refused, since Linux runs its watchdog and migration threads there.",
        .group = group_where,
        .commands = FOR_SWEEP,
        .is_config_key = true,
        .offset = FIELD(priority),
        .set = option_set_priority,
        .get = option_get_integer,
    },
    {
        .name = "timer-slack",
        .value = OPTION_VALUE_DURATION,
        .argument = "DURATION|inherit",
        .choices = slack_words,
        .minimum = 1,
        .maximum = SECOND,
        .default_text = "1ns",
        .help = "timer slack of workers that are not real-time",
        .details = "Real-time workers have none.",
        .group = group_where,
        .commands = FOR_SWEEP,
        .is_config_key = true,
        .offset = FIELD(timer_slack_ns),
        .set = option_set_duration_or_word,
        .get = option_get_duration_or_word,
    },
    {
        .name = "concurrent",
        .argument = "DOMAIN",
        .default_text = "one",
        .help =
            "how many workers measure at the same time: one on the machine, one in each package, ...",
        .details = "Workers at the same time disturb one another: they share memory, caches and power, "
                   "and two of them may touch the memory of the same node.",
        .group = group_where,
        .commands = FOR_SWEEP,
        CHOICE(concurrent, concurrency_words),
    },
    {
        .name = "coordinator",
        .value = OPTION_VALUE_INTEGER,
        .argument = "CPU|auto",
        .choices = coordinator_words,
        .minimum = 0,
        .maximum = ID_LIST_MAX_ID,
        .default_text = "auto",
        .help = "where the parent process stays",
        .details =
            "\"auto\" is not on a measured core nor on its SMT sibling while there is another; "
            "where there is none, as with --by machine, the validity line says so, and --strict does "
            "not refuse it.",
        .group = group_where,
        .commands = FOR_SWEEP,
        .is_config_key = true,
        .offset = FIELD(coordinator_cpu),
        .set = option_set_integer_or_word,
        .get = option_get_integer_or_word,
    },
    {
        .name = "dma-latency",
        .value = OPTION_VALUE_DURATION,
        .argument = "DURATION|off",
        .choices = latency_words,
        .minimum = 0,
        .maximum = 2000 * SECOND,
        .default_text = "off",
        .help = "hold /dev/cpu_dma_latency at this value, in whole microseconds",
        .details = "\"off\" leaves the system as its user has it. Held at 0, every CPU spins instead of "
                   "idling and takes from its SMT sibling.",
        .group = group_where,
        .commands = FOR_SWEEP,
        .is_config_key = true,
        .offset = FIELD(dma_latency_ns),
        .set = option_set_dma_latency,
        .get = option_get_duration_or_word,
    },
    {
        .name = "load",
        .value = OPTION_VALUE_TEXT,
        .argument = "LOAD",
        .choices = load_words,
        .default_text = "none",
        .help =
            "busy workers while the sweep runs: hogs[:N] on all CPUs, node[:K]:hogs[:N], sibling[:N]",
        .details = "N for each CPU (1 without it), pinned, SCHED_OTHER at nice 0. \"hogs\" keeps all "
                   "CPUs busy, the "
                   "one under test too; \"node:hogs\" those of its node, with a number in between those "
                   "of that "
                   "node; \"sibling\" the other threads of its core.",
        .group = group_where,
        .commands = FOR_SWEEP,
        .is_config_key = true,
        .offset = FIELD(load),
        .set = option_set_load,
        .get = option_get_text,
    },
    {
        .name = "strict",
        .default_text = "no",
        .help = "refuse to measure when anything asked for cannot be had exactly",
        .details = "Without it, what can be had is measured and labelled.",
        .group = group_where,
        .commands = FOR_SWEEP,
        .is_config_key = true,
        FLAG(strict),
    },
    {
        .name = "hogs-per-cpu",
        .argument = "K",
        .default_text = "2",
        .help = "busy workers that are started for each CPU",
        .details = "Loops without a system call, of the policy SCHED_OTHER at nice 0.",
        .group = group_migrations,
        .commands = FOR_MIGRATIONS,
        INTEGER(hogs_per_cpu, 1, 1024),
    },
    {
        .name = "duration",
        .value = OPTION_VALUE_DURATION,
        .argument = "DURATION",
        .minimum = 10000 * MICROSECOND,
        .maximum = 24 * HOUR,
        .default_text = "1m",
        .help = "how long each run lasts",
        .group = group_migrations,
        .commands = FOR_MIGRATIONS,
        .is_config_key = true,
        .offset = FIELD(duration_ns),
        .set = option_set_duration_or_word,
        .get = option_get_duration_or_word,
    },
    {
        .name = "runs",
        .argument = "N",
        .default_text = "5",
        .help = "runs of each way of pinning; one of each in turn",
        .group = group_migrations,
        .commands = FOR_MIGRATIONS,
        INTEGER(run_count, 1, 100000),
    },
    {
        .name = "pin",
        .value = OPTION_VALUE_TEXT,
        .argument = "LIST",
        .is_list = true,
        .choices = pin_words,
        .default_text = "auto",
        .help = "what the workers are pinned to: none, cpu, node, or several of them",
        .details = "\"auto\" is all of them, but for node where there is only one. A worker that is "
                   "pinned to a "
                   "CPU must never be moved, one that is pinned to a node never to another node: a run "
                   "in which "
                   "that happens has failed.",
        .group = group_migrations,
        .commands = FOR_MIGRATIONS,
        .is_config_key = true,
        .offset = FIELD(pins),
        .set = option_set_pins,
        .get = option_get_words,
    },
    {
        .name = "quota",
        .value = OPTION_VALUE_DURATION,
        .argument = "DURATION|off",
        .choices = latency_words,
        .minimum = 1000 * MICROSECOND,
        .maximum = HOUR,
        .default_text = "off",
        .help = "also measure in cgroups with a CPU bandwidth limit: CPU time in each --period",
        .details =
            "cgroups v1 or v2, whichever has the controller cpu. They are removed on every way out.",
        .group = group_migrations,
        .commands = FOR_MIGRATIONS,
        .is_config_key = true,
        .offset = FIELD(quota_ns),
        .set = option_set_bandwidth,
        .get = option_get_duration_or_word,
    },
    {
        .name = "period",
        .value = OPTION_VALUE_DURATION,
        .argument = "DURATION",
        .minimum = 1000 * MICROSECOND,
        .maximum = SECOND,
        .default_text = "100ms",
        .help = "period of the bandwidth limit",
        .group = group_migrations,
        .commands = FOR_MIGRATIONS,
        .is_config_key = true,
        .offset = FIELD(period_ns),
        .set = option_set_bandwidth,
        .get = option_get_duration_or_word,
    },
    {
        .name = "groups",
        .argument = "N",
        .default_text = "1",
        .help = "number of such cgroups, among which the workers are dealt out",
        .details = "The quota is that of each.",
        .group = group_migrations,
        .commands = FOR_MIGRATIONS,
        INTEGER(groups, 1, 4096),
    },
    {
        .name = "counter",
        .argument = "SOURCE",
        .default_text = "auto",
        .help = "where the migrations of a worker are read: /proc/PID/sched, or perf's software counter",
        .details = "\"auto\" is the first where there is one.",
        .group = group_migrations,
        .commands = FOR_MIGRATIONS,
        CHOICE(counter, counter_words),
    },
    {
        .name = "crossings",
        .argument = "SOURCE",
        .default_text = "auto",
        .help =
            "where moves between nodes are seen: every one by a tracepoint, or an estimate from samples",
        .details =
            "No counter has them. \"auto\" is the tracepoint sched_migrate_task where it can be "
            "had (tracefs mounted, rights for perf), else the workers' CPUs, looked at now and then.",
        .group = group_migrations,
        .commands = FOR_MIGRATIONS,
        CHOICE(crossings, crossing_words),
    },
    {
        .name = "output",
        .short_name = 'o',
        .value = OPTION_VALUE_TEXT,
        .argument = "FORMAT[:FILE]",
        .choices = format_words,
        .default_text = "table",
        .help = "output format, to standard output or a file; repeatable",
        .details = "The formats are listed under OUTPUT.",
        .group = group_output,
        .commands = FOR_ALL,
        .is_config_key = true,
        .offset = FIELD(outputs),
        .set = option_set_outputs,
        .clear = option_outputs_clear,
        .get = option_get_outputs,
    },
    {
        .name = "save",
        .value = OPTION_VALUE_FILE,
        .argument = "FILE",
        .default_text = "none",
        .help = "the result file: a line for each visit, written as it completes",
        .details =
            "A new or empty file; one that holds anything is left as it is. With report, what was "
            "read is saved as one file, with import what was imported.",
        .group = group_output,
        .commands = FOR_RUN | FOR_REPORT | FOR_IMPORT | FOR_MIGRATIONS,
        .is_config_key = true,
        .offset = FIELD(save),
        .set = option_set_save,
        .get = option_get_text,
    },
    {
        .name = "metric",
        .argument = "NAME",
        .default_text = "median",
        .help = "what the cells show",
        .details =
            "\"trimmed\" is the mean without the largest twentieth of the samples. Percentiles are "
            "by nearest rank, and shown only where there are samples enough: 50 for p90, 500 for "
            "p99, 5000 for p99.9.",
        .group = group_output,
        .commands = FOR_RUN | FOR_REPORT | FOR_IMPORT | FOR_COMPARE,
        CHOICE(metric, metric_words),
    },
    {
        .name = "figure",
        .argument = "FIGURE",
        .default_text = "both",
        .help = "which of the two figures the cells show",
        .group = group_output,
        .commands = FOR_RUN | FOR_REPORT | FOR_IMPORT | FOR_COMPARE,
        CHOICE(figure, figure_words),
    },
    {
        .name = "verdict-percent",
        .argument = "PERCENT",
        .default_text = "10",
        .help = "what a CPU must be slower or faster than its peers to be flagged, in per cent",
        .details = "Both this and --verdict-size must be reached.",
        .group = group_output,
        .commands = FOR_RUN | FOR_REPORT | FOR_IMPORT | FOR_COMPARE,
        INTEGER(verdict_percent, 0, 1000),
    },
    {
        .name = "verdict-size",
        .value = OPTION_VALUE_DURATION,
        .argument = "DURATION",
        .minimum = 0,
        .maximum = HOUR,
        .default_text = "1us",
        .help = "the same, in time",
        .group = group_output,
        .commands = FOR_RUN | FOR_REPORT | FOR_IMPORT | FOR_COMPARE,
        .is_config_key = true,
        .offset = FIELD(verdict_size_ns),
        .set = option_set_duration_or_word,
        .get = option_get_duration_or_word,
    },
    {
        .name = "verdict-error",
        .argument = "PERCENT",
        .default_text = "1",
        .help = "error rate of the whole verdict: how often healthy CPUs alone give a flag",
        .group = group_output,
        .commands = FOR_RUN | FOR_REPORT | FOR_IMPORT | FOR_COMPARE,
        INTEGER(verdict_error_percent, 1, 50),
    },
    {
        .name = "columns",
        .value = OPTION_VALUE_TEXT,
        .argument = "LIST",
        .is_list = true,
        .default_text = "default",
        .help = "columns of the table, by name",
        .details = "The columns are listed under OUTPUT.",
        .group = group_output,
        .commands = FOR_SWEEP | FOR_TOPOLOGY | FOR_REPORT,
        .is_config_key = true,
        .offset = FIELD(columns),
        .set = option_set_optional_text,
        .get = option_get_text,
    },
    {
        .name = "no-headings",
        .default_text = "no",
        .help = "leave the headings of the tables out",
        .group = group_output,
        .commands = FOR_TABLES,
        .is_config_key = true,
        FLAG(no_headings),
    },
    {
        .name = "color",
        .argument = "WHEN",
        .default_text = "auto",
        .help = "colours in the tables",
        .details = "\"auto\" is on a terminal, unless NO_COLOR is set.",
        .group = group_output,
        .commands = FOR_ALL,
        CHOICE(color, when_words),
    },
    {
        .name = "progress",
        .argument = "WHEN",
        .default_text = "auto",
        .help = "cells done, remaining time and the CPU under test, on standard error",
        .details = "\"auto\" is where standard error is a terminal.",
        .group = group_output,
        .commands = FOR_RUN | FOR_MIGRATIONS,
        CHOICE(progress, when_words),
    },
    {
        .name = "limit",
        .value = OPTION_VALUE_TEXT,
        .argument = "METRIC=DURATION",
        .default_text = "none",
        .help = "what no cell may exceed, as in p99=100us, touch-median=8us or early=0; repeatable",
        .details =
            "A metric is one of --metric, of wake; with touch- before it, of touch; early=COUNT is the "
            "number of sleeps that ended before their time. A percentile that has too few samples is "
            "not judged. Limits are saved, and report judges by them unless it is given others, or "
            "none. A broken limit ends with status 1, unless --fail-on says otherwise.",
        .group = group_output,
        .commands = FOR_RUN | FOR_REPORT | FOR_IMPORT,
        .is_replayed = true,
        .is_config_key = true,
        .offset = FIELD(limits),
        .set = option_set_limits,
        .clear = option_limits_clear,
        .get = option_get_limits,
    },
    {
        .name = "fail-on",
        .value = OPTION_VALUE_TEXT,
        .argument = "LIST",
        .is_list = true,
        .choices = fail_on_words,
        .default_text = "none",
        .help = "what ends with status 1: invalid, slow, remote, limit, regression",
        .details =
            "\"invalid\" is a placement that was not proved, or samples taken elsewhere; \"slow\" a "
            "CPU or a group of CPUs that is flagged as slow; \"remote\" memory that costs more than "
            "local memory, by --verdict-percent at least; \"limit\" a broken --limit, which need not be "
            "named where nothing else is; \"regression\", in compare of two files, a change for the "
            "worse "
            "that is confirmed and large.",
        .group = group_output,
        .commands = FOR_RUN | FOR_REPORT | FOR_IMPORT | FOR_COMPARE,
        .is_config_key = true,
        .offset = FIELD(fail_on),
        .set = option_set_fail_on,
        .get = option_get_words,
    },
    {
        .name = "group-by",
        .argument = "FIELD",
        .default_text = "none",
        .help = "a line for each value of a header field, a column for each file that has it",
        .details =
            "\"kernel\" is Linux's release. Without it, two files are compared cell by cell, and "
            "more are listed by file. The figures are those of --metric and --figure, over all cells.",
        .group = group_output,
        .commands = FOR_COMPARE,
        CHOICE(group_by, group_words),
    },
    {
        .name = "config",
        .value = OPTION_VALUE_FILE,
        .argument = "FILE",
        .help = "read options from a configuration file; the command line wins",
        .details = "Repeatable; a later file wins over an earlier one.",
        .group = group_general,
        .commands = FOR_ALL,
        .set = option_set_source,
        .get = option_get_source,
    },
    {
        .name = "profile",
        .value = OPTION_VALUE_TEXT,
        .argument = "NAME",
        .help = "read options from an installed profile: quick, thorough, ...",
        .details = "As --config with the file NAME.conf. See PROFILES.",
        .group = group_general,
        .commands = FOR_ALL,
        .set = option_set_source,
        .get = option_get_source,
    },
    {
        .name = "help",
        .short_name = 'h',
        .help = "print this help; with a sub-command, its own",
        .group = group_general,
        .commands = FOR_ALL,
        FLAG(show_help),
    },
    {
        .name = "version",
        .short_name = 'V',
        .help = "print the version",
        .group = group_general,
        .commands = FOR_ALL,
        FLAG(show_version),
    },
};

const struct option_row *options_table(size_t *row_count)
{
    *row_count = sizeof rows / sizeof rows[0];
    return rows;
}

const char *row_level_name(enum row_level level)
{
    return level_words[level];
}

const char *concurrency_name(enum concurrency concurrent)
{
    return concurrency_words[concurrent];
}

const char *policy_choice_name(enum policy_choice policy)
{
    return policy_words[policy];
}

const char *sample_clock_name(enum sample_clock clock)
{
    return clock_words[clock];
}
