/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts and numbers as the output formats show them; independent of the locale. */
#ifndef NUMASWEEP_OUTPUTS_TEXT_H
#define NUMASWEEP_OUTPUTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_NUMBER_SIZE = 48, TEXT_TIME_SIZE = 64 };

/* A copy that cannot disturb a terminal: control characters and bytes that are no UTF-8 become \xNN;
 * with `use_ascii` every other byte outside ASCII too. The caller frees; NULL when memory ran out. */
char *text_printable(const char *text, bool use_ascii);

/* A copy that is valid UTF-8: every byte that is not becomes U+FFFD. The caller frees. */
char *text_valid_utf8(const char *text);

/* Terminal columns that a printable text takes. */
size_t text_width(const char *text);

/* Microseconds with three significant digits ("6.41", "12.3", "1234"); "n/a" when not finite. */
const char *text_format_us(double value_ns, char text[TEXT_NUMBER_SIZE]);

/* Nanoseconds as a plain decimal, with at most three digits after the point; "" when not finite. */
const char *text_format_ns(double value_ns, char text[TEXT_NUMBER_SIZE]);

/* "63.8 GiB"; "-" when negative (not known). */
const char *text_format_bytes(int64_t bytes, char text[TEXT_NUMBER_SIZE]);

/* "2026-01-31 08:15:00 UTC", or in ISO 8601 "2026-01-31T08:15:00Z". */
const char *text_format_utc(int64_t unix_ns, bool is_iso, char text[TEXT_TIME_SIZE]);

/* Bytes of the next line of `text` when at most `width` columns are wanted: cut at a space where there
 * is one. `next` is where the line after starts. A width of 0 takes everything. */
size_t text_wrap(const char *text, size_t width, const char **next);

/* Prints a made-up line, printable, wrapped at `width` (0: never), later lines indented by `indent`.
 * -ENOMEM; errors of the stream stay in the stream. */
int text_print_line(FILE *stream, int width, bool use_ascii, int indent, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* 0, or -EIO when something could not be written. */
int text_stream_error(FILE *stream);

#endif
