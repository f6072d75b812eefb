/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of migrations, both ways. */
#include "json_fields.h"
#include "numasweep/record.h"
#include "record_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORKERS = 1 << 20 };

static json_t *integer_or_null(int64_t value)
{
    return value == MIGRATION_NONE ? json_null() : json_integer((json_int_t)value);
}

static json_t *encode_workers(const struct migration_run *run)
{
    json_t *array = json_array();
    for (size_t i = 0; i < run->worker_count; i++) {
        const struct migration_worker *worker = &run->workers[i];
        json_t *object = json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "cpu", integer_or_null(worker->cpu),
                                   "node", integer_or_null(worker->node), "group",
                                   integer_or_null(worker->group), "migrations",
                                   (json_int_t)worker->migrations, "crossings",
                                   (json_int_t)worker->crossings, "cpu_ns", (json_int_t)worker->cpu_ns);
        if (json_array_append_new(array, object) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *encode_nodes(const struct migration_run *run)
{
    json_t *array = json_array();
    for (size_t i = 0; i < run->node_count; i++) {
        json_t *object = json_pack("{s:o, s:I}", "node", integer_or_null(run->nodes[i].node),
                                   "migrations", (json_int_t)run->nodes[i].migrations);
        if (json_array_append_new(array, object) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

char *record_encode_migrations(const struct migration_run *run)
{
    return record_line(json_pack(
        "{s:s, s:I, s:s, s:b, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "record", "migrations",
        "run", (json_int_t)run->run, "pin", migration_pin_name(run->pin), "limited", run->is_limited,
        "counter", migration_counter_name(run->counter), "crossings_from",
        migration_crossing_name(run->crossing), "duration_ns", (json_int_t)run->duration_ns,
        "lost_records", (json_int_t)run->lost_records, "throttled", integer_or_null(run->throttled),
        "throttled_ns", integer_or_null(run->throttled_ns), "breach",
        run->breach[0] != '\0' ? json_from_text(run->breach) : json_null(), "nodes", encode_nodes(run),
        "workers", encode_workers(run)));
}

static int decode_int64_or_null(const json_t *object, const char *key, int64_t *value,
                                struct failure *failure)
{
    if (json_is_null(json_object_get(object, key))) {
        *value = MIGRATION_NONE;
        return 0;
    }
    return json_field_int64(object, key, 0, INT64_MAX, value, failure);
}

static int decode_count(const json_t *object, const char *key, int64_t *value, struct failure *failure)
{
    return json_field_int64(object, key, 0, INT64_MAX, value, failure);
}

static int decode_worker(const json_t *object, struct migration_worker *worker, struct failure *failure)
{
    int error = json_field_int_or_null(object, "cpu", MIGRATION_NONE, &worker->cpu, failure);
    if (error == 0) {
        error = json_field_int_or_null(object, "node", MIGRATION_NONE, &worker->node, failure);
    }
    if (error == 0) {
        error = json_field_int_or_null(object, "group", MIGRATION_NONE, &worker->group, failure);
    }
    if (error == 0) {
        error = decode_count(object, "migrations", &worker->migrations, failure);
    }
    if (error == 0) {
        error = decode_count(object, "crossings", &worker->crossings, failure);
    }
    return error != 0 ? error : decode_count(object, "cpu_ns", &worker->cpu_ns, failure);
}

static int decode_node(const json_t *object, struct migration_node *node, struct failure *failure)
{
    const int error = json_field_int_or_null(object, "node", MIGRATION_NONE, &node->node, failure);
    return error != 0 ? error : decode_count(object, "migrations", &node->migrations, failure);
}

static int decode_lists(const json_t *object, struct migration_run *run, struct failure *failure)
{
    const json_t *workers = NULL;
    const json_t *nodes = NULL;
    int error = json_field_array(object, "workers", &workers, failure);
    if (error == 0) {
        error = json_field_array(object, "nodes", &nodes, failure);
    }
    if (error != 0) {
        return error;
    }
    if (json_array_size(workers) > MOST_WORKERS || json_array_size(nodes) == 0) {
        return json_field_refuse("workers", "are too many, or there is no node", failure);
    }
    run->workers = calloc(json_array_size(workers) + 1, sizeof *run->workers);
    run->nodes = calloc(json_array_size(nodes), sizeof *run->nodes);
    if (run->workers == NULL || run->nodes == NULL) {
        return -ENOMEM;
    }
    run->worker_count = json_array_size(workers);
    run->node_count = json_array_size(nodes);
    for (size_t i = 0; i < run->worker_count && error == 0; i++) {
        error = decode_worker(json_array_get(workers, i), &run->workers[i], failure);
    }
    for (size_t i = 0; i < run->node_count && error == 0; i++) {
        error = decode_node(json_array_get(nodes, i), &run->nodes[i], failure);
    }
    return error;
}

typedef const char *(*name_of)(int value);

static const char *pin_name(int value)
{
    return migration_pin_name((enum migration_pin)value);
}

static const char *counter_name(int value)
{
    return migration_counter_name((enum migration_counter)value);
}

static const char *crossing_name(int value)
{
    return migration_crossing_name((enum migration_crossing)value);
}

static int decode_word(const json_t *object, const char *key, name_of name, int count, int *value,
                       struct failure *failure)
{
    const char *text = NULL;
    const int error = json_field_text(object, key, &text, failure);
    if (error != 0) {
        return error;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(text, name(i)) == 0) {
            *value = i;
            return 0;
        }
    }
    return json_field_refuse(key, "is no word that is known here", failure);
}

static int decode_words(const json_t *object, struct migration_run *run, struct failure *failure)
{
    int pin = 0;
    int counter = 0;
    int crossing = 0;
    int error = decode_word(object, "pin", pin_name, MIGRATION_PINS, &pin, failure);
    if (error == 0) {
        error = decode_word(object, "counter", counter_name, MIGRATION_COUNTERS, &counter, failure);
    }
    if (error == 0) {
        error = decode_word(object, "crossings_from", crossing_name, MIGRATION_CROSSINGS, &crossing,
                            failure);
    }
    run->pin = (enum migration_pin)pin;
    run->counter = (enum migration_counter)counter;
    run->crossing = (enum migration_crossing)crossing;
    return error;
}

static int decode_breach(const json_t *object, struct migration_run *run, struct failure *failure)
{
    const char *text = NULL;
    if (json_is_null(json_object_get(object, "breach"))) {
        return 0;
    }
    const int error = json_field_text(object, "breach", &text, failure);
    if (error == 0) {
        (void)snprintf(run->breach, sizeof run->breach, "%s", text);
    }
    return error;
}

static int decode_run(const json_t *object, struct migration_run *run, struct failure *failure)
{
    int error = json_field_int64(object, "run", 1, INT64_MAX, &run->run, failure);
    if (error == 0) {
        error = decode_words(object, run, failure);
    }
    if (error == 0) {
        error = json_field_bool(object, "limited", &run->is_limited, failure);
    }
    if (error == 0) {
        error = decode_count(object, "duration_ns", &run->duration_ns, failure);
    }
    if (error == 0) {
        error = decode_count(object, "lost_records", &run->lost_records, failure);
    }
    if (error == 0) {
        error = decode_int64_or_null(object, "throttled", &run->throttled, failure);
    }
    if (error == 0) {
        error = decode_int64_or_null(object, "throttled_ns", &run->throttled_ns, failure);
    }
    if (error == 0) {
        error = decode_breach(object, run, failure);
    }
    return error != 0 ? error : decode_lists(object, run, failure);
}

int record_migrations_decode(const json_t *object, struct sweep *sweep, struct failure *failure)
{
    struct migration_run run = {0};
    if (!sweep->migrations.is_experiment) {
        return 0;
    }
    int error = decode_run(object, &run, failure);
    if (error == 0) {
        error = migration_list_add(&sweep->migrations, &run);
    }
    if (error == -ENOMEM) {
        (void)failure_set(failure, "record", ENOMEM, "out of memory");
    }
    migration_run_destroy(&run);
    return error;
}
