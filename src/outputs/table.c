/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/output.h"
#include "support/table_parts.h"

const struct output_format output_table = {
    .name = "table",
    .summary = "tables for people, as wide as the terminal",
    .print_report = table_print_report,
    .print_topology = table_print_topology,
    .print_plan = table_print_plan,
    .print_environment = table_print_environment,
    .print_comparison = table_print_comparison,
    .print_groups = table_print_groups,
    .print_migrations = table_print_migrations,
    .print_migration_groups = table_print_migration_groups,
};
