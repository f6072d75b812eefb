/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_all_digits(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static int refuse_number(const char *text, int errno_value, int64_t minimum, int64_t maximum,
                         struct failure *failure)
{
    if (maximum == INT64_MAX) {
        return failure_set(failure, "number", errno_value,
                           "\"%.60s\" is not a whole number of %" PRId64 " or more", text, minimum);
    }
    return failure_set(failure, "number", errno_value,
                       "\"%.60s\" is not a whole number from %" PRId64 " to %" PRId64, text, minimum,
                       maximum);
}

int number_parse_int64(const char *text, int64_t minimum, int64_t maximum, int64_t *value,
                       struct failure *failure)
{
    if (!is_all_digits(text[0] == '-' ? text + 1 : text)) {
        return refuse_number(text, EINVAL, minimum, maximum, failure);
    }
    errno = 0;
    const intmax_t parsed = strtoimax(text, NULL, 10);
    if (errno != 0 || parsed < minimum || parsed > maximum) {
        return refuse_number(text, ERANGE, minimum, maximum, failure);
    }
    *value = parsed;
    return 0;
}

int number_parse_uint64(const char *text, uint64_t *value, struct failure *failure)
{
    int errno_value = EINVAL;
    if (is_all_digits(text)) {
        errno = 0;
        const uintmax_t parsed = strtoumax(text, NULL, 10);
        if (errno == 0) {
            *value = parsed;
            return 0;
        }
        errno_value = ERANGE;
    }
    return failure_set(failure, "number", errno_value,
                       "\"%.60s\" is not a whole number from 0 to %" PRIu64, text, UINT64_MAX);
}

const char *number_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}
