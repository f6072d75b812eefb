/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static void write_cell(const struct plan *plan, const struct plan_cell *cell, FILE *text)
{
    const struct plan_column *column = &plan->columns[cell->column];
    (void)fputs(plan->rows[cell->row].label, text);
    if (column->node != TOPOLOGY_NONE) {
        (void)fprintf(text, "@%d", column->node);
    }
    if (plan->timeout_count > 1) {
        char timeout[DURATION_TEXT_SIZE];
        (void)fprintf(text, "/%s", duration_format(plan->timeouts_ns[cell->timeout], timeout));
    }
    if (plan->arm_count > 1) {
        (void)fprintf(text, "/%s", plan->arms[cell->arm].name);
    }
}

/* Cells that are measured at the same time are joined by "+". */
static void write_order(const struct plan *plan, const struct topology *topology, size_t *order,
                        size_t limit, FILE *text)
{
    const char *const separator = plan->by == ROW_PU ? " " : ", ";
    size_t start = 0;
    size_t written = 0;
    while (start < plan->cell_count && written < limit) {
        const size_t size = plan_next_batch(plan, topology, order, plan->cell_count, start);
        for (size_t i = 0; i < size && written < limit; i++, written++) {
            (void)fputs(i > 0 ? "+" : (start > 0 ? separator : ""), text);
            write_cell(plan, &plan->cells[order[start + i]], text);
        }
        start += size;
    }
    if (written < plan->cell_count) {
        (void)fprintf(text, " ... and %zu more (csv and json have every round)",
                      plan->cell_count - written);
    }
}

int table_print_order(const struct plan *plan, const struct topology *topology, int64_t round,
                      size_t limit, const struct output_settings *settings, FILE *stream)
{
    char *words = NULL;
    size_t size = 0;
    FILE *text = NULL;
    size_t *order = calloc(plan->cell_count + 1, sizeof *order);
    int error = order == NULL ? -ENOMEM : plan_round_order(plan, round, order);
    if (error == 0) {
        text = open_memstream(&words, &size);
        error = text == NULL ? -ENOMEM : 0;
    }
    if (error == 0) {
        write_order(plan, topology, order, limit, text);
        error = fclose(text) == 0 ? 0 : -ENOMEM;
    }
    if (error == 0) {
        error = text_print_line(stream, settings->width, settings->use_ascii, 2,
                                "Order of round %" PRId64 " (%s@memory node%s): %s", round + 1,
                                plan->by == ROW_PU ? "CPU" : "row",
                                plan->concurrent == CONCURRENT_ONE ? "" : ", + at the same time", words);
    }
    free(words);
    free(order);
    return error;
}
