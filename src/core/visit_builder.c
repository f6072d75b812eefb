/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct failure *failure, const char *what)
{
    return failure_set(failure, "report", EPROTO, "the worker's report makes no sense: %s", what);
}

/* The bytes came over a pipe from a process that may have been damaged: texts end within their field
 * and hold nothing that a terminal or a JSON reader would stumble over. */
static void sanitize_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text != '\0'; text++) {
        if (*text < 0x20 || *text > 0x7E) {
            *text = '?';
        }
    }
}

static int take_placement(struct visit_builder *builder, const struct frame *frame,
                          struct failure *failure)
{
    struct placement *placement = &builder->visit.placement;
    if (frame->payload_size != sizeof *placement) {
        return refuse(failure, "wrong size of its placement");
    }
    memcpy(placement, frame->payload, sizeof *placement);
    sanitize_text(placement->eviction, sizeof placement->eviction);
    return 0;
}

static int take_hello(struct visit_builder *builder, const struct frame *frame, struct failure *failure)
{
    if (builder->has_hello) {
        return refuse(failure, "it said hello twice");
    }
    const int error = take_placement(builder, frame, failure);
    builder->has_hello = error == 0;
    return error;
}

static bool sample_is_valid(const struct sample *sample)
{
    return sample->requested_ns > 0 && sample->requested_ns <= SAMPLE_LONGEST_NS &&
           sample->elapsed_ns >= 0 && sample->elapsed_ns <= SAMPLE_LONGEST_NS &&
           sample->touch_ns >= -1 && sample->touch_ns <= SAMPLE_LONGEST_NS &&
           (sample->flags & ~SAMPLE_ELSEWHERE) == 0;
}

static int reserve_samples(struct visit_builder *builder, const struct visit_request *request)
{
    if (builder->sample_capacity > 0 || request->sample_count == 0) {
        return 0;
    }
    struct sample *samples = calloc((size_t)request->sample_count, sizeof *samples);
    if (samples == NULL) {
        return -ENOMEM;
    }
    builder->visit.samples = samples;
    builder->sample_capacity = (size_t)request->sample_count;
    return 0;
}

static int take_samples(struct visit_builder *builder, const struct visit_request *request,
                        const struct frame *frame, struct failure *failure)
{
    const size_t count = frame->payload_size / sizeof(struct sample);
    if (count == 0 || frame->payload_size % sizeof(struct sample) != 0) {
        return refuse(failure, "a frame with a part of a sample");
    }
    if (reserve_samples(builder, request) != 0) {
        return -ENOMEM;
    }
    struct visit *visit = &builder->visit;
    if (count > builder->sample_capacity - visit->sample_count) {
        return refuse(failure, "more samples than were asked for");
    }
    for (size_t i = 0; i < count; i++) {
        struct sample *sample = &visit->samples[visit->sample_count];
        memcpy(sample, frame->payload + i * sizeof *sample, sizeof *sample);
        if (!sample_is_valid(sample)) {
            return refuse(failure, "a sample with impossible figures");
        }
        visit->sample_count++;
    }
    return 0;
}

static int take_counters(struct visit_builder *builder, const struct frame *frame,
                         struct failure *failure)
{
    struct counter counter;
    if (frame->payload_size == 0 || frame->payload_size % sizeof counter != 0) {
        return refuse(failure, "a frame with a part of a counter");
    }
    for (size_t offset = 0; offset < frame->payload_size; offset += sizeof counter) {
        memcpy(&counter, frame->payload + offset, sizeof counter);
        sanitize_text(counter.name, sizeof counter.name);
        if (counter.name[0] == '\0') {
            return refuse(failure, "a counter without a name");
        }
        if (counter_set_add(&builder->visit.counters, counter.name, counter.value) != 0) {
            return -ENOMEM;
        }
    }
    return 0;
}

static int take_summary(struct visit_builder *builder, const struct visit_request *request,
                        const struct frame *frame, struct failure *failure)
{
    if ((int64_t)builder->visit.sample_count != request->sample_count) {
        return refuse(failure, "fewer samples than were asked for");
    }
    const int error = take_placement(builder, frame, failure);
    builder->has_summary = error == 0;
    return error;
}

static int take_failure(struct visit_builder *builder, const struct frame *frame,
                        struct failure *failure)
{
    struct failure *reported = &builder->visit.failure;
    if (frame->payload_size != sizeof *reported) {
        return refuse(failure, "wrong size of its failure");
    }
    memcpy(reported, frame->payload, sizeof *reported);
    sanitize_text(reported->stage, sizeof reported->stage);
    sanitize_text(reported->text, sizeof reported->text);
    builder->visit.outcome = VISIT_FAILED;
    builder->has_summary = true;
    return 0;
}

int visit_builder_take(struct visit_builder *builder, const struct visit_request *request,
                       const struct frame *frame, struct failure *failure)
{
    if (builder->has_summary) {
        return refuse(failure, "something after its end");
    }
    if (frame->type == FRAME_FAILURE) {
        return take_failure(builder, frame, failure);
    }
    if (frame->type == FRAME_HELLO) {
        return take_hello(builder, frame, failure);
    }
    if (!builder->has_hello) {
        return refuse(failure, "it did not say hello first");
    }
    switch (frame->type) {
    case FRAME_SAMPLES:
        return take_samples(builder, request, frame, failure);
    case FRAME_COUNTERS:
        return take_counters(builder, frame, failure);
    case FRAME_SUMMARY:
        return take_summary(builder, request, frame, failure);
    case FRAME_HELLO:
    case FRAME_FAILURE:
        break;
    }
    return refuse(failure, "a frame of unknown type");
}

bool visit_builder_is_complete(const struct visit_builder *builder)
{
    return builder->has_summary;
}

void visit_builder_destroy(struct visit_builder *builder)
{
    visit_destroy(&builder->visit);
    *builder = (struct visit_builder){0};
}
