/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results.h"

#include "checks.h"
#include "numasweep/command.h"
#include "numasweep/exit_status.h"
#include "numasweep/output.h"
#include "numasweep/record.h"
#include "numasweep/report.h"
#include "numasweep/result_file.h"
#include "numasweep/sweep_warnings.h"

#include <errno.h>
#include <stdlib.h>

static int append_line(struct result_file *file, char *line, struct failure *failure)
{
    if (line == NULL) {
        return failure_set(failure, "save", ENOMEM, "out of memory");
    }
    const int error = result_file_append(file, line, failure);
    free(line);
    return error;
}

int command_save_sweep(const struct options *options, const struct sweep *sweep, struct failure *failure)
{
    struct result_file file = {.fd = -1};
    int error = result_file_create(options->save, &file, failure);
    if (error != 0) {
        return error;
    }
    error = append_line(&file, record_encode_header(sweep), failure);
    for (size_t i = 0; i < sweep->visit_count && error == 0; i++) {
        error = append_line(&file, record_encode_visit(sweep, &sweep->visits[i]), failure);
    }
    for (size_t i = 0; i < sweep->migrations.count && error == 0; i++) {
        error = append_line(&file, record_encode_migrations(&sweep->migrations.runs[i]), failure);
    }
    if (error == 0 && (sweep->has_ended || sweep->stop_signal != 0)) {
        error = append_line(&file, record_encode_end(sweep), failure);
    }
    const int close_error = result_file_close(&file, error == 0 ? failure : NULL);
    return error != 0 ? error : close_error;
}

int command_show_sweep(const struct options *options, struct sweep *sweep, struct failure *failure)
{
    struct report report = {0};
    int status = EXIT_STATUS_BROKEN;
    for (size_t i = 0; i < sweep->warning_count; i++) {
        command_warn("%s", sweep->warnings[i]);
    }
    int error = sweep_collect_warnings(sweep);
    if (error == 0) {
        error = report_create(sweep, &report);
    }
    if (error == 0) {
        error = report_judge(&report, options);
    }
    if (error == 0) {
        error = output_write_all(options, command_print_report, &report, failure);
    }
    if (error == 0) {
        status = report_exit_status(&report, command_fail_on(options, &report));
    }
    report_destroy(&report);
    return status;
}
