/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include "numasweep/number.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int print_validity(const struct report *report, const struct output_settings *settings,
                          FILE *stream)
{
    int error = 0;
    if (report->validity_count > 0) {
        (void)fprintf(stream, "\nValidity\n");
    }
    for (size_t i = 0; error == 0 && i < report->validity_count; i++) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 4, "  %s",
                                report->validity[i]);
    }
    return error;
}

static int print_warnings(const struct sweep *sweep, const struct output_settings *settings,
                          FILE *stream)
{
    int error = 0;
    if (sweep->warning_count > 0) {
        (void)fputc('\n', stream);
    }
    for (size_t i = 0; error == 0 && i < sweep->warning_count; i++) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 2, "Warning: %s",
                                sweep->warnings[i]);
    }
    return error;
}

/* What is missing, in words; "" when nothing is. */
static int describe_gaps(const struct report *report, char **gaps)
{
    const struct sweep *sweep = report->sweep;
    size_t size = 0;
    FILE *text = open_memstream(gaps, &size);
    if (text == NULL) {
        return -ENOMEM;
    }
    if (report->cells_missing > 0) {
        (void)fprintf(text, "; %zu cell%s without samples", report->cells_missing,
                      number_plural((int64_t)report->cells_missing));
    }
    const size_t in_part = report->cells_planned - report->cells_measured - report->cells_missing;
    if (in_part > 0) {
        (void)fprintf(text, "; %zu cell%s in part", in_part, number_plural((int64_t)in_part));
    }
    if (report->visits_failed > 0) {
        (void)fprintf(text, "; %zu visit%s failed", report->visits_failed,
                      number_plural((int64_t)report->visits_failed));
    }
    if (report->rows_unavailable > 0) {
        (void)fprintf(text, "; %zu row%s asked for not available", report->rows_unavailable,
                      number_plural((int64_t)report->rows_unavailable));
    }
    if (report->columns_unavailable > 0) {
        (void)fprintf(text, "; %zu memory node%s asked for not allowed", report->columns_unavailable,
                      number_plural((int64_t)report->columns_unavailable));
    }
    if (sweep->stop_signal != 0) {
        (void)fprintf(text, "; stopped by signal %d (%s)", sweep->stop_signal,
                      strsignal(sweep->stop_signal));
    }
    if (report->is_partial) {
        (void)fprintf(text, "; partial");
    }
    return fclose(text) == 0 ? 0 : -ENOMEM;
}

static int print_totals(const struct report *report, const struct output_settings *settings,
                        FILE *stream)
{
    char *gaps = NULL;
    int error = describe_gaps(report, &gaps);
    if (error == 0) {
        (void)fputc('\n', stream);
        error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                "%zu of %zu cell%s measured in %zu of %zu visit%s%s",
                                report->cells_measured, report->cells_planned,
                                number_plural((int64_t)report->cells_planned), report->visits_measured,
                                report->visits_planned, number_plural((int64_t)report->visits_planned),
                                gaps);
    }
    free(gaps);
    return error;
}

int table_print_report(const struct report *report, const struct output_settings *settings, FILE *stream,
                       struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < report->table_count; i++) {
        if (i > 0) {
            (void)fputc('\n', stream);
        }
        error = table_print_cells(report, &report->tables[i], settings, stream, failure);
        if (error == 0) {
            error = table_print_matrix(report, &report->tables[i], settings, stream);
        }
    }
    if (error == 0 && report->analysis != NULL) {
        error = table_print_verdict(report, settings, stream);
    }
    if (error == 0) {
        error = table_print_limits(report, settings, stream);
    }
    if (error == 0) {
        error = print_validity(report, settings, stream);
    }
    if (error == 0) {
        error = print_warnings(report->sweep, settings, stream);
    }
    if (error == 0) {
        error = print_totals(report, settings, stream);
    }
    return error != 0 ? error : text_stream_error(stream);
}
