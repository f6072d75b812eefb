/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

/* An element of a few characters can name a million numbers. */
enum { LONGEST_TEXT = 256 };

static void require_round_trip(const struct id_list *list)
{
    struct id_list again = {0};
    char *text = id_list_format(list);
    FUZZ_REQUIRE(text != NULL);
    FUZZ_REQUIRE(id_list_parse_kernel(text, &again, NULL) == 0);
    FUZZ_REQUIRE(id_list_equal(list, &again));
    id_list_destroy(&again);
    free(text);
}

static void require_set_algebra(const struct id_list *a, const struct id_list *b)
{
    struct id_list both = {0};
    struct id_list common = {0};
    struct id_list rest = {0};
    FUZZ_REQUIRE(id_list_copy(&both, a) == 0 && id_list_union(&both, b) == 0);
    FUZZ_REQUIRE(id_list_copy(&common, a) == 0 && id_list_intersect(&common, b) == 0);
    FUZZ_REQUIRE(id_list_copy(&rest, both.count > 0 ? &both : a) == 0 &&
                 id_list_subtract(&rest, b) == 0);
    fuzz_require_ascending(&both);
    FUZZ_REQUIRE(both.count == a->count + b->count - common.count);
    FUZZ_REQUIRE(rest.count == a->count - common.count);
    FUZZ_REQUIRE(id_list_intersects(a, b) == (common.count > 0));
    id_list_destroy(&rest);
    id_list_destroy(&common);
    id_list_destroy(&both);
}

static void try_kernel_text(const char *text, bool is_list)
{
    struct id_list list = {0};
    struct failure failure = {0};
    const int error = id_list_parse_kernel(text, &list, &failure);
    FUZZ_REQUIRE(!is_list || error == 0);
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
    } else {
        fuzz_require_ascending(&list);
    }
    id_list_destroy(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct id_list list = {0};
    struct id_list other = {0};
    struct failure failure = {0};
    if (size > LONGEST_TEXT) {
        return -1;
    }
    char *text = fuzz_text_create(data, size);
    FUZZ_REQUIRE(id_list_add_range(&other, 1, 64, 3) == 0);
    const int error = id_list_parse(text, &list, &failure);
    try_kernel_text(text, error == 0);
    if (error != 0) {
        fuzz_require_refusal(error, &failure);
        FUZZ_REQUIRE(list.count == 0);
    } else {
        FUZZ_REQUIRE(list.count > 0);
        fuzz_require_ascending(&list);
        require_round_trip(&list);
        require_set_algebra(&list, &other);
    }
    id_list_destroy(&other);
    id_list_destroy(&list);
    free(text);
    return 0;
}
