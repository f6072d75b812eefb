/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_parts.h"
#include "numasweep/analysis.h"

#include <math.h>

static json_t *json_of_share(bool has_share, double share)
{
    return has_share && isfinite(share) ? json_real(share) : json_null();
}

json_t *json_of_size(const struct verdict_size *size)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "estimate_ns", json_of_ns(size->estimate_ns),
                     "low_ns", json_of_ns(size->low_ns), "high_ns", json_of_ns(size->high_ns),
                     "peers_ns", json_of_ns(size->level_ns), "share",
                     json_of_share(size->has_share, size->share), "share_low",
                     json_of_share(size->has_share, size->share_low), "share_high",
                     json_of_share(size->has_share, size->share_high));
}

static json_t *json_of_place(const struct report *report, const struct finding_place *place)
{
    const struct plan *plan = &report->sweep->plan;
    const struct report_table *table = &report->tables[place->table];
    return json_pack("{s:s, s:I, s:s, s:s, s:o, s:f, s:I, s:I, s:f, s:I}", "arm",
                     plan->arms[table->arm].name, "timeout_ns",
                     (json_int_t)plan->timeouts_ns[table->timeout], "relation",
                     plan->column_count > 1 ? analysis_relation_name(place->relation) : "all", "figure",
                     analysis_figure_name(place->figure), "size", json_of_size(&place->size), "p",
                     place->p, "rounds_beyond", (json_int_t)place->rounds_beyond, "rounds_measured",
                     (json_int_t)place->rounds_measured, "distance", place->distance, "rounds_needed",
                     (json_int_t)place->rounds_needed);
}

static json_t *json_of_finding(const struct report *report, const struct finding *finding)
{
    json_t *rows = json_array();
    json_t *places = json_array();
    json_t *causes = json_array();
    for (size_t i = 0; i < finding->row_count; i++) {
        json_append(&rows, json_of_text(report->sweep->plan.rows[finding->rows[i]].label));
    }
    for (size_t i = 0; i < finding->place_count; i++) {
        json_append(&places, json_of_place(report, &finding->places[i]));
    }
    for (size_t i = 0; i < finding->cause_count; i++) {
        const struct finding_cause *cause = &finding->causes[i];
        json_append(&causes, json_pack("{s:s, s:f, s:f, s:f, s:o}", "counter", cause->name, "own",
                                       cause->own, "peers", cause->peers, "distance", cause->weight,
                                       "text", json_of_text(cause->text)));
    }
    return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o}", "type",
                     finding_type_name(finding->type), "direction",
                     finding->direction == VERDICT_SLOW ? "slow" : "fast", "subject",
                     json_of_text(finding->subject), "level", finding->level, "rows", rows, "places",
                     places, "causes", causes, "sentence", json_of_text(finding->sentence));
}

static json_t *json_of_pairs(const struct report *report, const struct locality_pair *pairs,
                             size_t count)
{
    const struct plan *plan = &report->sweep->plan;
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct locality_pair *pair = &pairs[i];
        const struct verdict_shift *shift = &pair->shift;
        json_append(
            &array,
            json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:f, s:f, s:o}", "timeout_ns",
                      (json_int_t)plan->timeouts_ns[report->tables[pair->table].timeout], "figure",
                      analysis_figure_name(pair->figure), "cpu_node", json_of_id(pair->from_node),
                      "memory_node", json_of_id(pair->to_node), "cpu", json_of_id(pair->cpu), "distance",
                      json_of_id(pair->distance), "rounds", (json_int_t)shift->pair_count, "size",
                      json_of_size(&shift->size), "p", shift->p, "p_adjusted", shift->p_adjusted,
                      "detectable_ns",
                      json_of_ns(shift->detectable_ns > 0 ? shift->detectable_ns : (double)NAN)));
    }
    return array;
}

json_t *json_of_verdict(const struct report *report)
{
    const struct analysis *analysis = report->analysis;
    if (analysis == NULL || analysis->verdict_sentence == NULL) {
        return json_null();
    }
    json_t *findings = json_array();
    for (size_t i = 0; i < analysis->finding_count; i++) {
        json_append(&findings, json_of_finding(report, &analysis->findings[i]));
    }
    return json_pack("{s:o, s:f, s:f, s:I, s:I, s:I, s:I, s:o, s:{s:o, s:b, s:o, s:o, s:o}, s:o}",
                     "sentence", json_of_text(analysis->verdict_sentence), "error_rate", analysis->level,
                     "smallest_p", analysis->verdict.smallest_p, "comparisons",
                     (json_int_t)analysis->verdict.comparison_count, "rounds_needed",
                     (json_int_t)analysis->verdict.rounds_needed, "slow",
                     (json_int_t)analysis->slow_count, "fast", (json_int_t)analysis->fast_count,
                     "findings", findings, "remote", "sentence",
                     json_of_text(analysis->locality_sentence), "is_slower", analysis->is_remote_slower,
                     "machine", json_of_pairs(report, analysis->machine, analysis->machine_count),
                     "nodes", json_of_pairs(report, analysis->node_pairs, analysis->node_pair_count),
                     "cpus", json_of_pairs(report, analysis->cpus, analysis->cpu_count), "advice",
                     json_of_texts(analysis->advice, analysis->advice_count));
}
