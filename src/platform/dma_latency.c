/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/dma_latency.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char device[] = "/dev/cpu_dma_latency";

int dma_latency_hold(int64_t latency_ns, struct failure *failure)
{
    const int32_t latency_us = (int32_t)(latency_ns / 1000);
    const int fd = open(device, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return failure_set(
            failure, "dma latency", errno,
            "--dma-latency: %s: %s (root may open it, or the group that a udev rule gives it to)",
            device, strerror(errno));
    }
    ssize_t size = -1;
    do {
        size = write(fd, &latency_us, sizeof latency_us);
    } while (size < 0 && errno == EINTR);
    if (size != (ssize_t)sizeof latency_us) {
        const int error = size < 0 ? errno : EIO;
        (void)close(fd);
        return failure_set(failure, "dma latency", error, "--dma-latency: %s: %s", device,
                           strerror(error));
    }
    return fd;
}
