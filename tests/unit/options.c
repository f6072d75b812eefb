/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every row of the table: defaults, setters, getters, bad values. */
#include "numasweep/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int set_up(void **state)
{
    struct options *const options = calloc(1, sizeof *options);
    *state = options;
    return options == NULL ? -1 : options_init(options);
}

static int tear_down(void **state)
{
    options_destroy(*state);
    free(*state);
    return 0;
}

static char *get(const struct options *options, const char *name)
{
    const struct option_row *const row = options_find(name);
    assert_non_null(row);
    char *const text = row->get(options, row);
    assert_non_null(text);
    return text;
}

static void assert_value(const struct options *options, const char *name, const char *expected)
{
    char *const text = get(options, name);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_set(struct options *options, const char *name, const char *text)
{
    struct failure failure = {0};
    const int error = options_set(options, name, text, "--x", &failure);
    if (error != 0) {
        fail_msg("%s = %s: %s", name, text, failure.text);
    }
}

/* The message begins with the origin and says `part`. */
static void assert_refused(struct options *options, const char *name, const char *text, const char *part)
{
    struct failure failure = {0};
    char origin[64] = "--";
    (void)strncat(origin, name, sizeof origin - 3);
    if (options_set(options, name, text, origin, &failure) != -EINVAL) {
        fail_msg("--%s \"%s\" was not refused", name, text);
    }
    assert_int_equal(strncmp(failure.text, origin, strlen(origin)), 0);
    assert_int_equal(strncmp(failure.text + strlen(origin), ": ", 2), 0);
    if (strstr(failure.text, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", failure.text, part);
    }
}

static void test_every_row_is_complete(void **state)
{
    (void)state;
    size_t count = 0;
    const struct option_row *const rows = options_table(&count);
    assert_true(count > 30);
    for (size_t i = 0; i < count; i++) {
        const struct option_row *const row = &rows[i];
        assert_non_null(row->help);
        assert_true(row->help[0] != '\0' && row->help[strlen(row->help) - 1] != '\n');
        assert_non_null(row->group);
        assert_non_null(row->set);
        assert_non_null(row->get);
        assert_true((row->commands & FOR_ALL) != 0);
        assert_int_equal(row->argument == NULL, row->value == OPTION_VALUE_NONE);
        assert_int_equal(row->default_text != NULL, row->is_config_key);
        assert_true(row->value != OPTION_VALUE_CHOICE || row->choices != NULL);
        assert_ptr_equal(options_find(row->name), row);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(rows[j].name, row->name);
            assert_true(row->short_name == 0 || rows[j].short_name != row->short_name);
        }
    }
}

static void test_every_default_is_accepted_and_shown(void **state)
{
    struct options *const options = *state;
    size_t count = 0;
    const struct option_row *const rows = options_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].default_text != NULL) {
            assert_value(options, rows[i].name, rows[i].default_text);
            assert_set(options, rows[i].name, rows[i].default_text);
            assert_value(options, rows[i].name, rows[i].default_text);
        }
    }
}

static void test_defaults_are_those_of_the_contract(void **state)
{
    const struct options *const options = *state;
    assert_null(options->cpus);
    assert_int_equal(options->nodes.kind, NODES_ALL);
    assert_int_equal(options->by, ROW_PU);
    assert_string_equal(options->kernel, "pselect");
    assert_int_equal(options->timeout_count, 1);
    assert_int_equal(options->timeouts_ns[0], 1000000);
    assert_int_equal(options->sample_count, 25);
    assert_int_equal(options->dither_percent, 50);
    assert_int_equal(options->round_count, 20);
    assert_int_equal(options->warmup_count, 2);
    assert_int_equal(options->touch_lines, 64);
    assert_int_equal(options->clock, SAMPLE_CLOCK_MONOTONIC);
    assert_int_equal(options->policy, POLICY_AUTO);
    assert_int_equal(options->priority, 50);
    assert_int_equal(options->timer_slack_ns, 1);
    assert_int_equal(options->concurrent, CONCURRENT_ONE);
    assert_int_equal(options->coordinator_cpu, OPTION_COORDINATOR_AUTO);
    assert_int_equal(options->dma_latency_ns, OPTION_DMA_LATENCY_OFF);
    assert_false(options->has_seed);
    assert_string_equal(options->topology, "this");
    assert_false(options->strict);
    assert_int_equal(options->output_count, 1);
    assert_string_equal(options->outputs[0].format, "table");
    assert_null(options->outputs[0].file);
    assert_null(options->save);
    assert_int_equal(options->fail_on, 0);
    assert_int_equal(options->metric, METRIC_MEDIAN);
    assert_int_equal(options->figure, FIGURE_BOTH);
    assert_null(options->columns);
    assert_int_equal(options->command, FOR_RUN);
    assert_int_equal(options->set_name_count, 0);
    assert_false(options->policy_is_explicit);
    assert_false(options->priority_is_explicit);
    assert_false(options->nodes_is_explicit);
}

struct value_case {
    const char *name;
    const char *given;
    const char *got; /* NULL: as given */
};

/* One value that is not the default for every row, so that a setter which does nothing is seen. */
static const struct value_case values[] = {
    {"cpus", "0-3,8,16-30:2", NULL},
    {"cpus", "all", NULL},
    {"cpus", "node:1,package:0", NULL},
    {"nodes", "local", NULL},
    {"nodes", "none", NULL},
    {"nodes", "0,2,4,7", "0-4:2,7"},
    {"by", "machine", NULL},
    {"topology", "pack:8 [numa(memory=8GB)] core:8 pu:2(indexes=2*64:1*2)", NULL},
    {"kernel", "clock_nanosleep", NULL},
    {"timeout", "1us,1000us,2.5ms,1s,60m", "1us,1ms,2500us,1s,60m"},
    {"samples", "1000000", NULL},
    {"rounds", "100000", NULL},
    {"warmup", "0", NULL},
    {"dither", "90", NULL},
    {"touch", "65536", NULL},
    {"clock", "raw", NULL},
    {"seed", "18446744073709551615", NULL},
    {"seed", "0", NULL},
    {"policy", "idle", NULL},
    {"priority", "98", NULL},
    {"priority", "1", NULL},
    {"timer-slack", "inherit", NULL},
    {"timer-slack", "50us", NULL},
    {"concurrent", "all", NULL},
    {"coordinator", "0", NULL},
    {"coordinator", "1500", NULL},
    {"dma-latency", "0", "0ns"},
    {"dma-latency", "20us", NULL},
    {"strict", "yes", NULL},
    {"strict", "on", "yes"},
    {"strict", "true", "yes"},
    {"save", "r.jsonl", NULL},
    {"output", "csv:a:b,c.csv", NULL},
    {"output", "json:-", "json"},
    {"metric", "p99.9", NULL},
    {"figure", "touch", NULL},
    {"columns", "cpu,median", NULL},
    {"no-headings", "yes", NULL},
    {"color", "never", NULL},
    {"progress", "always", NULL},
    {"fail-on", "invalid", NULL},
    {"fail-on", "invalid,invalid", "invalid"},
    {"fail-on", "remote,slow", "slow,remote"},
    {"fail-on", "limit", NULL},
    {"limit", "p99=100us", NULL},
    {"limit", "touch-median=8000ns,early=0,p99.9=0.5ms", "touch-median=8us,early=0,p99.9=500us"},
    {"limit", "none", NULL},
    {"verdict-percent", "0", NULL},
    {"verdict-size", "2us", NULL},
    {"verdict-error", "5", NULL},
    {"group-by", "kernel", NULL},
    {"load", "hogs:1", "hogs"},
    {"load", "node:3:hogs:2", NULL},
    {"load", "sibling", NULL},
    {"hogs-per-cpu", "1024", NULL},
    {"duration", "1500ms", NULL},
    {"runs", "7", NULL},
    {"pin", "none", NULL},
    {"pin", "node,cpu,node", "cpu,node"},
    {"quota", "25ms", NULL},
    {"quota", "off", NULL},
    {"period", "10ms", NULL},
    {"groups", "4", NULL},
    {"counter", "perf", NULL},
    {"crossings", "samples", NULL},
};

static const struct value_case *find_value(const char *name)
{
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(values[i].name, name) == 0) {
            return &values[i];
        }
    }
    return NULL;
}

static void test_what_is_got_is_what_was_set(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct options first = {0};
        struct options second = {0};
        assert_int_equal(options_init(&first), 0);
        assert_int_equal(options_init(&second), 0);
        assert_set(&first, values[i].name, values[i].given);
        char *const text = get(&first, values[i].name);
        assert_string_equal(text, values[i].got == NULL ? values[i].given : values[i].got);
        assert_set(&second, values[i].name, text);
        assert_value(&second, values[i].name, text);
        free(text);
        options_destroy(&first);
        options_destroy(&second);
    }
}

static void test_every_key_has_a_round_trip(void **state)
{
    (void)state;
    size_t count = 0;
    const struct option_row *const rows = options_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].is_config_key && find_value(rows[i].name) == NULL) {
            fail_msg("no round trip for %s", rows[i].name);
        }
    }
}

static void test_every_choice_can_be_set(void **state)
{
    struct options *const options = *state;
    size_t count = 0;
    const struct option_row *const rows = options_table(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; rows[i].choices != NULL && rows[i].choices[j] != NULL; j++) {
            assert_set(options, rows[i].name, rows[i].choices[j]);
        }
    }
}

static void test_choices_agree_with_the_names_of_their_values(void **state)
{
    (void)state;
    const struct option_row *const metric = options_find("metric");
    for (int i = 0; i < METRIC_COUNT; i++) {
        assert_string_equal(metric->choices[i], metric_name((enum metric)i));
    }
    assert_null(metric->choices[METRIC_COUNT]);
    assert_string_equal(row_level_name(ROW_MACHINE), "machine");
    assert_string_equal(row_level_name(ROW_L3), "l3");
    assert_string_equal(concurrency_name(CONCURRENT_ONE), "one");
    assert_string_equal(concurrency_name(CONCURRENT_ALL), "all");
    assert_string_equal(policy_choice_name(POLICY_IDLE), "idle");
    assert_string_equal(policy_choice_name(POLICY_RR), "rr");
    assert_string_equal(sample_clock_name(SAMPLE_CLOCK_RAW), "raw");
}

static const struct value_case bad_values[] = {
    {"cpus", "", "empty"},
    {"cpus", "3-1", "3-1"},
    {"cpus", "0,,1", ""},
    {"cpus", "0-", ""},
    {"cpus", "-1", ""},
    {"cpus", "nodee:1", ""},
    {"nodes", "", ""},
    {"nodes", "some", "some"},
    {"nodes", "1-0", ""},
    {"by", "cpu", "pu, core, l3, node, package, machine"},
    {"by", "pakage", "did you mean \"package\""},
    {"by", "", "pu, core"},
    {"by", "PU", "pu"},
    {"topology", "", "empty"},
    {"kernel", "", "empty"},
    {"timeout", "5", "ms"},
    {"timeout", "0", ""},
    {"timeout", "0ms", ""},
    {"timeout", "999ns", "1us"},
    {"timeout", "61m", ""},
    {"timeout", "-1ms", ""},
    {"timeout", "1ms,", ""},
    {"timeout", ",1ms", ""},
    {"timeout", "1ms,1000us", "twice"},
    {"timeout", "1msx", ""},
    {"timeout", "", ""},
    {"timeout", "99999999999999999999s", ""},
    {"samples", "0", "1"},
    {"samples", "-1", "1000000"},
    {"samples", "1000001", "1000000"},
    {"samples", "5x", "5x"},
    {"samples", " 5", ""},
    {"samples", "+5", ""},
    {"samples", "", ""},
    {"samples", "18446744073709551617", ""},
    {"rounds", "0", "100000"},
    {"rounds", "100001", "100000"},
    {"warmup", "-1", "0"},
    {"dither", "91", "90"},
    {"dither", "50%", "90"},
    {"touch", "65537", "65536"},
    {"clock", "realtime", "monotonic, raw"},
    {"seed", "-1", "18446744073709551615"},
    {"seed", "18446744073709551616", "18446744073709551615"},
    {"seed", "", ""},
    {"policy", "deadline", "fifo"},
    {"policy", "fifi", "did you mean \"fifo\""},
    {"priority", "0", "1 to 98"},
    {"priority", "99", "watchdog"},
    {"priority", "100", "1 to 98"},
    {"priority", "2147483648", "1 to 98"},
    {"priority", "-1", "1 to 98"},
    {"priority", "5x", "1 to 98"},
    {"timer-slack", "0", "inherit"},
    {"timer-slack", "50", "inherit"},
    {"timer-slack", "2m", "inherit"},
    {"concurrent", "two", "one, package, node, l3, core, all"},
    {"coordinator", "-1", "auto"},
    {"coordinator", "", "auto"},
    {"dma-latency", "500ns", "microseconds"},
    {"dma-latency", "1500ns", "microseconds"},
    {"dma-latency", "20", "off"},
    {"dma-latency", "-1us", "off"},
    {"strict", "maybe", "yes, true or on"},
    {"strict", "", "yes"},
    {"save", "", "empty"},
    {"save", "-", "standard output"},
    {"output", "", "format"},
    {"output", ":file", "format"},
    {"output", "csv:", "file"},
    {"output", "csv\n", "format"},
    {"metric", "p98", "p90"},
    {"figure", "wakes", "did you mean \"wake\""},
    {"columns", "", "empty"},
    {"no-headings", "1", "no, false or off"},
    {"color", "yes", "auto, always, never"},
    {"progress", "sometimes", "auto, always, never"},
    {"fail-on", "slowly", "slow"},
    {"verdict-percent", "-1", "0"},
    {"verdict-size", "1", "unit"},
    {"verdict-error", "0", "1"},
    {"fail-on", "invalid,", "invalid"},
    {"fail-on", "", "invalid"},
    {"limit", "p98=100us", "did you mean \"p90\""},
    {"limit", "touch-medan=1us", "did you mean \"touch-median\""},
    {"limit", "zzzzzzzzzzzz=1us", "there are: median, mean"},
    {"limit", "p99=100", "no unit"},
    {"limit", "p90=", "missing"},
    {"limit", "p90", "give p90=DURATION"},
    {"limit", "early", "give early=COUNT"},
    {"limit", "early=1us", "1us"},
    {"limit", "p90=-1us", "negative"},
    {"limit", "p90=2h", "not a duration"},
    {"limit", "p90=61m", "not between"},
    {"limit", "early=0,", "not a figure"},
    {"limit", "p99=1ms", "p99 is limited twice"},
    {"limit", "mean=1us,mean=2us", "mean is limited twice"},
    {"limit", "", "not a figure"},
    {"config", "", "empty"},
    {"profile", "", "empty"},
};

static void test_bad_values_are_refused_and_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_values / sizeof bad_values[0]; i++) {
        const struct value_case *const bad = &bad_values[i];
        const struct value_case *const good = find_value(bad->name);
        struct options options = {0};
        assert_int_equal(options_init(&options), 0);
        if (good != NULL) {
            assert_set(&options, bad->name, good->given);
        }
        char *const before = get(&options, bad->name);
        assert_refused(&options, bad->name, bad->given, bad->got);
        if (strcmp(bad->name, "output") != 0) {
            assert_value(&options, bad->name, before);
        }
        free(before);
        options_destroy(&options);
    }
}

static void test_a_message_is_one_line(void **state)
{
    struct failure failure = {0};
    assert_int_equal(options_set(*state, "samples", "5\n6\t\x7f", "--samples", &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "5?6??"));
    assert_null(strpbrk(failure.text, "\n\t\x7f"));
    assert_int_equal(options_set(*state, "samples", "x", "--samples", NULL), -EINVAL);
}

static void test_an_unknown_name_is_refused(void **state)
{
    struct failure failure = {0};
    assert_int_equal(options_set(*state, "no-such", "1", "--no-such", &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "no-such"));
    assert_null(options_find("no-such"));
    assert_null(options_find(""));
}

static void test_the_origin_of_a_file_names_the_key_too(void **state)
{
    struct failure failure = {0};
    assert_int_equal(options_set(*state, "samples", "x", "r.jsonl:1", &failure), -EINVAL);
    assert_int_equal(strncmp(failure.text, "r.jsonl:1: samples: ", 20), 0);
}

static void test_outputs_add_up_and_replace_the_default(void **state)
{
    struct options *const options = *state;
    assert_set(options, "output", "csv:a.csv");
    assert_int_equal(options->output_count, 1);
    assert_set(options, "output", "json");
    assert_set(options, "output", "table:-");
    assert_int_equal(options->output_count, 3);
    assert_string_equal(options->outputs[0].file, "a.csv");
    assert_null(options->outputs[1].file);
    assert_null(options->outputs[2].file);
    assert_value(options, "output", "csv:a.csv\njson\ntable");

    struct options other = {0};
    assert_int_equal(options_init(&other), 0);
    assert_set(&other, "output", "csv:a.csv\njson\ntable");
    assert_int_equal(other.output_count, 3);
    assert_string_equal(other.outputs[2].format, "table");
    options_destroy(&other);
}

static void test_explicit_is_what_was_asked_for(void **state)
{
    struct options *const options = *state;
    assert_set(options, "policy", "fifo");
    assert_true(options->policy_is_explicit);
    assert_set(options, "policy", "auto");
    assert_false(options->policy_is_explicit);
    assert_set(options, "priority", "50");
    assert_true(options->priority_is_explicit);
    assert_set(options, "nodes", "all");
    assert_true(options->nodes_is_explicit);
}

static void test_words_take_a_value_back(void **state)
{
    struct options *const options = *state;
    assert_set(options, "cpus", "0");
    assert_set(options, "cpus", "allowed");
    assert_null(options->cpus);
    assert_set(options, "save", "x");
    assert_set(options, "save", "none");
    assert_null(options->save);
    assert_set(options, "columns", "cpu");
    assert_set(options, "columns", "default");
    assert_null(options->columns);
    assert_set(options, "seed", "7");
    assert_true(options->has_seed);
    assert_set(options, "seed", "random");
    assert_false(options->has_seed);
}

static void test_files_never_replace_the_command_line(void **state)
{
    struct options *const options = *state;
    struct failure failure = {0};
    assert_set(options, "rounds", "7");
    assert_int_equal(options_set_from_file(options, "rounds", "3", "a.conf:1", NULL), 0);
    assert_int_equal(options->round_count, 7);
    /* What is not used must be right all the same. */
    assert_int_equal(options_set_from_file(options, "rounds", "0", "a.conf:2", &failure), -EINVAL);
    assert_int_equal(strncmp(failure.text, "a.conf:2: rounds: ", 18), 0);
    assert_int_equal(options->round_count, 7);
    assert_int_equal(options_set_from_file(options, "samples", "3", "a.conf:3", NULL), 0);
    assert_int_equal(options_set_from_file(options, "samples", "4", "b.conf:1", NULL), 0);
    assert_int_equal(options->sample_count, 4);
    assert_set(options, "samples", "5");
    assert_int_equal(options->sample_count, 5);
}

static void test_outputs_of_files_and_command_line_do_not_mix(void **state)
{
    struct options *const options = *state;
    assert_int_equal(options_set_from_file(options, "output", "csv:1", "a.conf:1", NULL), 0);
    assert_int_equal(options_set_from_file(options, "output", "csv:2", "a.conf:9", NULL), 0);
    assert_int_equal(options->output_count, 2);
    assert_int_equal(options_set_from_file(options, "output", "csv:3", "b.conf:1", NULL), 0);
    assert_int_equal(options->output_count, 1);
    assert_set(options, "output", "json");
    assert_set(options, "output", "table");
    assert_value(options, "output", "json\ntable");
    assert_int_equal(options_set_from_file(options, "output", "csv:4", "c.conf:1", NULL), 0);
    assert_value(options, "output", "json\ntable");
}

static void test_keys_of_files(void **state)
{
    struct options *const options = *state;
    struct failure failure = {0};
    static const char *const only_on_command_line[] = {"help", "version", "config", "profile"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(options_set_from_file(options, only_on_command_line[i], "yes", "a:1", &failure),
                         -EINVAL);
        assert_non_null(strstr(failure.text, "command line"));
    }
    assert_int_equal(options_set_from_file(options, "no_headings", "yes", "a:1", &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "did you mean \"no-headings\""));
    assert_int_equal(options_set_from_file(options, "xyzzyplugh", "1", "a:1", &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "unknown key \"xyzzyplugh\""));
    assert_null(strstr(failure.text, "did you mean"));
    assert_int_equal(options_set_from_file(options, "a\nb", "1", "a:1", &failure), -EINVAL);
    assert_null(strchr(failure.text, '\n'));
}

static void test_keys_of_other_sub_commands_are_passed_over(void **state)
{
    struct options *const options = *state;
    options->command = FOR_REPORT;
    assert_int_equal(options_set_from_file(options, "cpus", "0", "a:1", NULL), 0);
    assert_null(options->cpus);
    assert_false(options_was_set(options, "cpus"));
    assert_int_equal(options_set_from_file(options, "cpus", "3-1", "a:1", NULL), -EINVAL);
    assert_int_equal(options_set_from_file(options, "metric", "max", "a:1", NULL), 0);
    assert_int_equal(options->metric, METRIC_MAX);
}

static void test_what_was_set_is_known_by_name(void **state)
{
    struct options *const options = *state;
    assert_false(options_was_set(options, "rounds"));
    assert_set(options, "rounds", "20");
    assert_set(options, "samples", "20");
    assert_set(options, "rounds", "21");
    assert_true(options_was_set(options, "rounds"));
    assert_int_equal(options->set_name_count, 2);
    assert_string_equal(options->set_names[0], "rounds");
    assert_string_equal(options->set_names[1], "samples");
    assert_int_equal(options_set(options, "touch", "x", "--touch", NULL), -EINVAL);
    assert_false(options_was_set(options, "touch"));
}

static void test_a_copy_is_deep(void **state)
{
    (void)state;
    struct options source = {0};
    struct options copy = {0};
    assert_int_equal(options_init(&source), 0);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_set(&source, values[i].name, values[i].given);
    }
    assert_int_equal(options_copy(&copy, &source), 0);
    size_t count = 0;
    const struct option_row *const rows = options_table(&count);
    char *texts[64] = {NULL};
    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++) {
        texts[i] = rows[i].get(&source, &rows[i]);
    }
    assert_int_equal(copy.set_name_count, source.set_name_count);
    options_destroy(&source);
    for (size_t i = 0; i < count; i++) {
        assert_value(&copy, rows[i].name, texts[i]);
        free(texts[i]);
    }
    assert_true(options_was_set(&copy, "timeout"));
    assert_true(copy.nodes_is_explicit);
    options_destroy(&copy);
}

static void test_destroy_accepts_a_zeroed_struct(void **state)
{
    (void)state;
    struct options options = {0};
    options_destroy(&options);
    options_destroy(&options);
}

static void test_priority_needs_a_real_time_policy(void **state)
{
    struct options *const options = *state;
    struct failure failure = {0};
    assert_set(options, "priority", "40");
    assert_int_equal(options_check(options, NULL), 0);
    assert_set(options, "policy", "rr");
    assert_int_equal(options_check(options, NULL), 0);
    assert_set(options, "policy", "other");
    assert_int_equal(options_check(options, &failure), -EINVAL);
    assert_int_equal(strncmp(failure.text, "--priority: ", 12), 0);
}

static void test_the_command_line_overrules_a_profile_s_priority(void **state)
{
    struct options *const options = *state;
    assert_int_equal(options_set_from_file(options, "priority", "40", "seed.conf:1", NULL), 0);
    assert_set(options, "policy", "other");
    assert_int_equal(options_check(options, NULL), 0);
}

static void test_a_file_must_not_contradict_itself(void **state)
{
    struct options *const options = *state;
    assert_int_equal(options_set_from_file(options, "priority", "40", "a.conf:1", NULL), 0);
    assert_int_equal(options_set_from_file(options, "policy", "batch", "a.conf:2", NULL), 0);
    assert_int_equal(options_check(options, NULL), -EINVAL);
}

static void test_touch_needs_lines_to_be_shown(void **state)
{
    struct options *const options = *state;
    struct failure failure = {0};
    assert_set(options, "figure", "touch");
    assert_int_equal(options_check(options, NULL), 0);
    assert_set(options, "touch", "0");
    assert_int_equal(options_check(options, &failure), -EINVAL);
    assert_int_equal(strncmp(failure.text, "--figure: ", 10), 0);
    options->command = FOR_REPORT;
    assert_int_equal(options_check(options, NULL), 0);
    options->command = FOR_RUN;
    assert_set(options, "figure", "wake");
    assert_int_equal(options_check(options, NULL), 0);
}

static void test_defaults_pass_the_check(void **state)
{
    assert_int_equal(options_check(*state, NULL), 0);
}

static void test_nearest_word(void **state)
{
    (void)state;
    static const char *const words[] = {"timeout", "timer-slack", "topology", "rr", "csv"};
    const size_t count = sizeof words / sizeof words[0];
    assert_string_equal(options_nearest("timout", words, count), "timeout");
    assert_string_equal(options_nearest("tiemout", words, count), "timeout");
    assert_string_equal(options_nearest("cvs", words, count), "csv");
    assert_string_equal(options_nearest("top", words, count), "topology");
    assert_string_equal(options_nearest("csv.gzipped", words, count), "csv");
    assert_string_equal(options_nearest("rr", words, count), "rr");
    assert_null(options_nearest("xyzzy", words, count));
    assert_null(options_nearest("", words, count));
    assert_null(options_nearest("timeout", words, 0));
    assert_null(options_nearest(
        "a-word-that-is-far-longer-than-any-option-has-ever-been-or-will-be-ever", words, count));
}

#define WITH_OPTIONS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_is_complete),
        WITH_OPTIONS(test_every_default_is_accepted_and_shown),
        WITH_OPTIONS(test_defaults_are_those_of_the_contract),
        cmocka_unit_test(test_what_is_got_is_what_was_set),
        cmocka_unit_test(test_every_key_has_a_round_trip),
        WITH_OPTIONS(test_every_choice_can_be_set),
        cmocka_unit_test(test_choices_agree_with_the_names_of_their_values),
        cmocka_unit_test(test_bad_values_are_refused_and_change_nothing),
        WITH_OPTIONS(test_a_message_is_one_line),
        WITH_OPTIONS(test_an_unknown_name_is_refused),
        WITH_OPTIONS(test_the_origin_of_a_file_names_the_key_too),
        WITH_OPTIONS(test_outputs_add_up_and_replace_the_default),
        WITH_OPTIONS(test_explicit_is_what_was_asked_for),
        WITH_OPTIONS(test_words_take_a_value_back),
        WITH_OPTIONS(test_files_never_replace_the_command_line),
        WITH_OPTIONS(test_outputs_of_files_and_command_line_do_not_mix),
        WITH_OPTIONS(test_keys_of_files),
        WITH_OPTIONS(test_keys_of_other_sub_commands_are_passed_over),
        WITH_OPTIONS(test_what_was_set_is_known_by_name),
        cmocka_unit_test(test_a_copy_is_deep),
        cmocka_unit_test(test_destroy_accepts_a_zeroed_struct),
        WITH_OPTIONS(test_priority_needs_a_real_time_policy),
        WITH_OPTIONS(test_the_command_line_overrules_a_profile_s_priority),
        WITH_OPTIONS(test_a_file_must_not_contradict_itself),
        WITH_OPTIONS(test_touch_needs_lines_to_be_shown),
        WITH_OPTIONS(test_defaults_pass_the_check),
        cmocka_unit_test(test_nearest_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
