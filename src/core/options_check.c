/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several options together make impossible. */
#include "options_internal.h"

/* A profile's value that the command line's choice makes pointless is no mistake of the user's. */
static bool is_overruled_by(const struct options *options, const char *name, const char *other)
{
    return !option_is_from_command_line(options, name) && option_is_from_command_line(options, other);
}

static int check_priority(const struct options *options, struct failure *failure)
{
    const bool has_priority = options->policy == POLICY_AUTO || options->policy == POLICY_FIFO ||
                              options->policy == POLICY_RR;
    if (has_priority || !options_was_set(options, "priority") ||
        is_overruled_by(options, "priority", "policy")) {
        return 0;
    }
    return failure_set(failure, "options", 0,
                       "--priority: the policy %s has no real-time priority; give --policy fifo or rr, "
                       "or no priority",
                       policy_choice_name(options->policy));
}

static int check_figure(const struct options *options, struct failure *failure)
{
    const bool takes_touch = (options->command & FOR_SWEEP) != 0;
    if (!takes_touch || options->figure != FIGURE_TOUCH || options->touch_lines > 0 ||
        is_overruled_by(options, "figure", "touch")) {
        return 0;
    }
    return failure_set(failure, "options", 0,
                       "--figure: there is no touch to show with --touch 0; give --figure wake, "
                       "or a number of lines");
}

static int check_limits(const struct options *options, struct failure *failure)
{
    const bool is_run = options->command == FOR_RUN;
    if (is_run && limit_list_has_figure(&options->limits, LIMIT_TOUCH) && options->touch_lines == 0 &&
        !is_overruled_by(options, "limit", "touch")) {
        return failure_set(failure, "options", 0,
                           "--limit: there is no touch to limit with --touch 0; limit wake only, or "
                           "give a number of lines");
    }
    if (is_run && (options->fail_on & FAIL_ON_LIMIT) != 0 && options->limits.count == 0 &&
        !is_overruled_by(options, "fail-on", "limit")) {
        return failure_set(failure, "options", 0,
                           "--fail-on: there is no limit that could be broken; give "
                           "--limit METRIC=DURATION");
    }
    return 0;
}

int options_check_fail_on(const struct options *options, struct failure *failure)
{
    const bool is_compare = options->command == FOR_COMPARE;
    const bool has_regression = (options->fail_on & FAIL_ON_REGRESSION) != 0;
    const bool is_grouping = options->group_by != 0 || options->argument_count > 2;
    if (is_compare && has_regression && is_grouping) {
        return failure_set(failure, "options", 0,
                           "--fail-on: groups of files are not judged; compare two files, without "
                           "--group-by");
    }
    if (is_compare && options->fail_on != 0 && !has_regression) {
        return failure_set(failure, "options", 0, "--fail-on: compare finds regression only");
    }
    if ((options->command & (FOR_RUN | FOR_REPORT | FOR_IMPORT)) != 0 &&
        options->fail_on == FAIL_ON_REGRESSION) {
        return failure_set(failure, "options", 0,
                           "--fail-on: a regression is between two sweeps: give it to compare");
    }
    return 0;
}

int options_check(const struct options *options, struct failure *failure)
{
    int error = check_priority(options, failure);
    if (error == 0) {
        error = check_figure(options, failure);
    }
    if (error == 0) {
        error = check_limits(options, failure);
    }
    return error;
}
