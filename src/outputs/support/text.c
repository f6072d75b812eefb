/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text.h"

#include "numasweep/saturated.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

/* By its first byte; 0 for a byte that starts no sequence. */
static size_t utf8_length(unsigned char lead)
{
    if (lead < 0x80U) {
        return 1;
    }
    if (lead < 0xC2U || lead > 0xF4U) {
        return 0;
    }
    if (lead < 0xE0U) {
        return 2;
    }
    return lead < 0xF0U ? 3 : 4;
}

/* The length of the well-formed UTF-8 sequence at `text` and its code point, or 0. */
static size_t utf8_sequence(const unsigned char *text, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = utf8_length(text[0]);
    *code = text[0];
    if (length < 2) {
        return length;
    }
    *code &= 0xFFU >> (length + 1);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0U) != 0x80U) {
            return 0;
        }
        *code = (*code << 6) | (text[i] & 0x3FU);
    }
    const bool is_surrogate = (*code & 0xFFFFF800U) == 0xD800U;
    return *code < smallest[length] || *code > 0x10FFFFU || is_surrogate ? 0 : length;
}

/* C0, DEL, C1, and the marks that turn the direction of a line around or break it. */
static bool is_control(uint32_t code)
{
    return code < 0x20U || (code >= 0x7FU && code < 0xA0U) || (code >= 0x200EU && code <= 0x200FU) ||
           (code >= 0x2028U && code <= 0x202EU) || (code >= 0x2066U && code <= 0x2069U);
}

char *text_printable(const char *text, bool use_ascii)
{
    const unsigned char *in = (const unsigned char *)(text != NULL ? text : "");
    char *copy = malloc(4 * strlen((const char *)in) + 1);
    size_t used = 0;
    if (copy == NULL) {
        return NULL;
    }
    while (*in != '\0') {
        uint32_t code = 0;
        const size_t length = utf8_sequence(in, &code);
        if (length != 0 && !is_control(code) && (code < 0x80U || !use_ascii)) {
            (void)memcpy(copy + used, in, length);
            used += length;
            in += length;
            continue;
        }
        const size_t broken = length != 0 ? length : 1;
        for (size_t i = 0; i < broken; i++) {
            used += (size_t)snprintf(copy + used, 5, "\\x%02x", in[i]);
        }
        in += broken;
    }
    copy[used] = '\0';
    return copy;
}

char *text_valid_utf8(const char *text)
{
    const unsigned char *in = (const unsigned char *)(text != NULL ? text : "");
    char *copy = malloc(3 * strlen((const char *)in) + 1);
    size_t used = 0;
    if (copy == NULL) {
        return NULL;
    }
    while (*in != '\0') {
        uint32_t code = 0;
        const size_t length = utf8_sequence(in, &code);
        if (length == 0) {
            (void)memcpy(copy + used, "\xEF\xBF\xBD", 3);
            used += 3;
            in++;
            continue;
        }
        (void)memcpy(copy + used, in, length);
        used += length;
        in += length;
    }
    copy[used] = '\0';
    return copy;
}

size_t text_width(const char *text)
{
    const unsigned char *in = (const unsigned char *)text;
    size_t width = 0;
    while (*in != '\0') {
        uint32_t code = 0;
        const size_t length = utf8_sequence(in, &code);
        const int columns = length > 1 ? wcwidth((wchar_t)code) : 1;
        width += columns > 0 ? (size_t)columns : (columns == 0 ? 0 : 1);
        in += length != 0 ? length : 1;
    }
    return width;
}

static const char *format_fixed(double value, int digits, char text[TEXT_NUMBER_SIZE])
{
    int64_t scale = 1;
    for (int i = 0; i < digits; i++) {
        scale *= 10;
    }
    const int64_t scaled = saturated_from_double(round(fabs(value) * (double)scale));
    const char *sign = value < 0 && scaled != 0 ? "-" : "";
    if (digits == 0) {
        (void)snprintf(text, TEXT_NUMBER_SIZE, "%s%" PRId64, sign, scaled);
    } else {
        (void)snprintf(text, TEXT_NUMBER_SIZE, "%s%" PRId64 ".%0*" PRId64, sign, scaled / scale, digits,
                       scaled % scale);
    }
    return text;
}

const char *text_format_us(double value_ns, char text[TEXT_NUMBER_SIZE])
{
    const double size_us = fabs(value_ns) / 1000.0;
    int digits = 0;
    if (!isfinite(value_ns)) {
        (void)snprintf(text, TEXT_NUMBER_SIZE, "n/a");
        return text;
    }
    /* The bounds are where rounding would give a fourth digit. */
    if (size_us < 9.995) {
        digits = 2;
    } else if (size_us < 99.95) {
        digits = 1;
    }
    return format_fixed(value_ns / 1000.0, digits, text);
}

const char *text_format_ns(double value_ns, char text[TEXT_NUMBER_SIZE])
{
    if (!isfinite(value_ns) || fabs(value_ns) > 9.2e18) {
        text[0] = '\0';
        return text;
    }
    const bool is_whole = fabs(value_ns) > 1e15 || fabs(value_ns - round(value_ns)) < 0.0005;
    return format_fixed(value_ns, is_whole ? 0 : 3, text);
}

const char *text_format_bytes(int64_t bytes, char text[TEXT_NUMBER_SIZE])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = (double)bytes / 1024.0;
    size_t unit = 0;
    if (bytes < 0) {
        (void)snprintf(text, TEXT_NUMBER_SIZE, "-");
        return text;
    }
    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024.0;
        unit++;
    }
    (void)format_fixed(value, value < 99.95 && bytes != 0 ? 1 : 0, text);
    const size_t length = strlen(text);
    (void)snprintf(text + length, TEXT_NUMBER_SIZE - length, " %s", units[unit]);
    return text;
}

const char *text_format_utc(int64_t unix_ns, bool is_iso, char text[TEXT_TIME_SIZE])
{
    const time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm when = {0};
    text[0] = '\0';
    if (gmtime_r(&seconds, &when) == NULL) {
        return text;
    }
    if (strftime(text, TEXT_TIME_SIZE, is_iso ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M:%S UTC", &when) ==
        0) {
        text[0] = '\0';
    }
    return text;
}

/* Bytes of the characters that fit into `width` columns, at least one character. */
static size_t bytes_that_fit(const char *text, size_t width)
{
    size_t used = 0;
    size_t columns = 0;
    while (text[used] != '\0') {
        uint32_t code = 0;
        const size_t length = utf8_sequence((const unsigned char *)text + used, &code);
        const int character = length > 1 ? wcwidth((wchar_t)code) : 1;
        columns += character >= 0 ? (size_t)character : 1;
        if (columns > width && used > 0) {
            break;
        }
        used += length != 0 ? length : 1;
    }
    return used;
}

size_t text_wrap(const char *text, size_t width, const char **next)
{
    size_t length = width == 0 ? strlen(text) : bytes_that_fit(text, width);
    if (text[length] != '\0') {
        const size_t indent = strspn(text, " ");
        size_t space = length;
        while (space > indent && text[space] != ' ') {
            space--;
        }
        length = space > indent ? space : length;
    }
    *next = text + length;
    while (**next == ' ') {
        (*next)++;
    }
    return length;
}

static void print_wrapped(FILE *stream, const char *text, size_t width, int indent)
{
    const char *line = text;
    int shift = 0;
    do {
        const char *next = NULL;
        const size_t room = width > (size_t)shift + 20 ? width - (size_t)shift : width;
        const size_t length = text_wrap(line, room, &next);
        (void)fprintf(stream, "%*s%.*s\n", shift, "", (int)length, line);
        line = next;
        shift = indent;
    } while (*line != '\0');
}

int text_print_line(FILE *stream, int width, bool use_ascii, int indent, const char *format, ...)
{
    char *made = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&made, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return -ENOMEM;
    }
    char *printable = text_printable(made, use_ascii);
    free(made);
    if (printable == NULL) {
        return -ENOMEM;
    }
    print_wrapped(stream, printable, width > 0 ? (size_t)width : 0, indent);
    free(printable);
    return 0;
}

int text_stream_error(FILE *stream)
{
    return ferror(stream) != 0 ? -EIO : 0;
}
