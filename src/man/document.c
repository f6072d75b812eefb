/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Built and run by the build: writes the manual page (a template on standard input, whose line
 * "@OPTIONS@" is replaced by the table of options) or the bash completion. */
#include "numasweep/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_manual(const char *version)
{
    char line[4096];
    int error = 0;
    while (error == 0 && fgets(line, sizeof line, stdin) != NULL) {
        char *mark = strstr(line, "@VERSION@");
        if (strcmp(line, "@OPTIONS@\n") == 0) {
            error = options_print_manual(stdout);
        } else if (mark != NULL) {
            (void)printf("%.*s%s%s", (int)(mark - line), line, version, mark + strlen("@VERSION@"));
        } else {
            (void)fputs(line, stdout);
        }
    }
    return error;
}

int main(int argc, char **argv)
{
    int error = -1;
    if (argc == 3 && strcmp(argv[1], "manual") == 0) {
        error = write_manual(argv[2]);
    } else if (argc == 2 && strcmp(argv[1], "completion") == 0) {
        error = options_print_completion(stdout);
    }
    return error == 0 && fflush(stdout) == 0 && ferror(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
