/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/command.h"
#include "numasweep/coordinator.h"
#include "numasweep/dma_latency.h"
#include "numasweep/environment_read.h"
#include "numasweep/exit_status.h"
#include "numasweep/kernel.h"
#include "numasweep/launcher.h"
#include "numasweep/load_run.h"
#include "numasweep/output.h"
#include "numasweep/progress.h"
#include "numasweep/record.h"
#include "numasweep/report.h"
#include "numasweep/result_file.h"
#include "numasweep/signals.h"
#include "numasweep/sweep.h"
#include "numasweep/sweep_warnings.h"
#include "support/checks.h"
#include "support/identify.h"
#include "support/seed.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINUX_SCHED_DEADLINE = 6 }; /* sched(7); glibc 2.36 does not name it */

struct running {
    const struct options *options;
    struct sweep *sweep;
    struct launcher launcher;
    struct result_file result_file;
    struct progress progress;
    int dma_latency_fd;
    struct load_run load;
};

static int save_line(struct running *running, char *line, struct failure *failure)
{
    if (line == NULL) {
        return failure_set(failure, "save", ENOMEM, "out of memory while saving to %s",
                           running->options->save);
    }
    const int error = result_file_append(&running->result_file, line, failure);
    free(line);
    return error;
}

static int take_visit(struct visit *visit, void *context, struct failure *failure)
{
    struct running *running = context;
    if (running->result_file.fd >= 0) {
        const int error = save_line(running, record_encode_visit(running->sweep, visit), failure);
        if (error != 0) {
            return error;
        }
    }
    return sweep_add_visit(running->sweep, visit);
}

static void show_progress(const struct coordinator_progress *state, void *context)
{
    struct running *running = context;
    progress_show(&running->progress, state);
}

static int begin_batch(size_t arm, const struct id_list *measured, void *context,
                       struct failure *failure)
{
    struct running *running = context;
    return load_run_begin(&running->load, arm, measured, failure);
}

static int end_batch(void *context, struct failure *failure)
{
    struct running *running = context;
    return load_run_end(&running->load, failure);
}

static int stop_signal(void *context)
{
    (void)context;
    return signals_pending();
}

static int refuse_deadline_policy(struct failure *failure)
{
    if (sched_getscheduler(0) != LINUX_SCHED_DEADLINE) {
        return 0;
    }
    return failure_set(
        failure, "policy", EPERM,
        "numasweep was started under SCHED_DEADLINE, whose tasks can neither fork nor be pinned: "
        "start it without 'chrt --deadline'");
}

/* Sets what is known before the topology. `launcher_start` comes first of all: it must be small. */
static int open_sweep(struct running *running, int argc, char **argv, struct failure *failure)
{
    const int error = command_identify(running->sweep, argc, argv, failure);
    return error != 0 ? error : command_choose_seed(&running->sweep->options, failure);
}

static int discover(struct running *running, struct failure *failure)
{
    struct sweep *sweep = running->sweep;
    const bool is_replay = measurement_kernel_find(running->options->kernel)->is_replay;
    int error = command_discover(sweep->options.topology, &sweep->topology, failure);
    if (error != 0) {
        return error;
    }
    if (!sweep->topology.is_this_machine && !is_replay) {
        return failure_set(
            failure, "topology", EPERM,
            "the topology %s is not that of this machine, so it can be planned for and reported on, "
            "but not measured: use 'numasweep plan', or leave --topology (and HWLOC_XMLFILE, "
            "HWLOC_SYNTHETIC) out",
            sweep->topology.source);
    }
    error = environment_read("", &sweep->topology, &sweep->environment);
    if (error != 0) {
        return failure_set(failure, "environment", -error, "reading the environment: %s",
                           strerror(-error));
    }
    return plan_create(&sweep->options, &sweep->topology, &sweep->plan, failure);
}

static int refuse_inexact(const struct sweep *sweep, struct failure *failure)
{
    for (size_t i = 0; i < sweep->plan.row_count; i++) {
        const struct plan_row *row = &sweep->plan.rows[i];
        if (row->is_asked_for && row->state != ROW_PLANNED) {
            return failure_set(failure, "strict", EPERM, "--strict: CPU %s: %s", row->label,
                               row->reason);
        }
    }
    for (size_t i = 0; i < sweep->plan.column_count; i++) {
        if (sweep->plan.columns[i].is_asked_for && !sweep->plan.columns[i].is_allowed) {
            return failure_set(failure, "strict", EPERM, "--strict: %s lies outside the cpuset's mems",
                               sweep->plan.columns[i].label);
        }
    }
    return 0;
}

static int hold_dma_latency(struct running *running, struct failure *failure)
{
    const struct options *options = running->options;
    if (options->dma_latency_ns == OPTION_DMA_LATENCY_OFF) {
        return 0;
    }
    const int fd = dma_latency_hold(options->dma_latency_ns, failure);
    if (fd >= 0) {
        running->dma_latency_fd = fd;
        return 0;
    }
    /* Asked for and refused: nothing that would be measured is what was asked for. */
    failure->errno_value = EPERM;
    return -EPERM;
}

static int prepare_measuring(struct running *running, struct failure *failure)
{
    int error = hold_dma_latency(running, failure);
    if (error == 0 && running->options->strict) {
        error = refuse_inexact(running->sweep, failure);
        if (error == 0) {
            error = coordinator_probe(running->sweep, &running->launcher, failure);
        }
    }
    if (error == 0) {
        error = load_run_start(&running->load, running->sweep, failure);
    }
    if (error == 0 && running->options->save != NULL) {
        error = result_file_create(running->options->save, &running->result_file, failure);
        if (error == 0) {
            error = save_line(running, record_encode_header(running->sweep), failure);
        }
    }
    return error;
}

static int measure(struct running *running, struct failure *failure)
{
    const struct coordinator_callbacks callbacks = {
        .take_visit = take_visit,
        .show_progress = show_progress,
        .begin_batch = begin_batch,
        .end_batch = end_batch,
        .stop_signal = stop_signal,
        .context = running,
    };
    int error = signals_install();
    if (error != 0) {
        return failure_set(failure, "signals", -error, "sigaction: %s", strerror(-error));
    }
    progress_init(&running->progress, running->options->progress);
    error = coordinator_run(running->sweep, &running->launcher, &callbacks, failure);
    progress_end(&running->progress);
    load_run_stop(&running->load);
    running->sweep->coordinator_cpu_ns += launcher_stop(&running->launcher);
    if (error == 0 && running->result_file.fd >= 0) {
        error = save_line(running, record_encode_end(running->sweep), failure);
    }
    return error;
}

/* What was measured is shown whatever happened while measuring. */
static int show(struct running *running, int status, struct failure *failure)
{
    struct report report = {0};
    struct failure own_failure = {0};
    struct sweep *sweep = running->sweep;
    int error = sweep_collect_warnings(sweep);

    for (size_t i = 0; i < sweep->warning_count; i++) {
        command_warn("%s", sweep->warnings[i]);
    }
    if (error == 0) {
        error = report_create(sweep, &report);
    }
    if (error == 0) {
        error = report_judge(&report, running->options);
    }
    if (error == 0) {
        error = output_write_all(running->options, command_print_report, &report, &own_failure);
        status = exit_status_combine(
            status, report_exit_status(&report, command_fail_on(running->options, &report)));
    }
    report_destroy(&report);
    if (error == 0) {
        return status;
    }
    if (failure->text[0] == '\0') {
        *failure = own_failure;
    } else if (own_failure.text[0] != '\0') {
        command_warn("%s", own_failure.text);
    }
    return exit_status_combine(status, EXIT_STATUS_BROKEN);
}

static int run_sweep(struct running *running, struct failure *failure)
{
    int error = prepare_measuring(running, failure);
    if (error != 0) {
        return command_status_of(error);
    }
    error = measure(running, failure);
    int status = error == 0 ? EXIT_STATUS_COMPLETE : EXIT_STATUS_BROKEN;
    struct failure close_failure = {0};
    if (result_file_close(&running->result_file, &close_failure) != 0) {
        status = EXIT_STATUS_BROKEN;
        if (failure->text[0] == '\0') {
            *failure = close_failure;
        }
    }
    status = show(running, status, failure);
    if (running->sweep->stop_signal != 0) {
        return EXIT_STATUS_SIGNAL_BASE + running->sweep->stop_signal;
    }
    return status;
}

static int run(const struct options *options, int argc, char **argv, struct failure *failure)
{
    struct running running = {
        .options = options,
        .launcher = {.fd = -1},
        .result_file = {.fd = -1},
        .dma_latency_fd = -1,
    };
    int status = EXIT_STATUS_COMPLETE;
    int error = command_check_sweep(options, COLUMN_VIEW_REPORT, failure);
    if (error == 0) {
        error = refuse_deadline_policy(failure);
    }
    if (error == 0) {
        error = launcher_start(&running.launcher, failure);
    }
    if (error == 0) {
        running.sweep = sweep_create();
        error = running.sweep == NULL ? -ENOMEM : options_copy(&running.sweep->options, options);
        if (error == -ENOMEM) {
            (void)failure_set(failure, "run", ENOMEM, "out of memory");
        }
    }
    if (error == 0) {
        error = open_sweep(&running, argc, argv, failure);
    }
    if (error == 0) {
        error = discover(&running, failure);
    }
    status = error == 0 ? run_sweep(&running, failure) : command_status_of(error);
    (void)launcher_stop(&running.launcher);
    load_run_stop(&running.load);
    if (running.dma_latency_fd >= 0) {
        (void)close(running.dma_latency_fd);
    }
    if (running.result_file.fd >= 0) {
        (void)result_file_close(&running.result_file, NULL);
    }
    sweep_destroy(running.sweep);
    return status;
}

const struct command command_run = {.command = FOR_RUN, .run = run};
