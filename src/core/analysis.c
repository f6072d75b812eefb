/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/analysis.h"

#include "analysis_internal.h"

#include <errno.h>
#include <stdlib.h>

void analysis_settings_init(struct analysis_settings *settings, const struct options *options)
{
    verdict_settings_init(&settings->verdict);
    settings->verdict.seed = options->seed;
    settings->verdict.level = (double)options->verdict_error_percent / 100;
    settings->verdict.minimum_share = (double)options->verdict_percent / 100;
    settings->verdict.minimum_ns = (double)options->verdict_size_ns;
}

static int judge(const struct report *report, const struct analysis_values *values,
                 const struct analysis_settings *settings, struct analysis *analysis)
{
    struct analysis_partitions partitions = {0};
    struct analysis_relations relations = {0};
    int error = analysis_partitions_create(report, values, &partitions);
    if (error == 0) {
        error = analysis_relations_create(report, values, &relations);
    }
    const struct verdict_input input = {
        .round_count = values->round_count,
        .unit_count = values->unit_count,
        .figure_count = relations.figure_count,
        .values_ns = relations.values_ns,
        .partitions = partitions.partitions,
        .partition_count = partitions.count,
    };
    if (error == 0 && relations.figure_count == 0) {
        /* Every visit was left out. */
        analysis->verdict = (struct verdict){.state = VERDICT_TOO_FEW_UNITS, .smallest_p = 1};
    } else if (error == 0) {
        error = verdict_judge(&input, &settings->verdict, &analysis->verdict);
    }
    if (error == 0) {
        error = analysis_collect_findings(report, values, &relations, &partitions, analysis);
    }
    analysis_relations_destroy(&relations);
    analysis_partitions_destroy(&partitions);
    return error;
}

int analysis_create(const struct report *report, const struct analysis_settings *settings,
                    struct analysis *analysis)
{
    struct analysis_values values = {0};
    *analysis = (struct analysis){.level = settings->verdict.level};
    int error = analysis_values_create(report, &values);
    if (error == 0 && values.figure_count > 0 && values.unit_count > 0) {
        error = judge(report, &values, settings, analysis);
        if (error == 0) {
            error = analysis_find_causes(report, &values, analysis);
        }
        if (error == 0) {
            analysis_mark_rows(report, analysis);
            error = analysis_compare_nodes(report, &values, settings, analysis);
        }
        if (error == 0) {
            error = analysis_write_sentences(report, &values, analysis);
        }
    }
    analysis_values_destroy(&values);
    if (error != 0) {
        analysis_destroy(analysis);
    }
    return error;
}

void analysis_destroy(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->finding_count; i++) {
        free(analysis->findings[i].subject);
        free(analysis->findings[i].sentence);
        free(analysis->findings[i].rows);
        free(analysis->findings[i].places);
    }
    for (size_t i = 0; i < analysis->advice_count; i++) {
        free(analysis->advice[i]);
    }
    verdict_destroy(&analysis->verdict);
    free(analysis->findings);
    free(analysis->verdict_sentence);
    free(analysis->machine);
    free(analysis->node_pairs);
    free(analysis->cpus);
    free(analysis->locality_sentence);
    free(analysis->advice);
    free(analysis->row_is_slow);
    free(analysis->row_is_fast);
    free(analysis->row_differs);
    *analysis = (struct analysis){0};
}
