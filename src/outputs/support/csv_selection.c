/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int csv_selection_make(enum column_view view, const struct output_settings *settings,
                       struct csv_selection *selection, struct failure *failure)
{
    size_t count = 0;
    *selection = (struct csv_selection){.columns = columns_table(view, &count)};
    if (settings->columns != NULL) {
        return columns_resolve(view, settings->columns, &selection->positions, &selection->count,
                               failure);
    }
    selection->positions = calloc(count, sizeof *selection->positions);
    if (selection->positions == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        selection->positions[i] = i;
    }
    selection->count = count;
    return 0;
}

void csv_selection_destroy(struct csv_selection *selection)
{
    free(selection->positions);
    *selection = (struct csv_selection){0};
}

bool csv_put_identity(struct csv_line *line, const char *column_name, const struct identity *identity)
{
    if (strcmp(column_name, "sibling") == 0) {
        csv_text(line, identity->siblings != NULL ? identity->siblings : "");
    } else if (strcmp(column_name, "kind") == 0) {
        csv_text(line, identity->kind != NULL ? identity->kind : "");
    } else if (strcmp(column_name, "node") == 0) {
        csv_id(line, identity->node);
    } else if (strcmp(column_name, "package") == 0) {
        csv_id(line, identity->package);
    } else if (strcmp(column_name, "l3") == 0) {
        csv_id(line, identity->l3);
    } else if (strcmp(column_name, "core") == 0) {
        csv_id(line, identity->core);
    } else {
        return false;
    }
    return true;
}

bool csv_put_identity_heading(struct csv_line *line, const char *column_name)
{
    static const char *const same[] = {"kind", "node", "package", "l3", "core"};
    if (strcmp(column_name, "sibling") == 0) {
        csv_text(line, "siblings");
        return true;
    }
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        if (strcmp(column_name, same[i]) == 0) {
            csv_text(line, column_name);
            return true;
        }
    }
    return false;
}
