/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sweep that started it all: 32 CPUs of an eight-node machine, each visited once, 1 ms sleeps. One
 * round confirms nothing; what stands out in it is known.
 */
#include "numasweep/verdict_statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CPUS = 32, CORES = 64, SLEEP_US = 1000 };

struct seed {
    int cpus[CPUS];
    int nodes[CPUS];
    int cores[CPUS];
    double values_ns[CPUS];
};

static void read_seed(struct seed *seed)
{
    FILE *file = fopen(TEST_DATA_DIR "/x3950-sweep.tsv", "r");
    assert_non_null(file);
    char line[256];
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "cpu\tnode\tmin_us\tmax_us\tmedian_us\tmean_us\n");
    int count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        assert_true(count < CPUS);
        char *rest = line;
        seed->cpus[count] = (int)strtol(rest, &rest, 10);
        seed->nodes[count] = (int)strtol(rest, &rest, 10);
        (void)strtol(rest, &rest, 10);
        (void)strtol(rest, &rest, 10);
        const long median_us = strtol(rest, &rest, 10);
        seed->cores[count] = seed->cpus[count] % CORES;
        seed->values_ns[count] = (double)(median_us - SLEEP_US) * 1000;
        count++;
    }
    (void)fclose(file);
    assert_int_equal(count, CPUS);
}

static void judge_seed(const struct seed *seed, struct verdict *verdict)
{
    const struct verdict_partition partitions[] = {{.name = "node", .group_of_unit = seed->nodes},
                                                   {.name = "core", .group_of_unit = seed->cores}};
    const struct verdict_input input = {
        .round_count = 1,
        .unit_count = CPUS,
        .figure_count = 1,
        .values_ns = seed->values_ns,
        .partitions = partitions,
        .partition_count = 2,
    };
    struct verdict_settings settings;
    verdict_settings_init(&settings);
    assert_int_equal(verdict_judge(&input, &settings, verdict), 0);
}

static void one_round_confirms_nothing(void **state)
{
    (void)state;
    struct seed seed;
    struct verdict verdict;
    read_seed(&seed);
    judge_seed(&seed, &verdict);
    assert_int_equal(verdict.state, VERDICT_ONE_ROUND);
    assert_int_equal(verdict.finding_count, 0);
    assert_true(verdict.smallest_p == 1);
    assert_int_equal(verdict.rounds_needed, VERDICT_ROUNDS_MINIMUM);
    verdict_destroy(&verdict);
}

static void siblings_stand_out_first_and_no_node(void **state)
{
    (void)state;
    static const struct {
        size_t partition;
        int cpu;
        double estimate_us;
    } expected[] = {/* 114 and 121 us where the others have 194; 4 and 68 are siblings too. */
                    {1, 0, -76.5},
                    {VERDICT_SINGLE, 24, -34},
                    {VERDICT_SINGLE, 28, -27},
                    {1, 4, -13.5}};
    struct seed seed;
    struct verdict verdict;
    read_seed(&seed);
    judge_seed(&seed, &verdict);
    assert_int_equal(verdict.outlier_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct verdict_outlier *const outlier = &verdict.outliers[i];
        assert_int_equal(outlier->subject.partition, expected[i].partition);
        assert_int_equal(seed.cpus[outlier->subject.unit], expected[i].cpu);
        assert_int_equal(outlier->direction, VERDICT_FAST);
        assert_true(fabs(outlier->size.estimate_ns / 1000 - expected[i].estimate_us) < 1.01);
        assert_true(outlier->distance >= VERDICT_OUTLIER_DISTANCE);
        assert_true(outlier->rounds_needed >= VERDICT_ROUNDS_MINIMUM);
        assert_true(outlier->rounds_needed <= 20);
        assert_false(outlier->is_repeat);
    }
    assert_int_equal(verdict.outliers[0].subject.group, 0);
    assert_int_equal(verdict.outliers[3].subject.group, 4);
    verdict_destroy(&verdict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_round_confirms_nothing),
        cmocka_unit_test(siblings_stand_out_first_and_no_node),
    };
    return cmocka_run_group_tests_name("verdict_seed", tests, NULL, NULL);
}
