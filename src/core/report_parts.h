/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of report_create(), private to src/core/report*.c. Each returns 0 or -ENOMEM. */
#ifndef NUMASWEEP_REPORT_PARTS_H
#define NUMASWEEP_REPORT_PARTS_H

#include "numasweep/report.h"

#include <stddef.h>
#include <stdint.h>

/* The visits of each cell, so that no figure needs a pass over all of them: those of cell c are
 * visits[first[c]] up to visits[first[c + 1]]. */
struct visit_index {
    const struct visit **visits;
    size_t *first; /* cell_count + 1 */
};

struct sample_buffer {
    int64_t *wake_ns;
    int64_t *touch_ns;
    size_t wake_count;
    size_t touch_count;
    size_t capacity;
};

void sample_buffer_destroy(struct sample_buffer *buffer);
void sample_buffer_clear(struct sample_buffer *buffer);
/* The samples of one visit that count: taken on the row's own CPUs. */
int sample_buffer_add_visit(struct sample_buffer *buffer, const struct visit *visit);
int sample_buffer_summarize(const struct sample_buffer *buffer, struct figure_summary *wake,
                            struct figure_summary *touch);

int report_fill_cells(struct report *report, const struct visit_index *index,
                      struct report_table *table);
int report_fill_rows(struct report *report, const struct visit_index *index, struct report_table *table);
int report_fill_matrix(const struct report *report, struct report_table *table);
int report_fill_limits(struct report *report);
int report_fill_validity(struct report *report);

#endif
