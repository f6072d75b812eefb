/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input is a command line: words that end with a newline. */
#include "fuzz.h"
#include "numasweep/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 64 };

/* A file in the place of --config and --profile: its name is "KEY=VALUE" of its only line. */
static int load_named(const char *kind, const char *name, struct options *options, void *context,
                      struct failure *failure)
{
    (void)context;
    const char *value = strchr(name, '=');
    FUZZ_REQUIRE(strcmp(kind, "config") == 0 || strcmp(kind, "profile") == 0);
    if (value == NULL) {
        return failure_set(failure, kind, 0, "there is no file %.60s", name);
    }
    char *key = strndup(name, (size_t)(value - name));
    FUZZ_REQUIRE(key != NULL);
    const int error = options_set_from_file(options, key, value + 1, name, failure);
    free(key);
    return error;
}

/* A result file stores the options as texts. */
static void require_texts_read_back(const struct options *options)
{
    size_t count = 0;
    const struct option_row *rows = options_table(&count);
    for (size_t i = 0; i < count; i++) {
        struct options again = {0};
        if (!options_was_set(options, rows[i].name) || !rows[i].is_config_key) {
            continue;
        }
        char *text = rows[i].get(options, &rows[i]);
        FUZZ_REQUIRE(text != NULL && options_init(&again) == 0);
        FUZZ_REQUIRE(options_set(&again, rows[i].name, text, "", NULL) == 0);
        char *same = rows[i].get(&again, &rows[i]);
        FUZZ_REQUIRE(same != NULL && strcmp(text, same) == 0);
        free(same);
        free(text);
        options_destroy(&again);
    }
}

static void require_copy(const struct options *options)
{
    size_t count = 0;
    const struct option_row *rows = options_table(&count);
    struct options copy = {0};
    FUZZ_REQUIRE(options_copy(&copy, options) == 0);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].get == NULL) {
            continue;
        }
        char *text = rows[i].get(options, &rows[i]);
        char *same = rows[i].get(&copy, &rows[i]);
        FUZZ_REQUIRE(text != NULL && same != NULL && strcmp(text, same) == 0);
        free(same);
        free(text);
    }
    options_destroy(&copy);
}

static void require_sense(const struct options *options)
{
    struct failure failure = {0};
    FUZZ_REQUIRE(options->output_count > 0 && options->timeout_count > 0);
    FUZZ_REQUIRE(options_find_command(options->command) != NULL);
    fuzz_require_ascending(&options->nodes.nodes);
    const int error = options_check(options, &failure);
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
    }
    require_texts_read_back(options);
    require_copy(options);
}

static size_t split(char *text, char **words)
{
    size_t count = 0;
    for (char *word = text; *word != '\0' && count < MOST_WORDS;) {
        words[count++] = word;
        word += strcspn(word, "\n");
        if (*word == '\n') {
            *word++ = '\0';
        }
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char program[] = "numasweep";
    char *words[MOST_WORDS + 2] = {program};
    struct options options = {0};
    struct failure failure = {0};
    char *text = fuzz_text_create(data, size);
    const size_t count = split(text, words + 1);
    FUZZ_REQUIRE(options_init(&options) == 0);
    const int error = options_parse(&options, (int)count + 1, words, load_named, NULL, &failure);
    if (error == 0) {
        require_sense(&options);
    } else {
        fuzz_require_refusal(error, &failure);
    }
    options_destroy(&options);
    free(text);
    return 0;
}
