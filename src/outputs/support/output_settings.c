/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output_settings.h"

#include "numasweep/number.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_TERMINAL_WIDTH = 80, LARGEST_WIDTH = 100000 };

static bool wants_color(enum when_choice choice, bool is_terminal)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (choice != WHEN_AUTO) {
        return choice == WHEN_ALWAYS;
    }
    if (no_color != NULL && no_color[0] != '\0') {
        return false;
    }
    return is_terminal && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

/* An exported COLUMNS wins, so that a pipe can be given a width. */
static int find_width(int fd, bool is_terminal)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size = {0};
    int64_t width = 0;
    if (columns != NULL && number_parse_int64(columns, 1, LARGEST_WIDTH, &width, NULL) == 0) {
        return (int)width;
    }
    if (!is_terminal) {
        return 0;
    }
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return DEFAULT_TERMINAL_WIDTH;
}

struct output_settings output_settings_make(const struct options *options, int fd)
{
    const bool is_terminal = isatty(fd) == 1;
    return (struct output_settings){
        .figure = options->figure,
        .metric = options->metric,
        .columns = options->columns,
        .no_headings = options->no_headings,
        .use_color = wants_color(options->color, is_terminal),
        .use_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
        .width = find_width(fd, is_terminal),
    };
}
