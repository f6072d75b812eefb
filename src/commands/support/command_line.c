/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool needs_quotes(const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
    return word[0] == '\0' || word[strspn(word, plain)] != '\0';
}

static void put_word(FILE *stream, const char *word)
{
    if (!needs_quotes(word)) {
        (void)fputs(word, stream);
        return;
    }
    (void)fputc('\'', stream);
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            (void)fputs("'\\''", stream);
        } else {
            (void)fputc(*word, stream);
        }
    }
    (void)fputc('\'', stream);
}

char *command_line_join(int argc, char **argv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    for (int i = 0; i < argc; i++) {
        if (i > 0) {
            (void)fputc(' ', stream);
        }
        put_word(stream, argv[i]);
    }
    const bool has_failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || has_failed) {
        free(text);
        return NULL;
    }
    return text;
}
