/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/progress.h"

#include "numasweep/number.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_SIZE = 512, PART_SIZE = 160, DEFAULT_WIDTH = 80 };

static const int64_t terminal_interval_ns = 100000000;
static const int64_t plain_interval_ns = 10000000000;
static const int64_t long_sweep_ns = 2000000000;

void progress_init(struct progress *progress, enum when_choice choice)
{
    const bool is_open = fcntl(STDERR_FILENO, F_GETFD) != -1;
    const bool is_terminal = is_open && isatty(STDERR_FILENO) == 1;
    *progress = (struct progress){
        .is_on = is_open && (choice == WHEN_ALWAYS || (choice == WHEN_AUTO && is_terminal)),
        .is_terminal = is_terminal,
        .is_for_long_only = choice == WHEN_AUTO,
        .shown_at_ns = -1,
    };
}

static bool is_due(const struct progress *progress, const struct coordinator_progress *state)
{
    const int64_t interval_ns = progress->is_terminal ? terminal_interval_ns : plain_interval_ns;
    if (!progress->is_on || state->visits_total == 0) {
        return false;
    }
    if (progress->shown_at_ns >= 0) {
        return state->elapsed_ns - progress->shown_at_ns >= interval_ns;
    }
    const int64_t remaining_ns = state->remaining_ns > 0 ? state->remaining_ns : 0;
    return !progress->is_for_long_only || state->elapsed_ns >= long_sweep_ns - remaining_ns;
}

/* The last column is left free: writing to it makes some terminals wrap. 0: no limit. */
static size_t line_limit(const struct progress *progress)
{
    struct winsize size = {0};
    if (!progress->is_terminal) {
        return LINE_SIZE - 2;
    }
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return DEFAULT_WIDTH - 1;
    }
    return size.ws_col - 1U < LINE_SIZE - 2 ? size.ws_col - 1U : LINE_SIZE - 2;
}

/* A part that does not fit is left out whole: half a number would be a wrong number. */
static bool append_part(char *line, size_t limit, const char *part)
{
    const size_t length = strlen(line);
    const char *separator = length > 0 ? ", " : "";
    if (length + strlen(separator) + strlen(part) > limit) {
        return false;
    }
    (void)snprintf(line + length, LINE_SIZE - length, "%s%s", separator, part);
    return true;
}

static void append_duration(char *line, size_t limit, int64_t duration_ns, const char *what)
{
    char duration[DURATION_TEXT_SIZE];
    char part[PART_SIZE];
    (void)snprintf(part, sizeof part, "%s %s", duration_format_rough(duration_ns, duration), what);
    (void)append_part(line, limit, part);
}

static void append_cpus(char *line, size_t limit, const struct id_list *busy)
{
    char part[PART_SIZE];
    if (busy == NULL || busy->count == 0) {
        return;
    }
    char *cpus = id_list_format(busy);
    if (cpus != NULL) {
        const int length = snprintf(part, sizeof part, "%s %s", busy->count == 1 ? "CPU" : "CPUs", cpus);
        free(cpus);
        if (length < (int)sizeof part && append_part(line, limit, part)) {
            return;
        }
    }
    (void)snprintf(part, sizeof part, "%zu CPU%s", busy->count, busy->count == 1 ? "" : "s");
    (void)append_part(line, limit, part);
}

/* In the order of importance, since a narrow terminal loses the last parts. */
static void format_line(const struct coordinator_progress *state, size_t limit, char line[LINE_SIZE])
{
    char part[PART_SIZE];
    const double share = (double)state->visits_done / (double)state->visits_total;
    line[0] = '\0';
    (void)snprintf(part, sizeof part, "%d %%", (int)(100.0 * share));
    (void)append_part(line, limit, part);
    (void)snprintf(part, sizeof part, "%zu of %zu visits", state->visits_done, state->visits_total);
    (void)append_part(line, limit, part);
    if (state->remaining_ns >= 0) {
        append_duration(line, limit, state->remaining_ns, "left");
    }
    append_duration(line, limit, state->elapsed_ns, "elapsed");
    append_cpus(line, limit, state->busy);
}

/* One write, so that the line is not mixed with what others write to the same terminal. A reader that
 * went away must not be asked again, and must never end the sweep. */
static void write_text(struct progress *progress, const char *text, size_t length)
{
    if (write(STDERR_FILENO, text, length) != (ssize_t)length) {
        progress->is_on = false;
    }
}

static void show_on_terminal(struct progress *progress, const char *line)
{
    char text[2 * LINE_SIZE];
    const int length = (int)strlen(line);
    const int blanks = progress->line_length > length ? progress->line_length - length : 0;
    const int size = snprintf(text, sizeof text, "\r%s%*s", line, blanks, "");
    progress->line_length = length;
    write_text(progress, text, (size_t)size);
}

void progress_show(struct progress *progress, const struct coordinator_progress *state)
{
    char line[LINE_SIZE];
    if (!is_due(progress, state)) {
        return;
    }
    progress->shown_at_ns = state->elapsed_ns;
    format_line(state, line_limit(progress), line);
    if (progress->is_terminal) {
        show_on_terminal(progress, line);
        return;
    }
    const size_t length = strlen(line);
    line[length] = '\n';
    write_text(progress, line, length + 1);
}

void progress_end(struct progress *progress)
{
    if (progress->is_on && progress->is_terminal && progress->line_length > 0) {
        show_on_terminal(progress, "");
        write_text(progress, "\r", 1);
    }
    progress->is_on = false;
}
