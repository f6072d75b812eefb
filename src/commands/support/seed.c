/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seed.h"

#include "numasweep/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* Short enough to be typed again. */
static const uint64_t seed_limit = UINT64_C(1000000000);

int command_choose_seed(struct options *options, struct failure *failure)
{
    uint64_t random = 0;
    if (options->has_seed) {
        return 0;
    }
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) {
        const int error = errno != 0 ? errno : EIO;
        return failure_set(failure, "seed", error, "getrandom: %s (--seed N gives one)",
                           strerror(error));
    }
    options->seed = random % seed_limit;
    options->has_seed = true;
    return 0;
}

int command_refuse_kernel(const char *name, struct failure *failure)
{
    enum { MOST_KERNELS = 64 };
    const char *names[MOST_KERNELS];
    char list[FAILURE_TEXT_SIZE / 2] = "";
    size_t count = 0;
    for (; count < MOST_KERNELS && measurement_kernels[count] != NULL; count++) {
        names[count] = measurement_kernels[count]->name;
        const size_t length = strlen(list);
        (void)snprintf(list + length, sizeof list - length, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    const char *nearest = options_nearest(name, names, count);
    return failure_set(failure, "kernel", 0, "--kernel: there is no kernel \"%s\"%s%s%s; there are: %s",
                       name, nearest != NULL ? ", did you mean \"" : "", nearest != NULL ? nearest : "",
                       nearest != NULL ? "\"?" : "", list);
}
