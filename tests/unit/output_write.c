/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/skip_aloud.h"
#include "numasweep/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scene {
    char folder[64];
    struct options options;
};

static int enter(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) {
        return -1;
    }
    (void)snprintf(scene->folder, sizeof scene->folder, "/tmp/numasweep-output-XXXXXX");
    *state = scene;
    (void)unsetenv("COLUMNS");
    (void)unsetenv("NO_COLOR");
    return mkdtemp(scene->folder) == NULL || chdir(scene->folder) != 0 ||
                   options_init(&scene->options) != 0
               ? -1
               : 0;
}

static int leave(void **state)
{
    struct scene *scene = *state;
    DIR *folder = opendir(scene->folder);
    const struct dirent *entry = NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)remove(entry->d_name);
        }
    }
    const int result = folder == NULL || closedir(folder) != 0 || chdir("/") != 0 ||
                               rmdir(scene->folder) != 0
                           ? -1
                           : 0;
    options_destroy(&scene->options);
    free(scene);
    return result;
}

/* The number of entries of the scene's folder. */
static size_t count_files(void)
{
    size_t count = 0;
    DIR *folder = opendir(".");
    const struct dirent *entry = NULL;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        count += entry->d_name[0] != '.' ? 1 : 0;
    }
    (void)closedir(folder);
    return count;
}

static void write_file(const char *name, const char *text)
{
    FILE *stream = fopen(name, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static void assert_content(const char *name, const char *expected)
{
    char text[256] = "";
    FILE *stream = fopen(name, "r");
    assert_non_null(stream);
    const size_t size = fread(text, 1, sizeof text - 1, stream);
    (void)fclose(stream);
    text[size] = '\0';
    assert_string_equal(text, expected);
}

static void request(struct scene *scene, const char *text)
{
    struct failure failure = {0};
    if (options_set(&scene->options, "output", text, "--output", &failure) != 0) {
        fail_msg("%s", failure.text);
    }
}

/* What a test's print function does and saw. */
struct call {
    const char *text;
    int result;
    size_t repeat;
    size_t count;
    struct output_settings settings;
};

static int print_text(const struct output_format *format, const struct output_settings *settings,
                      FILE *stream, void *context, struct failure *failure)
{
    struct call *call = context;
    (void)failure;
    call->count++;
    call->settings = *settings;
    (void)fprintf(stream, "%s:", format->name);
    for (size_t i = 0; i <= call->repeat; i++) {
        (void)fputs(call->text, stream);
    }
    return ferror(stream) != 0 ? -EIO : call->result;
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    assert_string_equal(output_format_find("table")->name, "table");
    assert_string_equal(output_format_find("csv")->name, "csv");
    assert_string_equal(output_format_find("json")->name, "json");
    assert_null(output_format_find("tabl"));
    assert_null(output_format_find(""));
}

static void a_file_is_written_and_replaced_as_a_whole(void **state)
{
    struct scene *scene = *state;
    struct call call = {.text = "new"};
    struct stat status;
    write_file("out", "a much longer old content");
    assert_int_equal(chmod("out", 0604), 0);
    request(scene, "csv:out");
    request(scene, "json:fresh");
    const mode_t old_mask = umask(027);
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), 0);
    (void)umask(old_mask);
    assert_content("out", "csv:new");
    assert_content("fresh", "json:new");
    assert_int_equal(stat("out", &status), 0);
    assert_int_equal(status.st_mode & 07777U, 0604);
    assert_int_equal(stat("fresh", &status), 0);
    assert_int_equal(status.st_mode & 07777U, 0640);
    assert_int_equal(count_files(), 2);
}

static void a_link_is_followed_not_replaced(void **state)
{
    struct scene *scene = *state;
    struct call call = {.text = "new"};
    struct stat status;
    write_file("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    request(scene, "csv:link");
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), 0);
    assert_content("target", "csv:new");
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

static void a_failure_leaves_the_old_file_and_nothing_else(void **state)
{
    struct scene *scene = *state;
    struct call call = {.text = "half", .result = -ENOMEM};
    write_file("out", "old");
    request(scene, "csv:out");
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), -ENOMEM);
    assert_content("out", "old");
    call.result = -EIO;
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), -EIO);
    assert_content("out", "old");
    assert_int_equal(count_files(), 1);
}

static void a_full_disk_is_told_with_its_errno(void **state)
{
    struct scene *scene = *state;
    const size_t repeats[] = {0, 100000};
    if (access("/dev/full", W_OK) != 0) {
        SKIP_ALOUD("there is no /dev/full to write to");
    }
    request(scene, "csv:/dev/full");
    for (size_t i = 0; i < 2; i++) {
        struct failure failure = {0};
        struct call call = {.text = "0123456789", .repeat = repeats[i]};
        assert_int_equal(output_write_all(&scene->options, print_text, &call, &failure), -ENOSPC);
        assert_int_equal(failure.errno_value, ENOSPC);
        assert_non_null(strstr(failure.text, "/dev/full"));
    }
    assert_int_equal(access("/dev/full", F_OK), 0);
}

static void a_pipe_is_written_directly(void **state)
{
    struct scene *scene = *state;
    struct call call = {.text = "through"};
    char text[32] = "";
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const int fd = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    request(scene, "csv:pipe");
    assert_int_equal(output_check_requests(&scene->options, NULL), 0);
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), 0);
    assert_int_equal(read(fd, text, sizeof text - 1), 11);
    assert_string_equal(text, "csv:through");
    (void)close(fd);
    assert_int_equal(count_files(), 1);
}

static void one_failing_output_does_not_cost_the_others(void **state)
{
    struct scene *scene = *state;
    struct failure failure = {0};
    struct call call = {.text = "x"};
    request(scene, "csv:missing/out");
    request(scene, "json:out");
    assert_true(output_write_all(&scene->options, print_text, &call, &failure) < 0);
    assert_non_null(strstr(failure.text, "missing/out"));
    assert_content("out", "json:x");
}

/* Points standard output to a file, runs, and points it back. */
static int write_with_stdout_to(const char *name, const struct options *options, struct call *call)
{
    (void)fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
    const int error = output_write_all(options, print_text, call, NULL);
    (void)fflush(stdout);
    (void)dup2(saved, STDOUT_FILENO);
    (void)close(saved);
    (void)close(fd);
    return error;
}

static void one_output_goes_to_standard_output(void **state)
{
    struct scene *scene = *state;
    struct call call = {.text = "a\n"};
    struct failure failure = {0};
    request(scene, "csv");
    assert_int_equal(output_check_requests(&scene->options, NULL), 0);
    assert_int_equal(write_with_stdout_to("captured", &scene->options, &call), 0);
    assert_content("captured", "csv:a\n");
    /* What a script reads would be neither. */
    request(scene, "json:/dev/stdout");
    assert_int_equal(output_check_requests(&scene->options, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "json:FILE"));
}

static void settings_follow_options_and_environment(void **state)
{
    struct scene *scene = *state;
    struct call call = {.text = ""};
    request(scene, "csv:out");
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), 0);
    assert_int_equal(call.settings.width, 0);
    assert_false(call.settings.use_color);
    assert_true(call.settings.use_ascii);
    assert_int_equal(setenv("COLUMNS", "72", 1), 0);
    assert_int_equal(options_set(&scene->options, "color", "always", "--color", NULL), 0);
    assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), 0);
    assert_int_equal(call.settings.width, 72);
    assert_true(call.settings.use_color);
    assert_int_equal(setenv("COLUMNS", "wide", 1), 0);
    assert_int_equal(options_set(&scene->options, "color", "never", "--color", NULL), 0);
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), 0);
    assert_int_equal(call.settings.width, 0);
    assert_false(call.settings.use_color);
}

/* A terminal that nobody reads; -1 when there is none to be had. */
static int open_terminal(char name[64])
{
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0 || ptsname_r(fd, name, 64) != 0) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return -1;
    }
    return fd;
}

static void no_color_turns_colour_off_on_a_terminal(void **state)
{
    struct scene *scene = *state;
    struct call call = {.text = ""};
    char name[64];
    char text[80];
    const int fd = open_terminal(name);
    if (fd < 0) {
        SKIP_ALOUD("no pseudo-terminal can be opened");
    }
    (void)snprintf(text, sizeof text, "table:%s", name);
    request(scene, text);
    assert_int_equal(setenv("TERM", "xterm", 1), 0);
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), 0);
    assert_true(call.settings.use_color);
    assert_int_equal(call.settings.width, 80);
    assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), 0);
    assert_false(call.settings.use_color);
    assert_int_equal(setenv("NO_COLOR", "", 1), 0);
    assert_int_equal(setenv("TERM", "dumb", 1), 0);
    assert_int_equal(output_write_all(&scene->options, print_text, &call, NULL), 0);
    assert_false(call.settings.use_color);
    (void)close(fd);
}

static void assert_refused(struct scene *scene, const char *part)
{
    struct failure failure = {0};
    assert_int_equal(output_check_requests(&scene->options, &failure), -EINVAL);
    if (strstr(failure.text, part) == NULL) {
        fail_msg("the message is \"%s\"", failure.text);
    }
    assert_int_equal(output_check_requests(&scene->options, NULL), -EINVAL);
    options_destroy(&scene->options);
    assert_int_equal(options_init(&scene->options), 0);
    scene->options.command = FOR_RUN;
}

static void requests_that_cannot_be_met_are_refused_before(void **state)
{
    struct scene *scene = *state;
    request(scene, "csv:nowhere/out");
    assert_refused(scene, "there is no such folder");
    assert_int_equal(mkdir("folder", 0700), 0);
    request(scene, "csv:folder");
    assert_refused(scene, "it is a folder");
    request(scene, "csv:folder/");
    assert_refused(scene, "it is a folder");
    request(scene, "csv:new/");
    assert_refused(scene, "names no file");
    write_file("plain", "");
    request(scene, "csv:plain/out");
    assert_refused(scene, "plain/out");
    request(scene, "csv:out");
    request(scene, "json:./folder/../out");
    assert_refused(scene, "named twice");
    request(scene, "csv:out");
    assert_int_equal(options_set(&scene->options, "save", "./out", "--save", NULL), 0);
    assert_refused(scene, "--save");
    free(scene->options.outputs[0].format);
    scene->options.outputs[0].format = strdup("jsno");
    assert_refused(scene, "did you mean 'json'");
    assert_int_equal(options_set(&scene->options, "columns", "cpu,sttus", "--columns", NULL), 0);
    assert_refused(scene, "did you mean 'status'");
    assert_int_equal(count_files(), 2);
}

static void columns_are_checked_for_the_view_of_the_command(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(options_set(&scene->options, "columns", "cpu,swept", "--columns", NULL), 0);
    scene->options.command = FOR_TOPOLOGY;
    assert_int_equal(output_check_requests(&scene->options, NULL), 0);
    scene->options.command = FOR_PLAN;
    assert_int_equal(output_check_requests(&scene->options, NULL), -EINVAL);
    scene->options.command = FOR_REPORT;
    assert_int_equal(output_check_requests(&scene->options, NULL), -EINVAL);
}

static void a_folder_without_rights_is_refused(void **state)
{
    struct scene *scene = *state;
    if (geteuid() == 0) {
        SKIP_ALOUD("root may write into every folder");
    }
    assert_int_equal(mkdir("closed", 0500), 0);
    request(scene, "csv:closed/out");
    assert_refused(scene, "no right to write into its folder");
}

#define OUTPUT_TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OUTPUT_TEST(formats_are_found_by_name),
        OUTPUT_TEST(a_file_is_written_and_replaced_as_a_whole),
        OUTPUT_TEST(a_link_is_followed_not_replaced),
        OUTPUT_TEST(a_failure_leaves_the_old_file_and_nothing_else),
        OUTPUT_TEST(a_full_disk_is_told_with_its_errno),
        OUTPUT_TEST(a_pipe_is_written_directly),
        OUTPUT_TEST(one_failing_output_does_not_cost_the_others),
        OUTPUT_TEST(one_output_goes_to_standard_output),
        OUTPUT_TEST(settings_follow_options_and_environment),
        OUTPUT_TEST(no_color_turns_colour_off_on_a_terminal),
        OUTPUT_TEST(requests_that_cannot_be_met_are_refused_before),
        OUTPUT_TEST(columns_are_checked_for_the_view_of_the_command),
        OUTPUT_TEST(a_folder_without_rights_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
