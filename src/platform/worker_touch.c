/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker_parts.h"

#include <unistd.h>

/* A cache line of any processor that is not flushed line by line below. */
enum { DISPLACEMENT_STEP_BYTES = 64, DISPLACEMENT_MIN_BYTES = 32 * 1024 * 1024 };

void **touch_link_lines(unsigned char *lines, size_t count, const size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        void **line = (void **)(void *)(lines + order[i] * TOUCH_STRIDE_BYTES);
        *line = lines + order[(i + 1) % count] * TOUCH_STRIDE_BYTES;
    }
    return (void **)(void *)(lines + order[0] * TOUCH_STRIDE_BYTES);
}

#if defined(__x86_64__)

const char *touch_eviction_name(void)
{
    return "clflush";
}

size_t touch_displacement_size(void)
{
    return 0;
}

void touch_evict(const struct worker_memory *memory)
{
    const unsigned char *line = memory->lines;
    for (size_t i = 0; i < memory->line_count; i++, line += TOUCH_STRIDE_BYTES) {
        __builtin_ia32_clflush(line);
    }
    __builtin_ia32_mfence();
}

static void wait_for_loads(void)
{
    __builtin_ia32_lfence();
}

#elif defined(__aarch64__)

const char *touch_eviction_name(void)
{
    return "dc civac";
}

size_t touch_displacement_size(void)
{
    return 0;
}

void touch_evict(const struct worker_memory *memory)
{
    const unsigned char *line = memory->lines;
    for (size_t i = 0; i < memory->line_count; i++, line += TOUCH_STRIDE_BYTES) {
        __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
    }
    __asm__ volatile("dsb sy" : : : "memory");
}

static void wait_for_loads(void)
{
    __asm__ volatile("dsb ld" : : : "memory");
}

#else

const char *touch_eviction_name(void)
{
    return "displaced";
}

/* Twice the last-level cache, so that nothing of what was there before survives. */
size_t touch_displacement_size(void)
{
    const long cache_bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const size_t wanted = cache_bytes > 0 ? 2 * (size_t)cache_bytes : 0;
    return wanted > DISPLACEMENT_MIN_BYTES ? wanted : DISPLACEMENT_MIN_BYTES;
}

void touch_evict(const struct worker_memory *memory)
{
    const volatile unsigned char *area = memory->displacement;
    for (size_t offset = 0; offset < memory->displacement_size; offset += DISPLACEMENT_STEP_BYTES) {
        (void)area[offset];
    }
    __sync_synchronize();
}

static void wait_for_loads(void)
{
    __sync_synchronize();
}

#endif

void touch_walk(void **first_line, size_t count)
{
    void **line = first_line;
    for (size_t i = 0; i < count; i++) {
        line = (void **)*line;
    }
    /* The compiler must believe that the last address is used, the processor must have it. */
    __asm__ volatile("" : : "r"(line) : "memory");
    wait_for_loads();
}
