/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/command.h"
#include "numasweep/config_file.h"
#include "numasweep/exit_status.h"
#include "numasweep/failure.h"
#include "numasweep/options.h"
#include "numasweep/standard_streams.h"

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int help_width(void)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
        return size.ws_col < 110 ? size.ws_col : 110;
    }
    return 80;
}

static const struct command *find_command(enum option_command which)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (commands[i]->command == which) {
            return commands[i];
        }
    }
    return NULL;
}

static int run(const struct options *options, int argc, char **argv, struct failure *failure)
{
    if (options->show_help) {
        return options_print_help(options->command, help_width(), stdout) == 0 ? EXIT_STATUS_COMPLETE
                                                                               : EXIT_STATUS_BROKEN;
    }
    if (options->show_version) {
        return printf("numasweep %s\n", NUMASWEEP_VERSION) > 0 ? EXIT_STATUS_COMPLETE
                                                               : EXIT_STATUS_BROKEN;
    }
    const struct command *command = find_command(options->command);
    return command != NULL ? command->run(options, argc, argv, failure) : EXIT_STATUS_BROKEN;
}

/* A full disk or a closed pipe shows only now. */
static int close_standard_output(int status, bool is_told)
{
    if (ferror(stdout) == 0 && fflush(stdout) == 0 && (fclose(stdout) == 0 || errno == EBADF)) {
        return status;
    }
    if (!is_told) {
        (void)fprintf(stderr, "numasweep: error: standard output could not be written\n");
    }
    return exit_status_combine(status, EXIT_STATUS_BROKEN);
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct failure failure = {0};
    int status = EXIT_STATUS_BAD_INPUT;

    int error = standard_streams_guard();
    if (error != 0) {
        (void)fprintf(stderr, "numasweep: error: the standard streams cannot be set up: %s\n",
                      strerror(-error));
        return EXIT_STATUS_BROKEN;
    }
    /* Characters for the table; numbers are always those of the C locale. */
    (void)setlocale(LC_CTYPE, "");
    error = options_init(&options);
    if (error == 0) {
        error = options_parse(&options, argc, argv, config_file_load, NULL, &failure);
    }
    if (error == -ENOMEM) {
        status = EXIT_STATUS_BROKEN;
    } else if (error == 0) {
        status = run(&options, argc, argv, &failure);
    }
    if (failure.text[0] != '\0') {
        (void)fprintf(stderr, "numasweep: error: %s\n", failure.text);
    } else if (error == -ENOMEM || (status == EXIT_STATUS_BROKEN && ferror(stdout) == 0)) {
        /* All other causes have a text of their own. */
        (void)fprintf(stderr, "numasweep: error: out of memory\n");
    }
    options_destroy(&options);
    return close_standard_output(status, failure.text[0] != '\0' && status == EXIT_STATUS_BROKEN);
}
