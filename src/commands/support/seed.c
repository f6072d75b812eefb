/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seed.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

/* Short enough to be typed again. */
static const uint64_t seed_limit = UINT64_C(1000000000);

int command_choose_seed(struct options *options, struct failure *failure)
{
    uint64_t random = 0;
    ssize_t size = -1;
    if (options->has_seed) {
        return 0;
    }
    do {
        size = getrandom(&random, sizeof random, 0);
    } while (size < 0 && errno == EINTR);
    if (size != (ssize_t)sizeof random) {
        const int error = size < 0 ? errno : EIO;
        return failure_set(failure, "seed", error, "getrandom: %s (--seed N gives one)",
                           strerror(error));
    }
    options->seed = random % seed_limit;
    options->has_seed = true;
    return 0;
}
