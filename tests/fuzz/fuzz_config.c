/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"
#include "numasweep/config_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_INPUT = 1 << 14 };

/* What was taken from a file must be text that the same option takes again, and says the same. */
static void require_values_read_back(const struct options *options)
{
    for (size_t i = 0; i < options->set_name_count; i++) {
        struct options again = {0};
        struct failure failure = {0};
        const struct option_row *row = options_find(options->set_names[i]);
        FUZZ_REQUIRE(row != NULL && row->is_config_key);
        char *text = row->get(options, row);
        FUZZ_REQUIRE(text != NULL && options_init(&again) == 0);
        FUZZ_REQUIRE(options_set(&again, row->name, text, "", &failure) == 0);
        char *same = row->get(&again, row);
        FUZZ_REQUIRE(same != NULL && strcmp(text, same) == 0);
        free(same);
        free(text);
        options_destroy(&again);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[FUZZ_NAME_SIZE];
    struct options options = {0};
    struct failure failure = {0};
    if (size > LARGEST_INPUT) {
        return -1;
    }
    const int fd = fuzz_file_create(data, size, name);
    FUZZ_REQUIRE(options_init(&options) == 0);
    options.command = FOR_RUN;
    const int error = config_file_load("config", name, &options, NULL, &failure);
    if (error == 0) {
        require_values_read_back(&options);
        const int check_error = options_check(&options, &failure);
        if (check_error != 0) {
            fuzz_require_refusal(check_error, &failure);
        }
    } else {
        FUZZ_REQUIRE(error == -EINVAL || error == -ENOMEM);
        fuzz_require_refusal(error, &failure);
        FUZZ_REQUIRE(error == -ENOMEM || strstr(failure.text, name) != NULL);
    }
    options_destroy(&options);
    (void)close(fd);
    return 0;
}
