/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report_parts.h"

#include <errno.h>
#include <stdlib.h>

void sample_buffer_destroy(struct sample_buffer *buffer)
{
    free(buffer->wake_ns);
    free(buffer->touch_ns);
    *buffer = (struct sample_buffer){0};
}

void sample_buffer_clear(struct sample_buffer *buffer)
{
    buffer->wake_count = 0;
    buffer->touch_count = 0;
}

static int reserve(struct sample_buffer *buffer, size_t count)
{
    size_t capacity = buffer->capacity == 0 ? 1024 : buffer->capacity;
    while (capacity < count) {
        capacity *= 2;
    }
    if (capacity == buffer->capacity) {
        return 0;
    }
    int64_t *wake_ns = realloc(buffer->wake_ns, capacity * sizeof *wake_ns);
    if (wake_ns == NULL) {
        return -ENOMEM;
    }
    buffer->wake_ns = wake_ns;
    int64_t *touch_ns = realloc(buffer->touch_ns, capacity * sizeof *touch_ns);
    if (touch_ns == NULL) {
        return -ENOMEM;
    }
    buffer->touch_ns = touch_ns;
    buffer->capacity = capacity;
    return 0;
}

int sample_buffer_add_visit(struct sample_buffer *buffer, const struct visit *visit)
{
    if (reserve(buffer, buffer->wake_count + visit->sample_count) != 0) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < visit->sample_count; i++) {
        const struct sample *sample = &visit->samples[i];
        if ((sample->flags & SAMPLE_ELSEWHERE) != 0) {
            continue;
        }
        buffer->wake_ns[buffer->wake_count] = sample->elapsed_ns - sample->requested_ns;
        buffer->wake_count++;
        if (sample->touch_ns >= 0) {
            buffer->touch_ns[buffer->touch_count] = sample->touch_ns;
            buffer->touch_count++;
        }
    }
    return 0;
}

int sample_buffer_summarize(const struct sample_buffer *buffer, struct figure_summary *wake,
                            struct figure_summary *touch)
{
    const int error = figure_summary_compute(buffer->wake_ns, buffer->wake_count, wake);
    return error != 0 ? error : figure_summary_compute(buffer->touch_ns, buffer->touch_count, touch);
}
