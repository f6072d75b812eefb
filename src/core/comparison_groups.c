/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As it was read back in the first visit that was measured. */
static char *policy_of(const struct sweep *sweep)
{
    char text[32] = "none";
    for (size_t i = 0; i < sweep->visit_count; i++) {
        if (sweep->visits[i].outcome == VISIT_MEASURED) {
            (void)policy_text(sweep->visits[i].placement.policy, sweep->visits[i].placement.priority,
                              text);
            break;
        }
    }
    return strdup(text);
}

static char *value_of(const struct comparison_side *side, const char *field)
{
    const struct sweep *sweep = side->report->sweep;
    if (strcmp(field, "host") == 0) {
        return strdup(sweep->host);
    }
    if (strcmp(field, "kernel") == 0) {
        return strdup(environment_value(&sweep->environment, "kernel_release"));
    }
    if (strcmp(field, "version") == 0) {
        return strdup(sweep->version);
    }
    if (strcmp(field, "load") == 0) {
        return strdup(sweep->options.load);
    }
    return strcmp(field, "policy") == 0 ? policy_of(sweep) : strdup(side->name);
}

static struct comparison_group *find_group(struct comparison_groups *groups, const char *label)
{
    for (size_t i = 0; i < groups->group_count; i++) {
        if (strcmp(groups->groups[i].label, label) == 0) {
            return &groups->groups[i];
        }
    }
    return NULL;
}

static int add(struct comparison_groups *groups, const struct comparison_side *side, size_t most)
{
    char *label = value_of(side, groups->field);
    if (label == NULL) {
        return -ENOMEM;
    }
    struct comparison_group *group = find_group(groups, label);
    if (group == NULL) {
        group = &groups->groups[groups->group_count];
        *group = (struct comparison_group){.label = label,
                                           .reports = calloc(most + 1, sizeof(const struct report *))};
        groups->group_count++;
    } else {
        free(label);
    }
    if (group->reports == NULL) {
        return -ENOMEM;
    }
    group->reports[group->report_count] = side->report;
    group->report_count++;
    groups->run_count = group->report_count > groups->run_count ? group->report_count
                                                                : groups->run_count;
    return 0;
}

int comparison_groups_create(const struct comparison_side *sides, size_t count, const char *field,
                             struct comparison_groups *groups)
{
    *groups = (struct comparison_groups){.field = field,
                                         .groups = calloc(count + 1, sizeof *groups->groups)};
    int error = groups->groups == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        error = add(groups, &sides[i], count);
    }
    if (error != 0) {
        comparison_groups_destroy(groups);
    }
    return error;
}

void comparison_groups_destroy(struct comparison_groups *groups)
{
    for (size_t i = 0; groups->groups != NULL && i < groups->group_count; i++) {
        free(groups->groups[i].label);
        free(groups->groups[i].reports);
    }
    free(groups->groups);
    *groups = (struct comparison_groups){0};
}
