/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/config_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/skip_aloud.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 128 };

struct folder {
    char name[64];
    char file[PATH_SIZE]; /* NAME/a.conf */
    struct options options;
    struct failure failure;
};

static int set_up(void **state)
{
    struct folder *const folder = calloc(1, sizeof *folder);
    if (folder == NULL) {
        return -1;
    }
    (void)snprintf(folder->name, sizeof folder->name, "/tmp/numasweep-config-XXXXXX");
    if (mkdtemp(folder->name) == NULL || options_init(&folder->options) != 0) {
        free(folder);
        return -1;
    }
    (void)snprintf(folder->file, sizeof folder->file, "%s/a.conf", folder->name);
    *state = folder;
    return setenv("NUMASWEEP_CONFIG_DIR", folder->name, 1);
}

static int tear_down(void **state)
{
    struct folder *const folder = *state;
    (void)unlink(folder->file);
    (void)unsetenv("NUMASWEEP_CONFIG_DIR");
    const int result = rmdir(folder->name);
    options_destroy(&folder->options);
    free(folder);
    return result;
}

static void write_bytes(const char *file, const char *bytes, size_t size)
{
    FILE *const stream = fopen(file, "w");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static int load_text(struct folder *folder, const char *text)
{
    write_bytes(folder->file, text, strlen(text));
    options_destroy(&folder->options);
    assert_int_equal(options_init(&folder->options), 0);
    folder->failure = (struct failure){0};
    return config_file_load("config", folder->file, &folder->options, NULL, &folder->failure);
}

static void assert_loads(struct folder *folder, const char *text)
{
    if (load_text(folder, text) != 0) {
        fail_msg("%s", folder->failure.text);
    }
}

/* The message begins with the file and the line. */
static void assert_refused(struct folder *folder, const char *text, int line, const char *part)
{
    char start[PATH_SIZE + 16];
    (void)snprintf(start, sizeof start, "%s:%d: ", folder->file, line);
    if (load_text(folder, text) != -EINVAL) {
        fail_msg("\"%s\" was not refused", text);
    }
    if (strncmp(folder->failure.text, start, strlen(start)) != 0 ||
        strstr(folder->failure.text, part) == NULL) {
        fail_msg("\"%s\": \"%s\" lacks \"%s\" or \"%s\"", text, folder->failure.text, start, part);
    }
}

static void test_keys_with_and_without_a_section(void **state)
{
    struct folder *const folder = *state;
    assert_loads(folder, "rounds = 3\nsamples=4\n[numasweep]\nwarmup : 5\n");
    assert_int_equal(folder->options.round_count, 3);
    assert_int_equal(folder->options.sample_count, 4);
    assert_int_equal(folder->options.warmup_count, 5);
    assert_true(options_was_set(&folder->options, "rounds"));
}

static void test_forms_of_files(void **state)
{
    struct folder *const folder = *state;
    static const char *const texts[] = {
        "rounds = 3",
        "\xEF\xBB\xBFrounds = 3\n",
        "rounds = 3\r\n",
        "# a comment\n; another ; one # more\n\n   \n  # indented\nrounds = 3\n",
        "\n\nrounds\t=\t3 \t\n",
        "samples = 1\n  rounds = 3\n",
        "samples = 1\n\trounds = 3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_loads(folder, texts[i]);
        assert_int_equal(folder->options.round_count, 3);
    }
    assert_loads(folder, "");
    assert_int_equal(folder->options.round_count, 20);
}

static void test_texts_are_kept_as_they_are(void **state)
{
    struct folder *const folder = *state;
    assert_loads(folder, "topology = pack:8 [numa(memory=8GB)] core:8 pu:2(indexes=2*64:1*2)\n"
                         "save = a;b#c:d=e f.jsonl\n");
    assert_string_equal(folder->options.topology,
                        "pack:8 [numa(memory=8GB)] core:8 pu:2(indexes=2*64:1*2)");
    assert_string_equal(folder->options.save, "a;b#c:d=e f.jsonl");
}

static void test_flags_and_outputs(void **state)
{
    struct folder *const folder = *state;
    assert_loads(folder, "strict = on\nno-headings = true\noutput = table\noutput = csv:a.csv\n");
    assert_true(folder->options.strict);
    assert_true(folder->options.no_headings);
    assert_int_equal(folder->options.output_count, 2);
    assert_loads(folder, "strict = off\n");
    assert_false(folder->options.strict);
}

static void test_bad_lines_are_named(void **state)
{
    struct folder *const folder = *state;
    assert_refused(folder, "rounds 3\n", 1, "key = value");
    assert_refused(folder, "samples = 3\n\nrounds\n", 3, "key = value");
    assert_refused(folder, "[numasweep\nrounds = 3\n", 1, "key = value");
    assert_refused(folder, "# x\nrouns = 3\n", 2, "did you mean \"rounds\"");
    assert_refused(folder, "rounds = 0\n", 1, "rounds: ");
    assert_refused(folder, "rounds =\n", 1, "rounds: ");
    assert_refused(folder, "cpus =\n", 1, "cpus: ");
    assert_refused(folder, "strict = maybe\n", 1, "yes, true or on");
    assert_refused(folder, "strict =\n", 1, "yes, true or on");
    assert_refused(folder, "timeout = 5\n", 1, "ms");
    assert_refused(folder, "samples = 2\n[other]\nrounds = 3\n", 3, "[other]");
    assert_refused(folder, "rounds = 3\nsamples = 2\nrounds = 3\n", 3, "twice");
    assert_refused(folder, "rounds = 3\n[numasweep]\nrounds = 3\n", 3, "twice");
    assert_refused(folder, "config = other.conf\n", 1, "command line");
    assert_refused(folder, "help = yes\n", 1, "command line");
    assert_refused(folder, "samples = x\nrounds = y\n", 1, "samples");
}

static void test_comments_behind_values_are_refused(void **state)
{
    struct folder *const folder = *state;
    assert_refused(folder, "rounds = 3 ; three\n", 1, "comment");
    assert_refused(folder, "samples = 3\nrounds = 3\t; three\n", 2, "comment");
    assert_refused(folder, "save = a.jsonl # here\n", 1, "comment");
    assert_refused(folder, "topology = pack:2 ; pu:2\n", 1, "comment");
    assert_refused(folder, "save = ;x\n", 1, "comment");
}

static void test_a_long_line_is_read_whole_or_refused(void **state)
{
    struct folder *const folder = *state;
    char text[600];
    bool was_refused = false;
    for (size_t length = 100; length < 500; length++) {
        (void)snprintf(text, sizeof text, "samples = 2\nsave = ");
        const size_t start = strlen(text);
        memset(text + start, 'x', length);
        text[start + length] = '\n';
        text[start + length + 1] = '\0';
        if (load_text(folder, text) == 0) {
            assert_false(was_refused);
            assert_int_equal(strlen(folder->options.save), length);
        } else {
            was_refused = true;
            assert_non_null(strstr(folder->failure.text, "a.conf:2: the line has "));
        }
    }
    assert_true(was_refused);
}

static void test_a_long_comment_is_refused_too(void **state)
{
    struct folder *const folder = *state;
    char text[400] = "#";
    memset(text + 1, 'x', sizeof text - 2);
    text[sizeof text - 1] = '\0';
    assert_refused(folder, text, 1, "bytes");
}

static void test_files_that_are_none(void **state)
{
    struct folder *const folder = *state;
    struct failure *const failure = &folder->failure;
    char path[PATH_SIZE + 16];
    assert_int_equal(config_file_load("config", folder->name, &folder->options, NULL, failure), -EINVAL);
    assert_non_null(strstr(failure->text, "directory"));
    assert_non_null(strstr(failure->text, folder->name));
    (void)snprintf(path, sizeof path, "%s/none", folder->name);
    assert_int_equal(config_file_load("config", path, &folder->options, NULL, failure), -EINVAL);
    assert_non_null(strstr(failure->text, path));
    assert_non_null(strstr(failure->text, strerror(ENOENT)));
    write_bytes(folder->file, "rounds = 3\0\n", 12);
    assert_int_equal(config_file_load("config", folder->file, &folder->options, NULL, failure), -EINVAL);
    assert_non_null(strstr(failure->text, "zero byte"));
    assert_int_equal(config_file_load("config", "/proc/self/mem", &folder->options, NULL, failure),
                     -EINVAL);
    assert_int_equal(config_file_load("config", "/dev/zero", &folder->options, NULL, failure), -EINVAL);
    assert_int_equal(folder->options.set_name_count, 0);
}

static void test_an_unreadable_file(void **state)
{
    struct folder *const folder = *state;
    if (geteuid() == 0) {
        SKIP_ALOUD("root reads every file: not tried");
    }
    write_bytes(folder->file, "rounds = 3\n", 11);
    assert_int_equal(chmod(folder->file, 0), 0);
    assert_int_equal(config_file_load("config", folder->file, &folder->options, NULL, &folder->failure),
                     -EINVAL);
    assert_non_null(strstr(folder->failure.text, folder->file));
}

static void test_a_file_keeps_what_the_command_line_set(void **state)
{
    struct folder *const folder = *state;
    assert_int_equal(options_set(&folder->options, "rounds", "7", "--rounds", NULL), 0);
    write_bytes(folder->file, "rounds = 3\n", 11);
    assert_int_equal(config_file_load("config", folder->file, &folder->options, NULL, NULL), 0);
    assert_int_equal(folder->options.round_count, 7);
}

static void test_a_profile_is_found_by_name(void **state)
{
    struct folder *const folder = *state;
    write_bytes(folder->file, "rounds = 3\n", 11);
    assert_int_equal(config_file_load("profile", "a", &folder->options, NULL, &folder->failure), 0);
    assert_int_equal(folder->options.round_count, 3);
}

static void test_a_bad_profile_is_named_with_its_line(void **state)
{
    struct folder *const folder = *state;
    write_bytes(folder->file, "rounds = 0\n", 11);
    assert_int_equal(config_file_load("profile", "a", &folder->options, NULL, &folder->failure),
                     -EINVAL);
    assert_int_equal(strncmp(folder->failure.text, "a.conf:1: rounds: ", 18), 0);
}

static void test_an_unknown_profile_lists_what_there_is(void **state)
{
    struct folder *const folder = *state;
    write_bytes(folder->file, "", 0);
    assert_int_equal(config_file_load("profile", "b", &folder->options, NULL, &folder->failure),
                     -EINVAL);
    assert_non_null(strstr(folder->failure.text, "\"b\""));
    assert_non_null(strstr(folder->failure.text, "did you mean \"a\""));
    assert_non_null(strstr(folder->failure.text, "there are: a"));
}

static void test_a_profile_s_name_is_no_path(void **state)
{
    struct folder *const folder = *state;
    char traversal[PATH_SIZE];
    char long_name[400];
    write_bytes(folder->file, "rounds = 3\n", 11);
    const char *const base = strrchr(folder->name, '/') + 1;
    (void)snprintf(traversal, sizeof traversal, "../%s/a", base);
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const char *const names[] = {traversal, folder->file, "./a", ".", "..", "", "/a", long_name};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(config_file_load("profile", names[i], &folder->options, NULL, &folder->failure),
                         -EINVAL);
        assert_int_equal(strncmp(folder->failure.text, "--profile: ", 11), 0);
    }
    assert_int_equal(folder->options.round_count, 20);
}

/* Run from the build tree, this program finds the profiles of the source tree. */
static void test_the_profiles_of_the_project_are_right(void **state)
{
    struct folder *const folder = *state;
    static const char *const names[] = {"quick", "thorough", "local-vs-remote", "seed"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        options_destroy(&folder->options);
        assert_int_equal(options_init(&folder->options), 0);
        if (config_file_load("profile", names[i], &folder->options, NULL, &folder->failure) != 0 ||
            options_check(&folder->options, &folder->failure) != 0) {
            fail_msg("%s: %s", names[i], folder->failure.text);
        }
        assert_true(folder->options.set_name_count > 0);
    }
    assert_int_equal(folder->options.dither_percent, 0);
    assert_int_equal(folder->options.touch_lines, 0);
    assert_int_equal(folder->options.policy, POLICY_FIFO);
    assert_int_equal(folder->options.priority, 50);
    assert_int_equal(folder->options.nodes.kind, NODES_NONE);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_keys_with_and_without_a_section),
        IN_FOLDER(test_forms_of_files),
        IN_FOLDER(test_texts_are_kept_as_they_are),
        IN_FOLDER(test_flags_and_outputs),
        IN_FOLDER(test_bad_lines_are_named),
        IN_FOLDER(test_comments_behind_values_are_refused),
        IN_FOLDER(test_a_long_line_is_read_whole_or_refused),
        IN_FOLDER(test_a_long_comment_is_refused_too),
        IN_FOLDER(test_files_that_are_none),
        IN_FOLDER(test_an_unreadable_file),
        IN_FOLDER(test_a_file_keeps_what_the_command_line_set),
        IN_FOLDER(test_a_profile_is_found_by_name),
        IN_FOLDER(test_a_bad_profile_is_named_with_its_line),
        IN_FOLDER(test_an_unknown_profile_lists_what_there_is),
        IN_FOLDER(test_a_profile_s_name_is_no_path),
        IN_FOLDER(test_the_profiles_of_the_project_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
