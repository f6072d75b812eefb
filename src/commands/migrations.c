/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/migrations.h"

#include "numasweep/command.h"
#include "numasweep/environment_read.h"
#include "numasweep/exit_status.h"
#include "numasweep/migration_measure.h"
#include "numasweep/number.h"
#include "numasweep/output.h"
#include "numasweep/record.h"
#include "numasweep/result_file.h"
#include "numasweep/signals.h"
#include "numasweep/sweep.h"
#include "support/checks.h"
#include "support/identify.h"
#include "support/migrations.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One way of pinning, in or out of the limit. */
struct arm {
    enum migration_pin pin;
    bool is_limited;
};

enum { MOST_ARMS = 2 * MIGRATION_PINS };

struct counting {
    struct sweep *sweep;
    struct result_file file;
    struct arm arms[MOST_ARMS];
    size_t arm_count;
    bool shows_progress;
};

static int save_line(struct counting *counting, char *line, struct failure *failure)
{
    if (line == NULL) {
        return failure_set(failure, "save", ENOMEM, "out of memory");
    }
    const int error = counting->file.fd >= 0 ? result_file_append(&counting->file, line, failure) : 0;
    free(line);
    return error;
}

static int discover(struct sweep *sweep, struct failure *failure)
{
    int error = command_discover("this", &sweep->topology, failure);
    if (error != 0) {
        return error;
    }
    if (!sweep->topology.is_this_machine) {
        return failure_set(failure, "topology", EPERM,
                           "the topology %s is not that of this machine: leave HWLOC_XMLFILE and "
                           "HWLOC_SYNTHETIC out",
                           sweep->topology.source);
    }
    error = environment_read("", &sweep->topology, &sweep->environment);
    if (error != 0) {
        return failure_set(failure, "environment", -error, "reading the environment: %s",
                           strerror(-error));
    }
    error = plan_create(&sweep->options, &sweep->topology, &sweep->plan, failure);
    if (error != 0) {
        return error;
    }
    for (size_t i = 0; i < sweep->plan.row_count; i++) {
        const struct plan_row *row = &sweep->plan.rows[i];
        if (row->is_asked_for && row->state != ROW_PLANNED) {
            return failure_set(failure, "cpus", EPERM, "--cpus: CPU %s: %s", row->label, row->reason);
        }
    }
    return sweep->plan.measured_cpus.count > 0
               ? 0
               : failure_set(failure, "cpus", EPERM, "--cpus: no CPU is left to run on");
}

static size_t count_nodes(const struct sweep *sweep)
{
    struct id_list nodes = {0};
    const struct id_list *cpus = &sweep->plan.measured_cpus;
    for (size_t i = 0; i < cpus->count; i++) {
        const struct topology_cpu *cpu = topology_find_cpu(&sweep->topology, cpus->ids[i]);
        if (cpu != NULL && cpu->node >= 0) {
            (void)id_list_add(&nodes, cpu->node);
        }
    }
    const size_t count = nodes.count;
    id_list_destroy(&nodes);
    return count;
}

static void choose_arms(struct counting *counting)
{
    const struct options *options = &counting->sweep->options;
    const unsigned sensible = PIN_NONE | PIN_CPU | (count_nodes(counting->sweep) > 1 ? PIN_NODE : 0U);
    const unsigned pins = options->pins != 0 ? options->pins : sensible;
    const int limits = options->quota_ns != OPTION_QUOTA_OFF ? 2 : 1;
    for (int limited = 0; limited < limits; limited++) {
        for (int pin = 0; pin < MIGRATION_PINS; pin++) {
            if ((pins & (1U << pin)) != 0) {
                counting->arms[counting->arm_count] = (struct arm){
                    .pin = (enum migration_pin)pin,
                    .is_limited = limited != 0,
                };
                counting->arm_count++;
            }
        }
    }
}

static void show_progress(const struct counting *counting, int64_t done)
{
    const struct options *options = &counting->sweep->options;
    const int64_t all = options->run_count * (int64_t)counting->arm_count;
    char left[DURATION_TEXT_SIZE];
    if (!counting->shows_progress) {
        return;
    }
    if (done == all) {
        (void)fprintf(stderr, "\r\033[K");
        return;
    }
    (void)fprintf(stderr, "\r\033[Krun %lld of %lld, %s left", (long long)done + 1, (long long)all,
                  duration_format_rough((all - done) * options->duration_ns, left));
    (void)fflush(stderr);
}

static int count_once(struct counting *counting, const struct migration_settings *settings,
                      const struct arm *arm, int64_t number, struct failure *failure)
{
    struct migration_run counted = {0};
    int error = migration_measure(settings, arm->pin, arm->is_limited, number, &counted, failure);
    if (error == 0) {
        error = save_line(counting, record_encode_migrations(&counted), failure);
    }
    if (error == 0 && migration_list_add(&counting->sweep->migrations, &counted) != 0) {
        error = failure_set(failure, "migrations", ENOMEM, "out of memory");
    }
    migration_run_destroy(&counted);
    return error;
}

/* One run of each arm in turn, so that what drifts meanwhile meets all of them. */
static int count_all(struct counting *counting, struct failure *failure)
{
    struct sweep *sweep = counting->sweep;
    const struct migration_settings settings = {
        .options = &sweep->options,
        .topology = &sweep->topology,
        .cpus = &sweep->plan.measured_cpus,
    };
    int64_t done = 0;
    int error = 0;
    for (int64_t number = 1; number <= sweep->options.run_count && error == 0; number++) {
        for (size_t i = 0; i < counting->arm_count && error == 0; i++) {
            show_progress(counting, done);
            error = signals_pending() != 0
                        ? -EINTR
                        : count_once(counting, &settings, &counting->arms[i], number, failure);
            done++;
        }
    }
    if (counting->shows_progress) {
        show_progress(counting, sweep->options.run_count * (int64_t)counting->arm_count);
    }
    if (error == -EINTR) {
        sweep->stop_signal = signals_pending();
        return 0;
    }
    sweep->has_ended = error == 0;
    return error;
}

static int prepare(struct counting *counting, struct failure *failure)
{
    const struct options *options = &counting->sweep->options;
    int error = discover(counting->sweep, failure);
    if (error == 0) {
        choose_arms(counting);
        counting->shows_progress = options->progress == WHEN_ALWAYS ||
                                   (options->progress == WHEN_AUTO && isatty(STDERR_FILENO) == 1);
        error = signals_install();
        if (error != 0) {
            return failure_set(failure, "signals", -error, "sigaction: %s", strerror(-error));
        }
    }
    if (error == 0 && options->save != NULL) {
        error = result_file_create(options->save, &counting->file, failure);
        if (error == 0) {
            error = save_line(counting, record_encode_header(counting->sweep), failure);
        }
    }
    return error;
}

/* What was counted is shown whatever happened. */
static int count_and_show(struct counting *counting, const struct options *options,
                          struct failure *failure)
{
    struct failure show_failure = {0};
    int error = count_all(counting, failure);
    if (error == 0) {
        error = save_line(counting, record_encode_end(counting->sweep), failure);
    }
    int status = command_status_of(error);
    if (counting->file.fd >= 0 && result_file_close(&counting->file, error == 0 ? failure : NULL) != 0) {
        status = EXIT_STATUS_BROKEN;
    }
    if (error == 0 || counting->sweep->migrations.count > 0) {
        status = exit_status_combine(status,
                                     command_show_migrations(options, counting->sweep, &show_failure));
    }
    if (failure->text[0] == '\0') {
        *failure = show_failure;
    }
    const int stop_signal = counting->sweep->stop_signal;
    return stop_signal != 0 ? EXIT_STATUS_SIGNAL_BASE + stop_signal : status;
}

static int run(const struct options *options, int argc, char **argv, struct failure *failure)
{
    struct counting counting = {.file = {.fd = -1}};
    int error = output_check_requests(options, failure);
    if (error == 0) {
        counting.sweep = sweep_create();
        error = counting.sweep == NULL ? -ENOMEM : options_copy(&counting.sweep->options, options);
        if (error == -ENOMEM) {
            (void)failure_set(failure, "migrations", ENOMEM, "out of memory");
        }
    }
    if (error == 0) {
        counting.sweep->migrations.is_experiment = true;
        error = command_identify(counting.sweep, argc, argv, failure);
    }
    if (error == 0) {
        error = prepare(&counting, failure);
    }
    const int status = error == 0 ? count_and_show(&counting, options, failure)
                                  : command_status_of(error);
    if (counting.file.fd >= 0) {
        (void)result_file_close(&counting.file, NULL);
    }
    sweep_destroy(counting.sweep);
    return status;
}

const struct command command_migrations = {.command = FOR_MIGRATIONS, .run = run};
