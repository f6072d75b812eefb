/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_fields.h"
#include "numasweep/record.h"
#include "record_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *encode_place(const struct sweep *sweep, const struct visit *visit, const char *record)
{
    const struct plan *plan = &sweep->plan;
    const struct plan_cell *cell = &plan->cells[visit->cell];
    const struct plan_row *row = &plan->rows[cell->row];
    return json_pack("{s:s, s:I, s:s, s:I, s:s, s:i, s:o, s:I}", "record", record, "round",
                     (json_int_t)visit->round + 1, "arm", plan->arms[cell->arm].name, "timeout_ns",
                     (json_int_t)plan->timeouts_ns[cell->timeout], "row", row->label, "cpu", row->cpu,
                     "node", json_from_number_or_null(plan->columns[cell->column].node, TOPOLOGY_NONE),
                     "ended_unix_ns", (json_int_t)visit->ended_unix_ns);
}

enum sample_field { SAMPLE_REQUESTED, SAMPLE_ELAPSED, SAMPLE_TOUCH, SAMPLE_CPU };

static int64_t sample_value(const struct sample *sample, enum sample_field field)
{
    switch (field) {
    case SAMPLE_REQUESTED:
        return sample->requested_ns;
    case SAMPLE_ELAPSED:
        return sample->elapsed_ns;
    case SAMPLE_TOUCH:
        return sample->touch_ns;
    case SAMPLE_CPU:
        break;
    }
    return sample->cpu;
}

static json_t *encode_samples(const struct visit *visit, enum sample_field field)
{
    json_t *array = json_array();
    for (size_t i = 0; i < visit->sample_count; i++) {
        (void)json_array_append_new(array, json_integer(sample_value(&visit->samples[i], field)));
    }
    return array;
}

static json_t *encode_elsewhere(const struct visit *visit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < visit->sample_count; i++) {
        if ((visit->samples[i].flags & SAMPLE_ELSEWHERE) != 0) {
            (void)json_array_append_new(array, json_integer((json_int_t)i));
        }
    }
    return array;
}

static json_t *encode_counters(const struct counter_set *counters)
{
    json_t *object = json_object();
    for (size_t i = 0; i < counters->count; i++) {
        (void)json_object_set_new(object, counters->items[i].name,
                                  json_integer(counters->items[i].value));
    }
    return object;
}

static json_t *encode_failure(const struct failure *failure)
{
    const char *name = failure->errno_value != 0 ? strerrorname_np(failure->errno_value) : NULL;
    return json_pack("{s:o, s:i, s:s, s:o}", "stage", json_from_text(failure->stage), "errno",
                     failure->errno_value, "errno_name", name != NULL ? name : "", "text",
                     json_from_text(failure->text));
}

static void set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new(object, key, value);
}

static void encode_measured(const struct visit *visit, bool is_single_cpu, json_t *record)
{
    const bool has_touch = visit->sample_count > 0 && visit->samples[0].touch_ns >= 0;
    set(record, "placement", record_placement_encode(&visit->placement));
    set(record, "counters", encode_counters(&visit->counters));
    set(record, "requested_ns", encode_samples(visit, SAMPLE_REQUESTED));
    set(record, "elapsed_ns", encode_samples(visit, SAMPLE_ELAPSED));
    set(record, "touch_ns", has_touch ? encode_samples(visit, SAMPLE_TOUCH) : json_null());
    if (visit->placement.elsewhere_count > 0) {
        set(record, "elsewhere", encode_elsewhere(visit));
    }
    if (visit->placement.elsewhere_count > 0 || !is_single_cpu) {
        set(record, "sample_cpu", encode_samples(visit, SAMPLE_CPU));
    }
}

char *record_encode_visit(const struct sweep *sweep, const struct visit *visit)
{
    const bool is_measured = visit->outcome == VISIT_MEASURED;
    const struct plan_row *row = &sweep->plan.rows[sweep->plan.cells[visit->cell].row];
    json_t *record = encode_place(sweep, visit, is_measured ? "visit" : "failure");
    if (record == NULL) {
        return NULL;
    }
    if (is_measured) {
        encode_measured(visit, row->cpus.count == 1, record);
    } else {
        set(record, "failure", encode_failure(&visit->failure));
    }
    return record_line(record);
}

static size_t find_arm(const struct plan *plan, const char *name)
{
    size_t arm = 0;
    while (arm < plan->arm_count && strcmp(plan->arms[arm].name, name) != 0) {
        arm++;
    }
    return arm;
}

static size_t find_timeout(const struct plan *plan, int64_t timeout_ns)
{
    size_t timeout = 0;
    while (timeout < plan->timeout_count && plan->timeouts_ns[timeout] != timeout_ns) {
        timeout++;
    }
    return timeout;
}

/* By CPU, in ascending order; rows of the same lowest CPU (there are none) would be told by their label.
 */
static size_t find_row(const struct plan *plan, int cpu, const char *label)
{
    size_t low = 0;
    size_t high = plan->row_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (plan->rows[middle].cpu < cpu) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low < plan->row_count && plan->rows[low].cpu == cpu &&
           strcmp(plan->rows[low].label, label) != 0) {
        low++;
    }
    return low < plan->row_count && plan->rows[low].cpu == cpu ? low : plan->row_count;
}

static size_t find_column(const struct plan *plan, int node)
{
    size_t column = 0;
    while (column < plan->column_count && plan->columns[column].node != node) {
        column++;
    }
    return column;
}

static int compare_cells(const void *first, const void *second)
{
    const struct plan_cell *a = first;
    const struct plan_cell *b = second;
    const size_t keys[][2] = {
        {a->arm, b->arm}, {a->timeout, b->timeout}, {a->row, b->row}, {a->column, b->column}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    return 0;
}

static int find_cell(const struct plan *plan, const json_t *object, size_t *index,
                     struct failure *failure)
{
    const char *arm = NULL;
    const char *label = NULL;
    int64_t timeout_ns = 0;
    int cpu = 0;
    int node = TOPOLOGY_NONE;
    int error = json_field_text(object, "arm", &arm, failure);
    if (error == 0) {
        error = json_field_text(object, "row", &label, failure);
    }
    if (error == 0) {
        error = json_field_int64(object, "timeout_ns", 0, INT64_MAX, &timeout_ns, failure);
    }
    if (error == 0) {
        error = json_field_int(object, "cpu", 0, ID_LIST_MAX_ID, &cpu, failure);
    }
    if (error == 0) {
        error = json_field_int_or_null(object, "node", TOPOLOGY_NONE, &node, failure);
    }
    if (error != 0) {
        return error;
    }
    const struct plan_cell key = {
        .arm = find_arm(plan, arm),
        .timeout = find_timeout(plan, timeout_ns),
        .row = find_row(plan, cpu, label),
        .column = find_column(plan, node),
    };
    const struct plan_cell *found = bsearch(&key, plan->cells, plan->cell_count, sizeof key,
                                            compare_cells);
    if (found == NULL) {
        return failure_set(
            failure, "record", 0,
            "it is of a cell (arm %s, CPU %d, node %d, timeout %lld ns) that the header does not plan",
            arm, cpu, node, (long long)timeout_ns);
    }
    *index = (size_t)(found - plan->cells);
    return 0;
}

struct sample_column {
    const char *key;
    enum sample_field field;
    int64_t minimum;
    int64_t maximum;
    const char *kind;
};

static const struct sample_column requested_column = {"requested_ns", SAMPLE_REQUESTED, 1,
                                                      SAMPLE_LONGEST_NS, "time"};
static const struct sample_column elapsed_column = {"elapsed_ns", SAMPLE_ELAPSED, 0, SAMPLE_LONGEST_NS,
                                                    "time"};
static const struct sample_column touch_column = {"touch_ns", SAMPLE_TOUCH, 0, SAMPLE_LONGEST_NS,
                                                  "time"};
/* -1: the worker could not read it. */
static const struct sample_column cpu_column = {"sample_cpu", SAMPLE_CPU, -1, ID_LIST_MAX_ID, "CPU"};

static int decode_array(const json_t *object, const struct sample_column *column, size_t count,
                        int64_t *values, struct failure *failure)
{
    const json_t *array = NULL;
    const int error = json_field_array(object, column->key, &array, failure);
    if (error != 0) {
        return error;
    }
    if (json_array_size(array) != count) {
        return json_field_refuse(column->key, "has another number of samples than the others", failure);
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_integer(value) || json_integer_value(value) < column->minimum ||
            json_integer_value(value) > column->maximum) {
            char what[64];
            (void)snprintf(what, sizeof what, "holds something that is no such %s", column->kind);
            return json_field_refuse(column->key, what, failure);
        }
        values[i] = json_integer_value(value);
    }
    return 0;
}

static int decode_column(const json_t *object, const struct sample_column *column, struct visit *visit,
                         struct failure *failure)
{
    int64_t *values = calloc(visit->sample_count + 1, sizeof *values);
    if (values == NULL) {
        return -ENOMEM;
    }
    const int error = decode_array(object, column, visit->sample_count, values, failure);
    for (size_t i = 0; i < visit->sample_count && error == 0; i++) {
        struct sample *sample = &visit->samples[i];
        switch (column->field) {
        case SAMPLE_REQUESTED:
            sample->requested_ns = values[i];
            break;
        case SAMPLE_ELAPSED:
            sample->elapsed_ns = values[i];
            break;
        case SAMPLE_TOUCH:
            sample->touch_ns = values[i];
            break;
        case SAMPLE_CPU:
            sample->cpu = (int32_t)values[i];
            break;
        }
    }
    free(values);
    return error;
}

static int decode_elsewhere(const json_t *object, struct visit *visit, struct failure *failure)
{
    const json_t *array = json_object_get(object, "elsewhere");
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        const json_int_t index = json_integer_value(value);
        if (!json_is_integer(value) || index < 0 || (size_t)index >= visit->sample_count) {
            return json_field_refuse("elsewhere", "names a sample that there is not", failure);
        }
        visit->samples[index].flags |= SAMPLE_ELSEWHERE;
    }
    return 0;
}

static int decode_samples(const json_t *object, int cpu, struct visit *visit, struct failure *failure)
{
    const json_t *array = NULL;
    int error = json_field_array(object, "elapsed_ns", &array, failure);
    if (error != 0) {
        return error;
    }
    visit->sample_count = json_array_size(array);
    visit->samples = calloc(visit->sample_count + 1, sizeof *visit->samples);
    if (visit->samples == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < visit->sample_count; i++) {
        visit->samples[i].touch_ns = -1;
        visit->samples[i].cpu = cpu;
    }
    error = decode_column(object, &requested_column, visit, failure);
    if (error == 0) {
        error = decode_column(object, &elapsed_column, visit, failure);
    }
    if (error == 0 && !json_is_null(json_object_get(object, "touch_ns"))) {
        error = decode_column(object, &touch_column, visit, failure);
    }
    if (error == 0 && json_object_get(object, "sample_cpu") != NULL) {
        error = decode_column(object, &cpu_column, visit, failure);
    }
    return error != 0 ? error : decode_elsewhere(object, visit, failure);
}

static int decode_counters(const json_t *object, struct visit *visit, struct failure *failure)
{
    json_t *counters = NULL;
    const char *name = NULL;
    json_t *value = NULL;
    int error = json_field_object(object, "counters", &counters, failure);
    if (error != 0) {
        return error;
    }
    json_object_foreach(counters, name, value)
    {
        if (!json_is_integer(value)) {
            return json_field_refuse("counters", "holds something that is no whole number", failure);
        }
        error = counter_set_add(&visit->counters, name, json_integer_value(value));
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static int decode_measured(const json_t *object, int cpu, struct visit *visit, struct failure *failure)
{
    json_t *placement = NULL;
    int error = json_field_object(object, "placement", &placement, failure);
    if (error == 0) {
        error = record_placement_decode(placement, &visit->placement, failure);
    }
    if (error == 0) {
        error = decode_counters(object, visit, failure);
    }
    if (error == 0) {
        error = decode_samples(object, cpu, visit, failure);
    }
    return error;
}

static int decode_failure(const json_t *object, struct visit *visit, struct failure *failure)
{
    json_t *reported = NULL;
    const char *stage = NULL;
    const char *text = NULL;
    visit->outcome = VISIT_FAILED;
    int error = json_field_object(object, "failure", &reported, failure);
    if (error == 0) {
        error = json_field_text(reported, "stage", &stage, failure);
    }
    if (error == 0) {
        error = json_field_text(reported, "text", &text, failure);
    }
    if (error == 0) {
        int errno_value = 0;
        error = json_field_int(reported, "errno", 0, INT_MAX, &errno_value, failure);
        (void)failure_set(&visit->failure, stage, errno_value, "%s", text);
    }
    return error;
}

int record_visit_decode(const json_t *object, struct sweep *sweep, struct failure *failure)
{
    struct visit visit = {.outcome = VISIT_MEASURED};
    const char *record = json_string_value(json_object_get(object, "record"));
    int error = json_field_int64(object, "round", 1, sweep->plan.round_count, &visit.round, failure);
    visit.round--;
    if (error == 0) {
        error = json_field_int64(object, "ended_unix_ns", 0, INT64_MAX, &visit.ended_unix_ns, failure);
    }
    if (error == 0) {
        error = find_cell(&sweep->plan, object, &visit.cell, failure);
    }
    if (error == 0 && strcmp(record, "visit") == 0) {
        error = decode_measured(object, sweep->plan.rows[sweep->plan.cells[visit.cell].row].cpu, &visit,
                                failure);
    } else if (error == 0) {
        error = decode_failure(object, &visit, failure);
    }
    if (error == 0) {
        error = sweep_add_visit(sweep, &visit);
    }
    if (error != 0) {
        visit_destroy(&visit);
    }
    return error;
}
