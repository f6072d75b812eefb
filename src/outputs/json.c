/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/output.h"
#include "support/json_parts.h"

#include <errno.h>
#include <stdlib.h>

/* Takes the reference. NULL: memory ran out while it was made. */
static int print_json(json_t *document, FILE *stream)
{
    if (document == NULL) {
        return -ENOMEM;
    }
    const bool is_written = json_dumpf(document, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0;
    json_decref(document);
    (void)fputc('\n', stream);
    return is_written && ferror(stream) == 0 ? 0 : -EIO;
}

static int print_report(const struct report *report, const struct output_settings *settings,
                        FILE *stream, struct failure *failure)
{
    (void)settings;
    (void)failure;
    return print_json(json_of_report(report), stream);
}

static int print_topology(const struct topology *topology, const struct plan *plan,
                          const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    (void)settings;
    (void)failure;
    return print_json(json_of_topology(topology, plan), stream);
}

static int print_plan(const struct plan *plan, const struct topology *topology,
                      const struct output_settings *settings, FILE *stream, struct failure *failure)
{
    (void)settings;
    (void)failure;
    return print_json(json_of_plan(plan, topology), stream);
}

static int print_environment(const struct environment *environment,
                             const struct output_settings *settings, FILE *stream,
                             struct failure *failure)
{
    (void)settings;
    (void)failure;
    return print_json(json_pack("{s:s, s:o}", "schema", "numasweep-environment/1", "environment",
                                json_of_environment(environment)),
                      stream);
}

static int print_comparison(const struct comparison *comparison, const struct output_settings *settings,
                            FILE *stream, struct failure *failure)
{
    (void)settings;
    (void)failure;
    return print_json(json_of_comparison(comparison), stream);
}

static int print_groups(const struct comparison_groups *groups, const struct output_settings *settings,
                        FILE *stream, struct failure *failure)
{
    (void)settings;
    (void)failure;
    return print_json(json_of_groups(groups), stream);
}

static int print_migrations(const struct migration_report *report,
                            const struct output_settings *settings, FILE *stream,
                            struct failure *failure)
{
    (void)settings;
    (void)failure;
    return print_json(json_of_migrations(report), stream);
}

static int print_migration_groups(const struct comparison_groups *groups,
                                  const struct output_settings *settings, FILE *stream,
                                  struct failure *failure)
{
    (void)settings;
    (void)failure;
    return print_json(json_of_migration_groups(groups), stream);
}

const struct output_format output_json = {
    .name = "json",
    .summary = "one JSON document, every metric in ns",
    .print_report = print_report,
    .print_topology = print_topology,
    .print_plan = print_plan,
    .print_environment = print_environment,
    .print_comparison = print_comparison,
    .print_groups = print_groups,
    .print_migrations = print_migrations,
    .print_migration_groups = print_migration_groups,
};
