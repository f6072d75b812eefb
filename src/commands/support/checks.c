/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "checks.h"

#include "numasweep/command.h"
#include "numasweep/discovery.h"
#include "numasweep/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse_kernel(const char *name, struct failure *failure)
{
    enum { MOST_KERNELS = 64 };
    const char *names[MOST_KERNELS];
    char list[FAILURE_TEXT_SIZE / 2] = "";
    size_t count = 0;
    for (; count < MOST_KERNELS && measurement_kernels[count] != NULL; count++) {
        names[count] = measurement_kernels[count]->name;
        const size_t length = strlen(list);
        (void)snprintf(list + length, sizeof list - length, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    const char *nearest = options_nearest(name, names, count);
    return failure_set(failure, "kernel", 0, "--kernel: there is no kernel \"%s\"%s%s%s; there are: %s",
                       name, nearest != NULL ? ", did you mean \"" : "", nearest != NULL ? nearest : "",
                       nearest != NULL ? "\"?" : "", list);
}

int command_check_outputs(const struct options *options, enum column_view view, struct failure *failure)
{
    size_t *positions = NULL;
    size_t count = 0;
    int error = options_check_fail_on(options, failure);
    if (error == 0) {
        error = output_check_requests(options, failure);
    }
    if (error == 0) {
        error = columns_resolve(view, options->columns, &positions, &count, failure);
        free(positions);
    }
    return error;
}

int command_check_sweep(const struct options *options, enum column_view view, struct failure *failure)
{
    const int error = options_check(options, failure);
    if (error != 0) {
        return error;
    }
    if (measurement_kernel_find(options->kernel) == NULL) {
        return refuse_kernel(options->kernel, failure);
    }
    return command_check_outputs(options, view, failure);
}

unsigned command_fail_on(const struct options *options, const struct report *report)
{
    const bool is_implied = !options_was_set(options, "fail-on") && report->limit_count > 0;
    return options->fail_on | (is_implied ? (unsigned)FAIL_ON_LIMIT : 0);
}

int command_print_report(const struct output_format *format, const struct output_settings *settings,
                         FILE *stream, void *context, struct failure *failure)
{
    if (format->print_report == NULL) {
        return failure_set(failure, "output", 0, "the format %s cannot print a sweep", format->name);
    }
    return format->print_report(context, settings, stream, failure);
}

int command_discover(const char *source, struct topology *topology, struct failure *failure)
{
    const int error = topology_discover(source, topology, failure);
    if (error == 0 && topology->is_without_x86) {
        command_warn(
            "hwloc did not finish loading the topology within 10 s, as it visits every CPU and a "
            "real-time task that never sleeps may hold one: it was loaded without the x86 part, from "
            "the files of Linux alone");
    }
    return error;
}
