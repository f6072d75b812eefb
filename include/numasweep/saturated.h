/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic on figures that come from outside: a result that would overflow stays at the bound. */
#ifndef NUMASWEEP_SATURATED_H
#define NUMASWEEP_SATURATED_H

#include <stdint.h>

static inline int64_t saturated_add(int64_t a, int64_t b)
{
    int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) {
        return sum;
    }
    return a > 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t saturated_subtract(int64_t a, int64_t b)
{
    int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) {
        return difference;
    }
    return b < 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t saturated_multiply(int64_t a, int64_t b)
{
    int64_t product = 0;
    if (!__builtin_mul_overflow(a, b, &product)) {
        return product;
    }
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

/* Towards zero; 0 for a NaN. */
static inline int64_t saturated_from_double(double value)
{
    if (value >= 0x1p63) {
        return INT64_MAX;
    }
    if (value <= -0x1p63) {
        return INT64_MIN;
    }
    return value == value ? (int64_t)value : 0;
}

#endif
