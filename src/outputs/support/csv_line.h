/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of one CSV line, quoted as RFC 4180 has it. Errors of the stream stay in the stream. */
#ifndef NUMASWEEP_OUTPUTS_CSV_LINE_H
#define NUMASWEEP_OUTPUTS_CSV_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv_line {
    FILE *stream;
    bool has_field;
};

void csv_text(struct csv_line *line, const char *text);
void csv_integer(struct csv_line *line, int64_t number);
void csv_id(struct csv_line *line, int number);             /* negative: an empty field */
void csv_number_ns(struct csv_line *line, double value_ns); /* not finite: an empty field */
void csv_bool(struct csv_line *line, bool is_so);           /* 1 or 0 */
void csv_names(struct csv_line *line, const char *names);   /* of a heading, separated by commas */
void csv_end(struct csv_line *line);

#endif
