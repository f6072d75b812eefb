/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/report.h"

#include "numasweep/command.h"
#include "numasweep/result_file.h"
#include "support/checks.h"
#include "support/migrations.h"
#include "support/results.h"

#include <errno.h>

static int read_file(const char *name, struct sweep **sweep, struct failure *failure)
{
    *sweep = sweep_create();
    if (*sweep == NULL) {
        (void)failure_set(failure, "report", ENOMEM, "out of memory");
        return -ENOMEM;
    }
    return result_file_read(name, *sweep, failure);
}

/* Names the file in front of what sweep_merge() says. */
static int merge(const char *name, struct sweep *sweep, struct sweep *other, struct failure *failure)
{
    struct failure why = {0};
    int error = sweep_merge(sweep, other, &why);
    if (error != 0) {
        (void)failure_set(failure, "merge", error == -ENOMEM ? ENOMEM : 0,
                          "%.150s and the files before it: %s", name,
                          error == -ENOMEM ? "out of memory" : why.text);
    }
    if (error == 0 && !limit_list_equal(&sweep->options.limits, &other->options.limits)) {
        error = sweep_add_warning(sweep,
                                  "%.150s was measured with other --limits: those of the first file "
                                  "are used, where none are given",
                                  name);
    }
    return error;
}

static int read_all(const struct options *options, struct sweep **sweep, struct failure *failure)
{
    int error = read_file(options->arguments[0], sweep, failure);
    for (size_t i = 1; i < options->argument_count && error == 0; i++) {
        struct sweep *other = NULL;
        error = read_file(options->arguments[i], &other, failure);
        if (error == 0 && (other->migrations.is_experiment || (*sweep)->migrations.is_experiment)) {
            error = failure_set(
                failure, "report", 0,
                "%.150s: files of migrations are reported one at a time; 'numasweep compare' "
                "shows several beside one another",
                options->arguments[i]);
        }
        if (error == 0) {
            error = merge(options->arguments[i], *sweep, other, failure);
        }
        sweep_destroy(other);
    }
    return error;
}

/* What report is asked for wins over what was recorded; without either nothing could ever be broken. */
static int choose_limits(const struct options *options, struct sweep *sweep, struct failure *failure)
{
    if (options_was_set(options, "limit")) {
        limit_list_clear(&sweep->options.limits);
        if (limit_list_copy(&sweep->options.limits, &options->limits) != 0) {
            return failure_set(failure, "report", ENOMEM, "out of memory");
        }
    }
    if ((options->fail_on & FAIL_ON_LIMIT) != 0 && sweep->options.limits.count == 0) {
        return failure_set(failure, "report", 0,
                           "--fail-on: no limit was recorded that could be broken; give "
                           "--limit METRIC=DURATION");
    }
    return 0;
}

static int run(const struct options *options, int argc, char **argv, struct failure *failure)
{
    struct sweep *sweep = NULL;
    (void)argc;
    (void)argv;
    int error = command_check_outputs(options, COLUMN_VIEW_REPORT, failure);
    if (error == 0) {
        error = read_all(options, &sweep, failure);
    }
    if (error == 0 && options->save != NULL) {
        error = command_save_sweep(options, sweep, failure);
    }
    if (error == 0 && sweep->migrations.is_experiment) {
        const int shown = command_show_migrations(options, sweep, failure);
        sweep_destroy(sweep);
        return shown;
    }
    if (error == 0) {
        error = choose_limits(options, sweep, failure);
    }
    const int status = error == 0 ? command_show_sweep(options, sweep, failure)
                                  : command_status_of(error);
    sweep_destroy(sweep);
    return status;
}

const struct command command_report = {.command = FOR_REPORT, .run = run};
