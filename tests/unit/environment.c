/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/environment_read.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/machine.h"

enum { PATH_SIZE = 512 };

struct tree {
    char root[PATH_SIZE / 2];
    struct topology topology;
    struct environment environment;
};

static int make_tree(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    const char *base = getenv("TMPDIR");
    if (tree == NULL) {
        return -1;
    }
    (void)snprintf(tree->root, sizeof tree->root, "%s/numasweep-XXXXXX", base != NULL ? base : "/tmp");
    machine_build_8(&tree->topology);
    *state = tree;
    return mkdtemp(tree->root) != NULL ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *position)
{
    (void)status;
    (void)type;
    (void)position;
    return remove(path);
}

static int remove_tree(void **state)
{
    struct tree *tree = *state;
    const int result = nftw(tree->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    environment_destroy(&tree->environment);
    topology_destroy(&tree->topology);
    free(tree);
    return result;
}

static void put(const struct tree *tree, const char *name, const char *text)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s%s", tree->root, name);
    for (char *slash = path + strlen(tree->root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *stream = fopen(path, "we");
    assert_non_null(stream);
    (void)fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static void put_for_cpu(const struct tree *tree, int cpu, const char *name, const char *text)
{
    char path[PATH_SIZE / 2];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
    put(tree, path, text);
}

static void read_tree(struct tree *tree)
{
    assert_int_equal(environment_read(tree->root, &tree->topology, &tree->environment), 0);
}

static void assert_fact(const struct tree *tree, const char *name, const char *value,
                        enum fact_severity severity)
{
    const struct environment_fact *fact = environment_find(&tree->environment, name);
    if (fact == NULL) {
        fail_msg("there is no fact %s", name);
        return;
    }
    assert_string_equal(fact->value, value);
    assert_int_equal(fact->severity, severity);
    assert_int_equal(fact->advice != NULL, severity != FACT_INFORMATION);
}

static void nothing_readable_is_no_failure(void **state)
{
    struct tree *tree = *state;
    read_tree(tree);
    assert_true(tree->environment.count > 10);
    assert_fact(tree, "kernel_release", "not readable", FACT_INFORMATION);
    assert_fact(tree, "clocksource", "not readable", FACT_INFORMATION);
    /* What could not be read is no clock source's name. */
    assert_string_equal(environment_value(&tree->environment, "clocksource"), "");
    assert_fact(tree, "cpufreq_governor", "none", FACT_INFORMATION);
}

static void deep_idle_states_and_mixed_governors_get_advice(void **state)
{
    struct tree *tree = *state;
    for (int cpu = 0; cpu < 8; cpu++) {
        put_for_cpu(tree, cpu, "cpuidle/state0/name", "C1\n");
        put_for_cpu(tree, cpu, "cpuidle/state0/latency", "2\n");
        put_for_cpu(tree, cpu, "cpuidle/state1/name", "C6\n");
        put_for_cpu(tree, cpu, "cpuidle/state1/latency", "133\n");
        put_for_cpu(tree, cpu, "cpuidle/state1/residency", "600\n");
        put_for_cpu(tree, cpu, "cpufreq/scaling_governor", cpu < 6 ? "performance\n" : "powersave\n");
    }
    read_tree(tree);
    assert_fact(tree, "cpufreq_governor", "performance on 0-5, powersave on 6-7", FACT_NOTICE);
    const struct environment_fact *states = environment_find(&tree->environment, "idle_states");
    assert_non_null(strstr(states->value, "C6 exit 133 us residency 600 us"));
    assert_int_equal(states->severity, FACT_NOTICE);
}

static void disabled_deep_state_needs_no_advice(void **state)
{
    struct tree *tree = *state;
    put_for_cpu(tree, 0, "cpuidle/state0/name", "C6\n");
    put_for_cpu(tree, 0, "cpuidle/state0/latency", "133\n");
    put_for_cpu(tree, 0, "cpuidle/state0/disable", "1\n");
    read_tree(tree);
    assert_int_equal(environment_find(&tree->environment, "idle_states")->severity, FACT_INFORMATION);
}

static void real_time_budgets_of_zero_are_warned_of(void **state)
{
    struct tree *tree = *state;
    put(tree, "/proc/self/cgroup", "3:cpu,cpuacct:/box\n0::/\n");
    put(tree, "/sys/fs/cgroup/cpu/box/cpu.rt_runtime_us", "0\n");
    put(tree, "/proc/sys/kernel/sched_rt_runtime_us", "0\n");
    read_tree(tree);
    assert_fact(tree, "rt_group_scheduling", "no budget in cgroup /box", FACT_WARNING);
    assert_fact(tree, "sched_rt_runtime_us", "0", FACT_WARNING);
}

static void slow_clock_sources_are_warned_of(void **state)
{
    struct tree *tree = *state;
    put(tree, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "acpi_pm\n");
    read_tree(tree);
    assert_fact(tree, "clocksource", "acpi_pm", FACT_WARNING);
}

static void uncalibrated_tsc_is_not_slow(void **state)
{
    struct tree *tree = *state;
    put(tree, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc-early\n");
    read_tree(tree);
    assert_fact(tree, "clocksource", "tsc-early", FACT_INFORMATION);
}

static void virtual_machines_containers_and_real_time_kernels_are_told(void **state)
{
    struct tree *tree = *state;
    put(tree, "/proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
    put(tree, "/sys/class/dmi/id/sys_vendor", "QEMU\n");
    put(tree, "/.dockerenv", "");
    put(tree, "/proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian\n");
    put(tree, "/proc/cmdline", "quiet mitigations=off isolcpus=2,3\n");
    put(tree, "/sys/devices/system/cpu/isolated", "2-3\n");
    put(tree, "/sys/devices/system/cpu/nohz_full", "(null)\n");
    put(tree, "/sys/devices/system/cpu/smt/active", "1\n");
    put(tree, "/proc/sys/kernel/timer_migration", "1\n");
    put(tree, "/proc/sys/kernel/numa_balancing", "1\n");
    read_tree(tree);
    assert_fact(tree, "hypervisor", "QEMU", FACT_NOTICE);
    assert_fact(tree, "container", "docker", FACT_NOTICE);
    assert_fact(tree, "kernel_is_preempt_rt", "yes", FACT_INFORMATION);
    assert_fact(tree, "mitigations", "off", FACT_INFORMATION);
    assert_fact(tree, "isolated", "2-3", FACT_INFORMATION);
    assert_fact(tree, "nohz_full", "none", FACT_INFORMATION);
    assert_fact(tree, "smt", "on", FACT_NOTICE);
    assert_fact(tree, "timer_migration", "1", FACT_NOTICE);
    assert_fact(tree, "numa_balancing", "1", FACT_NOTICE);
}

static void cpu_quota_is_warned_of(void **state)
{
    struct tree *tree = *state;
    put(tree, "/proc/self/cgroup", "0::/slice\n");
    put(tree, "/sys/fs/cgroup/slice/cpu.max", "20000 100000\n");
    read_tree(tree);
    assert_fact(tree, "cgroup_cpu_quota", "20000 100000", FACT_WARNING);
}

static void other_load_is_told(void **state)
{
    struct tree *tree = *state;
    put(tree, "/proc/loadavg", "1.75 0.40 0.10 3/150 4711\n");
    read_tree(tree);
    assert_fact(tree, "load_average", "1.75 0.40 0.10 3/150 4711", FACT_NOTICE);
}

static void cpu_quota_of_cgroup_v1_is_warned_of(void **state)
{
    struct tree *tree = *state;
    put(tree, "/proc/self/cgroup", "4:cpu,cpuacct:/slice\n1:name=systemd:/\n");
    put(tree, "/sys/fs/cgroup/cpu/slice/cpu.cfs_quota_us", "30000\n");
    put(tree, "/sys/fs/cgroup/cpu/slice/cpu.cfs_period_us", "50000\n");
    read_tree(tree);
    assert_fact(tree, "cgroup_cpu_quota", "30000 50000", FACT_WARNING);
}

static void no_cpu_quota_of_cgroup_v1_is_none(void **state)
{
    struct tree *tree = *state;
    put(tree, "/proc/self/cgroup", "4:cpu,cpuacct:/\n");
    put(tree, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    read_tree(tree);
    assert_fact(tree, "cgroup_cpu_quota", "max", FACT_INFORMATION);
}

static void what_only_other_architectures_and_init_tell_is_found(void **state)
{
    static const char environ[] = "PATH=/bin\0container=lxc\0HOME=/";
    struct tree *tree = *state;
    char path[PATH_SIZE];
    put(tree, "/proc/device-tree/hypervisor/compatible", "linux,kvm");
    put(tree, "/proc/1/environ", "");
    put(tree, "/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
    put(tree, "/sys/devices/system/cpu/vulnerabilities/mds",
        "Vulnerable: Clear CPU buffers attempted\n");
    put(tree, "/sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
    (void)snprintf(path, sizeof path, "%s/proc/1/environ", tree->root);
    FILE *stream = fopen(path, "we");
    assert_non_null(stream);
    assert_int_equal(fwrite(environ, 1, sizeof environ, stream), sizeof environ);
    assert_int_equal(fclose(stream), 0);
    read_tree(tree);
    assert_fact(tree, "hypervisor", "linux,kvm", FACT_NOTICE);
    assert_fact(tree, "container", "lxc", FACT_NOTICE);
    assert_fact(tree, "vulnerabilities", "1 mitigated, 1 not", FACT_INFORMATION);
}

static void running_machine_has_its_rights(void **state)
{
    struct tree *tree = *state;
    assert_int_equal(environment_read("", &tree->topology, &tree->environment), 0);
    char user[16];
    (void)snprintf(user, sizeof user, "%u", (unsigned)geteuid());
    assert_fact(tree, "effective_uid", user, FACT_INFORMATION);
    assert_non_null(environment_find(&tree->environment, "fifo_is_allowed"));
    assert_non_null(environment_find(&tree->environment, "clock_read_ns"));
    assert_string_equal(environment_value(&tree->environment, "no such fact"), "");
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_TREE(nothing_readable_is_no_failure),
        ON_TREE(deep_idle_states_and_mixed_governors_get_advice),
        ON_TREE(disabled_deep_state_needs_no_advice),
        ON_TREE(real_time_budgets_of_zero_are_warned_of),
        ON_TREE(slow_clock_sources_are_warned_of),
        ON_TREE(uncalibrated_tsc_is_not_slow),
        ON_TREE(virtual_machines_containers_and_real_time_kernels_are_told),
        ON_TREE(cpu_quota_is_warned_of),
        ON_TREE(other_load_is_told),
        ON_TREE(cpu_quota_of_cgroup_v1_is_warned_of),
        ON_TREE(no_cpu_quota_of_cgroup_v1_is_none),
        ON_TREE(what_only_other_architectures_and_init_tell_is_found),
        ON_TREE(running_machine_has_its_rights),
    };
    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
