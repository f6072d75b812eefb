/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numasweep/columns.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const enum column_view views[] = {COLUMN_VIEW_REPORT, COLUMN_VIEW_TOPOLOGY, COLUMN_VIEW_PLAN};

static void names_are_usable_on_the_command_line(void **state)
{
    (void)state;
    for (size_t view = 0; view < sizeof views / sizeof views[0]; view++) {
        size_t count = 0;
        const struct column_row *table = columns_table(views[view], &count);
        assert_true(count > 0);
        assert_string_equal(table[0].name, "cpu");
        for (size_t i = 0; i < count; i++) {
            assert_true(strpbrk(table[i].name, ", \t") == NULL && table[i].name[0] != '\0');
            assert_true(table[i].help[0] != '\0');
            for (const char *letter = table[i].name; *letter != '\0'; letter++) {
                assert_false(isupper((unsigned char)*letter));
            }
            for (const char *letter = table[i].heading; *letter != '\0'; letter++) {
                assert_false(islower((unsigned char)*letter));
            }
            for (size_t other = 0; other < i; other++) {
                assert_string_not_equal(table[i].name, table[other].name);
            }
        }
    }
}

static void no_text_gives_the_defaults_in_order(void **state)
{
    (void)state;
    for (size_t view = 0; view < sizeof views / sizeof views[0]; view++) {
        size_t table_count = 0;
        size_t *positions = NULL;
        size_t count = 0;
        size_t expected = 0;
        const struct column_row *table = columns_table(views[view], &table_count);
        assert_int_equal(columns_resolve(views[view], NULL, &positions, &count, NULL), 0);
        for (size_t i = 0; i < table_count; i++) {
            if (table[i].is_default) {
                assert_true(expected < count);
                assert_int_equal(positions[expected], i);
                expected++;
            }
        }
        assert_int_equal(count, expected);
        free(positions);
    }
}

static void names_are_taken_in_the_order_given(void **state)
{
    size_t table_count = 0;
    size_t *positions = NULL;
    size_t count = 0;
    const struct column_row *table = columns_table(COLUMN_VIEW_REPORT, &table_count);
    (void)state;
    assert_int_equal(columns_resolve(COLUMN_VIEW_REPORT, "status,p99.9,cpu", &positions, &count, NULL),
                     0);
    assert_int_equal(count, 3);
    assert_string_equal(table[positions[0]].name, "status");
    assert_string_equal(table[positions[1]].name, "p99.9");
    assert_string_equal(table[positions[2]].name, "cpu");
    free(positions);
}

static void assert_refused(enum column_view view, const char *text, const char *part)
{
    struct failure failure = {0};
    size_t *positions = NULL;
    size_t count = 7;
    assert_int_equal(columns_resolve(view, text, &positions, &count, &failure), -EINVAL);
    assert_null(positions);
    assert_int_equal(count, 0);
    if (strstr(failure.text, part) == NULL || strstr(failure.text, "--columns") == NULL) {
        fail_msg("\"%s\": the message is \"%s\"", text, failure.text);
    }
    assert_int_equal(columns_resolve(view, text, &positions, &count, NULL), -EINVAL);
}

static void bad_names_are_refused_with_what_would_do(void **state)
{
    (void)state;
    assert_refused(COLUMN_VIEW_REPORT, "cpu,medain", "did you mean 'median'");
    assert_refused(COLUMN_VIEW_REPORT, "zzzzzzzzz", "There are: cpu, node");
    assert_refused(COLUMN_VIEW_REPORT, "cpu,node,cpu", "'cpu' is named twice");
    assert_refused(COLUMN_VIEW_REPORT, "", "name is missing");
    assert_refused(COLUMN_VIEW_REPORT, ",cpu", "name is missing");
    assert_refused(COLUMN_VIEW_REPORT, "cpu,", "name is missing");
    assert_refused(COLUMN_VIEW_REPORT, "cpu,,node", "name is missing");
    assert_refused(COLUMN_VIEW_REPORT, "cpu, node", "unknown column ' node'");
    assert_refused(COLUMN_VIEW_REPORT, "CPU", "unknown column 'CPU'");
    assert_refused(COLUMN_VIEW_TOPOLOGY, "median", "unknown column 'median'");
    assert_refused(COLUMN_VIEW_PLAN, "swept", "unknown column 'swept'");
}

static void a_very_long_name_does_not_overrun(void **state)
{
    char text[5000];
    (void)state;
    (void)memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_refused(COLUMN_VIEW_REPORT, text, "unknown column 'xxx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_usable_on_the_command_line),
        cmocka_unit_test(no_text_gives_the_defaults_in_order),
        cmocka_unit_test(names_are_taken_in_the_order_given),
        cmocka_unit_test(bad_names_are_refused_with_what_would_do),
        cmocka_unit_test(a_very_long_name_does_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
