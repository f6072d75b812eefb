/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/frame.h"

#include <errno.h>
#include <string.h>

static const uint32_t frame_magic = 0x4E535746U; /* "NSWF" */

struct frame_header {
    uint32_t magic;
    uint32_t type;
    uint32_t sequence;
    uint32_t payload_size;
};

_Static_assert(sizeof(struct frame_header) == FRAME_HEADER_SIZE, "the header has no padding");
_Static_assert(FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD == FRAME_MAX_SIZE, "a frame is written whole");

size_t frame_encode(enum frame_type type, uint32_t sequence, const void *payload, size_t payload_size,
                    unsigned char bytes[FRAME_MAX_SIZE])
{
    const struct frame_header header = {
        .magic = frame_magic,
        .type = (uint32_t)type,
        .sequence = sequence,
        .payload_size = (uint32_t)payload_size,
    };
    memcpy(bytes, &header, sizeof header);
    if (payload_size > 0) {
        memcpy(bytes + FRAME_HEADER_SIZE, payload, payload_size);
    }
    return FRAME_HEADER_SIZE + payload_size;
}

static bool header_is_valid(const struct frame_header *header, uint32_t expected_sequence)
{
    return header->magic == frame_magic && header->type >= FRAME_HELLO &&
           header->type <= FRAME_FAILURE && header->sequence == expected_sequence &&
           header->payload_size <= FRAME_MAX_PAYLOAD;
}

static size_t take_up_to(struct frame_reader *reader, const unsigned char *bytes, size_t size,
                         size_t wanted)
{
    size_t missing = wanted - reader->size;
    if (missing > size) {
        missing = size;
    }
    if (missing > 0) {
        memcpy(reader->bytes + reader->size, bytes, missing);
        reader->size += missing;
    }
    return missing;
}

int frame_reader_take(struct frame_reader *reader, const void *bytes, size_t size, size_t *taken,
                      struct frame *frame)
{
    const unsigned char *next = bytes;
    struct frame_header header;

    *taken = 0;
    if (reader->size < FRAME_HEADER_SIZE) {
        *taken = take_up_to(reader, next, size, FRAME_HEADER_SIZE);
        if (reader->size < FRAME_HEADER_SIZE) {
            return 0;
        }
    }
    memcpy(&header, reader->bytes, sizeof header);
    if (!header_is_valid(&header, reader->next_sequence)) {
        return -EPROTO;
    }
    const size_t frame_size = FRAME_HEADER_SIZE + header.payload_size;
    *taken += take_up_to(reader, next + *taken, size - *taken, frame_size);
    if (reader->size < frame_size) {
        return 0;
    }
    frame->type = (enum frame_type)header.type;
    frame->sequence = header.sequence;
    frame->payload_size = header.payload_size;
    memcpy(frame->payload, reader->bytes + FRAME_HEADER_SIZE, header.payload_size);
    reader->size = 0;
    reader->next_sequence++;
    return 1;
}
