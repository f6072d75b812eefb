/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* vsnprintf() may have cut in the middle of a UTF-8 character. */
static void trim_to_whole_character(char *text)
{
    size_t length = strlen(text);
    size_t start = length;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0U) == 0x80U) {
        start--;
    }
    if (start == 0) {
        return;
    }
    const unsigned char lead = (unsigned char)text[start - 1];
    size_t expected = 1;
    if (lead >= 0xF0U) {
        expected = 4;
    } else if (lead >= 0xE0U) {
        expected = 3;
    } else if (lead >= 0xC0U) {
        expected = 2;
    }
    if (length - start + 1 < expected) {
        text[start - 1] = '\0';
    }
}

int failure_vset(struct failure *failure, const char *stage, int errno_value, const char *format,
                 va_list arguments)
{
    const int result = errno_value != 0 ? -errno_value : -EINVAL;
    if (failure == NULL) {
        return result;
    }
    failure->errno_value = errno_value;
    (void)snprintf(failure->stage, sizeof failure->stage, "%s", stage);
    if (vsnprintf(failure->text, sizeof failure->text, format, arguments) >= (int)sizeof failure->text) {
        trim_to_whole_character(failure->text);
    }
    return result;
}

int failure_set(struct failure *failure, const char *stage, int errno_value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int result = failure_vset(failure, stage, errno_value, format, arguments);
    va_end(arguments);
    return result;
}
