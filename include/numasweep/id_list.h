/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An ascending list of distinct kernel numbers (CPUs or nodes), of any length. There is no fixed-size
 * mask anywhere in numasweep; system-call masks are made from these lists, in src/platform.
 *
 * A zeroed struct is an empty list. The list owns its array; id_list_destroy() accepts a zeroed struct.
 * Functions return 0, -ENOMEM, or -EINVAL where they parse.
 */
#ifndef NUMASWEEP_ID_LIST_H
#define NUMASWEEP_ID_LIST_H

#include "numasweep/failure.h"

#include <stdbool.h>
#include <stddef.h>

/* The largest number that a text may name; a bound for parsing (no machine is near it), not a mask size.
 */
enum { ID_LIST_MAX_ID = 1048575 };

struct id_list {
    int *ids;
    size_t count;
    size_t capacity;
};

void id_list_destroy(struct id_list *list);
int id_list_add(struct id_list *list, int id); /* no effect if already there */
int id_list_add_range(struct id_list *list, int first, int last, int stride);
bool id_list_contains(const struct id_list *list, int id);
bool id_list_equal(const struct id_list *a, const struct id_list *b);
bool id_list_intersects(const struct id_list *a, const struct id_list *b);
int id_list_copy(struct id_list *destination, const struct id_list *source); /* replaces destination */
int id_list_union(struct id_list *destination, const struct id_list *source);
int id_list_intersect(struct id_list *destination, const struct id_list *source);
int id_list_subtract(struct id_list *destination, const struct id_list *source);

/* Parses "0-3,8,16-30:2" (a-b:stride as numactl, taskset and the Linux kernel have it). The whole text
 * must be a list: empty text, empty elements, a reversed range, a zero stride, signs and spaces are
 * -EINVAL, and the failure names the element and what would do. */
int id_list_parse(const char *text, struct id_list *list, struct failure *failure);

/* As the kernel's own *_list files: "" is an empty list, a trailing newline is accepted. */
int id_list_parse_kernel(const char *text, struct id_list *list, struct failure *failure);

/* The shortest text: "0-3,8,16-30:2"; strides are used for three numbers or more. "" when empty.
 * The caller frees; NULL when memory ran out. */
char *id_list_format(const struct id_list *list);

#endif
