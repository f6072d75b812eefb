/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/result_file.h"

#include "numasweep/record.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/skip_aloud.h"
#include "../support/sweep_fixture.h"

enum { PATH_SIZE = 256 };

struct folder {
    char path[PATH_SIZE / 2];
    char file[PATH_SIZE];
};

static int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    const char *base = getenv("TMPDIR");
    *state = folder;
    if (folder == NULL) {
        return -1;
    }
    (void)snprintf(folder->path, sizeof folder->path, "%s/numasweep-XXXXXX",
                   base != NULL ? base : "/tmp");
    const bool is_made = mkdtemp(folder->path) != NULL;
    (void)snprintf(folder->file, sizeof folder->file, "%s/r.jsonl", folder->path);
    return is_made ? 0 : -1;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;
    (void)unlink(folder->file);
    (void)rmdir(folder->file);
    const int result = rmdir(folder->path);
    free(folder);
    return result;
}

static void write_text(const char *name, const char *text, size_t size)
{
    FILE *stream = fopen(name, "we");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* A whole result file as one text. */
static char *make_text(size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    struct sweep *sweep = fixture_create("");
    char *line = record_encode_header(sweep);
    fixture_fill(sweep);
    (void)fprintf(stream, "%s\n", line);
    free(line);
    for (size_t i = 0; i < sweep->visit_count; i++) {
        line = record_encode_visit(sweep, &sweep->visits[i]);
        (void)fprintf(stream, "%s\n", line);
        free(line);
    }
    line = record_encode_end(sweep);
    (void)fprintf(stream, "%s\n", line);
    free(line);
    sweep_destroy(sweep);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static struct sweep *read_text(const char *name, const char *text, size_t size, int *error,
                               struct failure *failure)
{
    struct sweep *sweep = sweep_create();
    assert_non_null(sweep);
    write_text(name, text, size);
    *error = result_file_read(name, sweep, failure);
    return sweep;
}

static void written_lines_are_read_back(void **state)
{
    const struct folder *folder = *state;
    struct failure failure = {0};
    struct result_file file;
    struct sweep *sweep = fixture_create("");
    struct sweep *copy = sweep_create();
    char *header = record_encode_header(sweep);
    fixture_add(sweep, 0, 0, 8000, 6000);
    char *visit = record_encode_visit(sweep, &sweep->visits[0]);
    assert_int_equal(result_file_create(folder->file, &file, &failure), 0);
    assert_int_equal(result_file_append(&file, header, &failure), 0);
    assert_int_equal(result_file_append(&file, visit, &failure), 0);
    assert_int_equal(result_file_close(&file, &failure), 0);
    assert_int_equal(result_file_close(&file, &failure), 0);
    assert_int_equal(result_file_read(folder->file, copy, &failure), 0);
    assert_int_equal(copy->visit_count, 1);
    assert_false(copy->has_ended);
    assert_false(copy->is_cut);
    assert_int_equal(copy->warning_count, 1);
    free(header);
    free(visit);
    sweep_destroy(copy);
    sweep_destroy(sweep);
}

static void refuse_create(const char *name, int expected_error, const char *expected)
{
    struct failure failure = {0};
    struct result_file file;
    assert_int_equal(result_file_create(name, &file, &failure), expected_error);
    assert_int_equal(file.fd, -1);
    if (strstr(failure.text, expected) == NULL || strstr(failure.text, "--save") == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", failure.text, expected);
    }
}

static void existing_files_are_left_as_they_are(void **state)
{
    const struct folder *folder = *state;
    struct stat before;
    struct stat after;
    size_t size = 0;
    char *ours = make_text(&size);
    write_text(folder->file, "precious\n", 9);
    assert_int_equal(stat(folder->file, &before), 0);
    refuse_create(folder->file, -EEXIST, "is not a result file");
    assert_int_equal(stat(folder->file, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    write_text(folder->file, ours, size);
    refuse_create(folder->file, -EEXIST, "earlier sweep");
    free(ours);
}

static void empty_files_are_taken_once(void **state)
{
    const struct folder *folder = *state;
    struct failure failure = {0};
    struct result_file first;
    write_text(folder->file, "", 0);
    assert_int_equal(result_file_create(folder->file, &first, &failure), 0);
    refuse_create(folder->file, -EEXIST, "another process");
    assert_int_equal(result_file_close(&first, &failure), 0);
}

static void what_is_no_file_is_refused(void **state)
{
    const struct folder *folder = *state;
    char missing[2 * PATH_SIZE];
    refuse_create(folder->path, -EEXIST, "a directory");
    (void)snprintf(missing, sizeof missing, "%s/no/such/folder", folder->path);
    refuse_create(missing, -EINVAL, "No such file");
    assert_int_equal(mkfifo(folder->file, 0600), 0);
    refuse_create(folder->file, -EEXIST, "not a regular file");
}

static void full_disk_is_an_error_that_names_the_file(void **state)
{
    (void)state;
    struct failure failure = {0};
    struct result_file file;
    if (access("/dev/full", W_OK) != 0) {
        SKIP_ALOUD("/dev/full cannot be written here");
    }
    assert_int_equal(result_file_create("/dev/full", &file, &failure), 0);
    assert_int_equal(result_file_append(&file, "{}", &failure), -ENOSPC);
    assert_non_null(strstr(failure.text, "/dev/full"));
    (void)result_file_close(&file, NULL);
}

/* Cut at any byte, a file is read as far as it is whole, and says so; or, within the header, is refused.
 */
static void files_cut_anywhere_are_read_or_refused(void **state)
{
    const bool is_nightly = getenv("NUMASWEEP_NIGHTLY") != NULL;
    const struct folder *folder = *state;
    size_t size = 0;
    char *text = make_text(&size);
    const size_t header_size = strcspn(text, "\n");
    size_t step = 1;
    for (size_t length = 0; length < size; length += step) {
        struct failure failure = {0};
        int error = 0;
        struct sweep *sweep = read_text(folder->file, text, length, &error, &failure);
        if (length < header_size) {
            assert_int_equal(error, -EINVAL);
            assert_non_null(strstr(failure.text, folder->file));
        } else {
            assert_string_equal(failure.text, "");
            assert_int_equal(error, 0);
            /* The last line may lack its newline only and be whole. */
            const bool is_whole = text[length] == '\n' || text[length - 1] == '\n';
            assert_int_equal(sweep->is_cut, !is_whole);
            assert_true(sweep->warning_count > 0 || length == size - 1);
        }
        sweep_destroy(sweep);
        /* Each byte of the header's end and of the last lines, and every 97th between; at night all. */
        step = length + 400 > size || (length + 3 > header_size && length < header_size + 400) ? 1 : 97;
        if (is_nightly) {
            step = 1;
            continue;
        }
        if (length < header_size && length + step > header_size - 3) {
            step = length < header_size - 3 ? header_size - 3 - length : 1;
        }
    }
    free(text);
}

static void damage_in_the_middle_is_named_by_line(void **state)
{
    const struct folder *folder = *state;
    struct failure failure = {0};
    int error = 0;
    size_t size = 0;
    char *text = make_text(&size);
    *(strchr(text, '\n') + 1) = '!';
    struct sweep *sweep = read_text(folder->file, text, size, &error, &failure);
    assert_int_equal(error, -EINVAL);
    assert_non_null(strstr(failure.text, "line 2"));
    sweep_destroy(sweep);
    free(text);
}

static void carriage_returns_and_empty_lines_do_not_matter(void **state)
{
    const struct folder *folder = *state;
    struct failure failure = {0};
    int error = 0;
    size_t size = 0;
    size_t padded_size = 0;
    char *text = make_text(&size);
    char *padded = NULL;
    FILE *stream = open_memstream(&padded, &padded_size);
    for (size_t i = 0; i < size; i++) {
        (void)fputs(text[i] == '\n' ? "\r\n\n" : (const char[]){text[i], '\0'}, stream);
    }
    assert_int_equal(fclose(stream), 0);
    struct sweep *sweep = read_text(folder->file, padded, padded_size, &error, &failure);
    assert_string_equal(failure.text, "");
    assert_int_equal(error, 0);
    assert_int_equal(sweep->visit_count, 32);
    assert_true(sweep->has_ended);
    sweep_destroy(sweep);
    free(padded);
    free(text);
}

static void same_visit_twice_is_refused(void **state)
{
    const struct folder *folder = *state;
    struct failure failure = {0};
    int error = 0;
    size_t size = 0;
    char *text = make_text(&size);
    char *second = strchr(text, '\n') + 1;
    const size_t length = strcspn(second, "\n") + 1;
    char *doubled = calloc(1, size + length);
    assert_non_null(doubled);
    memcpy(doubled, text, (size_t)(second - text) + length);
    memcpy(doubled + (second - text) + length, second, size - (size_t)(second - text));
    struct sweep *sweep = read_text(folder->file, doubled, size + length, &error, &failure);
    assert_int_equal(error, -EINVAL);
    assert_non_null(strstr(failure.text, "twice"));
    sweep_destroy(sweep);
    free(doubled);
    free(text);
}

static void what_is_no_result_file_is_refused(void **state)
{
    const struct folder *folder = *state;
    static const char *const foreign[] = {"", "\n", "a,b,c\n", "{}\n", "\xff\xfe\n"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        struct failure failure = {0};
        int error = 0;
        struct sweep *sweep = read_text(folder->file, foreign[i], strlen(foreign[i]), &error, &failure);
        assert_int_equal(error, -EINVAL);
        assert_non_null(strstr(failure.text, folder->file));
        sweep_destroy(sweep);
    }
    struct failure failure = {0};
    struct sweep *sweep = sweep_create();
    assert_int_equal(result_file_read(folder->path, sweep, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "directory"));
    assert_int_equal(result_file_read("/no/such/file", sweep, &failure), -EINVAL);
    sweep_destroy(sweep);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(written_lines_are_read_back),
        IN_FOLDER(existing_files_are_left_as_they_are),
        IN_FOLDER(empty_files_are_taken_once),
        IN_FOLDER(what_is_no_file_is_refused),
        cmocka_unit_test(full_disk_is_an_error_that_names_the_file),
        IN_FOLDER(files_cut_anywhere_are_read_or_refused),
        IN_FOLDER(damage_in_the_middle_is_named_by_line),
        IN_FOLDER(carriage_returns_and_empty_lines_do_not_matter),
        IN_FOLDER(same_visit_twice_is_refused),
        IN_FOLDER(what_is_no_result_file_is_refused),
    };
    return cmocka_run_group_tests_name("result file", tests, NULL, NULL);
}
