/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

int small_file_read(const char *path, char *text, size_t size)
{
    size_t length = 0;
    int error = 0;
    text[0] = '\0';
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    while (length < size - 1) {
        const ssize_t part = read(fd, text + length, size - 1 - length);
        if (part == 0) {
            break;
        }
        if (part > 0) {
            length += (size_t)part;
        } else if (errno != EINTR) {
            error = -errno;
            break;
        }
    }
    text[length] = '\0';
    (void)close(fd);
    return error;
}

int small_file_write(const char *path, const char *text)
{
    const size_t length = strlen(text);
    ssize_t written = -1;
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    do {
        written = write(fd, text, length);
    } while (written < 0 && errno == EINTR);
    int error = written < 0 ? -errno : 0;
    if (error == 0 && (size_t)written != length) {
        error = -EIO;
    }
    (void)close(fd);
    return error;
}
