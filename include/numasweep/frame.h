/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frames that a worker writes to its pipe: a 16-byte header and at most 4,080 bytes, so that each
 * is written whole (pipe(7): writes up to PIPE_BUF, 4,096, are atomic). Numbers are in the byte order of
 * the machine; both ends are one program.
 *
 *   HELLO -> (gate) -> SAMPLES... COUNTERS... SUMMARY, or FAILURE at any point.
 */
#ifndef NUMASWEEP_FRAME_H
#define NUMASWEEP_FRAME_H

#include "numasweep/failure.h"
#include "numasweep/visit.h"

#include <stddef.h>
#include <stdint.h>

enum { FRAME_HEADER_SIZE = 16, FRAME_MAX_PAYLOAD = 4080, FRAME_MAX_SIZE = 4096 };

enum frame_type { FRAME_HELLO = 1, FRAME_SAMPLES, FRAME_COUNTERS, FRAME_SUMMARY, FRAME_FAILURE };

struct frame {
    enum frame_type type;
    uint32_t sequence; /* 0, 1, 2, ... within one worker */
    size_t payload_size;
    unsigned char payload[FRAME_MAX_PAYLOAD];
};

/* Writes header and payload into `bytes`; returns the size. payload_size must be within the bound. */
size_t frame_encode(enum frame_type type, uint32_t sequence, const void *payload, size_t payload_size,
                    unsigned char bytes[FRAME_MAX_SIZE]);

/* Puts partial reads together. Zeroed = empty. */
struct frame_reader {
    unsigned char bytes[FRAME_MAX_SIZE];
    size_t size;
    uint32_t next_sequence;
};

/* Takes up to `size` bytes in; `*taken` says how many. Returns 1 and fills `frame` when one is complete
 * (call again with the rest), 0 when more bytes are needed, -EPROTO when the bytes are no frame: wrong
 * magic, type, size or sequence. */
int frame_reader_take(struct frame_reader *reader, const void *bytes, size_t size, size_t *taken,
                      struct frame *frame);

/* Builds a visit from the frames of one worker, with every length, order and count checked against
 * the request. Zeroed = start. */
struct visit_builder {
    struct visit visit;
    bool has_hello;
    bool has_summary;
    size_t sample_capacity;
};

/* -EPROTO with the failure filled when the frame makes no sense here; -ENOMEM. A FAILURE frame ends the
 * visit as VISIT_FAILED. */
int visit_builder_take(struct visit_builder *builder, const struct visit_request *request,
                       const struct frame *frame, struct failure *failure);
bool visit_builder_is_complete(const struct visit_builder *builder);
void visit_builder_destroy(struct visit_builder *builder);

#endif
