/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/frame.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static size_t encode_text(enum frame_type type, uint32_t sequence, const char *text,
                          unsigned char bytes[FRAME_MAX_SIZE])
{
    return frame_encode(type, sequence, text, strlen(text), bytes);
}

static void reads_what_was_written_byte_by_byte(void **state)
{
    (void)state;
    unsigned char bytes[FRAME_MAX_SIZE];
    struct frame_reader reader = {0};
    struct frame frame;
    size_t taken = 0;
    const size_t size = encode_text(FRAME_SAMPLES, 0, "hello", bytes);
    for (size_t i = 0; i + 1 < size; i++) {
        assert_int_equal(frame_reader_take(&reader, bytes + i, 1, &taken, &frame), 0);
        assert_int_equal(taken, 1);
    }
    assert_int_equal(frame_reader_take(&reader, bytes + size - 1, 1, &taken, &frame), 1);
    assert_int_equal(frame.type, FRAME_SAMPLES);
    assert_int_equal(frame.payload_size, 5);
    assert_memory_equal(frame.payload, "hello", 5);
}

static void takes_one_of_several_frames_at_a_time(void **state)
{
    (void)state;
    unsigned char bytes[2 * FRAME_MAX_SIZE];
    struct frame_reader reader = {0};
    struct frame frame;
    size_t taken = 0;
    const size_t first = encode_text(FRAME_HELLO, 0, "a", bytes);
    const size_t second = encode_text(FRAME_SUMMARY, 1, "bc", bytes + first);
    assert_int_equal(frame_reader_take(&reader, bytes, first + second, &taken, &frame), 1);
    assert_int_equal(taken, first);
    assert_int_equal(frame_reader_take(&reader, bytes + taken, second, &taken, &frame), 1);
    assert_int_equal(taken, second);
    assert_int_equal(frame.sequence, 1);
}

static void largest_payload_passes_whole(void **state)
{
    (void)state;
    unsigned char bytes[FRAME_MAX_SIZE];
    unsigned char payload[FRAME_MAX_PAYLOAD];
    struct frame_reader reader = {0};
    struct frame frame;
    size_t taken = 0;
    memset(payload, 0xA5, sizeof payload);
    assert_int_equal(frame_encode(FRAME_COUNTERS, 0, payload, sizeof payload, bytes), FRAME_MAX_SIZE);
    assert_int_equal(frame_reader_take(&reader, bytes, sizeof bytes, &taken, &frame), 1);
    assert_memory_equal(frame.payload, payload, sizeof payload);
}

static void refuses_bytes_that_are_no_frame(void **state)
{
    (void)state;
    struct frame frame;
    size_t taken = 0;
    for (size_t damaged = 0; damaged < FRAME_HEADER_SIZE; damaged++) {
        unsigned char bytes[FRAME_MAX_SIZE];
        struct frame_reader reader = {0};
        const size_t size = encode_text(FRAME_HELLO, 0, "", bytes);
        bytes[damaged] ^= 0xF0;
        const int result = frame_reader_take(&reader, bytes, size, &taken, &frame);
        /* Of the size, 0xF0 in the lowest byte is still a size within the bound. */
        assert_int_equal(result, damaged == 12 ? 0 : -EPROTO);
    }
}

static void refuses_a_frame_out_of_sequence(void **state)
{
    (void)state;
    unsigned char bytes[FRAME_MAX_SIZE];
    struct frame_reader reader = {0};
    struct frame frame;
    size_t taken = 0;
    const size_t size = encode_text(FRAME_HELLO, 1, "x", bytes);
    assert_int_equal(frame_reader_take(&reader, bytes, size, &taken, &frame), -EPROTO);
}

static struct frame make_frame(enum frame_type type, const void *payload, size_t size)
{
    struct frame frame = {.type = type, .payload_size = size};
    memcpy(frame.payload, payload, size);
    return frame;
}

static const struct visit_request request_of_two = {.sample_count = 2, .timeout_ns = 1000000};
static const struct placement proved = {.cpu_before = 3, .mask_matches_before = 1};
static const struct sample two_samples[] = {
    {.requested_ns = 1000000, .elapsed_ns = 1008000, .touch_ns = 6400, .cpu = 3},
    {.requested_ns = 1000000, .elapsed_ns = 999000, .touch_ns = -1, .cpu = 4, .flags = SAMPLE_ELSEWHERE},
};

static int take(struct visit_builder *builder, enum frame_type type, const void *payload, size_t size)
{
    struct failure failure = {0};
    const struct frame frame = make_frame(type, payload, size);
    const int result = visit_builder_take(builder, &request_of_two, &frame, &failure);
    assert_int_equal(result != 0, failure.text[0] != '\0');
    return result;
}

static void builds_a_visit_from_its_frames(void **state)
{
    (void)state;
    struct visit_builder builder = {0};
    const struct counter counter = {.name = "irq:LOC", .value = 27};
    assert_int_equal(take(&builder, FRAME_HELLO, &proved, sizeof proved), 0);
    assert_int_equal(take(&builder, FRAME_SAMPLES, &two_samples[0], sizeof two_samples[0]), 0);
    assert_int_equal(take(&builder, FRAME_SAMPLES, &two_samples[1], sizeof two_samples[1]), 0);
    assert_int_equal(take(&builder, FRAME_COUNTERS, &counter, sizeof counter), 0);
    assert_false(visit_builder_is_complete(&builder));
    assert_int_equal(take(&builder, FRAME_SUMMARY, &proved, sizeof proved), 0);
    assert_true(visit_builder_is_complete(&builder));
    assert_int_equal(builder.visit.outcome, VISIT_MEASURED);
    assert_int_equal(builder.visit.sample_count, 2);
    assert_memory_equal(builder.visit.samples, two_samples, sizeof two_samples);
    assert_int_equal(counter_set_find(&builder.visit.counters, "irq:LOC")->value, 27);
    assert_int_equal(take(&builder, FRAME_HELLO, &proved, sizeof proved), -EPROTO);
    visit_builder_destroy(&builder);
}

static void refuses_frames_in_a_wrong_order_or_size(void **state)
{
    (void)state;
    struct visit_builder builder = {0};
    assert_int_equal(take(&builder, FRAME_SAMPLES, two_samples, sizeof two_samples), -EPROTO);
    assert_int_equal(take(&builder, FRAME_HELLO, &proved, sizeof proved - 1), -EPROTO);
    assert_int_equal(take(&builder, FRAME_HELLO, &proved, sizeof proved), 0);
    assert_int_equal(take(&builder, FRAME_HELLO, &proved, sizeof proved), -EPROTO);
    assert_int_equal(take(&builder, FRAME_SUMMARY, &proved, sizeof proved), -EPROTO);
    assert_int_equal(take(&builder, FRAME_SAMPLES, two_samples, sizeof two_samples - 1), -EPROTO);
    assert_int_equal(take(&builder, FRAME_SAMPLES, two_samples, 0), -EPROTO);
    assert_int_equal(take(&builder, FRAME_COUNTERS, "", 1), -EPROTO);
    assert_int_equal(take(&builder, FRAME_SAMPLES, two_samples, sizeof two_samples), 0);
    assert_int_equal(take(&builder, FRAME_SAMPLES, two_samples, sizeof two_samples[0]), -EPROTO);
    assert_false(visit_builder_is_complete(&builder));
    visit_builder_destroy(&builder);
}

static void refuses_impossible_samples(void **state)
{
    (void)state;
    const struct sample impossible[] = {
        {.requested_ns = 0, .elapsed_ns = 1},
        {.requested_ns = 1, .elapsed_ns = -1},
        {.requested_ns = 1, .elapsed_ns = 1, .touch_ns = -2},
        {.requested_ns = 1, .elapsed_ns = 1, .flags = 2},
        {.requested_ns = SAMPLE_LONGEST_NS + 1, .elapsed_ns = 1},
        {.requested_ns = 1, .elapsed_ns = INT64_MAX},
        {.requested_ns = 1, .elapsed_ns = 1, .touch_ns = INT64_MAX},
    };
    for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
        struct visit_builder builder = {0};
        assert_int_equal(take(&builder, FRAME_HELLO, &proved, sizeof proved), 0);
        assert_int_equal(take(&builder, FRAME_SAMPLES, &impossible[i], sizeof impossible[i]), -EPROTO);
        visit_builder_destroy(&builder);
    }
}

static void takes_a_failure_at_any_point_and_cleans_its_text(void **state)
{
    (void)state;
    struct visit_builder builder = {0};
    struct failure reported = {.errno_value = EPERM};
    memset(reported.stage, 'p', sizeof reported.stage);
    memset(reported.text, '\x1b', sizeof reported.text);
    assert_int_equal(take(&builder, FRAME_FAILURE, &reported, sizeof reported), 0);
    assert_true(visit_builder_is_complete(&builder));
    assert_int_equal(builder.visit.outcome, VISIT_FAILED);
    assert_int_equal(builder.visit.failure.errno_value, EPERM);
    assert_int_equal(strlen(builder.visit.failure.stage), FAILURE_STAGE_SIZE - 1);
    assert_int_equal(builder.visit.failure.text[0], '?');
    visit_builder_destroy(&builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_was_written_byte_by_byte),
        cmocka_unit_test(takes_one_of_several_frames_at_a_time),
        cmocka_unit_test(largest_payload_passes_whole),
        cmocka_unit_test(refuses_bytes_that_are_no_frame),
        cmocka_unit_test(refuses_a_frame_out_of_sequence),
        cmocka_unit_test(builds_a_visit_from_its_frames),
        cmocka_unit_test(refuses_frames_in_a_wrong_order_or_size),
        cmocka_unit_test(refuses_impossible_samples),
        cmocka_unit_test(takes_a_failure_at_any_point_and_cleans_its_text),
    };
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
