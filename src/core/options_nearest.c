/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options_internal.h"

#include <string.h>

enum { LONGEST_WORD = 64, SHORTEST_START = 2 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours; both words at most LONGEST_WORD long. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST_WORD + 1] = {0};
    size_t *before_last = rows[0];
    size_t *last = rows[1];
    size_t *current = rows[2];
    const size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++) {
        last[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        current[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = smaller(substituted, smaller(last[j], current[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = smaller(current[j], before_last[j - 2] + 1);
            }
        }
        size_t *const freed = before_last;
        before_last = last;
        last = current;
        current = freed;
    }
    return last[width];
}

const char *options_nearest(const char *word, const char *const *candidates, size_t count)
{
    const size_t length = strlen(word);
    const char *nearest = NULL;
    size_t nearest_distance = (length + 2) / 3 + 1; /* one mistake in three letters */
    if (length == 0 || length > LONGEST_WORD) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (strlen(candidates[i]) > LONGEST_WORD) {
            continue;
        }
        const size_t distance = edit_distance(word, candidates[i]);
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = candidates[i];
        }
    }
    for (size_t i = 0; nearest == NULL && i < count; i++) {
        const size_t shared = smaller(length, strlen(candidates[i]));
        if (shared >= SHORTEST_START && strncmp(candidates[i], word, shared) == 0) {
            nearest = candidates[i];
        }
    }
    return nearest;
}

int option_fail_unknown(const char *what, const char *word, const char *const *candidates, size_t count,
                        struct failure *failure)
{
    const char *const nearest = options_nearest(word, candidates, count);
    char list[FAILURE_TEXT_SIZE] = "";
    size_t length = 0;
    for (size_t i = 0; i < count && length + strlen(candidates[i]) + 3 < sizeof list; i++) {
        if (i > 0) {
            list[length++] = ',';
            list[length++] = ' ';
        }
        memcpy(list + length, candidates[i], strlen(candidates[i]) + 1);
        length += strlen(candidates[i]);
    }
    if (nearest != NULL) {
        return failure_set(failure, "options", 0,
                           "\"%.60s\" is not %s; did you mean \"%s\"? There are: %s", word, what,
                           nearest, list);
    }
    return failure_set(failure, "options", 0, "\"%.60s\" is not %s; there are: %s", word, what, list);
}
