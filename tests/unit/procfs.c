/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/procfs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char interrupts[] = "           CPU0       CPU2       CPU10      \n"
                                 "  1:          5          7         11   IO-APIC   1-edge      i8042\n"
                                 " 24:          1          0          0   PCI-MSI-0000:00:1f.2  ahci\n"
                                 "LOC:        100        200        300   Local timer interrupts\n"
                                 "RES:          1          2\n"
                                 "ERR:          9\n"
                                 "MIS:          0\n"
                                 "nonsense\n"
                                 "\n";

static int64_t value_of(const struct counter_set *counters, const char *name)
{
    const struct counter *counter = counter_set_find(counters, name);
    return counter != NULL ? counter->value : -1;
}

static void interrupts_are_summed_over_the_asked_cpus_by_number(void **state)
{
    (void)state;
    struct counter_set counters = {0};
    struct id_list cpus = {0};
    assert_int_equal(id_list_add(&cpus, 2), 0);
    assert_int_equal(id_list_add(&cpus, 10), 0);
    assert_int_equal(procfs_parse_interrupts(interrupts, &cpus, &counters), 0);
    assert_int_equal(value_of(&counters, "irq:1"), 18);
    assert_int_equal(value_of(&counters, "irq:24"), 0);
    assert_int_equal(value_of(&counters, "irq:LOC"), 500);
    /* Lines with fewer numbers than CPUs say nothing about a CPU. */
    assert_int_equal(value_of(&counters, "irq:RES"), -1);
    assert_int_equal(value_of(&counters, "irq:ERR"), -1);
    counter_set_destroy(&counters);
    id_list_destroy(&cpus);
}

static void cpu_that_went_offline_leaves_no_sum_behind(void **state)
{
    (void)state;
    struct counter_set counters = {0};
    struct id_list cpus = {0};
    assert_int_equal(id_list_add(&cpus, 0), 0);
    assert_int_equal(id_list_add(&cpus, 1), 0);
    assert_int_equal(procfs_parse_interrupts(interrupts, &cpus, &counters), 0);
    assert_int_equal(procfs_parse_stat("cpu0 1 2 3 4 5 6 7 8\n", &cpus, 100, &counters), 0);
    assert_int_equal(counters.count, 0);
    id_list_destroy(&cpus);
}

static void interrupts_cut_anywhere_do_no_harm(void **state)
{
    (void)state;
    struct id_list cpus = {0};
    assert_int_equal(id_list_add(&cpus, 0), 0);
    for (size_t length = 0; length < sizeof interrupts; length++) {
        struct counter_set counters = {0};
        char *text = strndup(interrupts, length);
        assert_non_null(text);
        assert_int_equal(procfs_parse_interrupts(text, &cpus, &counters), 0);
        counter_set_destroy(&counters);
        free(text);
    }
    id_list_destroy(&cpus);
}

static void interrupts_of_two_thousand_cpus(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    struct counter_set counters = {0};
    struct id_list cpus = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    for (int cpu = 0; cpu < COUNT; cpu++) {
        (void)fprintf(stream, " CPU%d", cpu);
    }
    (void)fputs("\nLOC:", stream);
    for (int cpu = 0; cpu < COUNT; cpu++) {
        (void)fprintf(stream, " %d", cpu);
    }
    (void)fputs("  Local timer interrupts\n", stream);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(id_list_add(&cpus, 1999), 0);
    assert_int_equal(procfs_parse_interrupts(text, &cpus, &counters), 0);
    assert_int_equal(value_of(&counters, "irq:LOC"), 1999);
    free(text);
    counter_set_destroy(&counters);
    id_list_destroy(&cpus);
}

static void busy_is_all_but_idle_waiting_and_stolen(void **state)
{
    (void)state;
    static const char stat[] = "cpu  9 9 9 9 9 9 9 9 9 9\n"
                               "cpu0 1 2 3 400 500 6 7 800 0 0\n"
                               "cpu3 10 0 0 400 500 0 0 800 0 0\n"
                               "intr 1234 0 0\n";
    struct counter_set counters = {0};
    struct id_list cpus = {0};
    assert_int_equal(procfs_parse_stat_busy(stat, &cpus, 100, "busy", &counters), 0);
    assert_int_equal(counters.count, 0);
    assert_int_equal(id_list_add(&cpus, 0), 0);
    assert_int_equal(id_list_add(&cpus, 3), 0);
    assert_int_equal(procfs_parse_stat_busy(stat, &cpus, 100, "busy", &counters), 0);
    assert_int_equal(value_of(&counters, "busy"), 290);
    assert_int_equal(id_list_add(&cpus, 4), 0);
    assert_int_equal(procfs_parse_stat_busy(stat, &cpus, 100, "offline", &counters), 0);
    assert_int_equal(value_of(&counters, "offline"), -1);
    counter_set_destroy(&counters);
    id_list_destroy(&cpus);
}

static void stat_gives_steal_of_the_asked_cpus(void **state)
{
    (void)state;
    static const char stat[] = "cpu  9 9 9 9 9 9 9 9 9 9\n"
                               "cpu0 1 2 3 4 5 6 7 8 0 0\n"
                               "cpu3 1 2 3 4 5 6 70 80 0 0\n"
                               "intr 1234 0 0\n";
    struct counter_set counters = {0};
    struct id_list cpus = {0};
    assert_int_equal(id_list_add(&cpus, 3), 0);
    assert_int_equal(procfs_parse_stat(stat, &cpus, 100, &counters), 0);
    assert_int_equal(value_of(&counters, "steal_ms"), 800);
    assert_int_equal(value_of(&counters, "softirq_ms"), 700);
    counter_set_destroy(&counters);
    /* No such CPU, a kernel without the field, no ticks: nothing is made up. */
    id_list_destroy(&cpus);
    assert_int_equal(id_list_add(&cpus, 7), 0);
    assert_int_equal(procfs_parse_stat(stat, &cpus, 100, &counters), 0);
    assert_int_equal(procfs_parse_stat("cpu7 1 2 3\n", &cpus, 100, &counters), 0);
    assert_int_equal(procfs_parse_stat(stat, &cpus, 0, &counters), 0);
    assert_int_equal(counters.count, 0);
    id_list_destroy(&cpus);
}

static void ticks_beyond_every_clock_stay_at_the_bound(void **state)
{
    (void)state;
    struct counter_set counters = {0};
    struct id_list cpus = {0};
    assert_int_equal(id_list_add(&cpus, 0), 0);
    assert_int_equal(procfs_parse_stat("cpu0 1 2 3 4 5 6 90071992547409931 9223372036854775807\n", &cpus,
                                       100, &counters),
                     0);
    assert_int_equal(value_of(&counters, "steal_ms"), INT64_MAX);
    assert_int_equal(value_of(&counters, "softirq_ms"), INT64_C(900719925474099310));
    counter_set_destroy(&counters);
    id_list_destroy(&cpus);
}

static void keys_are_matched_whole(void **state)
{
    (void)state;
    static const char sched[] = "name (1, #threads: 1)\n-----\n"
                                "se.nr_migrations_cold      :   9\n"
                                "se.nr_migrations           :   12\n"
                                "below                      :  -3\n"
                                "policy                     :\n";
    int64_t value = 0;
    char text[8];
    assert_true(procfs_find_int64(sched, "se.nr_migrations", &value));
    assert_int_equal(value, 12);
    assert_true(procfs_find_int64(sched, "below", &value));
    assert_int_equal(value, -3);
    assert_false(procfs_find_int64(sched, "nr_migrations", &value));
    assert_false(procfs_find_int64(sched, "policy", &value));
    assert_true(procfs_find_text("Model name\t: AMD EPYC 9654  \n", "Model name", text, sizeof text));
    assert_string_equal(text, "AMD EPY");
    assert_false(procfs_find_text("", "x", text, sizeof text));
}

static void numbers_that_overflow_are_no_numbers(void **state)
{
    (void)state;
    int64_t value = 5;
    assert_false(procfs_find_int64("a : 99999999999999999999\n", "a", &value));
    assert_int_equal(value, 5);
}

static void the_run_delay_is_the_second_number(void **state)
{
    (void)state;
    struct counter_set counters = {0};
    assert_int_equal(procfs_parse_schedstat("123456 7890 12\n", &counters), 0);
    assert_int_equal(value_of(&counters, "run_delay_ns"), 7890);
    counter_set_destroy(&counters);
    assert_int_equal(procfs_parse_schedstat("", &counters), 0);
    assert_int_equal(procfs_parse_schedstat("12\n", &counters), 0);
    assert_int_equal(counters.count, 0);
    counter_set_destroy(&counters);
}

static void boot_parameters_are_words(void **state)
{
    (void)state;
    static const char line[] = "BOOT_IMAGE=/vmlinuz quiet isolcpus=2,3 xnohz_full=9 nohz_full=3\n";
    char value[32];
    assert_true(procfs_find_boot_parameter(line, "isolcpus", value, sizeof value));
    assert_string_equal(value, "2,3");
    assert_true(procfs_find_boot_parameter(line, "nohz_full", value, sizeof value));
    assert_string_equal(value, "3");
    assert_true(procfs_find_boot_parameter(line, "quiet", value, sizeof value));
    assert_string_equal(value, "");
    assert_false(procfs_find_boot_parameter(line, "isol", value, sizeof value));
    assert_false(procfs_find_boot_parameter("", "quiet", value, sizeof value));
}

static void cgroup_of_a_controller_and_of_the_unified_tree(void **state)
{
    (void)state;
    static const char cgroups[] = "4:cpuset:/set\n2:cpu,cpuacct:/slice/a:b\n0::/user.slice\n";
    char path[64];
    assert_true(procfs_find_cgroup(cgroups, "cpu", path, sizeof path));
    assert_string_equal(path, "/slice/a:b");
    assert_true(procfs_find_cgroup(cgroups, "", path, sizeof path));
    assert_string_equal(path, "/user.slice");
    assert_false(procfs_find_cgroup(cgroups, "memory", path, sizeof path));
    assert_false(procfs_find_cgroup("rubbish\n:\n::\n", "cpu", path, sizeof path));
}

static void bandwidth_of_both_versions(void **state)
{
    (void)state;
    struct counter_set second = {0};
    struct counter_set first = {0};
    assert_int_equal(
        procfs_parse_cpu_stat("usage_usec 5\nnr_throttled 3\nthrottled_usec 4000\n", &second), 0);
    assert_int_equal(value_of(&second, "cgroup_throttled"), 3);
    assert_int_equal(value_of(&second, "cgroup_throttled_us"), 4000);
    assert_int_equal(
        procfs_parse_cpu_stat("nr_periods 1\nnr_throttled 2\nthrottled_time 7000\n", &first), 0);
    assert_int_equal(value_of(&first, "cgroup_throttled"), 2);
    assert_int_equal(value_of(&first, "cgroup_throttled_us"), 7);
    counter_set_destroy(&first);
    counter_set_destroy(&second);
}

static const char stat_line[] =
    "812 (a) b) (c) R 1 812 812 0 -1 4194304 90 0 0 0 512 3 0 0 20 0 1 0 1234 2400256 80 "
    "18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 11 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

static void last_cpu_stands_behind_a_name_of_any_kind(void **state)
{
    (void)state;
    char letter = '?';
    int cpu = -1;
    assert_true(procfs_find_last_cpu(stat_line, &letter, &cpu));
    assert_int_equal(cpu, 11);
    assert_int_equal(letter, 'R');
    assert_false(procfs_find_last_cpu("", &letter, &cpu));
    assert_false(procfs_find_last_cpu("812 (a)", &letter, &cpu));
    assert_false(procfs_find_last_cpu("812 (a) ", &letter, &cpu));
    assert_false(procfs_find_last_cpu("812 (a) R 1 812 812 0", &letter, &cpu));
    assert_int_equal(cpu, 11);
}

static void migrations_are_found_under_both_names(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_true(
        procfs_find_int64("cat (1, #threads: 1)\n-----\n"
                          "se.nr_migrations                             :                  251\n"
                          "nr_switches                                  :                    1\n",
                          "se.nr_migrations", &value));
    assert_int_equal(value, 251);
    assert_false(procfs_find_int64("se.nr_migrations_cold : 3\n", "se.nr_migrations", &value));
    assert_true(procfs_find_run_time("1195939 770100 6\n", &value));
    assert_int_equal(value, 1195939);
    assert_false(procfs_find_run_time("", &value));
    assert_false(procfs_find_run_time("99999999999999999999 1 2\n", &value));
    assert_false(procfs_find_run_time("12x 1 2\n", &value));
}

static void throttling_is_in_ns_whichever_version_tells(void **state)
{
    (void)state;
    int64_t times = -1;
    int64_t time_ns = -1;
    assert_true(procfs_find_throttling("nr_periods 10\nnr_throttled 7\nthrottled_time 123456789\n",
                                       &times, &time_ns));
    assert_int_equal(times, 7);
    assert_int_equal(time_ns, 123456789);
    assert_true(procfs_find_throttling(
        "usage_usec 1\nnr_periods 3\nnr_throttled 2\nthrottled_usec 1500\n", &times, &time_ns));
    assert_int_equal(times, 2);
    assert_int_equal(time_ns, 1500000);
    assert_false(procfs_find_throttling("usage_usec 1\n", &times, &time_ns));
    assert_false(procfs_find_throttling("nr_throttled 2\n", &times, &time_ns));
}

static const char mounts[] =
    "25 1 0:5 / /dev rw - devtmpfs dev rw\n"
    "30 26 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "31 26 0:27 /box /mnt/with\\040blank rw - cgroup cgroup rw,cpuset\n"
    "32 26 0:28 / /sys/fs/cgroup/unified rw master:1 shared:2 - cgroup2 cgroup2 rw\n";

static void hierarchies_are_found_by_their_controllers(void **state)
{
    (void)state;
    char root[64];
    char mount[64];
    assert_true(procfs_find_cgroup_mount(mounts, "cpu", root, mount, sizeof root));
    assert_string_equal(mount, "/sys/fs/cgroup/cpu,cpuacct");
    assert_string_equal(root, "/");
    assert_true(procfs_find_cgroup_mount(mounts, "cpuset", root, mount, sizeof root));
    assert_string_equal(mount, "/mnt/with blank");
    assert_string_equal(root, "/box");
    assert_true(procfs_find_cgroup_mount(mounts, "", root, mount, sizeof root));
    assert_string_equal(mount, "/sys/fs/cgroup/unified");
    assert_false(procfs_find_cgroup_mount(mounts, "memory", root, mount, sizeof root));
    assert_false(procfs_find_cgroup_mount(mounts, "cp", root, mount, sizeof root));
    assert_false(procfs_find_cgroup_mount("", "cpu", root, mount, sizeof root));
    assert_false(procfs_find_cgroup_mount("30 26 0:26 / /c - cgroup", "cpu", root, mount, sizeof root));
    /* A path that does not fit would be another path. */
    assert_false(procfs_find_cgroup_mount(mounts, "cpu", root, mount, 8));
}

static void words_are_whole_words(void **state)
{
    (void)state;
    assert_true(procfs_has_word("cpuset cpu io\n", "cpu"));
    assert_true(procfs_has_word("cpu", "cpu"));
    assert_false(procfs_has_word("cpuset io\n", "cpu"));
    assert_false(procfs_has_word("", "cpu"));
    assert_false(procfs_has_word("cpu", ""));
}

static const char trace_format[] =
    "name: sched_migrate_task\nID: 71\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int orig_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
    "\tfield:int dest_cpu;\toffset:36;\tsize:4;\tsigned:1;\n\nprint fmt: \"comm=%s\"\n";

static void fields_of_a_tracepoint_are_found_by_name(void **state)
{
    (void)state;
    size_t offset = 0;
    assert_true(procfs_find_trace_field(trace_format, "pid", &offset));
    assert_int_equal(offset, 24);
    assert_true(procfs_find_trace_field(trace_format, "dest_cpu", &offset));
    assert_int_equal(offset, 36);
    assert_false(procfs_find_trace_field(trace_format, "cpu", &offset));
    /* Of another size than is read. */
    assert_false(procfs_find_trace_field(trace_format, "common_type", &offset));
    assert_false(procfs_find_trace_field("field:int pid;", "pid", &offset));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupts_are_summed_over_the_asked_cpus_by_number),
        cmocka_unit_test(cpu_that_went_offline_leaves_no_sum_behind),
        cmocka_unit_test(interrupts_cut_anywhere_do_no_harm),
        cmocka_unit_test(interrupts_of_two_thousand_cpus),
        cmocka_unit_test(stat_gives_steal_of_the_asked_cpus),
        cmocka_unit_test(busy_is_all_but_idle_waiting_and_stolen),
        cmocka_unit_test(ticks_beyond_every_clock_stay_at_the_bound),
        cmocka_unit_test(keys_are_matched_whole),
        cmocka_unit_test(numbers_that_overflow_are_no_numbers),
        cmocka_unit_test(the_run_delay_is_the_second_number),
        cmocka_unit_test(boot_parameters_are_words),
        cmocka_unit_test(cgroup_of_a_controller_and_of_the_unified_tree),
        cmocka_unit_test(bandwidth_of_both_versions),
        cmocka_unit_test(last_cpu_stands_behind_a_name_of_any_kind),
        cmocka_unit_test(migrations_are_found_under_both_names),
        cmocka_unit_test(throttling_is_in_ns_whichever_version_tells),
        cmocka_unit_test(hierarchies_are_found_by_their_controllers),
        cmocka_unit_test(words_are_whole_words),
        cmocka_unit_test(fields_of_a_tracepoint_are_found_by_name),
    };
    return cmocka_run_group_tests_name("procfs", tests, NULL, NULL);
}
