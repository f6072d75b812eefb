/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One table of options. It feeds the command-line parser, --help, the configuration files, the shell
 * completion and the manual page, and the options that a result file records.
 */
#ifndef NUMASWEEP_OPTIONS_H
#define NUMASWEEP_OPTIONS_H

#include "numasweep/failure.h"
#include "numasweep/limits.h"
#include "numasweep/number.h"
#include "numasweep/selection.h"
#include "numasweep/statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum row_level { ROW_PU, ROW_CORE, ROW_L3, ROW_NODE, ROW_PACKAGE, ROW_MACHINE };
enum policy_choice { POLICY_AUTO, POLICY_FIFO, POLICY_RR, POLICY_OTHER, POLICY_BATCH, POLICY_IDLE };
enum concurrency {
    CONCURRENT_ONE,
    CONCURRENT_PACKAGE,
    CONCURRENT_NODE,
    CONCURRENT_L3,
    CONCURRENT_CORE,
    CONCURRENT_ALL
};
enum sample_clock { SAMPLE_CLOCK_MONOTONIC, SAMPLE_CLOCK_RAW };
enum when_choice { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };
/* Bits of options.pins, in the order of enum migration_pin. */
enum pin_choice { PIN_NONE = 1, PIN_CPU = 2, PIN_NODE = 4 };
enum counter_choice { COUNTER_AUTO, COUNTER_SCHED, COUNTER_PERF };
enum crossing_choice { CROSSINGS_AUTO, CROSSINGS_TRACEPOINT, CROSSINGS_SAMPLES };
enum figure_choice { FIGURE_BOTH, FIGURE_WAKE, FIGURE_TOUCH };

/* Bits of options.fail_on. */
enum fail_on {
    FAIL_ON_INVALID = 1,
    FAIL_ON_SLOW = 2,
    FAIL_ON_REMOTE = 4,
    FAIL_ON_LIMIT = 8,
    FAIL_ON_REGRESSION = 16
};

/* Bits of option_row.commands: which sub-commands take the option. */
enum option_command {
    FOR_RUN = 1 << 0,
    FOR_PLAN = 1 << 1,
    FOR_TOPOLOGY = 1 << 2,
    FOR_REPORT = 1 << 3,
    FOR_CHECK = 1 << 4,
    FOR_IMPORT = 1 << 5,
    FOR_COMPARE = 1 << 6,
    FOR_MIGRATIONS = 1 << 7,
    FOR_ALL = FOR_RUN | FOR_PLAN | FOR_TOPOLOGY | FOR_REPORT | FOR_CHECK | FOR_COMPARE | FOR_IMPORT |
              FOR_MIGRATIONS,
    FOR_SWEEP = FOR_RUN | FOR_PLAN
};

enum {
    OPTION_INHERIT_SLACK = -1,   /* options.timer_slack_ns: leave as inherited */
    OPTION_DMA_LATENCY_OFF = -1, /* options.dma_latency_ns: do not hold */
    OPTION_COORDINATOR_AUTO = -1,
    OPTION_QUOTA_OFF = -1, /* options.quota_ns: no cgroup */
    OPTION_PRIORITY_MIN = 1,
    OPTION_PRIORITY_MAX = 98
};

struct output_request {
    char *format;
    char *file; /* NULL: standard output */
};

struct options {
    char *cpus; /* selection text; NULL: not given (the default set) */
    struct node_selection nodes;
    enum row_level by;
    char *kernel;
    int64_t *timeouts_ns;
    size_t timeout_count;
    int64_t sample_count;
    int64_t dither_percent;
    int64_t round_count;
    int64_t warmup_count;
    int64_t touch_lines;
    enum sample_clock clock;
    enum policy_choice policy;
    bool policy_is_explicit; /* asked for by option or configuration file: a refusal fails the cell */
    int64_t priority;
    bool priority_is_explicit;
    bool nodes_is_explicit;
    int64_t timer_slack_ns; /* or OPTION_INHERIT_SLACK */
    enum concurrency concurrent;
    int64_t coordinator_cpu; /* or OPTION_COORDINATOR_AUTO */
    int64_t dma_latency_ns;  /* or OPTION_DMA_LATENCY_OFF; the device takes whole microseconds */
    uint64_t seed;
    bool has_seed;
    char *topology; /* "this", a synthetic text or a file name */
    bool strict;
    struct output_request *outputs; /* at least one after options_init() */
    size_t output_count;
    char *save;
    unsigned fail_on;
    char *load; /* as load_format() has it */
    int64_t hogs_per_cpu;
    int64_t duration_ns; /* of a run of migrations */
    int64_t run_count;
    unsigned pins;    /* bits of enum pin_choice; 0: those that make sense on this machine */
    int64_t quota_ns; /* or OPTION_QUOTA_OFF */
    int64_t period_ns;
    int64_t groups;
    enum counter_choice counter;
    enum crossing_choice crossings;
    unsigned group_by; /* position among the words of --group-by */
    struct limit_list limits;
    int64_t verdict_error_percent;
    int64_t verdict_percent; /* what counts as slow or fast: of the peers' figure, and */
    int64_t verdict_size_ns; /* in time */
    enum metric metric;
    enum figure_choice figure;
    char *columns; /* comma-separated names, NULL: the default set */
    bool no_headings;
    enum when_choice color;
    enum when_choice progress;
    bool show_help;
    bool show_version;

    enum option_command command; /* set by options_parse() */
    char **arguments;            /* positional: the files of `report` and `import` */
    size_t argument_count;
    char **set_names; /* long names that were set, in order, by command line or file */
    /* Where each of them came from: the name of a file, or "" for the command line. Values of a file
     * never replace those of the command line, and a repeatable option adds up within one origin. */
    char **set_origins;
    size_t set_name_count;
};

/* What the value of an option is; completion and manual use it too. */
enum option_value {
    OPTION_VALUE_NONE, /* a flag */
    OPTION_VALUE_TEXT,
    OPTION_VALUE_CHOICE,
    OPTION_VALUE_INTEGER,
    OPTION_VALUE_DURATION,
    OPTION_VALUE_FILE
};

struct option_row {
    const char *name; /* long name, and the key in configuration files */
    char short_name;  /* 0: none */
    enum option_value value;
    const char *argument;       /* "LIST", "DURATION[,...]" as shown; NULL for flags */
    const char *const *choices; /* NULL-terminated, for OPTION_VALUE_CHOICE (and completion of others) */
    int64_t minimum;            /* inclusive, for integers and durations (ns) */
    int64_t maximum;
    /* As shown; applied through the same setter. A text that stands for "not given" (NULL in struct
     * options) is a word that the setter reads back: "allowed", "default", "none", "random". NULL: the
     * row has no value of its own (help, version, config, profile). */
    const char *default_text;
    const char *help;    /* one sentence for --help */
    const char *details; /* further sentences for the manual page, or NULL */
    const char *group;   /* heading in --help and the manual */
    unsigned commands;   /* bits of enum option_command */
    bool is_list;        /* several values in one word: a second word is refused, not taken for more */
    /* A judgement that a result file keeps, although report takes the option too and may judge anew. */
    bool is_replayed;
    bool is_config_key; /* false: only on the command line (help, version, config, profile) */
    size_t offset;      /* of the field in struct options, for setters that several rows share */
    int (*set)(struct options *options, const struct option_row *row, const char *text,
               struct failure *failure);
    /* Empties what the setter adds to; NULL: the setter replaces. A row with it is repeatable. */
    void (*clear)(struct options *options);
    /* The value in force, as the setter would read it back; malloc'd, NULL when memory ran out. */
    char *(*get)(const struct options *options, const struct option_row *row);
};

const struct option_row *options_table(size_t *row_count);
const struct option_row *options_find(const char *name); /* or NULL */
/* Whether a result file holds the option: what is only about showing belongs to whoever shows it. */
bool option_is_recorded(const struct option_row *row);
/* Whether the result files of one sub-command (FOR_RUN, FOR_MIGRATIONS) do. */
bool option_is_recorded_by(const struct option_row *row, enum option_command command);

/* Defaults of all options. -ENOMEM. */
int options_init(struct options *options);
void options_destroy(struct options *options);
/* A deep copy into an empty struct. -ENOMEM. */
int options_copy(struct options *destination, const struct options *source);

/* Sets one option by its long name from a text. -EINVAL with failure filled; `origin` ("--timeout",
 * "quick.conf:12") begins the message. */
int options_set(struct options *options, const char *name, const char *text, const char *origin,
                struct failure *failure);

/* Called by the parser at once for --config and --profile, so that the core needs no file access:
 * `kind` is "config" or "profile". Must return 0 or a negative errno with failure filled. Values from
 * files never replace values from the command line, whatever the order of the words. */
typedef int (*options_load_file)(const char *kind, const char *name, struct options *options,
                                 void *context, struct failure *failure);

/* Parses argv (argv[0] is skipped): an optional sub-command, options, positional arguments. An unknown
 * sub-command, option or choice is -EINVAL and the failure names the nearest one. Options that the
 * sub-command does not take are refused. Does not print and does not exit. */
int options_parse(struct options *options, int argc, char **argv, options_load_file load, void *context,
                  struct failure *failure);

/* Sets one key from a configuration file; keeps what the command line had set. A key that
 * options->command does not take is checked and passed over, so that one file serves all sub-commands.
 */
int options_set_from_file(struct options *options, const char *key, const char *value,
                          const char *origin, struct failure *failure);

/* Checks that need several options at once (priority without a real-time policy, the touch figure
 * without touched lines). A value of a file that the command line makes pointless is no error. -EINVAL.
 */
int options_check(const struct options *options, struct failure *failure);
/* Of commands that judge: what cannot be found in any case must not look like what was not found. */
int options_check_fail_on(const struct options *options, struct failure *failure);

bool options_was_set(const struct options *options, const char *name);

/* --help for a sub-command, from the table. `width` in columns. -EIO when the stream refused. */
int options_print_help(enum option_command command, int width, FILE *stream);
/* The OPTIONS section of the manual page (man(7) macros) and the bash completion, from the table. */
int options_print_manual(FILE *stream);
/* What the table cannot know of an option's values: `words` is a text of bash that expands to them, in
 * double quotes. The list ends with a NULL option; NULL: none. */
struct option_completion {
    const char *option;
    const char *words;
};
int options_print_completion(FILE *stream, const struct option_completion *completions);

/* The sub-commands, by name, in the order of the help. */
struct command_name {
    const char *name;
    enum option_command command;
    const char *summary;
    const char *arguments; /* "", "FILE..." or "FILE.csv" */
};
const struct command_name *options_commands(size_t *count);
const struct command_name *options_find_command(enum option_command command);

/* The candidate nearest to `word` by edit distance, or NULL when none is near. */
const char *options_nearest(const char *word, const char *const *candidates, size_t count);

const char *row_level_name(enum row_level level);
const char *concurrency_name(enum concurrency concurrent);
const char *policy_choice_name(enum policy_choice policy);
const char *sample_clock_name(enum sample_clock clock);

#endif
