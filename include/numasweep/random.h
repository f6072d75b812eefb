/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Seeded random numbers, from GSL's generators: one independent stream for each purpose, so that the
 * order of cells, the dither of one visit and the chain of touched lines do not depend on one another,
 * nor on what was measured. The same seed and stream give the same numbers on every machine.
 */
#ifndef NUMASWEEP_RANDOM_H
#define NUMASWEEP_RANDOM_H

#include <stddef.h>
#include <stdint.h>

enum random_purpose {
    RANDOM_ORDER = 1,
    RANDOM_DITHER = 2,
    RANDOM_CHAIN = 3,
    RANDOM_REPLAY = 4,
    RANDOM_VERDICT = 5
};

struct random_stream; /* opaque; owns a gsl_rng */

/* `round` and `cell` number the stream within its purpose. NULL when memory ran out. */
struct random_stream *random_stream_create(uint64_t seed, enum random_purpose purpose, uint64_t round,
                                           uint64_t cell);
void random_stream_destroy(struct random_stream *stream);
double random_stream_uniform(struct random_stream *stream); /* in [0, 1) */
int64_t random_stream_between(struct random_stream *stream, int64_t low,
                              int64_t high); /* both included */
void random_stream_shuffle(struct random_stream *stream, size_t *items, size_t count);

#endif
