/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/plan.h"

#include "numasweep/command.h"
#include "numasweep/exit_status.h"
#include "numasweep/output.h"
#include "support/checks.h"
#include "support/seed.h"

#include <errno.h>
#include <stdlib.h>

struct shown {
    struct options options;
    struct topology topology;
    struct plan plan;
};

static int print(const struct output_format *format, const struct output_settings *settings,
                 FILE *stream, void *context, struct failure *failure)
{
    const struct shown *shown = context;
    if (format->print_plan == NULL) {
        return failure_set(failure, "output", 0, "the format %s cannot print a plan", format->name);
    }
    return format->print_plan(&shown->plan, &shown->topology, settings, stream, failure);
}

static int run(const struct options *options, int argc, char **argv, struct failure *failure)
{
    struct shown shown = {0};
    (void)argc;
    (void)argv;
    int error = command_check_sweep(options, COLUMN_VIEW_PLAN, failure);
    if (error == 0) {
        error = options_copy(&shown.options, options);
    }
    if (error == 0) {
        error = command_choose_seed(&shown.options, failure);
    }
    if (error == 0) {
        error = command_discover(options->topology, &shown.topology, failure);
    }
    if (error == 0) {
        error = plan_create(&shown.options, &shown.topology, &shown.plan, failure);
    }
    int status = command_status_of(error);
    if (error == 0) {
        error = output_write_all(options, print, &shown, failure);
        status = error == 0 ? EXIT_STATUS_COMPLETE : EXIT_STATUS_BROKEN;
    }
    plan_destroy(&shown.plan);
    topology_destroy(&shown.topology);
    options_destroy(&shown.options);
    return status;
}

const struct command command_plan = {.command = FOR_PLAN, .run = run};
