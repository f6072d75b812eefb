/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the options module share among themselves. */
#ifndef NUMASWEEP_OPTIONS_INTERNAL_H
#define NUMASWEEP_OPTIONS_INTERNAL_H

#include "numasweep/options.h"

/* The position of `text` in a NULL-terminated list, or -1. */
int option_choice_find(const char *const *choices, const char *text);

/* Setters and getters that rows share; row->offset names their field. */
int option_set_flag(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure);
char *option_get_flag(const struct options *options, const struct option_row *row);
int option_set_choice(struct options *options, const struct option_row *row, const char *text,
                      struct failure *failure);
char *option_get_choice(const struct options *options, const struct option_row *row);
int option_set_integer(struct options *options, const struct option_row *row, const char *text,
                       struct failure *failure);
char *option_get_integer(const struct options *options, const struct option_row *row);
/* A text that must be there. */
int option_set_text(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure);
/* The row's default text stands for "not given". */
int option_set_optional_text(struct options *options, const struct option_row *row, const char *text,
                             struct failure *failure);
char *option_get_text(const struct options *options, const struct option_row *row);
/* An integer or a duration, or the one word in row->choices, which stands for -1. */
int option_set_integer_or_word(struct options *options, const struct option_row *row, const char *text,
                               struct failure *failure);
char *option_get_integer_or_word(const struct options *options, const struct option_row *row);
int option_set_duration_or_word(struct options *options, const struct option_row *row, const char *text,
                                struct failure *failure);
char *option_get_duration_or_word(const struct options *options, const struct option_row *row);

/* Setters and getters of one row each. */
int option_set_cpus(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure);
int option_set_nodes(struct options *options, const struct option_row *row, const char *text,
                     struct failure *failure);
char *option_get_nodes(const struct options *options, const struct option_row *row);
int option_set_timeouts(struct options *options, const struct option_row *row, const char *text,
                        struct failure *failure);
char *option_get_timeouts(const struct options *options, const struct option_row *row);
int option_set_policy(struct options *options, const struct option_row *row, const char *text,
                      struct failure *failure);
int option_set_priority(struct options *options, const struct option_row *row, const char *text,
                        struct failure *failure);
int option_set_dma_latency(struct options *options, const struct option_row *row, const char *text,
                           struct failure *failure);
int option_set_seed(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure);
char *option_get_seed(const struct options *options, const struct option_row *row);
int option_set_save(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure);
int option_set_outputs(struct options *options, const struct option_row *row, const char *text,
                       struct failure *failure);
char *option_get_outputs(const struct options *options, const struct option_row *row);
int option_set_fail_on(struct options *options, const struct option_row *row, const char *text,
                       struct failure *failure);
int option_set_pins(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure);
char *option_get_words(const struct options *options, const struct option_row *row);
int option_set_load(struct options *options, const struct option_row *row, const char *text,
                    struct failure *failure);
/* A duration in whole microseconds. */
int option_set_bandwidth(struct options *options, const struct option_row *row, const char *text,
                         struct failure *failure);
int option_set_limits(struct options *options, const struct option_row *row, const char *text,
                      struct failure *failure);
char *option_get_limits(const struct options *options, const struct option_row *row);
/* --config and --profile are acted upon by the parser; they leave no value behind. */
int option_set_source(struct options *options, const struct option_row *row, const char *text,
                      struct failure *failure);
char *option_get_source(const struct options *options, const struct option_row *row);

void option_outputs_clear(struct options *options);
void option_limits_clear(struct options *options);

/* Whether the last value of `name` came from the command line; false where it was not set. */
bool option_is_from_command_line(const struct options *options, const char *name);

/* Fills `failure` with "WORD is not WHAT; did you mean NEAREST? ..." and returns -EINVAL. */
int option_fail_unknown(const char *what, const char *word, const char *const *candidates, size_t count,
                        struct failure *failure);

/* Words wrapped at a width, for the help and the manual. */
struct text_wrap {
    FILE *stream;
    size_t width;
    size_t indent;
    size_t column;      /* where the next character goes; indent at the start of a line */
    bool is_line_start; /* nothing but the indent so far */
    bool is_roff;       /* escape for the manual page */
};

/* Appends the words of `text`; blanks and newlines in it only part words. */
void text_wrap_words(struct text_wrap *wrap, const char *text);
void text_wrap_end(struct text_wrap *wrap); /* the newline, if anything stands on the line */

#endif
