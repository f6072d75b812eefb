/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output_target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART_NAME_ATTEMPTS = 100 };

static bool is_standard_output(const char *name)
{
    return name == NULL || strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0;
}

static int refuse(struct failure *failure, const char *name, int errno_value, const char *what)
{
    (void)failure_set(failure, "output", errno_value, "the output '%.200s' cannot be written: %s", name,
                      what);
    return -EINVAL;
}

/* The folder part with its links resolved, and the last name after it. */
static int resolve_new_file(const char *name, char **path)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;
    char *folder = slash == NULL ? strdup(".")
                                 : strndup(name, slash == name ? 1 : (size_t)(slash - name));
    char *resolved = folder != NULL ? realpath(folder, NULL) : NULL;
    int error = 0;
    if (resolved == NULL) {
        error = folder == NULL ? -ENOMEM : -errno;
    } else if (asprintf(path, "%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, base) < 0) {
        *path = NULL;
        error = -ENOMEM;
    }
    free(resolved);
    free(folder);
    return error;
}

static int check_folder(const char *path, const char *name, struct failure *failure)
{
    const char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (folder == NULL) {
        return -ENOMEM;
    }
    const int error = access(folder, W_OK | X_OK) == 0 ? 0 : -errno;
    free(folder);
    if (error == 0) {
        return 0;
    }
    return refuse(failure, name, -error,
                  error == -EROFS ? "its file system is read-only: name a file elsewhere"
                                  : "no right to write into its folder: name a file elsewhere");
}

/* A name below /dev or /proc may lead to a regular file that is open already, whose other writers must
 * not lose it to a rename. */
static bool is_special(const char *name, const struct stat *status)
{
    return !S_ISREG(status->st_mode) || strncmp(name, "/dev/", 5) == 0 ||
           strncmp(name, "/proc/", 6) == 0;
}

static int find_existing(const struct stat *status, struct output_target *target,
                         struct failure *failure)
{
    const char *name = target->name;
    if (S_ISDIR(status->st_mode)) {
        return refuse(failure, name, EISDIR, "it is a folder: name a file in it");
    }
    if (access(name, W_OK) != 0) {
        return refuse(failure, name, errno, "no right to write it: name another file");
    }
    if (is_special(name, status)) {
        target->type = TARGET_SPECIAL;
        target->final_path = strdup(name);
        return target->final_path == NULL ? -ENOMEM : 0;
    }
    target->type = TARGET_REGULAR;
    target->final_path = realpath(name, NULL);
    if (target->final_path == NULL) {
        return refuse(failure, name, errno, strerror(errno));
    }
    return check_folder(target->final_path, name, failure);
}

static int find_new(struct output_target *target, struct failure *failure)
{
    const char *name = target->name;
    const size_t length = strlen(name);
    if (length == 0 || name[length - 1] == '/') {
        return refuse(failure, name, EINVAL, "it names no file: give a name after the folder");
    }
    target->type = TARGET_REGULAR;
    const int error = resolve_new_file(name, &target->final_path);
    if (error == -ENOMEM) {
        return error;
    }
    if (error == -ENOENT) {
        return refuse(failure, name, ENOENT, "there is no such folder: create it or name another");
    }
    if (error != 0) {
        return refuse(failure, name, -error, strerror(-error));
    }
    return check_folder(target->final_path, name, failure);
}

int output_target_find(const char *name, struct output_target *target, struct failure *failure)
{
    struct stat status = {0};
    *target = (struct output_target){.name = name, .type = TARGET_STANDARD_OUTPUT};
    if (is_standard_output(name)) {
        target->name = "standard output";
        return 0;
    }
    if (stat(name, &status) == 0) {
        return find_existing(&status, target, failure);
    }
    if (errno != ENOENT) {
        return refuse(failure, name, errno, strerror(errno));
    }
    return find_new(target, failure);
}

/* Not mkstemp(): the file must have the mode that the umask gives. */
static int open_part(struct output_target *target)
{
    int fd = -1;
    for (int attempt = 0; fd < 0 && attempt < PART_NAME_ATTEMPTS; attempt++) {
        free(target->part_path);
        if (asprintf(&target->part_path, "%s.%ld-%d.part", target->final_path, (long)getpid(), attempt) <
            0) {
            target->part_path = NULL;
            return -ENOMEM;
        }
        fd = open(target->part_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    if (fd < 0) {
        const int error = -errno;
        free(target->part_path);
        target->part_path = NULL;
        return error;
    }
    struct stat status = {0};
    if (stat(target->final_path, &status) == 0) {
        (void)fchmod(fd, status.st_mode & 07777U);
    }
    return fd;
}

static int write_failure(const struct output_target *target, int errno_value, struct failure *failure)
{
    return failure_set(failure, "output", errno_value, "the output '%.200s' could not be written: %s",
                       target->name, strerror(errno_value));
}

int output_target_open(struct output_target *target, struct failure *failure)
{
    if (target->type == TARGET_STANDARD_OUTPUT) {
        (void)fflush(stdout);
        return descriptor_stream_open(&target->output, STDOUT_FILENO);
    }
    int fd = -1;
    if (target->type == TARGET_SPECIAL) {
        fd = open(target->final_path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
        fd = fd < 0 ? -errno : fd;
    } else {
        fd = open_part(target);
    }
    if (fd == -ENOMEM) {
        return -ENOMEM;
    }
    if (fd < 0) {
        return write_failure(target, -fd, failure);
    }
    const int error = descriptor_stream_open(&target->output, fd);
    if (error != 0) {
        (void)close(fd);
    }
    return error;
}

/* The errno, or 0. */
static int close_output(struct output_target *target)
{
    struct descriptor_stream *output = &target->output;
    int errno_value = fclose(output->stream) == 0 ? 0 : errno;
    if (output->errno_value != 0) {
        errno_value = output->errno_value;
    }
    if (target->type != TARGET_STANDARD_OUTPUT && close(output->fd) != 0 && errno_value == 0) {
        errno_value = errno;
    }
    output->stream = NULL;
    return errno_value;
}

int output_target_finish(struct output_target *target, struct failure *failure)
{
    int errno_value = close_output(target);
    if (errno_value == 0 && target->part_path != NULL) {
        if (rename(target->part_path, target->final_path) == 0) {
            free(target->part_path);
            target->part_path = NULL;
        } else {
            errno_value = errno;
        }
    }
    return errno_value == 0 ? 0 : write_failure(target, errno_value, failure);
}

void output_target_destroy(struct output_target *target)
{
    if (target->output.stream != NULL) {
        (void)close_output(target);
    }
    if (target->part_path != NULL) {
        (void)unlink(target->part_path);
    }
    free(target->part_path);
    free(target->final_path);
    *target = (struct output_target){0};
}
