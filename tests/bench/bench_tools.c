/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the benchmarks compare numasweep with, without any of its code. Each figure is a line.
 *
 * sleep CPU COUNT TIMEOUT_NS SEED
 *     overshoots in ns of a bare pselect loop under SCHED_FIFO 50
 *
 * chase CPU LINES ROUNDS
 *     ns to read LINES flushed lines in dependent random order, in each round
 *
 * memory CPU BYTES
 *     ns a line of a chase through a large buffer
 */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <time.h>

enum { STRIDE = 256, LINE = 64, MOST_CPUS = 1 << 20 };

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool pin_and_raise(long cpu)
{
    const struct sched_param priority = {.sched_priority = 50};
    if (cpu < 0 || cpu >= MOST_CPUS) {
        return false;
    }
    const size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
    cpu_set_t *mask = CPU_ALLOC((size_t)cpu + 1);
    if (mask == NULL) {
        return false;
    }
    CPU_ZERO_S(size, mask);
    CPU_SET_S((size_t)cpu, size, mask);
    const bool is_pinned = sched_setaffinity(0, size, mask) == 0;
    CPU_FREE(mask);
    return is_pinned && sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

static int sleep_bare(long count, long timeout_ns, unsigned seed)
{
    int64_t *overshoots_ns = calloc((size_t)count, sizeof *overshoots_ns);
    if (overshoots_ns == NULL) {
        return EXIT_FAILURE;
    }
    (void)mlockall(MCL_CURRENT | MCL_FUTURE);
    srandom(seed);
    for (long i = 0; i < count; i++) {
        const long requested_ns = timeout_ns / 2 + random() % timeout_ns;
        const struct timespec timeout = {.tv_sec = requested_ns / 1000000000,
                                         .tv_nsec = requested_ns % 1000000000};
        const int64_t start_ns = now_ns();
        (void)pselect(0, NULL, NULL, NULL, &timeout, NULL);
        overshoots_ns[i] = now_ns() - start_ns - requested_ns;
    }
    for (long i = 0; i < count; i++) {
        (void)printf("%lld\n", (long long)overshoots_ns[i]);
    }
    free(overshoots_ns);
    return EXIT_SUCCESS;
}

/* One cycle through all lines, in random order. */
static void **link_lines(unsigned char *lines, size_t count, size_t stride)
{
    size_t *order = calloc(count, sizeof *order);
    if (order == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t other = (size_t)random() % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 0; i < count; i++) {
        void **line = (void **)(void *)(lines + order[i] * stride);
        *line = lines + order[(i + 1) % count] * stride;
    }
    void **first = (void **)(void *)(lines + order[0] * stride);
    free(order);
    return first;
}

static int64_t walk_ns(void **first, size_t count)
{
    void **line = first;
    const int64_t start_ns = now_ns();
    for (size_t i = 0; i < count; i++) {
        line = (void **)*line;
    }
    __asm__ volatile("" : : "r"(line) : "memory");
    return now_ns() - start_ns;
}

static int chase_flushed(size_t count, long rounds)
{
#if defined(__x86_64__)
    unsigned char *lines = aligned_alloc(4096, (count * STRIDE + 4095) / 4096 * 4096);
    if (lines == NULL) {
        return EXIT_FAILURE;
    }
    memset(lines, 1, count * STRIDE);
    void **first = link_lines(lines, count, STRIDE);
    for (long round = 0; first != NULL && round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            __builtin_ia32_clflush(lines + i * STRIDE);
        }
        __builtin_ia32_mfence();
        /* As a sleeper finds it: some time later. */
        (void)nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        (void)printf("%lld\n", (long long)walk_ns(first, count));
    }
    free(lines);
    return EXIT_SUCCESS;
#else
    (void)count;
    (void)rounds;
    (void)fprintf(stderr, "bench_tools: chase needs clflush (x86-64)\n");
    return EXIT_FAILURE;
#endif
}

static int chase_memory(size_t bytes)
{
    const size_t count = bytes / LINE;
    unsigned char *lines = aligned_alloc(4096, bytes);
    if (lines == NULL) {
        return EXIT_FAILURE;
    }
    memset(lines, 1, bytes);
    void **first = link_lines(lines, count, LINE);
    if (first == NULL) {
        return EXIT_FAILURE;
    }
    const size_t steps = count < 1000000 ? count : 1000000;
    (void)walk_ns(first, count / 4);
    (void)printf("%.2f\n", (double)walk_ns(first, steps) / (double)steps);
    free(lines);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        (void)fprintf(stderr, "usage: bench_tools sleep|chase|memory CPU ...\n");
        return EXIT_FAILURE;
    }
    if (!pin_and_raise(strtol(argv[2], NULL, 10))) {
        (void)fprintf(stderr, "bench_tools: cannot pin or set SCHED_FIFO\n");
        return EXIT_FAILURE;
    }
    if (strcmp(argv[1], "sleep") == 0 && argc == 6) {
        return sleep_bare(strtol(argv[3], NULL, 10), strtol(argv[4], NULL, 10),
                          (unsigned)strtoul(argv[5], NULL, 10));
    }
    if (strcmp(argv[1], "chase") == 0 && argc == 5) {
        return chase_flushed(strtoul(argv[3], NULL, 10), strtol(argv[4], NULL, 10));
    }
    if (strcmp(argv[1], "memory") == 0) {
        return chase_memory(strtoul(argv[3], NULL, 10));
    }
    return EXIT_FAILURE;
}
