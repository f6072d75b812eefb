/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line, and what is printed from the table. */
#include "numasweep/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/skip_aloud.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 40 };

/* What a load function was asked for, and what it sets. */
struct loads {
    char asked[256];
    const char *key;
    const char *value;
    int error;
};

static int load(const char *kind, const char *name, struct options *options, void *context,
                struct failure *failure)
{
    struct loads *const loads = context;
    const size_t used = strlen(loads->asked);
    (void)snprintf(loads->asked + used, sizeof loads->asked - used, "%s=%s;", kind, name);
    if (loads->error != 0) {
        return failure_set(failure, "load", -loads->error, "refused by the test");
    }
    if (loads->key == NULL) {
        return 0;
    }
    return options_set_from_file(options, loads->key, loads->value, "t.conf:1", failure);
}

/* Words are parted by blanks; "''" is an empty one. */
static int parse_with(struct options *options, const char *line, struct loads *loads,
                      struct failure *failure)
{
    char *argv[MOST_WORDS + 1] = {NULL};
    char text[512];
    char empty[] = "";
    int argc = 0;
    (void)snprintf(text, sizeof text, "numasweep %s", line);
    char *rest = text;
    for (char *word = strsep(&rest, " "); word != NULL; word = strsep(&rest, " ")) {
        if (word[0] != '\0') {
            assert_true(argc < MOST_WORDS);
            argv[argc++] = strcmp(word, "''") == 0 ? empty : word;
        }
    }
    assert_int_equal(options_init(options), 0);
    return options_parse(options, argc, argv, load, loads, failure);
}

static void parse(struct options *options, const char *line)
{
    struct loads loads = {.key = NULL};
    struct failure failure = {0};
    if (parse_with(options, line, &loads, &failure) != 0) {
        fail_msg("\"%s\": %s", line, failure.text);
    }
}

static void assert_refused(const char *line, const char *start, const char *part)
{
    struct options options = {0};
    struct loads loads = {.key = NULL};
    struct failure failure = {0};
    if (parse_with(&options, line, &loads, &failure) != -EINVAL) {
        fail_msg("\"%s\" was not refused", line);
    }
    if (strncmp(failure.text, start, strlen(start)) != 0 || strstr(failure.text, part) == NULL) {
        fail_msg("\"%s\": \"%s\" lacks \"%s\" or \"%s\"", line, failure.text, start, part);
    }
    options_destroy(&options);
}

static void test_no_words_at_all(void **state)
{
    (void)state;
    struct options options = {0};
    parse(&options, "");
    assert_int_equal(options.command, FOR_RUN);
    assert_int_equal(options.argument_count, 0);
    assert_int_equal(options.set_name_count, 0);
    options_destroy(&options);
}

static void test_not_even_a_program_name(void **state)
{
    (void)state;
    struct options options = {0};
    char *argv[] = {NULL};
    assert_int_equal(options_init(&options), 0);
    assert_int_equal(options_parse(&options, 0, argv, load, NULL, NULL), 0);
    assert_int_equal(options.command, FOR_RUN);
    options_destroy(&options);
}

static void test_every_sub_command(void **state)
{
    (void)state;
    size_t count = 0;
    const struct command_name *const names = options_commands(&count);
    assert_int_equal(count, 8);
    for (size_t i = 0; i < count; i++) {
        struct options options = {0};
        char line[64];
        (void)snprintf(line, sizeof line, "%s %s", names[i].name,
                       names[i].arguments[0] != '\0' ? "file" : "");
        parse(&options, line);
        assert_int_equal(options.command, names[i].command);
        assert_ptr_equal(options_find_command(names[i].command), &names[i]);
        options_destroy(&options);
    }
    assert_null(options_find_command((enum option_command)0));
}

static void test_forms_of_options(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "-s 7 -r 8 --strict",
        "-s7 -r8 --strict",
        "--samples 7 --rounds 8 --strict",
        "--samples=7 --rounds=8 --strict=yes",
        "--sam 7 --rou=8 --stri",
        "run -s 7 --rounds=8 --strict",
        "-s 7 run --strict -r 8",
        "-s 1 -r 8 -s 7 --strict=no --strict",
        "--strict -s 7 -r 8 --",
        "--strict -s 7 -r 8 -- run",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct options options = {0};
        parse(&options, lines[i]);
        assert_int_equal(options.sample_count, 7);
        assert_int_equal(options.round_count, 8);
        assert_true(options.strict);
        assert_int_equal(options.command, FOR_RUN);
        options_destroy(&options);
    }
}

static void test_every_option_reaches_its_field(void **state)
{
    (void)state;
    struct options options = {0};
    parse(&options, "-c 0-3 -n local -b core -k clock_nanosleep -t 1ms,2ms -s 3 --dither 0 -r 4 -w 5 "
                    "--touch 6 --clock raw -p rr -P 7");
    assert_string_equal(options.cpus, "0-3");
    assert_int_equal(options.nodes.kind, NODES_LOCAL);
    assert_int_equal(options.by, ROW_CORE);
    assert_string_equal(options.kernel, "clock_nanosleep");
    assert_int_equal(options.timeout_count, 2);
    assert_int_equal(options.timeouts_ns[1], 2000000);
    assert_int_equal(options.sample_count, 3);
    assert_int_equal(options.dither_percent, 0);
    assert_int_equal(options.round_count, 4);
    assert_int_equal(options.warmup_count, 5);
    assert_int_equal(options.touch_lines, 6);
    assert_int_equal(options.clock, SAMPLE_CLOCK_RAW);
    assert_int_equal(options.policy, POLICY_RR);
    assert_int_equal(options.priority, 7);
    options_destroy(&options);
}

static void test_arguments_keep_their_order(void **state)
{
    (void)state;
    struct options options = {0};
    parse(&options, "report a.jsonl -o json b.jsonl -- -c.jsonl run");
    assert_int_equal(options.command, FOR_REPORT);
    assert_int_equal(options.argument_count, 4);
    assert_string_equal(options.arguments[0], "a.jsonl");
    assert_string_equal(options.arguments[1], "b.jsonl");
    assert_string_equal(options.arguments[2], "-c.jsonl");
    assert_string_equal(options.arguments[3], "run");
    options_destroy(&options);
}

static void test_words_may_follow_arguments_under_posix(void **state)
{
    (void)state;
    struct options options = {0};
    assert_int_equal(setenv("POSIXLY_CORRECT", "1", 1), 0);
    parse(&options, "plan -s 9");
    assert_int_equal(unsetenv("POSIXLY_CORRECT"), 0);
    assert_int_equal(options.command, FOR_PLAN);
    assert_int_equal(options.sample_count, 9);
    options_destroy(&options);
}

static void test_bad_lines(void **state)
{
    (void)state;
    assert_refused("rprot x", "\"rprot\" is not a sub-command", "did you mean \"report\"");
    assert_refused("compair a b", "\"compair\" is not a sub-command", "did you mean \"compare\"");
    assert_refused("export a", "\"export\" is not a sub-command", "run, plan");
    assert_refused("migration", "\"migration\" is not a sub-command", "did you mean \"migrations\"");
    assert_refused("migrations --quota 1500ns", "--quota", "between 1ms and 60m");
    assert_refused("migrations --quota 1000500ns", "--quota", "whole number of microseconds");
    assert_refused("migrations --pin cpus", "--pin: \"cpus\" is not something to pin to",
                   "did you mean \"cpu\"");
    assert_refused("migrations --duration 1ms", "--duration", "between 10ms");
    assert_refused("migrations --timeout 1ms", "--timeout", "migrations");
    assert_refused("run --runs 2", "--runs", "migrations");
    assert_refused("''", "\"\" is not a sub-command", "there are");
    assert_refused("plan foo", "plan takes no arguments", "foo");
    assert_refused("run run", "run takes no arguments", "run");
    assert_refused("report", "report needs FILE", "");
    assert_refused("--sampels 3", "--sampels: there is no such option", "did you mean --samples");
    assert_refused("--xyzzyplugh=3", "--xyzzyplugh: there is no such option", "--help");
    assert_refused("--time 1ms", "--time: ", "--timeout, --timer-slack");
    assert_refused("-x", "-x: there is no such option", "--help");
    assert_refused("-hx", "-x: there is no such option", "");
    assert_refused("-s", "-s: the value is missing", "-s N");
    assert_refused("--samples", "--samples: the value is missing", "--samples N");
    assert_refused("--help=yes", "--help: takes no value", "");
    assert_refused("--strict=maybe", "--strict: ", "maybe");
    assert_refused("--samples --rounds", "--samples: ", "--rounds");
    assert_refused("-s=3", "--samples: ", "=3");
    assert_refused("report -c 0 x", "--cpus: report does not take it", "run, plan, topology");
    assert_refused("check --rounds 3", "--rounds: check does not take it", "run, plan");
    assert_refused("plan --progress never", "--progress: plan does not take it", "run");
    assert_refused("-P 99", "--priority: 99 is refused", "1 to 98");
    assert_refused("--config=", "--config: the value is empty", "FILE");
    assert_refused("--profile ''", "--profile: the value is empty", "NAME");
}

static void test_clusters_of_any_length(void **state)
{
    (void)state;
    struct options options = {0};
    char line[400] = "-";
    memset(line + 1, 'h', sizeof line - 2);
    line[sizeof line - 1] = '\0';
    parse(&options, line);
    assert_true(options.show_help);
    options_destroy(&options);
}

static void test_help_and_version_stand_beside_anything(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "-h", "--help", "-s 0 -h", "report -h", "report -c 0 --help", "--help --config nowhere"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct options options = {0};
        struct loads loads = {.error = -EINVAL};
        assert_int_equal(parse_with(&options, lines[i], &loads, NULL), 0);
        assert_true(options.show_help);
        assert_false(options.show_version);
        assert_string_equal(loads.asked, "");
        options_destroy(&options);
    }
    struct options options = {0};
    parse(&options, "check -V");
    assert_true(options.show_version);
    assert_int_equal(options.command, FOR_CHECK);
    options_destroy(&options);
}

static void test_the_command_line_wins_whatever_the_order(void **state)
{
    (void)state;
    static const char *const lines[] = {"-r 7 --config a", "--config a -r 7", "--config a -r 1 -r 7"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct options options = {0};
        struct loads loads = {.key = "rounds", .value = "3"};
        assert_int_equal(parse_with(&options, lines[i], &loads, NULL), 0);
        assert_int_equal(options.round_count, 7);
        assert_string_equal(loads.asked, "config=a;");
        options_destroy(&options);
    }
}

static void test_files_are_read_in_their_order(void **state)
{
    (void)state;
    struct options options = {0};
    struct loads loads = {.key = "rounds", .value = "3"};
    assert_int_equal(parse_with(&options, "--profile quick --config a --profile=b", &loads, NULL), 0);
    assert_string_equal(loads.asked, "profile=quick;config=a;profile=b;");
    assert_int_equal(options.round_count, 3);
    assert_true(options_was_set(&options, "rounds"));
    assert_false(options_was_set(&options, "config"));
    options_destroy(&options);
}

static void test_outputs_of_the_command_line_replace_those_of_files(void **state)
{
    (void)state;
    struct options options = {0};
    struct loads loads = {.key = "output", .value = "csv:file"};
    assert_int_equal(parse_with(&options, "-o json -o table --config a", &loads, NULL), 0);
    assert_int_equal(options.output_count, 2);
    assert_string_equal(options.outputs[0].format, "json");
    options_destroy(&options);
    assert_int_equal(parse_with(&options, "--config a", &loads, NULL), 0);
    assert_int_equal(options.output_count, 1);
    assert_string_equal(options.outputs[0].file, "file");
    options_destroy(&options);
}

static void test_the_sub_command_is_known_when_files_are_read(void **state)
{
    (void)state;
    struct options options = {0};
    struct loads loads = {.key = "rounds", .value = "3"};
    assert_int_equal(parse_with(&options, "--config a report x", &loads, NULL), 0);
    assert_int_equal(options.round_count, 20);
    options_destroy(&options);
}

static void test_an_error_of_a_file_is_passed_on(void **state)
{
    (void)state;
    struct options options = {0};
    struct loads loads = {.error = -ENOMEM};
    assert_int_equal(parse_with(&options, "--config a", &loads, NULL), -ENOMEM);
    options_destroy(&options);
    struct failure failure = {0};
    loads = (struct loads){.error = -EINVAL};
    assert_int_equal(parse_with(&options, "--config a", &loads, &failure), -EINVAL);
    assert_string_equal(failure.text, "refused by the test");
    options_destroy(&options);
}

typedef int (*print_function)(FILE *stream);

static char *print_to_text(print_function print)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(print(stream), 0);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static char *help_of(enum option_command command, int width)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(options_print_help(command, width, stream), 0);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void assert_no_line_is_wider(const char *text, size_t width)
{
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (length > width) {
            fail_msg("%zu columns: %.*s", length, (int)length, line);
        }
        assert_true(length == 0 || line[length - 1] != ' ');
        line += length + (line[length] == '\n' ? 1 : 0);
    }
}

static void test_help_has_the_options_of_its_sub_command(void **state)
{
    (void)state;
    size_t row_count = 0;
    size_t command_count = 0;
    const struct option_row *const rows = options_table(&row_count);
    const struct command_name *const names = options_commands(&command_count);
    for (size_t i = 0; i < command_count; i++) {
        char *const text = help_of(names[i].command, 80);
        assert_no_line_is_wider(text, 80);
        for (size_t j = 0; j < row_count; j++) {
            char name[64];
            (void)snprintf(name, sizeof name, " --%s%s", rows[j].name,
                           rows[j].argument != NULL ? " " : "");
            const bool is_shown = strstr(text, name) != NULL;
            if (is_shown != ((rows[j].commands & (unsigned)names[i].command) != 0)) {
                fail_msg("help of %s:%s", names[i].name, name);
            }
        }
        free(text);
    }
}

static void test_help_keeps_to_its_width(void **state)
{
    (void)state;
    char *const wide = help_of(FOR_RUN, 110);
    assert_no_line_is_wider(wide, 110);
    free(wide);
    char *const narrow = help_of(FOR_RUN, 60);
    assert_no_line_is_wider(narrow, 60);
    free(narrow);
    char *const tiny = help_of(FOR_RUN, -1); /* as good as can be */
    assert_non_null(strstr(tiny, "--cpus"));
    free(tiny);
}

static void test_help_on_a_full_disk(void **state)
{
    (void)state;
    FILE *const stream = fopen("/dev/full", "w");
    if (stream == NULL) {
        SKIP_ALOUD("/dev/full is not there");
    }
    (void)setvbuf(stream, NULL, _IONBF, 0);
    assert_int_equal(options_print_help(FOR_RUN, 80, stream), -EIO);
    assert_int_equal(options_print_manual(stream), -EIO);
    assert_int_equal(options_print_completion(stream, NULL), -EIO);
    (void)fclose(stream);
}

static int print_completion(FILE *stream)
{
    static const struct option_completion completions[] = {{.option = "kernel", .words = "one two"},
                                                           {.option = NULL}};
    return options_print_completion(stream, completions);
}

static void test_manual_and_completion_have_every_option(void **state)
{
    (void)state;
    size_t count = 0;
    const struct option_row *const rows = options_table(&count);
    char *const manual = print_to_text(options_print_manual);
    char *const completion = print_to_text(print_completion);
    assert_non_null(strstr(completion, "-W \"one two\""));
    for (size_t i = 0; i < count; i++) {
        char name[96] = "\\fB\\-\\-";
        char *end = name + strlen(name);
        for (const char *from = rows[i].name; *from != '\0'; from++) {
            end = stpcpy(end, *from == '-' ? "\\-" : (const char[]){*from, '\0'});
        }
        (void)stpcpy(end, "\\fR");
        if (strstr(manual, name) == NULL) {
            fail_msg("the manual lacks %s", name);
        }
        (void)snprintf(name, sizeof name, "--%s ", rows[i].name);
        if (strstr(completion, name) == NULL) {
            fail_msg("the completion lacks %s", name);
        }
    }
    assert_no_line_is_wider(manual, 110);
    free(manual);
    free(completion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_words_at_all),
        cmocka_unit_test(test_not_even_a_program_name),
        cmocka_unit_test(test_every_sub_command),
        cmocka_unit_test(test_forms_of_options),
        cmocka_unit_test(test_every_option_reaches_its_field),
        cmocka_unit_test(test_arguments_keep_their_order),
        cmocka_unit_test(test_words_may_follow_arguments_under_posix),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_clusters_of_any_length),
        cmocka_unit_test(test_help_and_version_stand_beside_anything),
        cmocka_unit_test(test_the_command_line_wins_whatever_the_order),
        cmocka_unit_test(test_files_are_read_in_their_order),
        cmocka_unit_test(test_outputs_of_the_command_line_replace_those_of_files),
        cmocka_unit_test(test_the_sub_command_is_known_when_files_are_read),
        cmocka_unit_test(test_an_error_of_a_file_is_passed_on),
        cmocka_unit_test(test_help_has_the_options_of_its_sub_command),
        cmocka_unit_test(test_help_keeps_to_its_width),
        cmocka_unit_test(test_help_on_a_full_disk),
        cmocka_unit_test(test_manual_and_completion_have_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
