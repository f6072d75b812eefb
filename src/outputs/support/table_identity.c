/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table_parts.h"

#include <string.h>

bool table_add_identity(struct grid *grid, const char *column_name, const struct identity *identity)
{
    if (strcmp(column_name, "sibling") == 0) {
        grid_add_text(grid, identity->siblings);
        return true;
    }
    if (strcmp(column_name, "kind") == 0) {
        grid_add_text(grid, identity->kind);
        return true;
    }
    const struct {
        const char *name;
        int id;
    } numbers[] = {
        {.name = "node", .id = identity->node},
        {.name = "package", .id = identity->package},
        {.name = "l3", .id = identity->l3},
        {.name = "core", .id = identity->core},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(column_name, numbers[i].name) == 0) {
            grid_add_id(grid, numbers[i].id);
            return true;
        }
    }
    return false;
}
