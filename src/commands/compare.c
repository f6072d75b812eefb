/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/comparison.h"

#include "numasweep/command.h"
#include "numasweep/exit_status.h"
#include "numasweep/output.h"
#include "numasweep/result_file.h"
#include "numasweep/sweep.h"
#include "support/migrations.h"

#include <errno.h>
#include <stdlib.h>

struct files {
    struct sweep **sweeps;
    struct report *reports;
    struct comparison_side *sides;
    size_t count;
};

static void files_destroy(struct files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        if (files->reports != NULL) {
            report_destroy(&files->reports[i]);
        }
        if (files->sweeps != NULL) {
            sweep_destroy(files->sweeps[i]);
        }
    }
    free(files->reports);
    free(files->sweeps);
    free(files->sides);
}

static int read_one(struct files *files, size_t position, const char *name, struct failure *failure)
{
    files->sweeps[position] = sweep_create();
    if (files->sweeps[position] == NULL) {
        return -ENOMEM;
    }
    struct sweep *sweep = files->sweeps[position];
    int error = result_file_read(name, sweep, failure);
    for (size_t i = 0; i < sweep->warning_count; i++) {
        command_warn("%s", sweep->warnings[i]);
    }
    if (error == 0) {
        error = report_create(sweep, &files->reports[position]);
    }
    files->sides[position] = (struct comparison_side){.name = name, .report = &files->reports[position]};
    return error;
}

static int read_all(const struct options *options, struct files *files, struct failure *failure)
{
    *files = (struct files){
        .count = options->argument_count,
        .sweeps = calloc(options->argument_count + 1, sizeof(struct sweep *)),
        .reports = calloc(options->argument_count + 1, sizeof(struct report)),
        .sides = calloc(options->argument_count + 1, sizeof(struct comparison_side)),
    };
    int error = files->sweeps == NULL || files->reports == NULL || files->sides == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < files->count && error == 0; i++) {
        error = read_one(files, i, options->arguments[i], failure);
    }
    return error;
}

static int print_comparison(const struct output_format *format, const struct output_settings *settings,
                            FILE *stream, void *context, struct failure *failure)
{
    return format->print_comparison(context, settings, stream, failure);
}

static int print_groups(const struct output_format *format, const struct output_settings *settings,
                        FILE *stream, void *context, struct failure *failure)
{
    return format->print_groups(context, settings, stream, failure);
}

static int compare_two(const struct options *options, const struct files *files, int *status,
                       struct failure *failure)
{
    struct analysis_settings settings;
    struct comparison comparison = {0};
    analysis_settings_init(&settings, options);
    int error = comparison_create(&files->sides[0], &files->sides[1], &settings, &comparison, failure);
    if (error == 0) {
        const bool is_found = (options->fail_on & FAIL_ON_REGRESSION) != 0 &&
                              comparison.regression_count > 0;
        *status = is_found ? EXIT_STATUS_FOUND : EXIT_STATUS_COMPLETE;
        error = output_write_all(options, print_comparison, &comparison, failure);
    }
    comparison_destroy(&comparison);
    return error;
}

static size_t count_migrations(const struct files *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++) {
        count += files->sweeps[i]->migrations.is_experiment;
    }
    return count;
}

static int group(const struct options *options, const struct files *files, struct failure *failure)
{
    static const char *const fields[] = {"file", "file", "host", "kernel", "policy", "version", "load"};
    const size_t migrations = count_migrations(files);
    struct comparison_groups groups = {0};
    if (migrations > 0 && migrations < files->count) {
        return failure_set(
            failure, "compare", 0,
            "some of the files are of a sweep and some of migrations: compare them apart");
    }
    /* What the question about migrations always was: which version of Linux does it. */
    const char *field = migrations > 0 && options->group_by == 0 ? "kernel" : fields[options->group_by];
    int error = comparison_groups_create(files->sides, files->count, field, &groups);
    if (error == 0) {
        error = migrations > 0 ? command_show_migration_groups(options, &groups, failure)
                               : output_write_all(options, print_groups, &groups, failure);
    }
    comparison_groups_destroy(&groups);
    return error;
}

static int run(const struct options *options, int argc, char **argv, struct failure *failure)
{
    struct files files = {0};
    int status = EXIT_STATUS_COMPLETE;
    (void)argc;
    (void)argv;
    int error = options_check_fail_on(options, failure);
    if (error == 0) {
        error = output_check_requests(options, failure);
    }
    if (error == 0 && options->argument_count < 2) {
        error = failure_set(failure, "compare", 0, "compare needs two files at least: before and after");
    }
    if (error == 0) {
        error = read_all(options, &files, failure);
    }
    if (error == 0 && files.count == 2 && options->group_by == 0 && count_migrations(&files) == 0) {
        error = compare_two(options, &files, &status, failure);
    } else if (error == 0) {
        error = group(options, &files, failure);
    }
    files_destroy(&files);
    if (error == -ENOMEM && failure->text[0] == '\0') {
        (void)failure_set(failure, "compare", ENOMEM, "out of memory");
    }
    return error == 0 ? status : command_status_of(error);
}

const struct command command_compare = {.command = FOR_COMPARE, .run = run};
