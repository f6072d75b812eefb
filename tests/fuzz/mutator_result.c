/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes that are changed blindly are hardly ever JSON again: most changes are made to one value of one
 * record, so that what lies behind the JSON reader is reached. */
#include "fuzz.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Minimal standard generator: the same seed must give the same change. */
static uint32_t draw(uint32_t *state, size_t bound)
{
    *state = (uint32_t)((uint64_t)(*state % 2147483646 + 1) * 48271 % 2147483647);
    return (uint32_t)(*state % bound);
}

static json_t *draw_integer(uint32_t *state, const json_t *old)
{
    static const json_int_t interesting[] = {
        INT64_MIN, INT32_MIN, -2, -1, 0, 1, 2, 7, 64, 1000, 1048575, INT32_MAX, UINT32_MAX, INT64_MAX};
    const size_t count = sizeof interesting / sizeof interesting[0];
    if (json_is_integer(old) && draw(state, 3) == 0) {
        const uint64_t near = (uint64_t)json_integer_value(old) + draw(state, 5) - 2;
        return json_integer((json_int_t)near);
    }
    return json_integer(interesting[draw(state, count)]);
}

static json_t *draw_text(uint32_t *state)
{
    static const char *const interesting[] = {
        "",      "0",           "0-7",     "0-1023",      "1,3,5",
        "node",  "core",        "machine", "all",         "local",
        "none",  "offline",     "online",  "not allowed", "fifo",
        "rr",    "other",       "one",     "l3",          "package",
        "100us", "1ms,2ms,3ms", "9m",      "1000000",     "yes",
        "no",    "raw",         "auto",    "off",         "failure",
        "visit", "end",         "\x1b[2J", "a\nb\tc",     "\x7f\u00e9\u4e2d",
        "%s%n",  "irq:LOC",     "smi",     "isolated",    "9223372036854775807",
    };
    char many[700];
    const size_t count = sizeof interesting / sizeof interesting[0];
    const size_t choice = draw(state, count + 1);
    if (choice < count) {
        return json_string(interesting[choice]);
    }
    memset(many, 'w', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    return json_string(many);
}

static json_t *draw_value(uint32_t *state, const json_t *old)
{
    switch (draw(state, 8)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(draw(state, 2));
    case 2:
        return json_array();
    case 3:
        return json_real(1e300);
    default:
        break;
    }
    if (json_is_boolean(old)) {
        return json_boolean(!json_is_true(old));
    }
    return json_is_string(old) ? draw_text(state) : draw_integer(state, old);
}

/* Arrays of records grow and shrink: a CPU twice, a sample less. */
static void change_array(json_t *array, uint32_t *state)
{
    const size_t size = json_array_size(array);
    const size_t index = size > 0 ? draw(state, size) : 0;
    if (size == 0) {
        (void)json_array_append_new(array, draw_integer(state, NULL));
        return;
    }
    if (draw(state, 2) == 0) {
        (void)json_array_remove(array, index);
        return;
    }
    (void)json_array_insert_new(array, draw(state, size + 1),
                                json_deep_copy(json_array_get(array, index)));
}

static void change_value(json_t *container, uint32_t *state);

static void change_member(json_t *object, uint32_t *state)
{
    size_t left = draw(state, json_object_size(object));
    void *at = json_object_iter(object);
    while (left-- > 0) {
        at = json_object_iter_next(object, at);
    }
    json_t *value = json_object_iter_value(at);
    if ((json_is_object(value) || json_is_array(value)) && draw(state, 16) != 0) {
        change_value(value, state);
    } else if (draw(state, 16) == 0) {
        (void)json_object_del(object, json_object_iter_key(at));
    } else {
        (void)json_object_iter_set_new(object, at, draw_value(state, value));
    }
}

static void change_value(json_t *container, uint32_t *state)
{
    if (json_is_object(container) && json_object_size(container) > 0) {
        change_member(container, state);
        return;
    }
    if (!json_is_array(container)) {
        return;
    }
    const size_t size = json_array_size(container);
    if (size == 0 || draw(state, 4) == 0) {
        change_array(container, state);
        return;
    }
    const size_t index = draw(state, size);
    json_t *value = json_array_get(container, index);
    if (json_is_object(value) || json_is_array(value)) {
        change_value(value, state);
    } else {
        (void)json_array_set_new(container, index, draw_value(state, value));
    }
}

/* Finds the line that the byte at `at` is in. */
static size_t find_line(const uint8_t *data, size_t size, size_t at, size_t *end)
{
    size_t start = at;
    *end = at;
    while (start > 0 && data[start - 1] != '\n') {
        start--;
    }
    while (*end < size && data[*end] != '\n') {
        (*end)++;
    }
    return start;
}

static size_t replace(uint8_t *data, size_t size, size_t max_size, size_t start, size_t end,
                      const char *line, size_t length)
{
    if (size - (end - start) + length > max_size) {
        return size;
    }
    memmove(data + start + length, data + end, size - end);
    memcpy(data + start, line, length);
    return size - (end - start) + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint32_t state = seed;
    size_t end = 0;
    if (size == 0 || draw(&state, 10) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    /* The header is one long line of many; it decides more than its length says. */
    const size_t at = draw(&state, 2) == 0 ? 0 : draw(&state, size);
    const size_t start = find_line(data, size, at, &end);
    json_t *record = json_loadb((const char *)data + start, end - start, 0, NULL);
    if (record == NULL) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    for (uint32_t changes = draw(&state, 3) + 1; changes > 0; changes--) {
        change_value(record, &state);
    }
    char *line = json_dumps(record, JSON_COMPACT);
    json_decref(record);
    if (line == NULL) {
        return size;
    }
    size = replace(data, size, max_size, start, end, line, strlen(line));
    free(line);
    return size;
}
