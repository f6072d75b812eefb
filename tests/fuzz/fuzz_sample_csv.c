/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A CSV of samples: whatever its form, and wherever it is cut into pieces. */
#include "fuzz.h"
#include "numasweep/sample_csv.h"

#include <errno.h>
#include <string.h>

static int read_in_pieces(const char *text, size_t size, size_t piece, struct sample_table *table,
                          struct failure *failure)
{
    int error = 0;
    struct sample_csv *csv = sample_csv_create(1000, table);
    FUZZ_REQUIRE(csv != NULL);
    for (size_t start = 0; start < size && error == 0; start += piece) {
        error = sample_csv_take(csv, text + start, size - start < piece ? size - start : piece, failure);
    }
    error = error != 0 ? error : sample_csv_finish(csv, failure);
    sample_csv_destroy(csv);
    return error;
}

static void require_sample(const struct sample_line *line, size_t position)
{
    FUZZ_REQUIRE(line->round >= 1 && line->round <= SAMPLE_LARGEST_ROUND);
    FUZZ_REQUIRE(line->cpu >= 0 && line->cpu <= ID_LIST_MAX_ID);
    FUZZ_REQUIRE(line->node >= -1 && line->node <= ID_LIST_MAX_ID);
    FUZZ_REQUIRE(line->requested_ns > 0 && line->elapsed_ns >= 0 && line->touch_ns >= -1);
    FUZZ_REQUIRE(line->position == position && line->line >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample_table whole = {0};
    struct sample_table parts = {0};
    struct failure failure = {0};
    struct failure same = {0};
    char *text = fuzz_text_create(data, size);
    const int error = read_in_pieces(text, size, size + 1, &whole, &failure);
    FUZZ_REQUIRE(read_in_pieces(text, size, 1, &parts, &same) == error);
    FUZZ_REQUIRE(strcmp(failure.text, same.text) == 0);
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
    }
    FUZZ_REQUIRE(whole.count == parts.count);
    for (size_t i = 0; i < whole.count; i++) {
        require_sample(&whole.lines[i], i);
        FUZZ_REQUIRE(whole.lines[i].elapsed_ns == parts.lines[i].elapsed_ns);
        FUZZ_REQUIRE(whole.lines[i].line == parts.lines[i].line);
    }
    sample_table_destroy(&whole);
    sample_table_destroy(&parts);
    free(text);
    return 0;
}
