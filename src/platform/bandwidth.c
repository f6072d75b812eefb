/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/bandwidth.h"

#include "numasweep/procfs.h"
#include "numasweep/small_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 64 * 1024,
    PATH_BYTES = PATH_MAX + 128,
    REMOVE_TRIES = 200,
    REMOVE_WAIT_NS = 10000000
};

static void path_of_group(const struct bandwidth *bandwidth, size_t group, const char *file,
                          char path[PATH_BYTES])
{
    char name[64];
    (void)snprintf(name, sizeof name, "numasweep-hogs-%d-%zu", (int)bandwidth->owner, group);
    (void)snprintf(path, PATH_BYTES, "%s/%s%s%s", bandwidth->parent, name, file[0] != '\0' ? "/" : "",
                   file);
}

/* What the system or its set-up does not allow is no fault of this program. */
static int refusal_of(int error)
{
    return error == EBUSY || error == EROFS || error == EACCES || error == ENOENT || error == EOPNOTSUPP
               ? EPERM
               : error;
}

static bool has_controller(const char *folder, const char *file)
{
    char path[PATH_BYTES];
    char text[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    return small_file_read(path, text, sizeof text) == 0 && procfs_has_word(text, "cpu");
}

/* A cgroup namespace or a bind mount shows a part of the tree only. */
static void join_own_path(const char *root, const char *mount_point, const char *own,
                          char parent[PATH_MAX])
{
    const size_t root_length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    struct stat status;
    const char *rest = strncmp(own, root, root_length) == 0 ? own + root_length : "";
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s%s", mount_point, strcmp(rest, "/") == 0 ? "" : rest);
    const bool is_there = strlen(path) < PATH_MAX && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    (void)snprintf(parent, PATH_MAX, "%.*s", PATH_MAX - 1, is_there ? path : mount_point);
}

/* Upwards from its own group: the first that passes the controller on already, else the topmost that
 * could. A group that holds processes may not, but for the root of all. */
static bool choose_v2_parent(struct bandwidth *bandwidth, const char *mount_point)
{
    const size_t shortest = strlen(mount_point);
    char *parent = bandwidth->parent;
    for (;;) {
        if (has_controller(parent, "cgroup.subtree_control")) {
            return true;
        }
        char *slash = strrchr(parent, '/');
        if (strlen(parent) <= shortest || slash == NULL) {
            break;
        }
        *slash = '\0';
    }
    bandwidth->must_enable = true;
    return has_controller(parent, "cgroup.controllers");
}

static bool find_hierarchy(struct bandwidth *bandwidth, const char *mounts, const char *groups,
                           const char *controller)
{
    char root[PATH_MAX];
    char mount_point[PATH_MAX];
    char own[PATH_MAX] = "/";
    if (!procfs_find_cgroup_mount(mounts, controller, root, mount_point, sizeof root)) {
        return false;
    }
    (void)procfs_find_cgroup(groups, controller, own, sizeof own);
    join_own_path(root, mount_point, own, bandwidth->parent);
    bandwidth->version = controller[0] != '\0' ? 1 : 2;
    return bandwidth->version == 1 || choose_v2_parent(bandwidth, mount_point);
}

int bandwidth_find(struct bandwidth *bandwidth, struct failure *failure)
{
    char *mounts = malloc(TEXT_BYTES);
    char groups[8192];
    bool is_found = false;
    *bandwidth = (struct bandwidth){0};
    if (mounts == NULL) {
        return failure_set(failure, "cgroup", ENOMEM, "out of memory");
    }
    if (small_file_read("/proc/self/mountinfo", mounts, TEXT_BYTES) == 0 &&
        small_file_read("/proc/self/cgroup", groups, sizeof groups) == 0) {
        is_found = find_hierarchy(bandwidth, mounts, groups, "cpu") ||
                   find_hierarchy(bandwidth, mounts, groups, "");
    }
    free(mounts);
    if (!is_found) {
        return failure_set(
            failure, "cgroup", EPERM,
            "--quota: no cgroup hierarchy with the controller cpu is mounted here, neither "
            "v1 nor v2");
    }
    if (access(bandwidth->parent, W_OK) != 0) {
        return failure_set(
            failure, "cgroup", EPERM,
            "--quota: no cgroup may be made in %.200s: %s; that takes root, or a cgroup that "
            "was delegated to you",
            bandwidth->parent, strerror(errno));
    }
    return 0;
}

/* A group whose last process has just been reaped may be busy for a moment. */
static int remove_group(const char *path)
{
    for (int i = 0; i < REMOVE_TRIES; i++) {
        const struct timespec wait = {.tv_nsec = REMOVE_WAIT_NS};
        if (rmdir(path) == 0 || errno == ENOENT) {
            return 0;
        }
        if (errno != EBUSY) {
            break;
        }
        (void)nanosleep(&wait, NULL);
    }
    return -errno;
}

/* Its number may be another process's by now. */
static bool is_keeper(long pid)
{
    char path[64];
    char text[1024];
    char state = 'X';
    int cpu = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    return small_file_read(path, text, sizeof text) == 0 &&
           strstr(text, "(" BANDWIDTH_OWNER_NAME ")") != NULL &&
           procfs_find_last_cpu(text, &state, &cpu) && state != 'Z' && state != 'X';
}

/* Both processes that would have removed it were killed. */
static void remove_stale(const struct bandwidth *bandwidth)
{
    DIR *folder = opendir(bandwidth->parent);
    const struct dirent *entry = NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        static const char prefix[] = "numasweep-hogs-";
        char path[PATH_BYTES + sizeof entry->d_name];
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0) {
            continue;
        }
        const long owner = strtol(entry->d_name + sizeof prefix - 1, NULL, 10);
        if (owner > 0 && !is_keeper(owner)) {
            (void)snprintf(path, sizeof path, "%s/%s", bandwidth->parent, entry->d_name);
            (void)remove_group(path);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

static int switch_controller(const struct bandwidth *bandwidth, const char *word)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/cgroup.subtree_control", bandwidth->parent);
    return small_file_write(path, word);
}

static int write_number(const struct bandwidth *bandwidth, size_t group, const char *file,
                        int64_t number)
{
    char path[PATH_BYTES];
    char text[32];
    path_of_group(bandwidth, group, file, path);
    (void)snprintf(text, sizeof text, "%lld", (long long)number);
    return small_file_write(path, text);
}

static int set_limit(const struct bandwidth *bandwidth, size_t group,
                     const struct bandwidth_limit *limit)
{
    const long long quota_us = limit->quota_ns / 1000;
    const long long period_us = limit->period_ns / 1000;
    if (bandwidth->version == 1) {
        const int error = write_number(bandwidth, group, "cpu.cfs_period_us", period_us);
        return error != 0 ? error : write_number(bandwidth, group, "cpu.cfs_quota_us", quota_us);
    }
    char path[PATH_BYTES];
    char text[64];
    path_of_group(bandwidth, group, "cpu.max", path);
    (void)snprintf(text, sizeof text, "%lld %lld", quota_us, period_us);
    return small_file_write(path, text);
}

static int create_group(struct bandwidth *bandwidth, size_t group, const struct bandwidth_limit *limit,
                        struct failure *failure)
{
    char path[PATH_BYTES];
    path_of_group(bandwidth, group, "", path);
    if (mkdir(path, 0755) != 0) {
        const int error = errno;
        return failure_set(failure, "cgroup", refusal_of(error), "--quota: %.200s: %s", path,
                           strerror(error));
    }
    bandwidth->made = group + 1;
    const int error = set_limit(bandwidth, group, limit);
    if (error != 0) {
        return failure_set(failure, "cgroup", refusal_of(-error),
                           "--quota: %.200s does not take a quota of %lldus in %lldus: %s", path,
                           (long long)limit->quota_ns / 1000, (long long)limit->period_ns / 1000,
                           error == -ENOENT ? "this kernel has no CFS bandwidth control"
                                            : strerror(-error));
    }
    return 0;
}

int bandwidth_create(struct bandwidth *bandwidth, const struct bandwidth_limit *limit,
                     struct failure *failure)
{
    int error = 0;
    bandwidth->owner = getpid();
    remove_stale(bandwidth);
    if (bandwidth->must_enable) {
        error = switch_controller(bandwidth, "+cpu");
        if (error != 0) {
            return failure_set(failure, "cgroup", refusal_of(-error),
                               "--quota: the controller cpu cannot be enabled in %.200s: %s%s",
                               bandwidth->parent, strerror(-error),
                               error == -EBUSY ? " (it holds processes itself)" : "");
        }
        bandwidth->has_enabled = true;
    }
    for (size_t group = 0; group < limit->group_count && error == 0; group++) {
        error = create_group(bandwidth, group, limit, failure);
    }
    return error;
}

int bandwidth_enter(const struct bandwidth *bandwidth, size_t group)
{
    char path[PATH_BYTES];
    char text[8192];
    char own[PATH_MAX];
    path_of_group(bandwidth, group, "cgroup.procs", path);
    int error = small_file_write(path, "0");
    if (error == 0) {
        error = small_file_read("/proc/self/cgroup", text, sizeof text);
    }
    if (error != 0) {
        return error;
    }
    (void)snprintf(path, sizeof path, "numasweep-hogs-%d-%zu", (int)bandwidth->owner, group);
    const bool is_there = procfs_find_cgroup(text, bandwidth->version == 1 ? "cpu" : "", own,
                                             sizeof own) &&
                          strstr(own, path) != NULL;
    return is_there ? 0 : -EPERM;
}

int bandwidth_remove(struct bandwidth *bandwidth)
{
    int first_error = 0;
    while (bandwidth->made > 0) {
        char path[PATH_BYTES];
        bandwidth->made--;
        path_of_group(bandwidth, bandwidth->made, "", path);
        const int error = remove_group(path);
        first_error = first_error != 0 ? first_error : error;
    }
    if (bandwidth->has_enabled) {
        const int error = switch_controller(bandwidth, "-cpu");
        first_error = first_error != 0 ? first_error : error;
        bandwidth->has_enabled = false;
    }
    return first_error;
}

bool bandwidth_read(const struct bandwidth *bandwidth, int64_t *throttled, int64_t *throttled_ns)
{
    *throttled = 0;
    *throttled_ns = 0;
    for (size_t group = 0; group < bandwidth->made; group++) {
        char path[PATH_BYTES];
        char text[4096];
        int64_t times = 0;
        int64_t time_ns = 0;
        path_of_group(bandwidth, group, "cpu.stat", path);
        if (small_file_read(path, text, sizeof text) != 0 ||
            !procfs_find_throttling(text, &times, &time_ns)) {
            return false;
        }
        *throttled += times;
        *throttled_ns += time_ns;
    }
    return bandwidth->made > 0;
}
