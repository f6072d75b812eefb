/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv_line.h"

#include "text.h"

#include <inttypes.h>
#include <string.h>

static void separate(struct csv_line *line)
{
    if (line->has_field) {
        (void)fputc(',', line->stream);
    }
    line->has_field = true;
}

void csv_text(struct csv_line *line, const char *text)
{
    separate(line);
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        (void)fputs(text, line->stream);
        return;
    }
    (void)fputc('"', line->stream);
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            (void)fputc('"', line->stream);
        }
        (void)fputc(*text, line->stream);
    }
    (void)fputc('"', line->stream);
}

void csv_integer(struct csv_line *line, int64_t number)
{
    separate(line);
    (void)fprintf(line->stream, "%" PRId64, number);
}

void csv_id(struct csv_line *line, int number)
{
    separate(line);
    if (number >= 0) {
        (void)fprintf(line->stream, "%d", number);
    }
}

void csv_number_ns(struct csv_line *line, double value_ns)
{
    char text[TEXT_NUMBER_SIZE];
    separate(line);
    (void)fputs(text_format_ns(value_ns, text), line->stream);
}

void csv_bool(struct csv_line *line, bool is_so)
{
    separate(line);
    (void)fputc(is_so ? '1' : '0', line->stream);
}

void csv_names(struct csv_line *line, const char *names)
{
    separate(line);
    (void)fputs(names, line->stream);
}

void csv_end(struct csv_line *line)
{
    (void)fputc('\n', line->stream);
    line->has_field = false;
}
