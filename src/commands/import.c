/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/command.h"
#include "numasweep/discovery.h"
#include "numasweep/sample_file.h"
#include "numasweep/sweep_import.h"
#include "support/checks.h"
#include "support/command_line.h"
#include "support/results.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static const char *shown_name(const char *name)
{
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

/* Where and when the samples were taken is not known: the time is that of the import. */
static int open_sweep(struct sweep *sweep, const struct options *options, int argc, char **argv)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    sweep->started_unix_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    sweep->version = strdup(NUMASWEEP_VERSION);
    sweep->host = strdup("unknown");
    sweep->command_line = command_line_join(argc, argv);
    sweep->imported_from = strdup(shown_name(options->arguments[0]));
    if (sweep->version == NULL || sweep->host == NULL || sweep->command_line == NULL ||
        sweep->imported_from == NULL) {
        return -ENOMEM;
    }
    return options_copy(&sweep->options, options);
}

static int import(const struct options *options, struct sweep *sweep, struct failure *failure)
{
    struct sample_table table = {0};
    struct failure why = {0};
    const int64_t requested_ns = options_was_set(options, "timeout") ? options->timeouts_ns[0] : 0;
    int error = command_discover(options->topology, &sweep->topology, failure);
    if (error != 0) {
        return error;
    }
    error = sample_file_read(options->arguments[0], requested_ns, &table, &why);
    if (error == 0) {
        error = sweep_import(sweep, &table, &why);
    }
    sample_table_destroy(&table);
    if (error != 0) {
        (void)failure_set(failure, "import", why.errno_value, "%.150s: %.240s",
                          shown_name(options->arguments[0]), why.text);
    }
    return error;
}

static int check(const struct options *options, struct failure *failure)
{
    if (options->argument_count > 1) {
        return failure_set(failure, "import", 0,
                           "import takes one file: save each, and 'numasweep report' merges them");
    }
    if (options->timeout_count > 1) {
        return failure_set(failure, "import", 0, "--timeout: one is needed for all samples, not %zu",
                           options->timeout_count);
    }
    return command_check_outputs(options, COLUMN_VIEW_REPORT, failure);
}

static int run(const struct options *options, int argc, char **argv, struct failure *failure)
{
    struct sweep *sweep = NULL;
    int error = check(options, failure);
    if (error == 0) {
        sweep = sweep_create();
        error = sweep == NULL ? -ENOMEM : open_sweep(sweep, options, argc, argv);
        if (error == -ENOMEM) {
            (void)failure_set(failure, "import", ENOMEM, "out of memory");
        }
    }
    if (error == 0) {
        error = import(options, sweep, failure);
    }
    if (error == 0 && options->save != NULL) {
        error = command_save_sweep(options, sweep, failure);
    }
    const int status = error == 0 ? command_show_sweep(options, sweep, failure)
                                  : command_status_of(error);
    sweep_destroy(sweep);
    return status;
}

const struct command command_import = {.command = FOR_IMPORT, .run = run};
