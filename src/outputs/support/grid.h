/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table whose cells are never cut: columns that do not fit side by side at the width go into further
 * panels, each of which begins with the first column again. Laid out by libsmartcols.
 *
 * The first error is kept and returned by grid_print(), so that filling needs no checks.
 */
#ifndef NUMASWEEP_OUTPUTS_GRID_H
#define NUMASWEEP_OUTPUTS_GRID_H

#include "numasweep/output.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct grid_column {
    char *heading;
    bool is_number;     /* right-aligned */
    bool is_expendable; /* tells nothing: left out when the table would not fit at the width */
    int group;          /* neighbours of one group stay in one panel where that is possible */
    size_t width;       /* of the widest text */
};

enum grid_style { GRID_PLAIN, GRID_STRONG, GRID_FLAG };

struct grid_cell {
    char *text;
    enum grid_style style;
};

struct grid {
    const struct output_settings *settings;
    struct grid_column *columns;
    size_t column_count;
    struct grid_cell *cells; /* row after row */
    size_t cell_count;
    size_t cell_capacity;
    int error;
};

void grid_init(struct grid *grid, const struct output_settings *settings);
void grid_destroy(struct grid *grid); /* accepts a zeroed struct */

/* All columns come before the first cell. Control characters of all texts are made harmless. */
void grid_add_column(struct grid *grid, const char *heading, bool is_number, bool is_expendable,
                     int group);

/* Cells in the order of reading. An empty text is shown as "-". */
void grid_add_text(struct grid *grid, const char *text);
void grid_add_strong(struct grid *grid, const char *text); /* bold where colour is on */
void grid_add_flag(struct grid *grid, const char *text);   /* bold red where colour is on */
void grid_add_blank(struct grid *grid);                    /* nothing, not even "-" */
void grid_add_id(struct grid *grid, int id);               /* negative: none */
void grid_add_format(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether all columns stand side by side, none left out. */
bool grid_fits(const struct grid *grid);

/* Prints nothing when there are no rows. 0 or the first error; those of the stream stay in the stream.
 */
int grid_print(struct grid *grid, FILE *stream);

#endif
