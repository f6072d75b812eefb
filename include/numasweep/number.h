/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and durations as people write them. The whole string is checked, and the range. */
#ifndef NUMASWEEP_NUMBER_H
#define NUMASWEEP_NUMBER_H

#include "numasweep/failure.h"

#include <stddef.h>
#include <stdint.h>

/* A decimal integer in [minimum, maximum]. Empty text, spaces, a leading '+', trailing characters,
 * overflow and values outside are -EINVAL or -ERANGE; the text of the failure says what would do. */
int number_parse_int64(const char *text, int64_t minimum, int64_t maximum, int64_t *value,
                       struct failure *failure);

/* An unsigned decimal integer over the full range of uint64_t (seeds). */
int number_parse_uint64(const char *text, uint64_t *value, struct failure *failure);

/* A duration: a decimal number, which may have a fraction, followed by ns, us, ms, s or m ("1ms",
 * "2.5us", "1m"). A bare number is refused, with the units named. Result in nanoseconds, a whole number
 * of them ("0.5ns" is refused), in [minimum_ns, maximum_ns]. "0" alone is accepted as 0 when minimum_ns
 * is 0 or less. */
int duration_parse(const char *text, int64_t minimum_ns, int64_t maximum_ns, int64_t *duration_ns,
                   struct failure *failure);

enum { DURATION_TEXT_SIZE = 32 };

/* The shortest exact text that duration_parse() reads back: "1ms", "1500us", "0ns". Returns text. */
const char *duration_format(int64_t duration_ns, char text[DURATION_TEXT_SIZE]);

/* For people, not exact: "350ms", "2.1s", "3min 20s", "2h 05min". Returns text. */
const char *duration_format_rough(int64_t duration_ns, char text[DURATION_TEXT_SIZE]);

/* The ending of a counted noun: "1 visit", "2 visits". */
const char *number_plural(int64_t count);

#endif
