/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/random.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

struct random_stream {
    gsl_rng *generator; /* gsl_rng_mt19937: 32 bits a draw, 32 bits of seed */
};

/* Spreads neighbouring numbers (rounds, cells) over all bits: an odd multiplier and shifts, so that no
 * two inputs give the same output. */
static uint64_t scramble(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static unsigned long generator_seed(uint64_t seed, enum random_purpose purpose, uint64_t round,
                                    uint64_t cell)
{
    uint64_t mixed = scramble(seed);
    mixed = scramble(mixed ^ (uint64_t)purpose);
    mixed = scramble(mixed ^ round);
    mixed = scramble(mixed ^ cell);
    const uint32_t folded = (uint32_t)(mixed ^ (mixed >> 32));
    /* GSL takes 0 for its default seed, which would be the same as another's. */
    return folded == 0 ? 1 : folded;
}

struct random_stream *random_stream_create(uint64_t seed, enum random_purpose purpose, uint64_t round,
                                           uint64_t cell)
{
    struct random_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return NULL;
    }
    /* GSL's own handler ends the process when memory runs out. */
    gsl_error_handler_t *const handler = gsl_set_error_handler_off();
    stream->generator = gsl_rng_alloc(gsl_rng_mt19937);
    (void)gsl_set_error_handler(handler);
    if (stream->generator == NULL) {
        free(stream);
        return NULL;
    }
    gsl_rng_set(stream->generator, generator_seed(seed, purpose, round, cell));
    return stream;
}

void random_stream_destroy(struct random_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    gsl_rng_free(stream->generator);
    free(stream);
}

double random_stream_uniform(struct random_stream *stream)
{
    return gsl_rng_uniform(stream->generator);
}

static uint64_t draw_64_bits(struct random_stream *stream)
{
    const uint64_t high = gsl_rng_get(stream->generator);
    return (high << 32) | gsl_rng_get(stream->generator);
}

/* Uniform in [0, span], without the bias of a plain remainder. */
static uint64_t draw_up_to(struct random_stream *stream, uint64_t span)
{
    if (span < UINT32_MAX) {
        return gsl_rng_uniform_int(stream->generator, (unsigned long)span + 1);
    }
    if (span == UINT64_MAX) {
        return draw_64_bits(stream);
    }
    const uint64_t values = span + 1;
    const uint64_t limit = UINT64_MAX - UINT64_MAX % values;
    uint64_t drawn = draw_64_bits(stream);
    while (drawn >= limit) {
        drawn = draw_64_bits(stream);
    }
    return drawn % values;
}

int64_t random_stream_between(struct random_stream *stream, int64_t low, int64_t high)
{
    if (low >= high) {
        return low;
    }
    const uint64_t span = (uint64_t)high - (uint64_t)low;
    return (int64_t)((uint64_t)low + draw_up_to(stream, span));
}

void random_stream_shuffle(struct random_stream *stream, size_t *items, size_t count)
{
    if (count > 1) {
        gsl_ran_shuffle(stream->generator, items, count, sizeof *items);
    }
}
