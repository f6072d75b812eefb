/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/command.h"
#include "numasweep/environment_read.h"
#include "numasweep/exit_status.h"
#include "numasweep/output.h"
#include "support/checks.h"

#include <errno.h>
#include <string.h>

static int print(const struct output_format *format, const struct output_settings *settings,
                 FILE *stream, void *context, struct failure *failure)
{
    if (format->print_environment == NULL) {
        return failure_set(failure, "output", 0, "the format %s cannot print the environment",
                           format->name);
    }
    return format->print_environment(context, settings, stream, failure);
}

static int run(const struct options *options, int argc, char **argv, struct failure *failure)
{
    struct topology topology = {0};
    struct environment environment = {0};
    (void)argc;
    (void)argv;
    int error = output_check_requests(options, failure);
    if (error == 0) {
        error = command_discover("this", &topology, failure);
    }
    if (error == 0) {
        error = environment_read("", &topology, &environment);
        if (error != 0) {
            (void)failure_set(failure, "environment", -error, "reading the environment: %s",
                              strerror(-error));
        }
    }
    int status = command_status_of(error);
    if (error == 0) {
        error = output_write_all(options, print, &environment, failure);
        status = error == 0 ? EXIT_STATUS_COMPLETE : EXIT_STATUS_BROKEN;
    }
    environment_destroy(&environment);
    topology_destroy(&topology);
    return status;
}

const struct command command_check = {.command = FOR_CHECK, .run = run};
