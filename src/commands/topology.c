/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/command.h"
#include "numasweep/exit_status.h"
#include "numasweep/output.h"
#include "numasweep/plan.h"
#include "support/checks.h"

#include <errno.h>
#include <stdlib.h>

struct shown {
    struct topology topology;
    struct plan plan;
};

static int print(const struct output_format *format, const struct output_settings *settings,
                 FILE *stream, void *context, struct failure *failure)
{
    const struct shown *shown = context;
    if (format->print_topology == NULL) {
        return failure_set(failure, "output", 0, "the format %s cannot print a topology", format->name);
    }
    return format->print_topology(&shown->topology, &shown->plan, settings, stream, failure);
}

static int run(const struct options *options, int argc, char **argv, struct failure *failure)
{
    struct shown shown = {0};
    (void)argc;
    (void)argv;
    int error = command_check_outputs(options, COLUMN_VIEW_TOPOLOGY, failure);
    if (error == 0) {
        error = command_discover(options->topology, &shown.topology, failure);
    }
    if (error == 0) {
        error = plan_create(options, &shown.topology, &shown.plan, failure);
    }
    int status = command_status_of(error);
    if (error == 0) {
        error = output_write_all(options, print, &shown, failure);
        status = error == 0 ? EXIT_STATUS_COMPLETE : EXIT_STATUS_BROKEN;
    }
    plan_destroy(&shown.plan);
    topology_destroy(&shown.topology);
    return status;
}

const struct command command_topology = {.command = FOR_TOPOLOGY, .run = run};
