/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "migrations.h"

#include "numasweep/command.h"
#include "numasweep/exit_status.h"
#include "numasweep/output.h"

#include <errno.h>
#include <stdbool.h>

static int refuse_format(const struct output_format *format, struct failure *failure)
{
    return failure_set(failure, "output", EINVAL,
                       "--output: the format '%s' cannot show migrations: use 'table', 'csv' or 'json'",
                       format->name);
}

static int print_migrations(const struct output_format *format, const struct output_settings *settings,
                            FILE *stream, void *context, struct failure *failure)
{
    return format->print_migrations != NULL
               ? format->print_migrations(context, settings, stream, failure)
               : refuse_format(format, failure);
}

static int print_groups(const struct output_format *format, const struct output_settings *settings,
                        FILE *stream, void *context, struct failure *failure)
{
    return format->print_migration_groups != NULL
               ? format->print_migration_groups(context, settings, stream, failure)
               : refuse_format(format, failure);
}

static int status_of(const struct migration_report *report)
{
    bool is_whole = report->sweep->has_ended && report->summary.count > 0;
    for (size_t i = 0; i < report->summary.count; i++) {
        is_whole = is_whole && report->summary.series[i].breach_count == 0;
    }
    return is_whole ? EXIT_STATUS_COMPLETE : EXIT_STATUS_PARTIAL;
}

int command_show_migrations(const struct options *options, const struct sweep *sweep,
                            struct failure *failure)
{
    struct migration_report report = {.sweep = sweep};
    for (size_t i = 0; i < sweep->warning_count; i++) {
        command_warn("%s", sweep->warnings[i]);
    }
    for (size_t i = 0; i < sweep->migrations.count; i++) {
        const struct migration_run *run = &sweep->migrations.runs[i];
        if (run->breach[0] != '\0') {
            command_warn("run %lld, pinned %s%s, failed: %s", (long long)run->run,
                         migration_pin_label(run->pin), run->is_limited ? ", limit" : "", run->breach);
        }
    }
    int error = migration_summary_create(&sweep->migrations, &report.summary);
    if (error != 0) {
        return failure_set(failure, "migrations", ENOMEM, "out of memory") == 0 ? EXIT_STATUS_COMPLETE
                                                                                : EXIT_STATUS_BROKEN;
    }
    error = output_write_all(options, print_migrations, &report, failure);
    const int status = error == 0 ? status_of(&report) : command_status_of(error);
    migration_summary_destroy(&report.summary);
    return status;
}

int command_show_migration_groups(const struct options *options, struct comparison_groups *groups,
                                  struct failure *failure)
{
    return output_write_all(options, print_groups, groups, failure);
}
