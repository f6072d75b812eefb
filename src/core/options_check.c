/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options_internal.h"

#include <errno.h>
#include <inttypes.h>

enum { MOST_SAMPLES_A_VISIT = 10000000 };

static bool is_real_time(enum policy_choice policy)
{
    return policy == POLICY_AUTO || policy == POLICY_FIFO || policy == POLICY_RR;
}

static int check_figure(const struct options *options, struct failure *failure)
{
    if (options->command == FOR_REPORT || options->touch_lines > 0 || options->figure != FIGURE_TOUCH) {
        return 0;
    }
    return failure_set(failure, "options", 0,
                       "--figure: touch is not measured with --touch 0: leave one of the two out");
}

static int check_priority(const struct options *options, struct failure *failure)
{
    if (!options->priority_is_explicit || is_real_time(options->policy)) {
        return 0;
    }
    return failure_set(failure, "options", 0,
                       "--priority: the policy %s has no priority; it goes with fifo, rr and auto",
                       policy_choice_name(options->policy));
}

static int check_sizes(const struct options *options, struct failure *failure)
{
    if (options->sample_count + options->warmup_count > MOST_SAMPLES_A_VISIT) {
        return failure_set(
            failure, "options", 0,
            "--samples: with --warmup that is over %d sleeps a visit: give more --rounds instead",
            MOST_SAMPLES_A_VISIT);
    }
    for (size_t i = 0; i < options->timeout_count; i++) {
        const int64_t shortest_ns = options->timeouts_ns[i] -
                                    options->timeouts_ns[i] * options->dither_percent / 100;
        if (shortest_ns <= 0) {
            return failure_set(failure, "options", 0,
                               "--dither: %" PRId64 " %% of %" PRId64 " ns leaves no sleep",
                               options->dither_percent, options->timeouts_ns[i]);
        }
    }
    return 0;
}

int options_check(const struct options *options, struct failure *failure)
{
    int error = check_figure(options, failure);
    if (error == 0) {
        error = check_priority(options, failure);
    }
    if (error == 0) {
        error = check_sizes(options, failure);
    }
    return error;
}
