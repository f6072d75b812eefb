/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/id_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_EXAMPLE "0-3,8,16-30:2"

/* Longer than any element of sense; a message must stay readable whatever was typed. */
enum { SHOWN_ELEMENT_SIZE = 60 };

struct element {
    const char *text;
    size_t size;
};

static int refuse(const struct element *element, struct failure *failure, const char *why)
{
    const int shown = element->size < SHOWN_ELEMENT_SIZE ? (int)element->size : SHOWN_ELEMENT_SIZE;
    return failure_set(failure, "list", 0,
                       "\"%.*s\" %s; a list is numbers and ranges, as in " LIST_EXAMPLE, shown,
                       element->text, why);
}

enum number_form { NUMBER_FINE, NUMBER_MISSING, NUMBER_TOO_LARGE };

/* Reads digits at *cursor and moves it behind them. */
static enum number_form take_number(const char **cursor, const char *end, int *number)
{
    const char *digit = *cursor;
    int value = 0;
    bool is_too_large = false;
    for (; digit < end && *digit >= '0' && *digit <= '9'; digit++) {
        if (value <= ID_LIST_MAX_ID) {
            value = value * 10 + (*digit - '0');
        }
        is_too_large = value > ID_LIST_MAX_ID;
    }
    if (digit == *cursor) {
        return NUMBER_MISSING;
    }
    *cursor = digit;
    *number = value;
    return is_too_large ? NUMBER_TOO_LARGE : NUMBER_FINE;
}

static int take_element_number(const struct element *element, const char **cursor, int *number,
                               struct failure *failure)
{
    switch (take_number(cursor, element->text + element->size, number)) {
    case NUMBER_MISSING:
        return refuse(element, failure, "is not a number or a range");
    case NUMBER_TOO_LARGE:
        return refuse(element, failure, "has a number over 1048575");
    case NUMBER_FINE:
        break;
    }
    return 0;
}

static int parse_element(const struct element *element, struct id_list *list, struct failure *failure)
{
    const char *cursor = element->text;
    const char *const end = element->text + element->size;
    int first = 0;
    int stride = 1;
    int error = take_element_number(element, &cursor, &first, failure);
    int last = first;
    const bool is_range = error == 0 && cursor < end && *cursor == '-';
    if (is_range) {
        cursor++;
        error = take_element_number(element, &cursor, &last, failure);
    }
    if (is_range && error == 0 && cursor < end && *cursor == ':') {
        cursor++;
        error = take_element_number(element, &cursor, &stride, failure);
    }
    if (error != 0) {
        return error;
    }
    if (cursor != end) {
        return refuse(element, failure,
                      !is_range && *cursor == ':' ? "has a stride without a range"
                                                  : "has something after the number");
    }
    if (first > last) {
        return refuse(element, failure, "is a reversed range");
    }
    if (stride == 0) {
        return refuse(element, failure, "has a stride of zero");
    }
    return id_list_add_range(list, first, last, stride);
}

static int parse_text(const char *text, size_t size, struct id_list *list, struct failure *failure)
{
    const char *const end = text + size;
    struct id_list parsed = {0};
    struct element element = {.text = text};
    int error = 0;
    for (;;) {
        const char *comma = memchr(element.text, ',', (size_t)(end - element.text));
        element.size = (size_t)((comma != NULL ? comma : end) - element.text);
        if (element.size == 0) {
            const struct element whole = {.text = text, .size = size};
            error = refuse(&whole, failure, "has an empty element");
            goto out;
        }
        error = parse_element(&element, &parsed, failure);
        if (error != 0 || comma == NULL) {
            goto out;
        }
        element.text = comma + 1;
    }
out:
    if (error != 0) {
        id_list_destroy(&parsed);
        return error;
    }
    id_list_destroy(list);
    *list = parsed;
    return 0;
}

int id_list_parse(const char *text, struct id_list *list, struct failure *failure)
{
    if (text[0] == '\0') {
        return failure_set(failure, "list", 0,
                           "the list is empty; a list is numbers and ranges, as in " LIST_EXAMPLE);
    }
    return parse_text(text, strlen(text), list, failure);
}

int id_list_parse_kernel(const char *text, struct id_list *list, struct failure *failure)
{
    size_t size = strlen(text);
    if (size > 0 && text[size - 1] == '\n') {
        size--;
    }
    if (size == 0) {
        list->count = 0;
        return 0;
    }
    return parse_text(text, size, list, failure);
}

/* How many ids from `start` on go up by the same step. */
static size_t run_length(const struct id_list *list, size_t start)
{
    if (start + 1 >= list->count) {
        return 1;
    }
    const int step = list->ids[start + 1] - list->ids[start];
    size_t length = 2;
    while (start + length < list->count &&
           list->ids[start + length] - list->ids[start + length - 1] == step) {
        length++;
    }
    return length;
}

/* How many ids from `start` on make one element of the text. */
static size_t element_length(const struct id_list *list, size_t start)
{
    size_t length = run_length(list, start);
    if (length == 1 || list->ids[start + 1] == list->ids[start] + 1) {
        return length;
    }
    /* The last id of a stride is better the first of a plain range: 0,2,4-100. */
    const size_t next = start + length;
    if (next < list->count && list->ids[next] == list->ids[next - 1] + 1) {
        length--;
    }
    return length < 3 ? 1 : length;
}

static void write_element(FILE *stream, const struct id_list *list, size_t start, size_t length)
{
    const int first = list->ids[start];
    (void)fprintf(stream, "%s%d", start > 0 ? "," : "", first);
    if (length == 1) {
        return;
    }
    (void)fprintf(stream, "-%d", list->ids[start + length - 1]);
    const int stride = list->ids[start + 1] - first;
    if (stride > 1) {
        (void)fprintf(stream, ":%d", stride);
    }
}

char *id_list_format(const struct id_list *list)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    for (size_t start = 0; start < list->count;) {
        const size_t length = element_length(list, start);
        write_element(stream, list, start, length);
        start += length;
    }
    const bool has_failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || has_failed) {
        free(text);
        return NULL;
    }
    return text;
}
