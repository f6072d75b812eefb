/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes time away from one CPU: busy BUSY_US of each PERIOD_US, as SCHED_FIFO PRIORITY on CPU, for
 * SECONDS.
 *
 *     guest_disturb CPU PRIORITY BUSY_US PERIOD_US SECONDS
 *
 * Prints "ready" once it is pinned and has its policy. A period of 0 is one spin without an end before
 * SECONDS.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CPU_LIMIT = 8192 };

struct disturbance {
    int cpu;
    int priority;
    int64_t busy_ns;
    int64_t period_ns;
    int64_t duration_ns;
};

static int64_t clock_read_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void clock_spin_until_ns(int64_t end_ns)
{
    while (clock_read_ns() < end_ns) {
    }
}

static void clock_sleep_until_ns(int64_t end_ns)
{
    struct timespec end = {.tv_sec = end_ns / 1000000000, .tv_nsec = end_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {
    }
}

static bool number_parse(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *value >= 0;
}

static int disturbance_parse(char *const *words, struct disturbance *result)
{
    int64_t numbers[5];
    for (int i = 0; i < 5; i++) {
        if (!number_parse(words[i], &numbers[i]) || numbers[i] > INT32_MAX)
            return -EINVAL;
    }
    if (numbers[0] >= CPU_LIMIT)
        return -EINVAL;
    *result = (struct disturbance){
        .cpu = (int)numbers[0],
        .priority = (int)numbers[1],
        .busy_ns = numbers[2] * 1000,
        .period_ns = numbers[3] * 1000,
        .duration_ns = numbers[4] * 1000000000,
    };
    return 0;
}

static int place_take(const struct disturbance *disturbance)
{
    cpu_set_t *mask = CPU_ALLOC(CPU_LIMIT);
    if (mask == NULL)
        return -ENOMEM;
    size_t mask_size = CPU_ALLOC_SIZE(CPU_LIMIT);
    CPU_ZERO_S(mask_size, mask);
    CPU_SET_S((size_t)disturbance->cpu, mask_size, mask);
    int result = sched_setaffinity(0, mask_size, mask) < 0 ? -errno : 0;
    CPU_FREE(mask);
    if (result < 0)
        return result;
    struct sched_param parameters = {.sched_priority = disturbance->priority};
    return sched_setscheduler(0, SCHED_FIFO, &parameters) < 0 ? -errno : 0;
}

static void disturbance_run(const struct disturbance *disturbance)
{
    int64_t start_ns = clock_read_ns();
    int64_t end_ns = start_ns + disturbance->duration_ns;
    if (disturbance->period_ns == 0) {
        clock_spin_until_ns(end_ns);
        return;
    }
    for (int64_t next_ns = start_ns; next_ns < end_ns; next_ns += disturbance->period_ns) {
        clock_sleep_until_ns(next_ns);
        clock_spin_until_ns(next_ns + disturbance->busy_ns);
    }
}

int main(int argc, char **argv)
{
    struct disturbance disturbance;
    if (argc != 6 || disturbance_parse(argv + 1, &disturbance) < 0) {
        fprintf(stderr, "usage: guest_disturb CPU PRIORITY BUSY_US PERIOD_US SECONDS\n");
        return 2;
    }
    int result = place_take(&disturbance);
    if (result < 0) {
        fprintf(stderr, "guest_disturb: CPU %d, priority %d: error %d\n", disturbance.cpu,
                disturbance.priority, -result);
        return 1;
    }
    puts("ready");
    fflush(stdout);
    disturbance_run(&disturbance);
    return 0;
}
