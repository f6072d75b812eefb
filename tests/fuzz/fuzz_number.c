/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"
#include "numasweep/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void try_int64(const char *text, int64_t minimum, int64_t maximum)
{
    char printed[32];
    struct failure failure = {0};
    int64_t value = 0;
    int64_t again = 0;
    const int error = number_parse_int64(text, minimum, maximum, &value, &failure);
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
        return;
    }
    FUZZ_REQUIRE(value >= minimum && value <= maximum);
    (void)snprintf(printed, sizeof printed, "%" PRId64, value);
    FUZZ_REQUIRE(number_parse_int64(printed, minimum, maximum, &again, NULL) == 0 && again == value);
}

static void try_uint64(const char *text)
{
    char printed[32];
    struct failure failure = {0};
    uint64_t value = 0;
    uint64_t again = 0;
    const int error = number_parse_uint64(text, &value, &failure);
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
        return;
    }
    (void)snprintf(printed, sizeof printed, "%" PRIu64, value);
    FUZZ_REQUIRE(number_parse_uint64(printed, &again, NULL) == 0 && again == value);
}

static void try_duration(const char *text, int64_t minimum_ns, int64_t maximum_ns)
{
    char printed[DURATION_TEXT_SIZE];
    char rough[DURATION_TEXT_SIZE];
    struct failure failure = {0};
    int64_t duration_ns = 0;
    int64_t again_ns = 0;
    const int error = duration_parse(text, minimum_ns, maximum_ns, &duration_ns, &failure);
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
        return;
    }
    FUZZ_REQUIRE(duration_ns >= minimum_ns && duration_ns <= maximum_ns);
    (void)duration_format(duration_ns, printed);
    FUZZ_REQUIRE(duration_parse(printed, minimum_ns, maximum_ns, &again_ns, NULL) == 0);
    FUZZ_REQUIRE(again_ns == duration_ns);
    FUZZ_REQUIRE(strlen(duration_format_rough(duration_ns, rough)) > 0);
}

/* Any eight bytes are a number that may have to be printed. */
static void try_formats(const uint8_t *data, size_t size)
{
    char text[DURATION_TEXT_SIZE];
    int64_t duration_ns = 0;
    int64_t again_ns = 0;
    if (size < sizeof duration_ns) {
        return;
    }
    memcpy(&duration_ns, data, sizeof duration_ns);
    FUZZ_REQUIRE(strlen(duration_format_rough(duration_ns, text)) > 0);
    FUZZ_REQUIRE(strlen(duration_format(duration_ns, text)) > 0);
    if (duration_ns >= 0) {
        FUZZ_REQUIRE(duration_parse(text, 0, INT64_MAX, &again_ns, NULL) == 0);
        FUZZ_REQUIRE(again_ns == duration_ns);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text_create(data, size);
    try_int64(text, INT64_MIN, INT64_MAX);
    try_int64(text, 0, 1000);
    try_uint64(text);
    try_duration(text, 0, INT64_MAX);
    try_duration(text, 1000, INT64_C(3600000000000));
    try_formats(data, size);
    free(text);
    return 0;
}
