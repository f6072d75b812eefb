/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples that another tool took, as CSV: a heading with at least round, cpu, node and elapsed_ns, where
 * known requested_ns and touch_ns, and a line for each sample. Pure: the bytes are given piece by piece.
 */
#ifndef NUMASWEEP_SAMPLE_CSV_H
#define NUMASWEEP_SAMPLE_CSV_H

#include "numasweep/failure.h"

#include <stddef.h>
#include <stdint.h>

enum { SAMPLE_LARGEST_ROUND = 100000 };

struct sample_line {
    int32_t round; /* from 1 on, as in the file */
    int32_t cpu;
    int32_t node;      /* TOPOLOGY_NONE: not bound */
    uint32_t position; /* in the file, from 0 on */
    int64_t line;      /* in which its text begins */
    int64_t requested_ns;
    int64_t elapsed_ns;
    int64_t touch_ns; /* -1: not known */
};

struct sample_table {
    struct sample_line *lines; /* in the order of the file */
    size_t count;
    size_t capacity;
};

void sample_table_destroy(struct sample_table *table); /* accepts a zeroed struct */

struct sample_csv; /* a reading */

/* `requested_ns` is taken for every sample where the file has no such column; 0: it must have one.
 * NULL when memory ran out. */
struct sample_csv *sample_csv_create(int64_t requested_ns, struct sample_table *table);
void sample_csv_destroy(struct sample_csv *csv); /* accepts NULL */

/* -EINVAL with the failure filled ("line 3: ..."), -ENOMEM. After a refusal the reading is over. */
int sample_csv_take(struct sample_csv *csv, const char *bytes, size_t size, struct failure *failure);
/* The end of the file; a file without any sample is refused. */
int sample_csv_finish(struct sample_csv *csv, struct failure *failure);

#endif
