/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *analysis_figure_name(enum analysis_figure figure)
{
    static const char *const names[ANALYSIS_FIGURES] = {
        [ANALYSIS_WAKE_MEDIAN] = "wake median",
        [ANALYSIS_WAKE_P90] = "wake p90",
        [ANALYSIS_TOUCH_MEDIAN] = "touch median",
    };
    return names[figure];
}

const char *analysis_relation_name(enum analysis_relation relation)
{
    return relation == ANALYSIS_LOCAL ? "local" : "remote";
}

const char *finding_type_name(enum finding_type type)
{
    static const char *const names[] = {
        [FINDING_SLOW] = "slow",
        [FINDING_FAST] = "fast",
        [FINDING_DIFFER] = "differ",
        [FINDING_SMALL] = "small",
        [FINDING_STANDS_OUT] = "stands out",
    };
    return names[type];
}

static bool is_member(const struct analysis_partitions *partitions,
                      const struct verdict_subject *subject, size_t unit)
{
    return subject->partition == VERDICT_SINGLE
               ? unit == subject->unit
               : partitions->groups[subject->partition][unit] == subject->group;
}

static int list_rows(const struct plan *plan, const struct analysis_values *values,
                     const struct analysis_partitions *partitions, const struct verdict_subject *subject,
                     struct finding *finding, struct id_list *cpus)
{
    finding->rows = calloc(values->unit_count + 1, sizeof *finding->rows);
    if (finding->rows == NULL) {
        return -ENOMEM;
    }
    for (size_t unit = 0; unit < values->unit_count; unit++) {
        if (!is_member(partitions, subject, unit)) {
            continue;
        }
        const struct plan_row *row = &plan->rows[values->row_of_unit[unit]];
        finding->rows[finding->row_count] = values->row_of_unit[unit];
        finding->row_count++;
        for (size_t i = 0; i < row->cpus.count; i++) {
            if (id_list_add(cpus, row->cpus.ids[i]) != 0) {
                return -ENOMEM;
            }
        }
    }
    return 0;
}

static char *name_group(const struct report *report, const char *level, int group, const char *cpus)
{
    char *name = NULL;
    const struct topology_kind *kind = strcmp(level, "kind") == 0
                                           ? topology_find_kind(&report->sweep->topology, group)
                                           : NULL;
    const char *shown = strcmp(level, "l3") == 0 ? "L3" : level;
    const int length = kind != NULL && kind->name != NULL
                           ? asprintf(&name, "kind \"%s\" (CPUs %s)", kind->name, cpus)
                           : asprintf(&name, "%s %d (CPUs %s)", shown, group, cpus);
    return length < 0 ? NULL : name;
}

static char *name_row(const struct plan *plan, size_t row)
{
    char *name = NULL;
    const int length = plan->by == ROW_PU ? asprintf(&name, "CPU %s", plan->rows[row].label)
                                          : asprintf(&name, "%s", plan->rows[row].label);
    return length < 0 ? NULL : name;
}

static int set_subject(const struct report *report, const struct analysis_values *values,
                       const struct analysis_partitions *partitions,
                       const struct verdict_subject *subject, struct finding *finding)
{
    const struct plan *plan = &report->sweep->plan;
    struct id_list cpus = {0};
    int error = list_rows(plan, values, partitions, subject, finding, &cpus);
    if (error == 0 && subject->partition == VERDICT_SINGLE) {
        finding->level = plan->by == ROW_PU ? "CPU" : row_level_name(plan->by);
        finding->subject = name_row(plan, values->row_of_unit[subject->unit]);
    } else if (error == 0) {
        char *text = id_list_format(&cpus);
        finding->level = partitions->partitions[subject->partition].name;
        finding->subject = text != NULL ? name_group(report, finding->level, subject->group, text)
                                        : NULL;
        free(text);
    }
    id_list_destroy(&cpus);
    return error == 0 && finding->subject == NULL ? -ENOMEM : error;
}

static int add_place(struct finding *finding, const struct finding_place *place)
{
    struct finding_place *places = realloc(finding->places, (finding->place_count + 1) * sizeof *places);
    if (places == NULL) {
        return -ENOMEM;
    }
    finding->places = places;
    places[finding->place_count] = *place;
    finding->place_count++;
    return 0;
}

static enum finding_type type_of(const struct verdict_finding *found)
{
    if (!found->is_large) {
        return FINDING_SMALL;
    }
    if (found->is_mutual) {
        return FINDING_DIFFER;
    }
    return found->direction == VERDICT_SLOW ? FINDING_SLOW : FINDING_FAST;
}

static int take_found(const struct report *report, const struct analysis_values *values,
                      const struct analysis_relations *relations,
                      const struct analysis_partitions *partitions, struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->verdict.finding_count; i++) {
        const struct verdict_finding *found = &analysis->verdict.findings[i];
        int error = 0;
        if (!found->is_repeat || analysis->finding_count == 0) {
            struct finding *added = &analysis->findings[analysis->finding_count];
            analysis->finding_count++;
            added->type = type_of(found);
            added->direction = found->direction;
            error = set_subject(report, values, partitions, &found->subject, added);
        }
        struct finding *finding = &analysis->findings[analysis->finding_count - 1];
        struct finding_place place = relations->figures[found->figure];
        place.size = found->size;
        place.p = found->p;
        place.rounds_beyond = found->rounds_beyond;
        place.rounds_measured = found->rounds_measured;
        if (error == 0) {
            error = add_place(finding, &place);
        }
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static int take_outliers(const struct report *report, const struct analysis_values *values,
                         const struct analysis_relations *relations,
                         const struct analysis_partitions *partitions, struct analysis *analysis)
{
    const size_t first = analysis->finding_count;
    for (size_t i = 0; i < analysis->verdict.outlier_count; i++) {
        const struct verdict_outlier *outlier = &analysis->verdict.outliers[i];
        int error = 0;
        if (!outlier->is_repeat || analysis->finding_count == first) {
            struct finding *added = &analysis->findings[analysis->finding_count];
            analysis->finding_count++;
            added->type = FINDING_STANDS_OUT;
            added->direction = outlier->direction;
            error = set_subject(report, values, partitions, &outlier->subject, added);
        }
        struct finding_place place = relations->figures[outlier->figure];
        place.size = outlier->size;
        place.p = 1;
        place.distance = outlier->distance;
        place.rounds_needed = outlier->rounds_needed;
        if (error == 0) {
            error = add_place(&analysis->findings[analysis->finding_count - 1], &place);
        }
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static bool *marks_of(const struct analysis *analysis, const struct finding *finding)
{
    if (finding->type == FINDING_DIFFER && finding->cause_count == 0) {
        return analysis->row_differs;
    }
    return finding->direction == VERDICT_SLOW ? analysis->row_is_slow : analysis->row_is_fast;
}

void analysis_mark_rows(const struct report *report, struct analysis *analysis)
{
    const size_t row_count = report->sweep->plan.row_count;
    for (size_t i = 0; i < analysis->finding_count; i++) {
        const struct finding *finding = &analysis->findings[i];
        if (finding->type != FINDING_SLOW && finding->type != FINDING_FAST &&
            finding->type != FINDING_DIFFER) {
            continue;
        }
        bool *marks = marks_of(analysis, finding);
        analysis->slow_count += finding->direction == VERDICT_SLOW;
        analysis->fast_count += finding->direction == VERDICT_FAST;
        for (size_t place = 0; place < finding->place_count; place++) {
            for (size_t row = 0; row < finding->row_count; row++) {
                marks[finding->places[place].table * row_count + finding->rows[row]] = true;
            }
        }
    }
}

const char *analysis_row_mark(const struct report *report, size_t table, size_t row)
{
    const struct analysis *analysis = report->analysis;
    const size_t position = table * report->sweep->plan.row_count + row;
    if (analysis == NULL || analysis->row_is_slow == NULL) {
        return "";
    }
    if (analysis->row_is_slow[position]) {
        return "slow";
    }
    if (analysis->row_is_fast[position]) {
        return "fast";
    }
    return analysis->row_differs[position] ? "differs" : "";
}

int analysis_collect_findings(const struct report *report, const struct analysis_values *values,
                              const struct analysis_relations *relations,
                              const struct analysis_partitions *partitions, struct analysis *analysis)
{
    const size_t most = analysis->verdict.finding_count + analysis->verdict.outlier_count;
    const size_t marks = report->table_count * report->sweep->plan.row_count;
    analysis->findings = calloc(most + 1, sizeof *analysis->findings);
    analysis->row_is_slow = calloc(marks + 1, sizeof *analysis->row_is_slow);
    analysis->row_is_fast = calloc(marks + 1, sizeof *analysis->row_is_fast);
    analysis->row_differs = calloc(marks + 1, sizeof *analysis->row_differs);
    if (analysis->findings == NULL || analysis->row_is_slow == NULL || analysis->row_is_fast == NULL ||
        analysis->row_differs == NULL) {
        return -ENOMEM;
    }
    int error = take_found(report, values, relations, partitions, analysis);
    return error == 0 ? take_outliers(report, values, relations, partitions, analysis) : error;
}
