/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/load.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/machine.h"

static void assert_text(const char *text, const char *expected)
{
    char formatted[LOAD_TEXT_SIZE];
    struct failure failure = {0};
    struct load load;
    if (load_parse(text, &load, &failure) != 0) {
        fail_msg("%s", failure.text);
    }
    assert_string_equal(load_format(&load, formatted), expected);
}

static void one_load_has_one_text(void **state)
{
    (void)state;
    assert_text("none", "none");
    assert_text("hogs", "hogs");
    assert_text("hogs:1", "hogs");
    assert_text("hogs:64", "hogs:64");
    assert_text("node:hogs", "node:hogs");
    assert_text("node:hogs:2", "node:hogs:2");
    assert_text("node:0:hogs:1", "node:0:hogs");
    assert_text("node:12:hogs:3", "node:12:hogs:3");
    assert_text("sibling:1", "sibling");
    assert_text("sibling:2", "sibling:2");
}

static void what_is_no_load_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "hog",
                                        "hogsx",
                                        "hogs:",
                                        "hogs:0",
                                        "hogs:65",
                                        "hogs:-1",
                                        "hogs:1:2",
                                        "hogs 1",
                                        "none:1",
                                        "node",
                                        "node:",
                                        "node:1",
                                        "node:1:",
                                        "node::hogs",
                                        "node:-1:hogs",
                                        "node:x:hogs",
                                        "node:hogsx",
                                        "node:1:hog",
                                        "sibling:",
                                        "node:99999999999999999999:hogs",
                                        "siblings"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct failure failure = {0};
        struct load load;
        if (load_parse(texts[i], &load, &failure) != -EINVAL) {
            fail_msg("\"%s\" was taken", texts[i]);
        }
        assert_non_null(strstr(failure.text, "node[:K]:hogs[:N]"));
    }
}

/* 2 nodes of 2 cores of 2 threads: CPUs 0, 1 and their siblings 4, 5 in node 0; 2, 3, 6, 7 in node 1. */
static void build(struct topology *topology)
{
    machine_build(topology, (struct machine_shape){.packages = 2,
                                                   .nodes_per_package = 1,
                                                   .cores_per_node = 2,
                                                   .threads_per_core = 2,
                                                   .node_stride = 1});
}

static void assert_busy(const struct topology *topology, const char *text, int measured,
                        const char *expected)
{
    char found[16] = "";
    struct id_list cpus = {0};
    struct load load;
    assert_int_equal(load_parse(text, &load, NULL), 0);
    assert_int_equal(id_list_add(&cpus, measured), 0);
    for (size_t i = 0; i < topology->cpu_count; i++) {
        const size_t length = strlen(found);
        (void)snprintf(found + length, sizeof found - length, "%d",
                       (int)load_on_cpu(&load, topology, &cpus, topology->cpus[i].cpu));
    }
    assert_string_equal(found, expected);
    id_list_destroy(&cpus);
}

static void load_lies_where_it_says(void **state)
{
    (void)state;
    struct topology topology = {0};
    build(&topology);
    assert_busy(&topology, "none", 0, "00000000");
    assert_busy(&topology, "hogs:2", 0, "22222222");
    assert_busy(&topology, "node:1:hogs", 0, "00110011");
    assert_busy(&topology, "node:hogs", 0, "11001100");
    assert_busy(&topology, "node:hogs:3", 7, "00330033");
    assert_busy(&topology, "sibling", 1, "00000100");
    assert_busy(&topology, "sibling:2", 6, "00200000");
    topology.cpus[5].state = CPU_OFFLINE;
    assert_busy(&topology, "hogs", 0, "11111011");
    assert_busy(&topology, "sibling", 1, "00000000");
    topology_destroy(&topology);
}

static void what_the_machine_lacks_is_told(void **state)
{
    (void)state;
    struct topology topology = {0};
    struct failure failure = {0};
    struct id_list cpus = {0};
    struct load load;
    build(&topology);
    assert_int_equal(id_list_add(&cpus, 1), 0);
    assert_int_equal(load_parse("sibling", &load, NULL), 0);
    assert_int_equal(load_check(&load, &topology, &cpus, "1", &failure), 0);
    assert_int_equal(id_list_add(&cpus, 5), 0);
    assert_int_equal(load_check(&load, &topology, &cpus, "core 1", &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "CPU core 1 has no SMT sibling"));
    assert_int_equal(load_parse("node:7:hogs", &load, NULL), 0);
    assert_int_equal(load_check(&load, &topology, &cpus, "1", &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "in that node"));
    assert_int_equal(load_parse("none", &load, NULL), 0);
    assert_int_equal(load_check(&load, &topology, &cpus, "1", &failure), 0);
    id_list_destroy(&cpus);
    topology_destroy(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_load_has_one_text),
        cmocka_unit_test(what_is_no_load_is_refused),
        cmocka_unit_test(load_lies_where_it_says),
        cmocka_unit_test(what_the_machine_lacks_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
