/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../../src/platform/worker_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void chain_visits_every_line_once_and_returns(void **state)
{
    (void)state;
    static const size_t order[] = {3, 0, 4, 1, 2};
    enum { COUNT = sizeof order / sizeof order[0] };
    unsigned char *lines = aligned_alloc(TOUCH_STRIDE_BYTES, (size_t)COUNT * TOUCH_STRIDE_BYTES);
    bool seen[COUNT] = {false};
    assert_non_null(lines);
    void **first = touch_link_lines(lines, COUNT, order);
    void **line = first;
    for (size_t step = 0; step < COUNT; step++) {
        const size_t index = (size_t)((unsigned char *)line - lines) / TOUCH_STRIDE_BYTES;
        assert_int_equal(index, order[step]);
        assert_false(seen[index]);
        seen[index] = true;
        line = (void **)*line;
    }
    assert_ptr_equal(line, first);
    free(lines);
}

static void one_line_points_to_itself(void **state)
{
    (void)state;
    static const size_t order[] = {0};
    unsigned char *lines = aligned_alloc(TOUCH_STRIDE_BYTES, TOUCH_STRIDE_BYTES);
    assert_non_null(lines);
    void **first = touch_link_lines(lines, 1, order);
    assert_ptr_equal(*first, first);
    touch_walk(first, 1000);
    free(lines);
}

static void eviction_keeps_what_the_lines_hold(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    size_t order[COUNT];
    const size_t displacement_size = touch_displacement_size();
    struct worker_memory memory = {
        .lines = aligned_alloc(TOUCH_STRIDE_BYTES, (size_t)COUNT * TOUCH_STRIDE_BYTES),
        .line_count = COUNT,
        .displacement = calloc(1, displacement_size + 1),
        .displacement_size = displacement_size,
    };
    assert_non_null(memory.lines);
    assert_non_null(memory.displacement);
    for (size_t i = 0; i < COUNT; i++) {
        order[i] = COUNT - 1 - i;
    }
    memory.first_line = touch_link_lines(memory.lines, COUNT, order);
    touch_evict(&memory);
    for (size_t i = 0; i < COUNT; i++) {
        void **line = (void **)(void *)(memory.lines + order[i] * TOUCH_STRIDE_BYTES);
        assert_ptr_equal(*line, memory.lines + order[(i + 1) % COUNT] * TOUCH_STRIDE_BYTES);
    }
    assert_true(strlen(touch_eviction_name()) > 0);
    assert_true(strlen(touch_eviction_name()) < EVICTION_NAME_SIZE);
    free(memory.displacement);
    free(memory.lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_visits_every_line_once_and_returns),
        cmocka_unit_test(one_line_points_to_itself),
        cmocka_unit_test(eviction_keeps_what_the_lines_hold),
    };
    return cmocka_run_group_tests_name("touch", tests, NULL, NULL);
}
