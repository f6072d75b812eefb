/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/record.h"

#include "json_fields.h"
#include "record_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

char *record_line(json_t *record)
{
    char *line = record != NULL ? json_dumps(record, JSON_COMPACT) : NULL;
    json_decref(record);
    return line;
}

static void format_time(int64_t unix_ns, char text[32])
{
    const time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm parts = {0};
    if (gmtime_r(&seconds, &parts) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        text[0] = '\0';
    }
}

static json_t *encode_arms(const struct plan *plan)
{
    json_t *arms = json_array();
    for (size_t i = 0; i < plan->arm_count; i++) {
        (void)json_array_append_new(arms, json_pack("{s:s, s:{}, s:s}", "name", plan->arms[i].name,
                                                    "options", "load", plan->arms[i].load));
    }
    return arms;
}

/* Seeds go up to 2^64 - 1, JSON's whole numbers here to 2^63 - 1. The exact one is among the options. */
static json_t *encode_seed(const struct sweep *sweep)
{
    const uint64_t seed = sweep->plan.seed;
    return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_null();
}

char *record_encode_header(const struct sweep *sweep)
{
    char started[32];
    format_time(sweep->started_unix_ns, started);
    return record_line(json_pack(
        "{s:s, s:s, s:s*, s:o, s:o, s:o, s:o*, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:{s:s, s:s}, s:[], "
        "s:o, "
        "s:o}",
        "record", "header", "schema", RECORD_SCHEMA, "experiment",
        sweep->migrations.is_experiment ? "migrations" : NULL, "version", json_from_text(sweep->version),
        "command_line", json_from_text(sweep->command_line), "host", json_from_text(sweep->host),
        "imported_from", sweep->imported_from != NULL ? json_from_text(sweep->imported_from) : NULL,
        "started", started, "started_unix_ns", (json_int_t)sweep->started_unix_ns, "sweeps",
        (json_int_t)sweep->sweep_count, "seed", encode_seed(sweep), "options",
        record_options_encode(&sweep->options), "explicit_options",
        record_explicit_options_encode(&sweep->options), "arms", encode_arms(&sweep->plan), "columns",
        "key", "node", "meaning", "memory node", "loads", "environment",
        record_environment_encode(&sweep->environment), "topology",
        record_topology_encode(&sweep->topology)));
}

static size_t count_failures(const struct sweep *sweep)
{
    size_t count = 0;
    for (size_t i = 0; i < sweep->visit_count; i++) {
        count += sweep->visits[i].outcome == VISIT_FAILED;
    }
    return count;
}

static json_t *encode_load(const struct sweep *sweep)
{
    if (sweep->load_workers == 0) {
        return NULL;
    }
    return json_pack("{s:I, s:I, s:I}", "workers", (json_int_t)sweep->load_workers, "cpu_ns",
                     (json_int_t)sweep->load_cpu_ns, "wall_ns", (json_int_t)sweep->load_wall_ns);
}

char *record_encode_end(const struct sweep *sweep)
{
    return record_line(json_pack("{s:s, s:b, s:i, s:I, s:I, s:I, s:o*, s:I, s:I}", "record", "end",
                                 "complete", sweep->has_ended, "signal", sweep->stop_signal, "wall_ns",
                                 (json_int_t)sweep->wall_ns, "asleep_ns", (json_int_t)sweep->asleep_ns,
                                 "coordinator_cpu_ns", (json_int_t)sweep->coordinator_cpu_ns, "load",
                                 encode_load(sweep), "visits", (json_int_t)sweep->visit_count,
                                 "failures", (json_int_t)count_failures(sweep)));
}

static int parse(const char *line, size_t size, json_t **object, struct failure *failure)
{
    json_error_t error;
    errno = 0;
    *object = json_loadb(line, size, JSON_REJECT_DUPLICATES, &error);
    if (*object == NULL && errno == ENOMEM) {
        /* The parser would call it a wrong token. */
        return failure_set(failure, "record", ENOMEM, "out of memory");
    }
    if (*object == NULL) {
        return failure_set(failure, "record", 0, "this is no JSON (%s)", error.text);
    }
    if (!json_is_object(*object) || !json_is_string(json_object_get(*object, "record"))) {
        json_decref(*object);
        *object = NULL;
        return failure_set(failure, "record", 0, "this is JSON, but no record of numasweep");
    }
    return 0;
}

static int check_schema(const json_t *object, struct failure *failure)
{
    static const char family[] = "numasweep/";
    const char *record = json_string_value(json_object_get(object, "record"));
    const char *schema = json_string_value(json_object_get(object, "schema"));
    if (strcmp(record, "header") != 0 || schema == NULL ||
        strncmp(schema, family, sizeof family - 1) != 0) {
        return failure_set(failure, "record", 0,
                           "this is no result file of numasweep (no header with its schema)");
    }
    if (strcmp(schema, RECORD_SCHEMA) != 0) {
        return failure_set(
            failure, "record", 0,
            "its schema is %.40s, and this numasweep reads %s: a numasweep of a fitting version is "
            "needed",
            schema, RECORD_SCHEMA);
    }
    return 0;
}

static int decode_texts(const json_t *object, struct sweep *sweep, struct failure *failure)
{
    int error = json_field_text_copy(object, "version", &sweep->version, failure);
    if (error == 0) {
        error = json_field_text_copy(object, "command_line", &sweep->command_line, failure);
    }
    if (error == 0) {
        error = json_field_text_copy(object, "host", &sweep->host, failure);
    }
    if (error == 0 && json_object_get(object, "imported_from") != NULL) {
        error = json_field_text_copy(object, "imported_from", &sweep->imported_from, failure);
    }
    if (error == 0) {
        error = json_field_int64(object, "started_unix_ns", 0, INT64_MAX, &sweep->started_unix_ns,
                                 failure);
    }
    /* Files from before sweeps could be merged have none. */
    if (error == 0 && json_object_get(object, "sweeps") != NULL) {
        error = json_field_int64(object, "sweeps", 1, INT32_MAX, &sweep->sweep_count, failure);
    }
    if (error == 0 && (sweep->version == NULL || sweep->command_line == NULL || sweep->host == NULL)) {
        error = json_field_refuse("version", "or command line or host is no text", failure);
    }
    return error;
}

static int decode_experiment(const json_t *object, struct sweep *sweep, struct failure *failure)
{
    const char *experiment = NULL;
    if (json_object_get(object, "experiment") == NULL) {
        return 0;
    }
    const int error = json_field_text(object, "experiment", &experiment, failure);
    if (error != 0) {
        return error;
    }
    sweep->migrations.is_experiment = strcmp(experiment, "migrations") == 0;
    return sweep->migrations.is_experiment
               ? 0
               : json_field_refuse("experiment", "is none that this numasweep knows", failure);
}

static int decode_header(const json_t *object, struct sweep *sweep, struct failure *failure)
{
    json_t *topology = NULL;
    const json_t *environment = NULL;
    int error = check_schema(object, failure);
    if (error == 0) {
        error = decode_texts(object, sweep, failure);
    }
    if (error == 0) {
        error = decode_experiment(object, sweep, failure);
    }
    if (error == 0) {
        error = record_options_decode(object, &sweep->options, failure);
    }
    if (error == 0 && sweep->migrations.is_experiment) {
        sweep->options.command = FOR_MIGRATIONS;
    }
    if (error == 0) {
        error = json_field_object(object, "topology", &topology, failure);
    }
    if (error == 0) {
        error = record_topology_decode(topology, &sweep->topology, failure);
    }
    if (error == 0) {
        error = json_field_array(object, "environment", &environment, failure);
    }
    if (error == 0) {
        error = record_environment_decode(environment, &sweep->environment, failure);
    }
    return error != 0 ? error : plan_create(&sweep->options, &sweep->topology, &sweep->plan, failure);
}

int record_decode_header(const char *line, size_t size, struct sweep *sweep, struct failure *failure)
{
    json_t *object = NULL;
    int error = parse(line, size, &object, failure);
    if (error != 0) {
        return error;
    }
    error = decode_header(object, sweep, failure);
    json_decref(object);
    return error;
}

static int decode_load(const json_t *object, struct sweep *sweep, struct failure *failure)
{
    json_t *load = NULL;
    if (json_object_get(object, "load") == NULL) {
        return 0;
    }
    int error = json_field_object(object, "load", &load, failure);
    if (error == 0) {
        error = json_field_int64(load, "workers", 0, INT64_MAX, &sweep->load_workers, failure);
    }
    if (error == 0) {
        error = json_field_int64(load, "cpu_ns", 0, INT64_MAX, &sweep->load_cpu_ns, failure);
    }
    return error != 0 ? error
                      : json_field_int64(load, "wall_ns", 0, INT64_MAX, &sweep->load_wall_ns, failure);
}

static int decode_end(const json_t *object, struct sweep *sweep, struct failure *failure)
{
    int error = json_field_bool(object, "complete", &sweep->has_ended, failure);
    if (error == 0) {
        error = json_field_int(object, "signal", 0, 1024, &sweep->stop_signal, failure);
    }
    if (error == 0) {
        error = json_field_int64(object, "wall_ns", 0, INT64_MAX, &sweep->wall_ns, failure);
    }
    if (error == 0) {
        error = json_field_int64(object, "asleep_ns", 0, INT64_MAX, &sweep->asleep_ns, failure);
    }
    if (error == 0) {
        error = json_field_int64(object, "coordinator_cpu_ns", 0, INT64_MAX, &sweep->coordinator_cpu_ns,
                                 failure);
    }
    if (error == 0) {
        error = decode_load(object, sweep, failure);
    }
    return error;
}

static int decode_record(const json_t *object, struct sweep *sweep, struct failure *failure)
{
    const char *record = json_string_value(json_object_get(object, "record"));
    if (strcmp(record, "visit") == 0 || strcmp(record, "failure") == 0) {
        return record_visit_decode(object, sweep, failure);
    }
    if (strcmp(record, "migrations") == 0) {
        return record_migrations_decode(object, sweep, failure);
    }
    if (strcmp(record, "end") == 0) {
        return decode_end(object, sweep, failure);
    }
    if (strcmp(record, "header") == 0) {
        return failure_set(failure, "record", 0, "a second header: two files were put into one");
    }
    return 0;
}

int record_decode_line(const char *line, size_t size, struct sweep *sweep, struct failure *failure)
{
    json_t *object = NULL;
    int error = parse(line, size, &object, failure);
    if (error != 0) {
        return error;
    }
    error = decode_record(object, sweep, failure);
    json_decref(object);
    return error;
}
