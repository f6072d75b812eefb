/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct duration_unit {
    const char *name;
    int64_t length_ns;
};

enum { UNIT_COUNT = 5, FRACTION_DIGITS_MAX = 18 };

static const struct duration_unit units[UNIT_COUNT] = {
    {.name = "ns", .length_ns = 1},
    {.name = "us", .length_ns = 1000},
    {.name = "ms", .length_ns = 1000000},
    {.name = "s", .length_ns = INT64_C(1000000000)},
    {.name = "m", .length_ns = INT64_C(60000000000)},
};

static const struct duration_unit *find_unit(const char *name)
{
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (strcmp(units[i].name, name) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* "whole[.fraction]unit", cut up. */
struct duration_parts {
    const char *whole;
    size_t whole_digits;
    const char *fraction;
    size_t fraction_digits; /* without trailing zeros */
    const char *unit;
};

static bool split(const char *text, struct duration_parts *parts)
{
    parts->whole = text;
    parts->whole_digits = strspn(text, "0123456789");
    parts->unit = text + parts->whole_digits;
    parts->fraction = parts->unit;
    if (parts->whole_digits == 0) {
        return false;
    }
    if (*parts->unit == '.') {
        parts->fraction = parts->unit + 1;
        parts->fraction_digits = strspn(parts->fraction, "0123456789");
        parts->unit = parts->fraction + parts->fraction_digits;
        if (parts->fraction_digits == 0) {
            return false;
        }
    }
    while (parts->fraction_digits > 0 && parts->fraction[parts->fraction_digits - 1] == '0') {
        parts->fraction_digits--;
    }
    return true;
}

static int read_digits(const char *digits, size_t count, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, digits[i] - '0', value)) {
            return -ERANGE;
        }
    }
    return 0;
}

/* -EINVAL: not a whole number of nanoseconds. */
static int fraction_to_ns(const struct duration_parts *parts, int64_t unit_ns, int64_t *fraction_ns)
{
    if (parts->fraction_digits > FRACTION_DIGITS_MAX) {
        return -EINVAL;
    }
    int64_t numerator = 0;
    int64_t denominator = 1;
    const int error = read_digits(parts->fraction, parts->fraction_digits, &numerator);
    if (error != 0) {
        return error;
    }
    for (size_t i = 0; i < parts->fraction_digits; i++) {
        denominator *= 10;
    }
    const int64_t common = greatest_common_divisor(denominator, unit_ns);
    if (numerator % (denominator / common) != 0) {
        return -EINVAL;
    }
    *fraction_ns = numerator / (denominator / common) * (unit_ns / common);
    return 0;
}

static int parts_to_ns(const struct duration_parts *parts, int64_t unit_ns, int64_t *duration_ns)
{
    int64_t whole = 0;
    int64_t fraction_ns = 0;
    int error = read_digits(parts->whole, parts->whole_digits, &whole);
    if (error == 0) {
        error = fraction_to_ns(parts, unit_ns, &fraction_ns);
    }
    if (error != 0) {
        return error;
    }
    if (__builtin_mul_overflow(whole, unit_ns, duration_ns) ||
        __builtin_add_overflow(*duration_ns, fraction_ns, duration_ns)) {
        return -ERANGE;
    }
    return 0;
}

static int refuse_range(const char *text, int64_t minimum_ns, int64_t maximum_ns,
                        struct failure *failure)
{
    char minimum[DURATION_TEXT_SIZE];
    char maximum[DURATION_TEXT_SIZE];
    return failure_set(failure, "duration", ERANGE, "\"%.60s\" is not between %s and %s", text,
                       duration_format(minimum_ns, minimum), duration_format(maximum_ns, maximum));
}

static int refuse_form(const char *text, struct failure *failure)
{
    if (text[0] == '-') {
        return failure_set(failure, "duration", EINVAL,
                           "\"%.60s\" is negative; a duration is a number and a unit, as in 1ms", text);
    }
    return failure_set(
        failure, "duration", EINVAL,
        "\"%.60s\" is not a duration; give a number and one of the units ns, us, ms, s, m, as in 1ms",
        text);
}

int duration_parse(const char *text, int64_t minimum_ns, int64_t maximum_ns, int64_t *duration_ns,
                   struct failure *failure)
{
    struct duration_parts parts = {0};
    if (strcmp(text, "0") == 0 && minimum_ns <= 0 && maximum_ns >= 0) {
        *duration_ns = 0;
        return 0;
    }
    if (!split(text, &parts)) {
        return refuse_form(text, failure);
    }
    if (*parts.unit == '\0') {
        return failure_set(failure, "duration", EINVAL,
                           "\"%.60s\" has no unit; the units are ns, us, ms, s and m, as in 1ms", text);
    }
    const struct duration_unit *const unit = find_unit(parts.unit);
    if (unit == NULL) {
        return refuse_form(text, failure);
    }
    int64_t parsed_ns = 0;
    const int error = parts_to_ns(&parts, unit->length_ns, &parsed_ns);
    if (error == -EINVAL) {
        return failure_set(failure, "duration", EINVAL, "\"%.60s\" is not a whole number of nanoseconds",
                           text);
    }
    if (error != 0 || parsed_ns < minimum_ns || parsed_ns > maximum_ns) {
        return refuse_range(text, minimum_ns, maximum_ns, failure);
    }
    *duration_ns = parsed_ns;
    return 0;
}

const char *duration_format(int64_t duration_ns, char text[DURATION_TEXT_SIZE])
{
    size_t best = 0;
    for (size_t i = 0; i < UNIT_COUNT && duration_ns != 0; i++) {
        if (duration_ns % units[i].length_ns == 0) {
            best = i;
        }
    }
    (void)snprintf(text, DURATION_TEXT_SIZE, "%" PRId64 "%s", duration_ns / units[best].length_ns,
                   units[best].name);
    return text;
}

static uint64_t rounded(uint64_t value, uint64_t unit)
{
    return value / unit + (value % unit >= unit - unit / 2 ? 1 : 0);
}

static void format_long(uint64_t seconds, const char *sign, char text[DURATION_TEXT_SIZE])
{
    if (seconds < 3600) {
        (void)snprintf(text, DURATION_TEXT_SIZE, "%s%" PRIu64 "min %02" PRIu64 "s", sign, seconds / 60,
                       seconds % 60);
        return;
    }
    const uint64_t minutes = rounded(seconds, 60);
    (void)snprintf(text, DURATION_TEXT_SIZE, "%s%" PRIu64 "h %02" PRIu64 "min", sign, minutes / 60,
                   minutes % 60);
}

const char *duration_format_rough(int64_t duration_ns, char text[DURATION_TEXT_SIZE])
{
    const char *const sign = duration_ns < 0 ? "-" : "";
    if (duration_ns == INT64_MAX) {
        /* Where sums of durations are saturated. */
        (void)snprintf(text, DURATION_TEXT_SIZE, "more than 292 years");
        return text;
    }
    const uint64_t magnitude = duration_ns < 0 ? -(uint64_t)duration_ns : (uint64_t)duration_ns;
    for (size_t i = 0; i < UNIT_COUNT - 1; i++) {
        const uint64_t unit = (uint64_t)units[i].length_ns;
        const uint64_t limit = strcmp(units[i].name, "s") == 0 ? 60 : 1000;
        const uint64_t tenths = unit < 10 ? magnitude * 10 : rounded(magnitude, unit / 10);
        if (tenths < 100 && tenths % 10 != 0) {
            (void)snprintf(text, DURATION_TEXT_SIZE, "%s%" PRIu64 ".%" PRIu64 "%s", sign, tenths / 10,
                           tenths % 10, units[i].name);
            return text;
        }
        if (rounded(magnitude, unit) < limit) {
            (void)snprintf(text, DURATION_TEXT_SIZE, "%s%" PRIu64 "%s", sign, rounded(magnitude, unit),
                           units[i].name);
            return text;
        }
    }
    format_long(rounded(magnitude, (uint64_t)INT64_C(1000000000)), sign, text);
    return text;
}
