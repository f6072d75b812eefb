/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An output format: one file in src/outputs defines one descriptor named `output_<file name>`; the
 * registry is generated from the file names. A format that cannot show something leaves the function
 * NULL; the commands then say so (status 2).
 */
#ifndef NUMASWEEP_OUTPUT_H
#define NUMASWEEP_OUTPUT_H

#include "numasweep/comparison.h"
#include "numasweep/environment.h"
#include "numasweep/failure.h"
#include "numasweep/migrations.h"
#include "numasweep/options.h"
#include "numasweep/plan.h"
#include "numasweep/report.h"
#include "numasweep/sweep.h"
#include "numasweep/topology.h"

#include <stdbool.h>
#include <stdio.h>

struct output_settings {
    enum figure_choice figure;
    enum metric metric;
    const char *columns; /* checked by columns.h; NULL: the default set */
    bool no_headings;
    bool use_color;
    bool use_ascii; /* the locale's character set is not UTF-8 */
    int width;      /* terminal columns; 0: unlimited */
};

/* What was measured, and what it adds up to. */
struct migration_report {
    const struct sweep *sweep; /* with migrations, without visits */
    struct migration_summary summary;
};

struct output_format {
    const char *name;
    const char *summary; /* one line for the help and the manual */
    int (*print_report)(const struct report *report, const struct output_settings *settings,
                        FILE *stream, struct failure *failure);
    int (*print_topology)(const struct topology *topology, const struct plan *plan,
                          const struct output_settings *settings, FILE *stream, struct failure *failure);
    int (*print_plan)(const struct plan *plan, const struct topology *topology,
                      const struct output_settings *settings, FILE *stream, struct failure *failure);
    int (*print_environment)(const struct environment *environment,
                             const struct output_settings *settings, FILE *stream,
                             struct failure *failure);
    int (*print_comparison)(const struct comparison *comparison, const struct output_settings *settings,
                            FILE *stream, struct failure *failure);
    int (*print_groups)(const struct comparison_groups *groups, const struct output_settings *settings,
                        FILE *stream, struct failure *failure);
    int (*print_migrations)(const struct migration_report *report,
                            const struct output_settings *settings, FILE *stream,
                            struct failure *failure);
    /* Groups of files that hold migrations. */
    int (*print_migration_groups)(const struct comparison_groups *groups,
                                  const struct output_settings *settings, FILE *stream,
                                  struct failure *failure);
};

extern const struct output_format *const output_formats[];        /* ends with NULL; generated */
const struct output_format *output_format_find(const char *name); /* or NULL */

/* Opens each requested file (or stdout), calls `print` for its format, checks every write, flush and
 * close. A file is written beside its final name and renamed only when complete, so that none is ever
 * left cut. -EIO, -ENOSPC, -EPIPE, ... with the failure naming the file. */
typedef int (*output_print)(const struct output_format *format, const struct output_settings *settings,
                            FILE *stream, void *context, struct failure *failure);
int output_write_all(const struct options *options, output_print print, void *context,
                     struct failure *failure);

/* Before anything is measured: every format exists, every file's folder can be written, no file is
 * named twice. -EINVAL (status 2). */
int output_check_requests(const struct options *options, struct failure *failure);

#endif
