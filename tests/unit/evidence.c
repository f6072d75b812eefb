/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/evidence.h"

#include "../../src/platform/evidence_pmu.h"
#include "numasweep/affinity.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/skip_aloud.h"

static size_t count_descriptors(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    (void)closedir(folder);
    return count;
}

static void counters_of_this_machine_never_fall(void **state)
{
    struct id_list cpus = {0};
    struct evidence evidence = {0};
    struct counter_set before = {0};
    struct counter_set after = {0};
    const size_t descriptors = count_descriptors();
    (void)state;
    assert_int_equal(affinity_get(&cpus), 0);
    assert_int_equal(evidence_open(&evidence, &cpus), 0);
    assert_true(evidence.source_count > 0);
    assert_int_equal(evidence_read(&evidence, &before), 0);
    (void)usleep(20000);
    assert_int_equal(evidence_read(&evidence, &after), 0);
    assert_true(before.count > 0);
    for (size_t i = 0; i < before.count; i++) {
        const struct counter *later = counter_set_find(&after, before.items[i].name);
        const bool has_fallen = later != NULL && later->value < before.items[i].value;
        if (later == NULL || (has_fallen && !counter_is_level(later->name))) {
            fail_msg("%s fell or vanished", before.items[i].name);
        }
    }
    /* A task that slept and woke has been on a run queue. */
    if (access("/proc/self/schedstat", R_OK) == 0) {
        assert_non_null(counter_set_find(&after, "run_delay_ns"));
    } else {
        print_message("no /proc/self/schedstat: its counter is not tried\n");
    }
    evidence_close(&evidence);
    assert_int_equal(count_descriptors(), descriptors);
    counter_set_destroy(&after);
    counter_set_destroy(&before);
    id_list_destroy(&cpus);
}

static void a_cpu_that_is_not_there_has_no_counters_and_is_no_failure(void **state)
{
    struct id_list cpus = {0};
    struct evidence evidence = {0};
    struct counter_set counters = {0};
    (void)state;
    assert_int_equal(id_list_add(&cpus, ID_LIST_MAX_ID), 0);
    assert_int_equal(evidence_open(&evidence, &cpus), 0);
    assert_int_equal(evidence_read(&evidence, &counters), 0);
    for (size_t i = 0; i < counters.count; i++) {
        assert_int_not_equal(strncmp(counters.items[i].name, "irq:", 4), 0);
        assert_int_not_equal(strncmp(counters.items[i].name, "idle:", 5), 0);
    }
    evidence_close(&evidence);
    counter_set_destroy(&counters);
    id_list_destroy(&cpus);
}

static void the_processors_counts_grow_where_there_are_any(void **state)
{
    struct id_list cpus = {0};
    uint64_t before = 0;
    uint64_t after = 0;
    (void)state;
    assert_int_equal(affinity_get(&cpus), 0);
    assert_true(evidence_pmu_open("msr", "no such event", cpus.ids[0]) < 0);
    assert_true(evidence_pmu_open("no such unit", "tsc", cpus.ids[0]) < 0);
    const int fd = evidence_pmu_open("msr", "tsc", cpus.ids[0]);
    id_list_destroy(&cpus);
    if (fd < 0) {
        SKIP_ALOUD("the event msr/tsc/ is not there or not allowed: it is not tried");
    }
    assert_int_equal(read(fd, &before, sizeof before), sizeof before);
    (void)usleep(1000);
    assert_int_equal(read(fd, &after, sizeof after), sizeof after);
    assert_true(after > before);
    (void)close(fd);
}

static void closing_what_was_never_opened_does_no_harm(void **state)
{
    struct evidence evidence = {0};
    (void)state;
    evidence_close(&evidence);
    assert_int_equal(evidence.source_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_of_this_machine_never_fall),
        cmocka_unit_test(a_cpu_that_is_not_there_has_no_counters_and_is_no_failure),
        cmocka_unit_test(the_processors_counts_grow_where_there_are_any),
        cmocka_unit_test(closing_what_was_never_opened_does_no_harm),
    };
    return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
