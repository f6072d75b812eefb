/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result file, and everything that `numasweep report` does with one. */
#include "fuzz.h"
#include "numasweep/output.h"
#include "numasweep/record.h"
#include "numasweep/report.h"
#include "numasweep/result_file.h"
#include "numasweep/sweep.h"
#include "numasweep/sweep_warnings.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_INPUT = 1 << 16 };

static int read_copy(const struct sweep *sweep, struct sweep *copy)
{
    struct failure failure = {0};
    char *line = record_encode_header(sweep);
    FUZZ_REQUIRE(line != NULL);
    int error = record_decode_header(line, strlen(line), copy, &failure);
    free(line);
    for (size_t i = 0; i < sweep->visit_count && error == 0; i++) {
        line = record_encode_visit(sweep, &sweep->visits[i]);
        FUZZ_REQUIRE(line != NULL);
        error = record_decode_line(line, strlen(line), copy, &failure);
        free(line);
    }
    for (size_t i = 0; i < sweep->migrations.count && error == 0; i++) {
        line = record_encode_migrations(&sweep->migrations.runs[i]);
        FUZZ_REQUIRE(line != NULL);
        error = record_decode_line(line, strlen(line), copy, &failure);
        free(line);
    }
    line = record_encode_end(sweep);
    FUZZ_REQUIRE(line != NULL);
    error = error == 0 ? record_decode_line(line, strlen(line), copy, &failure) : error;
    free(line);
    if (error != 0) {
        (void)fprintf(stderr, "%s\n", failure.text);
    }
    return error;
}

static void require_same_line(char *line, char *same)
{
    FUZZ_REQUIRE(line != NULL && same != NULL && strcmp(line, same) == 0);
    free(line);
    free(same);
}

/* What `report --save` writes can be read, and says the same. */
static void require_round_trip(const struct sweep *sweep)
{
    struct sweep *copy = sweep_create();
    FUZZ_REQUIRE(copy != NULL && read_copy(sweep, copy) == 0);
    FUZZ_REQUIRE(copy->visit_count == sweep->visit_count);
    require_same_line(record_encode_header(sweep), record_encode_header(copy));
    for (size_t i = 0; i < sweep->visit_count; i++) {
        require_same_line(record_encode_visit(sweep, &sweep->visits[i]),
                          record_encode_visit(copy, &copy->visits[i]));
    }
    FUZZ_REQUIRE(copy->migrations.count == sweep->migrations.count);
    for (size_t i = 0; i < sweep->migrations.count; i++) {
        require_same_line(record_encode_migrations(&sweep->migrations.runs[i]),
                          record_encode_migrations(&copy->migrations.runs[i]));
    }
    require_same_line(record_encode_end(sweep), record_encode_end(copy));
    sweep_destroy(copy);
}

static void require_round_orders(const struct plan *plan)
{
    size_t *order = calloc(plan->cell_count + 1, sizeof *order);
    bool *is_seen = calloc(plan->cell_count + 1, sizeof *is_seen);
    FUZZ_REQUIRE(order != NULL && is_seen != NULL && plan_round_order(plan, 0, order) == 0);
    for (size_t i = 0; i < plan->cell_count; i++) {
        FUZZ_REQUIRE(order[i] < plan->cell_count && !is_seen[order[i]]);
        is_seen[order[i]] = true;
    }
    free(is_seen);
    free(order);
}

static void print_migrations(const struct sweep *sweep, const struct output_settings *settings,
                             const struct output_format *format, FILE *stream)
{
    struct migration_report report = {.sweep = sweep};
    FUZZ_REQUIRE(migration_summary_create(&sweep->migrations, &report.summary) == 0);
    FUZZ_REQUIRE(format->print_migrations == NULL ||
                 format->print_migrations(&report, settings, stream, NULL) == 0);
    migration_summary_destroy(&report.summary);
}

static void print_with(const struct output_format *format, const struct report *report,
                       const struct sweep *sweep, int width)
{
    const struct output_settings settings = {.use_ascii = width > 0, .width = width};
    struct failure failure = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    FUZZ_REQUIRE(stream != NULL);
    FUZZ_REQUIRE(format->print_report(report, &settings, stream, &failure) == 0);
    print_migrations(sweep, &settings, format, stream);
    /* Test points are of a sweep only. */
    FUZZ_REQUIRE(format->print_topology == NULL ||
                 format->print_topology(&sweep->topology, &sweep->plan, &settings, stream, &failure) ==
                     0);
    FUZZ_REQUIRE(format->print_plan == NULL ||
                 format->print_plan(&sweep->plan, &sweep->topology, &settings, stream, &failure) == 0);
    FUZZ_REQUIRE(format->print_environment == NULL ||
                 format->print_environment(&sweep->environment, &settings, stream, &failure) == 0);
    FUZZ_REQUIRE(fclose(stream) == 0 && size > 0);
    /* What a file says must not reach a terminal as anything but text; CSV holds it as it is. */
    const bool is_raw = strcmp(format->name, "csv") == 0;
    for (size_t i = 0; i < size; i++) {
        FUZZ_REQUIRE(text[i] != '\0' && (is_raw || text[i] != '\033'));
    }
    free(text);
}

static void show(struct sweep *sweep)
{
    struct report report = {0};
    FUZZ_REQUIRE(sweep_collect_warnings(sweep) == 0);
    FUZZ_REQUIRE(report_create(sweep, &report) == 0);
    FUZZ_REQUIRE(report_judge(&report, &sweep->options) == 0);
    for (size_t i = 0; output_formats[i] != NULL; i++) {
        print_with(output_formats[i], &report, sweep, 0);
    }
    print_with(output_format_find("table"), &report, sweep, 60);
    FUZZ_REQUIRE(report_exit_status(&report, FAIL_ON_INVALID) >= 0);
    report_destroy(&report);
}

static void try_merge(const char *name, struct sweep *sweep)
{
    struct failure failure = {0};
    struct sweep *other = sweep_create();
    FUZZ_REQUIRE(other != NULL && result_file_read(name, other, &failure) == 0);
    other->started_unix_ns ^= 1;
    const int error = sweep_merge(sweep, other, &failure);
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
    }
    sweep_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[FUZZ_NAME_SIZE];
    struct failure failure = {0};
    if (size > LARGEST_INPUT) {
        return -1;
    }
    /* What prints characters beyond ASCII has a locale that knows them. */
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    const int fd = fuzz_file_create(data, size, name);
    struct sweep *sweep = sweep_create();
    FUZZ_REQUIRE(sweep != NULL);
    const int error = result_file_read(name, sweep, &failure);
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
        FUZZ_REQUIRE(error == -ENOMEM || strstr(failure.text, name) != NULL);
    } else {
        require_round_orders(&sweep->plan);
        require_round_trip(sweep);
        show(sweep);
        try_merge(name, sweep);
        show(sweep);
    }
    sweep_destroy(sweep);
    (void)close(fd);
    return 0;
}
