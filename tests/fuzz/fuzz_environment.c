/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of /proc and /sys below a folder of their own. The input is files one after another, each a
 * letter that says which and then its content, ended by the byte 0x1E. */
#include "fuzz.h"
#include "numasweep/environment_read.h"
#include "numasweep/output.h"

#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_INPUT = 1 << 13, PATH_SIZE = 256, SEPARATOR = 0x1E, FIRST_LETTER = 'A' };

static const char *const paths[] = {
    "proc/self/cgroup",
    "sys/fs/cgroup/a/cpu.max",
    "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us",
    "sys/fs/cgroup/cpu/a/cpu.cfs_period_us",
    "sys/fs/cgroup/cpu/a/cpu.rt_runtime_us",
    "proc/cmdline",
    "proc/cpuinfo",
    "proc/1/environ",
    "proc/1/cgroup",
    "proc/sys/kernel/osrelease",
    "proc/sys/kernel/version",
    "proc/sys/kernel/sched_rt_runtime_us",
    "proc/sys/kernel/sched_rt_period_us",
    "proc/sys/kernel/timer_migration",
    "sys/kernel/realtime",
    "sys/hypervisor/type",
    "sys/class/dmi/id/sys_vendor",
    "sys/devices/system/cpu/isolated",
    "sys/devices/system/cpu/smt/active",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "sys/devices/system/cpu/cpu2/cpufreq/scaling_governor",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/name",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/latency",
    "sys/devices/system/cpu/cpu0/cpuidle/state1/name",
    "sys/devices/system/cpu/cpu0/cpuidle/state1/latency",
    "sys/devices/system/cpu/cpu2/cpuidle/state0/name",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/residency",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/disable",
    "sys/devices/system/cpu/vulnerabilities/meltdown",
    "sys/devices/system/clocksource/clocksource0/current_clocksource",
    "run/systemd/container",
    "proc/device-tree/hypervisor/compatible",
};

enum { PATH_COUNT = sizeof paths / sizeof paths[0] };

static int remove_below(const char *path, const struct stat *status, int type, struct FTW *position)
{
    (void)status;
    (void)type;
    return position->level == 0 ? 0 : remove(path);
}

/* The folder of this process, reused for every input and by the process after one that was killed. In
 * memory, if that can be had: on a disk most of the time goes to its journal. */
static const char *find_root(void)
{
    enum { MOST_PROCESSES = 1024 };
    static char root[PATH_SIZE];
    const char *parent = getenv("TMPDIR");
    if (root[0] != '\0') {
        return root;
    }
    if (parent == NULL) {
        parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    }
    for (int i = 0; i < MOST_PROCESSES; i++) {
        (void)snprintf(root, sizeof root, "%.100s/numasweep-fuzz-%d-%d", parent, (int)getuid(), i);
        (void)mkdir(root, 0700);
        const int fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            FUZZ_REQUIRE(nftw(root, remove_below, 8, FTW_DEPTH | FTW_PHYS) == 0);
            return root;
        }
        if (fd >= 0) {
            (void)close(fd);
        }
    }
    FUZZ_REQUIRE(false); /* no folder can be had */
    return NULL;
}

static void make_folders(char *path, size_t root_length)
{
    for (char *slash = strchr(path + root_length + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
}

static void write_file(const char *root, const char *name, const uint8_t *data, size_t size)
{
    enum { FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC };
    char path[2 * PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    int fd = open(path, FLAGS, 0600);
    if (fd < 0) {
        make_folders(path, strlen(root));
        fd = open(path, FLAGS, 0600);
    }
    FUZZ_REQUIRE(fd >= 0);
    FUZZ_REQUIRE(write(fd, data, size) == (ssize_t)size);
    (void)close(fd);
}

/* And the folders that are empty without it: one that is left would change what the next input means. */
static void remove_file(const char *root, const char *name)
{
    char path[2 * PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    if (unlink(path) != 0) {
        return;
    }
    for (char *slash = strrchr(path, '/'); slash > path + strlen(root); slash = strrchr(path, '/')) {
        *slash = '\0';
        if (rmdir(path) != 0) {
            return;
        }
    }
}

static void write_files(const char *root, const uint8_t *data, size_t size)
{
    while (size > 1) {
        const uint8_t *end = memchr(data, SEPARATOR, size);
        const size_t length = end != NULL ? (size_t)(end - data) : size;
        const size_t index = (size_t)(data[0] - FIRST_LETTER);
        if (length > 0 && data[0] >= FIRST_LETTER && index < PATH_COUNT) {
            write_file(root, paths[index], data + 1, length - 1);
        }
        const size_t used = end != NULL ? length + 1 : length;
        data += used;
        size -= used;
    }
}

static void remove_files(const char *root)
{
    for (size_t i = 0; i < PATH_COUNT; i++) {
        remove_file(root, paths[i]);
    }
}

static void require_facts(const struct environment *environment)
{
    FUZZ_REQUIRE(environment->count > 0);
    for (size_t i = 0; i < environment->count; i++) {
        const struct environment_fact *fact = &environment->facts[i];
        FUZZ_REQUIRE(fact->group[0] != '\0' && fact->name[0] != '\0');
        FUZZ_REQUIRE(environment_find(environment, fact->name) == fact);
        FUZZ_REQUIRE((fact->advice == NULL) == (fact->severity == FACT_INFORMATION));
        /* An empty file is an empty value: a kernel may well be started without parameters. */
        FUZZ_REQUIRE(fact->value != NULL);
    }
}

static void print(const struct environment *environment, const struct output_format *format,
                  bool use_ascii)
{
    const struct output_settings settings = {.width = 80, .use_ascii = use_ascii};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    FUZZ_REQUIRE(stream != NULL);
    FUZZ_REQUIRE(format->print_environment(environment, &settings, stream, NULL) == 0);
    FUZZ_REQUIRE(fclose(stream) == 0 && strlen(text) == size && size > 0);
    FUZZ_REQUIRE(strcmp(format->name, "csv") == 0 || strchr(text, '\033') == NULL);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct topology_cpu cpus[] = {{.cpu = 0}, {.cpu = 2}, {.cpu = 3, .state = CPU_OFFLINE}};
    const struct topology topology = {.cpus = cpus, .cpu_count = sizeof cpus / sizeof cpus[0]};
    struct environment environment = {0};
    const char *root = find_root();
    if (size > LARGEST_INPUT) {
        return -1;
    }
    /* What prints characters beyond ASCII has a locale that knows them. */
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    write_files(root, data, size);
    FUZZ_REQUIRE(environment_read(root, &topology, &environment) == 0);
    require_facts(&environment);
    for (size_t i = 0; output_formats[i] != NULL; i++) {
        /* Test points are of a sweep only. */
        if (output_formats[i]->print_environment != NULL) {
            print(&environment, output_formats[i], true);
            print(&environment, output_formats[i], false);
        }
    }
    environment_destroy(&environment);
    remove_files(root);
    return 0;
}
