/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits as several formats show them. */
#ifndef NUMASWEEP_OUTPUTS_LIMIT_PARTS_H
#define NUMASWEEP_OUTPUTS_LIMIT_PARTS_H

#include "numasweep/report.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a row breaks one limit, or does not. */
struct limit_breach {
    size_t cells_planned;
    size_t cells_broken;
    size_t worst_column; /* of the largest value */
    double worst_value;  /* in the unit of the limit */
};
struct limit_breach limit_find_breach(const struct report *report, const struct report_table *table,
                                      size_t row, const struct limit *limit);

/* "CPU 3", "node 1, timeout 10ms", "..., arm NAME" where there are several. The caller frees; NULL when
 * memory ran out. */
char *row_place_text(const struct report *report, const struct report_table *table, size_t row,
                     bool has_timeout);

/* "250.5 us", "3 early sleeps": exact, so that a broken limit never looks kept. The caller frees; NULL
 * when memory ran out. */
char *limit_value_text(const struct limit *limit, double value);

/* "CPU 3 breaks p99=100us in 2 of 8 cells, at worst 250.5 us with memory on node0"; with several tables
 * the table's is named. The caller frees; NULL when memory ran out. */
char *limit_breach_sentence(const struct report *report, const struct report_table *table, size_t row,
                            const struct limit *limit, const struct limit_breach *breach);

/* "limit p99=100us: broken by 3 of 64 cells, 2 not judged: too few samples". Likewise. */
char *limit_total_sentence(const struct report_limit *total);

/* The limits that any of `count` cells breaks, or with `is_judged` false does not get judged by:
 * "p99=1ms early=0", "" for none. Likewise. */
char *limit_list_of_cells(const struct report *report, const struct report_cell *cells, size_t count,
                          bool is_judged);

#endif
