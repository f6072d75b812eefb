/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "descriptor_stream.h"

#include <errno.h>
#include <unistd.h>

/* fopencookie(3): 0 tells of an error. */
static ssize_t write_all(void *cookie, const char *bytes, size_t size)
{
    struct descriptor_stream *opened = cookie;
    size_t written = 0;
    while (written < size && opened->errno_value == 0) {
        const ssize_t part = write(opened->fd, bytes + written, size - written);
        if (part >= 0) {
            written += (size_t)part;
        } else if (errno != EINTR) {
            opened->errno_value = errno;
        }
    }
    errno = opened->errno_value;
    return written == size ? (ssize_t)size : 0;
}

int descriptor_stream_open(struct descriptor_stream *opened, int fd)
{
    static const cookie_io_functions_t functions = {.write = write_all};
    *opened = (struct descriptor_stream){.fd = fd};
    opened->stream = fopencookie(opened, "w", functions);
    return opened->stream != NULL ? 0 : -ENOMEM;
}
