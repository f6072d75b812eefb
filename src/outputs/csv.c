/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/output.h"

#include "support/csv_parts.h"
#include "support/text.h"

static int print_environment(const struct environment *environment,
                             const struct output_settings *settings, FILE *stream,
                             struct failure *failure)
{
    struct csv_line line = {.stream = stream};
    (void)failure;
    if (!settings->no_headings) {
        csv_names(&line, "group,name,value,severity,advice");
        csv_end(&line);
    }
    for (size_t i = 0; i < environment->count; i++) {
        const struct environment_fact *fact = &environment->facts[i];
        csv_text(&line, fact->group);
        csv_text(&line, fact->name);
        csv_text(&line, fact->value);
        csv_text(&line, fact_severity_name(fact->severity));
        csv_text(&line, fact->advice != NULL ? fact->advice : "");
        csv_end(&line);
    }
    return text_stream_error(stream);
}

const struct output_format output_csv = {
    .name = "csv",
    .summary = "one line a cell (RFC 4180), every metric in ns",
    .print_report = csv_print_report,
    .print_topology = csv_print_topology,
    .print_plan = csv_print_plan,
    .print_environment = print_environment,
    .print_comparison = csv_print_comparison,
    .print_groups = csv_print_groups,
    .print_migrations = csv_print_migrations,
    .print_migration_groups = csv_print_migration_groups,
};
