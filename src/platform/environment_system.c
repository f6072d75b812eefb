/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "environment_parts.h"
#include "numasweep/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char group[] = "system";

static const char *or_unreadable(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : ENVIRONMENT_NOT_READABLE;
}

static int add_release(struct environment_reader *reader)
{
    const char *release = environment_file(reader, "/proc/sys/kernel/osrelease");
    int error = environment_add_fact(reader, group, "kernel_release", FACT_INFORMATION, NULL, "%s",
                                     or_unreadable(release));
    if (error != 0) {
        return error;
    }
    const char *version = environment_file(reader, "/proc/sys/kernel/version");
    const bool is_real_time = version != NULL && strstr(version, "PREEMPT_RT") != NULL;
    error = environment_add_fact(reader, group, "kernel_version", FACT_INFORMATION, NULL, "%s",
                                 or_unreadable(version));
    if (error != 0) {
        return error;
    }
    int64_t flag = 0;
    const bool has_flag = environment_file_number(reader, &flag, "/sys/kernel/realtime") && flag == 1;
    return environment_add_fact(reader, group, "kernel_is_preempt_rt", FACT_INFORMATION, NULL, "%s",
                                is_real_time || has_flag ? "yes" : "no");
}

static int add_hypervisor(struct environment_reader *reader)
{
    static const char advice[] =
        "a virtual machine's timers and CPUs are its host's: a CPU that is slow here may be "
        "another one tomorrow; pin virtual to physical CPUs, and look at the steal time";
    char name[64] = "none found";
    bool is_virtual = false;
    const char *type = environment_file(reader, "/sys/hypervisor/type");
    if (type != NULL && type[0] != '\0') {
        is_virtual = true;
        (void)snprintf(name, sizeof name, "%.60s", type);
    }
    const char *information = is_virtual ? NULL : environment_file(reader, "/proc/cpuinfo");
    if (information != NULL && strstr(information, " hypervisor") != NULL) {
        is_virtual = true;
        const char *product = environment_file(reader, "/sys/class/dmi/id/sys_vendor");
        (void)snprintf(name, sizeof name, "%.60s",
                       product != NULL && product[0] != '\0' ? product : "yes, unnamed");
    }
    const char *tree = is_virtual ? NULL
                                  : environment_file(reader, "/proc/device-tree/hypervisor/compatible");
    if (tree != NULL && tree[0] != '\0') {
        is_virtual = true;
        (void)snprintf(name, sizeof name, "%.60s", tree);
    }
    return environment_add_fact(reader, group, "hypervisor", is_virtual ? FACT_NOTICE : FACT_INFORMATION,
                                is_virtual ? advice : NULL, "%s", name);
}

static const char *find_container(struct environment_reader *reader, char name[64])
{
    const char *text = environment_file(reader, "/run/systemd/container");
    if (text != NULL && text[0] != '\0') {
        (void)snprintf(name, 64, "%.60s", text);
        return name;
    }
    if (environment_file(reader, "/.dockerenv") != NULL) {
        return "docker";
    }
    if (environment_file(reader, "/run/.containerenv") != NULL) {
        return "podman";
    }
    text = environment_file_variable(reader, "container", "/proc/1/environ");
    if (text != NULL && text[0] != '\0') {
        (void)snprintf(name, 64, "%.60s", text);
        return name;
    }
    text = environment_file(reader, "/proc/1/cgroup");
    if (text != NULL && (strstr(text, "/docker/") != NULL || strstr(text, "kubepods") != NULL)) {
        return "yes, by its cgroup";
    }
    return NULL;
}

static int add_container(struct environment_reader *reader)
{
    static const char advice[] =
        "its cpuset hides CPUs and nodes, and its system-call filter may refuse SCHED_FIFO and "
        "memory binding: add SYS_NICE and IPC_LOCK, or measure on the host";
    char name[64];
    const char *container = find_container(reader, name);
    return environment_add_fact(
        reader, group, "container", container != NULL ? FACT_NOTICE : FACT_INFORMATION,
        container != NULL ? advice : NULL, "%s", container != NULL ? container : "none found");
}

static int add_mitigations(struct environment_reader *reader)
{
    const char *command_line = environment_file(reader, "/proc/cmdline");
    char value[64] = "";
    const bool is_set = command_line != NULL &&
                        procfs_find_boot_parameter(command_line, "mitigations", value, sizeof value);
    return environment_add_fact(reader, group, "mitigations", FACT_INFORMATION, NULL, "%s",
                                is_set ? value : "as the kernel chooses");
}

/* Mitigations work at each entry into the kernel, and so in each wake-up. */
static int add_vulnerabilities(struct environment_reader *reader)
{
    static const char path[] = "/sys/devices/system/cpu/vulnerabilities";
    static const char word[] = "Mitigation: ";
    DIR *folder = environment_folder(reader, path);
    size_t mitigated = 0;
    size_t vulnerable = 0;
    size_t unread = 0;
    char unread_text[48] = "";
    errno = 0;
    for (struct dirent *entry = NULL; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        const char *text = environment_file(reader, "%s/%s", path, entry->d_name);
        const bool is_read = text != NULL && text[0] != '\0';
        unread += !is_read;
        mitigated += is_read && strncmp(text, word, sizeof word - 1) == 0;
        vulnerable += is_read && strncmp(text, "Vulnerable", 10) == 0;
        errno = 0;
    }
    if (folder == NULL || errno != 0) {
        if (folder != NULL) {
            (void)closedir(folder);
        }
        return environment_add_fact(reader, group, "vulnerabilities", FACT_INFORMATION, NULL,
                                    ENVIRONMENT_NOT_READABLE);
    }
    (void)closedir(folder);
    if (unread > 0) {
        (void)snprintf(unread_text, sizeof unread_text, ", %zu not readable", unread);
    }
    return environment_add_fact(reader, group, "vulnerabilities", FACT_INFORMATION, NULL,
                                "%zu mitigated, %zu not%s", mitigated, vulnerable, unread_text);
}

/* Long, and of little use beside what stands above: last. */
int environment_read_boot(struct environment_reader *reader)
{
    return environment_add_fact(reader, "boot", "boot_parameters", FACT_INFORMATION, NULL, "%s",
                                or_unreadable(environment_file(reader, "/proc/cmdline")));
}

int environment_read_system(struct environment_reader *reader)
{
    int error = add_release(reader);
    if (error == 0) {
        error = add_hypervisor(reader);
    }
    if (error == 0) {
        error = add_container(reader);
    }
    if (error == 0) {
        error = add_mitigations(reader);
    }
    return error != 0 ? error : add_vulnerabilities(reader);
}
