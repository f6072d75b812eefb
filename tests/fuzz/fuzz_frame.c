/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes as a damaged worker might write them. The first byte says in which pieces they arrive; when its
 * highest bit is set, the rest are payloads that the target itself puts into frames, so that the visit
 * behind the frames is reached: a byte for the type, two for the size, the payload. */
#include "fuzz.h"
#include "numasweep/frame.h"

#include <stdlib.h>
#include <string.h>

enum { WRAPPED = 0x80, PIECE_MASK = 0x7F, MOST_SAMPLES = 200 };

static void require_printable(const char *text, size_t size)
{
    FUZZ_REQUIRE(memchr(text, '\0', size) != NULL);
    for (; *text != '\0'; text++) {
        FUZZ_REQUIRE(*text >= 0x20 && *text <= 0x7E);
    }
}

static void require_counters(const struct counter_set *counters)
{
    for (size_t i = 0; i < counters->count; i++) {
        require_printable(counters->items[i].name, sizeof counters->items[i].name);
        FUZZ_REQUIRE(counters->items[i].name[0] != '\0');
        FUZZ_REQUIRE(i == 0 || strcmp(counters->items[i - 1].name, counters->items[i].name) < 0);
    }
}

static void require_visit(const struct visit_builder *builder, const struct visit_request *request)
{
    const struct visit *visit = &builder->visit;
    FUZZ_REQUIRE(visit->sample_count <= (size_t)request->sample_count);
    require_counters(&visit->counters);
    require_printable(visit->placement.eviction, sizeof visit->placement.eviction);
    if (visit->outcome == VISIT_FAILED) {
        require_printable(visit->failure.stage, sizeof visit->failure.stage);
        require_printable(visit->failure.text, sizeof visit->failure.text);
        return;
    }
    if (visit_builder_is_complete(builder)) {
        FUZZ_REQUIRE(builder->has_hello && visit->sample_count == (size_t)request->sample_count);
    }
    for (size_t i = 0; i < visit->sample_count; i++) {
        FUZZ_REQUIRE(visit->samples[i].requested_ns > 0 && visit->samples[i].elapsed_ns >= 0);
    }
}

static void require_same_frame(const struct frame *frame)
{
    unsigned char bytes[FRAME_MAX_SIZE];
    struct frame_reader reader = {.next_sequence = frame->sequence};
    struct frame again;
    size_t taken = 0;
    const size_t size = frame_encode(frame->type, frame->sequence, frame->payload, frame->payload_size,
                                     bytes);
    FUZZ_REQUIRE(frame_reader_take(&reader, bytes, size, &taken, &again) == 1 && taken == size);
    FUZZ_REQUIRE(again.type == frame->type && again.payload_size == frame->payload_size);
    FUZZ_REQUIRE(memcmp(again.payload, frame->payload, frame->payload_size) == 0);
}

static void build(const uint8_t *data, size_t size, size_t piece, const struct visit_request *request,
                  struct visit_builder *builder)
{
    struct frame_reader reader = {0};
    struct frame frame;
    struct failure failure = {0};
    int result = 0;
    while (size > 0 && result >= 0) {
        size_t taken = 0;
        const size_t offered = size < piece ? size : piece;
        result = frame_reader_take(&reader, data, offered, &taken, &frame);
        FUZZ_REQUIRE(taken <= offered && (result < 0 || taken > 0));
        data += taken;
        size -= taken;
        if (result == 1) {
            require_same_frame(&frame);
            result = visit_builder_take(builder, request, &frame, &failure);
            if (result != 0) {
                fuzz_require_refusal(result, &failure);
            }
        }
    }
}

/* Returns the size of all frames in `bytes`, which has room for them. */
static size_t wrap(const uint8_t *data, size_t size, uint8_t *bytes)
{
    size_t total = 0;
    for (uint32_t sequence = 0; size >= 3; sequence++) {
        const enum frame_type type = (enum frame_type)(data[0] % 6);
        size_t payload_size = (size_t)data[1] | (size_t)(data[2] & 0x0F) << 8;
        data += 3;
        size -= 3;
        payload_size = payload_size < size ? payload_size : size;
        payload_size = payload_size < FRAME_MAX_PAYLOAD ? payload_size : FRAME_MAX_PAYLOAD;
        total += frame_encode(type, sequence, data, payload_size, bytes + total);
        data += payload_size;
        size -= payload_size;
    }
    return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct visit_builder builder = {0};
    if (size < 2) {
        return -1;
    }
    const struct visit_request request = {.sample_count = data[1] % MOST_SAMPLES};
    const size_t piece = (size_t)(data[0] & PIECE_MASK) + 1;
    if ((data[0] & WRAPPED) != 0) {
        /* A frame is one byte of the input or more. */
        uint8_t *bytes = malloc((size / 3 + 1) * FRAME_HEADER_SIZE + size + FRAME_MAX_SIZE);
        FUZZ_REQUIRE(bytes != NULL);
        const size_t total = wrap(data + 2, size - 2, bytes);
        build(bytes, total, piece * 32, &request, &builder);
        free(bytes);
    } else {
        build(data + 2, size - 2, piece, &request, &builder);
    }
    require_visit(&builder, &request);
    visit_builder_destroy(&builder);
    return 0;
}
