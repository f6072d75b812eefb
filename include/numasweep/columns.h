/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of the tables by name: for --columns, as in lscpu and lsblk. Shared by table and csv. */
#ifndef NUMASWEEP_COLUMNS_H
#define NUMASWEEP_COLUMNS_H

#include "numasweep/failure.h"

#include <stdbool.h>
#include <stddef.h>

enum column_view { COLUMN_VIEW_REPORT, COLUMN_VIEW_TOPOLOGY, COLUMN_VIEW_PLAN };

struct column_row {
    const char *name;    /* lower case, as given to --columns */
    const char *heading; /* upper case, as shown */
    const char *help;
    bool is_default;
    bool is_number; /* right-aligned */
};

const struct column_row *columns_table(enum column_view view, size_t *count);

/* Resolves "cpu,node,median" into positions in columns_table(view) (malloc'd array). NULL text gives the
 * defaults. An unknown or repeated name is -EINVAL and the failure names the nearest one. */
int columns_resolve(enum column_view view, const char *text, size_t **positions, size_t *count,
                    struct failure *failure);

#endif
