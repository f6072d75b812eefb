/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omitted.h"

#include "identity.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_RUN = 4 };

static struct omitted_group *find_or_add(struct omitted *omitted, const char *reason)
{
    for (size_t i = 0; i < omitted->count; i++) {
        if (strcmp(omitted->groups[i].reason, reason) == 0) {
            return &omitted->groups[i];
        }
    }
    struct omitted_group *larger = realloc(omitted->groups,
                                           (omitted->count + 1) * sizeof *omitted->groups);
    if (larger == NULL) {
        return NULL;
    }
    omitted->groups = larger;
    larger[omitted->count] = (struct omitted_group){.reason = strdup(reason)};
    if (larger[omitted->count].reason == NULL) {
        return NULL;
    }
    return &larger[omitted->count++];
}

static int add_label(struct omitted_group *group, const char *label)
{
    char *joined = NULL;
    if (asprintf(&joined, "%s%s%s", group->labels != NULL ? group->labels : "",
                 group->labels != NULL ? ", " : "", label) < 0) {
        return -ENOMEM;
    }
    free(group->labels);
    group->labels = joined;
    return 0;
}

void omitted_add(struct omitted *omitted, const struct plan_row *row, const char *reason)
{
    if (omitted->error != 0) {
        return;
    }
    struct omitted_group *group = find_or_add(omitted, reason);
    if (group == NULL) {
        omitted->error = -ENOMEM;
        return;
    }
    omitted->error = row->level == ROW_PU ? id_list_add(&group->cpus, row->cpu)
                                          : add_label(group, row->label);
}

int omitted_print(const struct omitted *omitted, const struct output_settings *settings, FILE *stream)
{
    int error = omitted->error;
    for (size_t i = 0; error == 0 && i < omitted->count; i++) {
        const struct omitted_group *group = &omitted->groups[i];
        char *cpus = id_list_format(&group->cpus);
        if (cpus == NULL) {
            return -ENOMEM;
        }
        error = text_print_line(stream, settings->width, settings->use_ascii, 2, "%s%s%s%s: %s",
                                group->cpus.count > 0 ? "CPU " : "", cpus,
                                group->cpus.count > 0 && group->labels != NULL ? ", " : "",
                                group->labels != NULL ? group->labels : "", group->reason);
        free(cpus);
    }
    return error;
}

void omitted_destroy(struct omitted *omitted)
{
    for (size_t i = 0; i < omitted->count; i++) {
        free(omitted->groups[i].reason);
        free(omitted->groups[i].labels);
        id_list_destroy(&omitted->groups[i].cpus);
    }
    free(omitted->groups);
    *omitted = (struct omitted){0};
}

static bool is_alike(const struct plan_row *a, const struct plan_row *b)
{
    return a->state == b->state && !b->is_asked_for && strcmp(a->reason, b->reason) == 0;
}

bool row_is_collapsed(const struct plan *plan, size_t row)
{
    const struct plan_row *const this_row = &plan->rows[row];
    if (this_row->state == ROW_PLANNED || this_row->is_asked_for) {
        return false;
    }
    if (this_row->state == ROW_NOT_SELECTED) {
        return true;
    }
    size_t length = 1;
    for (size_t i = row; i-- > 0 && length <= LONG_RUN && is_alike(this_row, &plan->rows[i]);) {
        length++;
    }
    for (size_t i = row + 1;
         i < plan->row_count && length <= LONG_RUN && is_alike(this_row, &plan->rows[i]); i++) {
        length++;
    }
    return length > LONG_RUN;
}
