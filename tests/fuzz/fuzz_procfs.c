/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line that says which CPUs are measured, or which word is looked for, and then the text of a file. */
#include "fuzz.h"
#include "numasweep/procfs.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_LIST = 64, VALUE_SIZE = 24 };

static void require_counters(const struct counter_set *counters)
{
    for (size_t i = 0; i < counters->count; i++) {
        FUZZ_REQUIRE(counters->items[i].name[0] != '\0');
        FUZZ_REQUIRE(counters->items[i].value >= 0);
        FUZZ_REQUIRE(i == 0 || strcmp(counters->items[i - 1].name, counters->items[i].name) < 0);
    }
}

/* Read twice, the same text is no difference. */
static void require_no_difference(const struct counter_set *counters)
{
    struct counter_set difference = {0};
    FUZZ_REQUIRE(counter_set_subtract(counters, counters, &difference) == 0);
    FUZZ_REQUIRE(difference.count == 0);
    counter_set_destroy(&difference);
}

static void try_counters(const char *text, const struct id_list *cpus)
{
    static const long rates[] = {100, 1000, 1, 0, -1};
    struct counter_set counters = {0};
    FUZZ_REQUIRE(procfs_parse_interrupts(text, cpus, &counters) == 0);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        FUZZ_REQUIRE(procfs_parse_stat(text, cpus, rates[i], &counters) == 0);
        FUZZ_REQUIRE(procfs_parse_stat_busy(text, cpus, rates[i], "busy", &counters) == 0);
        require_counters(&counters);
    }
    FUZZ_REQUIRE(procfs_parse_cpu_stat(text, &counters) == 0);
    FUZZ_REQUIRE(procfs_parse_schedstat(text, &counters) == 0);
    require_counters(&counters);
    require_no_difference(&counters);
    counter_set_destroy(&counters);
}

static void require_value(bool is_found, const char *value)
{
    if (is_found) {
        FUZZ_REQUIRE(memchr(value, '\0', VALUE_SIZE) != NULL);
        FUZZ_REQUIRE(strchr(value, '\n') == NULL);
    }
}

static void try_words(const char *text, const char *word)
{
    char value[VALUE_SIZE];
    char none[1];
    int64_t number = 0;
    const bool has_number = procfs_find_int64(text, word, &number);
    const bool has_text = procfs_find_text(text, word, value, sizeof value);
    require_value(has_text, value);
    FUZZ_REQUIRE(!has_number || has_text);
    require_value(procfs_find_boot_parameter(text, word, value, sizeof value), value);
    require_value(procfs_find_cgroup(text, word, value, sizeof value), value);
    FUZZ_REQUIRE(!procfs_find_text(text, word, none, 0));
    FUZZ_REQUIRE(!procfs_find_boot_parameter(text, word, none, sizeof none) || none[0] == '\0');
}

static void try_processes(const char *text, const char *word)
{
    char root[VALUE_SIZE];
    char mount_point[VALUE_SIZE];
    char letter = '\0';
    int cpu = -1;
    int64_t number = -1;
    int64_t other = -1;
    size_t offset = 0;
    FUZZ_REQUIRE(!procfs_find_last_cpu(text, &letter, &cpu) || (cpu >= 0 && letter != '\0'));
    FUZZ_REQUIRE(!procfs_find_run_time(text, &number) || number >= 0);
    FUZZ_REQUIRE(!procfs_find_throttling(text, &number, &other) || (number >= 0 && other >= 0));
    FUZZ_REQUIRE(!procfs_find_trace_field(text, word, &offset) || offset <= UINT16_MAX);
    FUZZ_REQUIRE(!procfs_has_word(text, word) || strstr(text, word) != NULL);
    if (procfs_find_cgroup_mount(text, word, root, mount_point, sizeof root)) {
        FUZZ_REQUIRE(memchr(root, '\0', sizeof root) != NULL);
        FUZZ_REQUIRE(memchr(mount_point, '\0', sizeof mount_point) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct id_list cpus = {0};
    char *input = fuzz_text_create(data, size);
    char *text = input + strcspn(input, "\n");
    if (*text == '\n') {
        *text++ = '\0';
    }
    if (strlen(input) <= LONGEST_LIST && id_list_parse(input, &cpus, NULL) == 0) {
        try_counters(text, &cpus);
    }
    try_words(text, input);
    try_processes(text, input);
    id_list_destroy(&cpus);
    free(input);
    return 0;
}
