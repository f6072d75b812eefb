/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options_internal.h"

#include <string.h>

static void start_line(struct text_wrap *wrap)
{
    if (wrap->column >= wrap->indent) {
        return;
    }
    (void)fprintf(wrap->stream, "%*s", (int)(wrap->indent - wrap->column), "");
    wrap->column = wrap->indent;
}

/* In a manual page a backslash escapes, and a dot or quote at the start of a line is a request. */
static void put_word(struct text_wrap *wrap, const char *word, size_t length)
{
    if (wrap->is_roff && wrap->is_line_start && (word[0] == '.' || word[0] == '\'')) {
        (void)fputs("\\&", wrap->stream);
    }
    for (size_t i = 0; i < length; i++) {
        if (wrap->is_roff && word[i] == '\\') {
            (void)fputs("\\e", wrap->stream);
        } else if (wrap->is_roff && word[i] == '-') {
            (void)fputs("\\-", wrap->stream);
        } else {
            (void)fputc(word[i], wrap->stream);
        }
    }
}

/* Columns of the line as it is written: in a manual page an escaped character takes two. */
static size_t written_width(const struct text_wrap *wrap, const char *word, size_t length)
{
    size_t width = length;
    for (size_t i = 0; wrap->is_roff && i < length; i++) {
        width += word[i] == '\\' || word[i] == '-' ? 1 : 0;
    }
    return width;
}

void text_wrap_words(struct text_wrap *wrap, const char *text)
{
    static const char blanks[] = " \n";
    for (text += strspn(text, blanks); *text != '\0'; text += strspn(text, blanks)) {
        const size_t length = strcspn(text, blanks);
        const size_t width = written_width(wrap, text, length);
        if (!wrap->is_line_start && wrap->column + 1 + width > wrap->width) {
            text_wrap_end(wrap);
        }
        if (wrap->is_line_start) {
            start_line(wrap);
        } else {
            (void)fputc(' ', wrap->stream);
            wrap->column++;
        }
        put_word(wrap, text, length);
        wrap->column += width;
        wrap->is_line_start = false;
        text += length;
    }
}

void text_wrap_end(struct text_wrap *wrap)
{
    (void)fputc('\n', wrap->stream);
    wrap->column = 0;
    wrap->is_line_start = true;
}
