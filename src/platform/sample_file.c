/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/sample_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static int refuse_read(int error, struct failure *failure)
{
    (void)failure_set(failure, "import", error, "%s", strerror(error));
    return error == EIO || error == ENOMEM ? -error : -EINVAL;
}

static int read_pieces(int fd, struct sample_csv *csv, struct failure *failure)
{
    char bytes[65536];
    for (;;) {
        const ssize_t size = read(fd, bytes, sizeof bytes);
        if (size == 0) {
            return sample_csv_finish(csv, failure);
        }
        if (size < 0 && errno != EINTR) {
            return refuse_read(errno, failure);
        }
        const int error = size > 0 ? sample_csv_take(csv, bytes, (size_t)size, failure) : 0;
        if (error != 0) {
            return error;
        }
    }
}

int sample_file_read(const char *name, int64_t requested_ns, struct sample_table *table,
                     struct failure *failure)
{
    const bool is_standard_input = strcmp(name, "-") == 0;
    const int fd = is_standard_input ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return refuse_read(errno, failure);
    }
    struct sample_csv *csv = sample_csv_create(requested_ns, table);
    const int error = csv == NULL ? failure_set(failure, "import", ENOMEM, "out of memory")
                                  : read_pieces(fd, csv, failure);
    sample_csv_destroy(csv);
    if (!is_standard_input) {
        (void)close(fd);
    }
    return error;
}
