/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis_internal.h"
#include "numasweep/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void analysis_relations_destroy(struct analysis_relations *relations)
{
    free(relations->figures);
    free(relations->values_ns);
    *relations = (struct analysis_relations){0};
}

static bool is_of(const struct report *report, const struct finding_place *place, size_t row,
                  size_t column)
{
    const size_t columns = report->sweep->plan.column_count;
    const bool is_local = report->tables[place->table].cells[row * columns + column].is_local;
    return columns == 1 || is_local == (place->relation == ANALYSIS_LOCAL);
}

/* True when any visit is there. */
static bool fill(const struct report *report, const struct analysis_values *values,
                 const struct finding_place *place, double *scratch, double *filled_ns)
{
    const size_t columns = report->sweep->plan.column_count;
    bool is_any = false;
    for (size_t round = 0; round < values->round_count; round++) {
        for (size_t unit = 0; unit < values->unit_count; unit++) {
            size_t count = 0;
            for (size_t column = 0; column < columns; column++) {
                const size_t figure =
                    values->figure_of_place[(place->table * columns + column) * ANALYSIS_FIGURES +
                                            place->figure];
                const double value = figure == SIZE_MAX ||
                                             !is_of(report, place, values->row_of_unit[unit], column)
                                         ? (double)NAN
                                         : analysis_value(values, figure, round, unit);
                if (isfinite(value)) {
                    scratch[count] = value;
                    count++;
                }
            }
            filled_ns[round * values->unit_count + unit] = median_of(scratch, count);
            is_any = is_any || count > 0;
        }
    }
    return is_any;
}

int analysis_relations_create(const struct report *report, const struct analysis_values *values,
                              struct analysis_relations *relations)
{
    const size_t columns = report->sweep->plan.column_count;
    const size_t relation_count = columns > 1 ? ANALYSIS_RELATIONS : 1;
    const size_t most = report->table_count * ANALYSIS_FIGURES * relation_count;
    const size_t size = values->round_count * values->unit_count;
    double *scratch = calloc(columns + 1, sizeof *scratch);
    *relations = (struct analysis_relations){
        .figures = calloc(most + 1, sizeof *relations->figures),
        .values_ns = calloc(most * size + 1, sizeof *relations->values_ns),
    };
    if (scratch == NULL || relations->figures == NULL || relations->values_ns == NULL) {
        free(scratch);
        analysis_relations_destroy(relations);
        return -ENOMEM;
    }
    for (size_t i = 0; i < most; i++) {
        const struct finding_place place = {
            .table = i / relation_count / ANALYSIS_FIGURES,
            .figure = (enum analysis_figure)(i / relation_count % ANALYSIS_FIGURES),
            .relation = (enum analysis_relation)(i % relation_count),
        };
        double *filled_ns = relations->values_ns + relations->figure_count * size;
        if (fill(report, values, &place, scratch, filled_ns)) {
            relations->figures[relations->figure_count] = place;
            relations->figure_count++;
        }
    }
    free(scratch);
    return 0;
}
