/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/sample_csv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int read_in_pieces(const char *text, size_t size, size_t piece, int64_t requested_ns,
                          struct sample_table *table, struct failure *failure)
{
    struct sample_csv *csv = sample_csv_create(requested_ns, table);
    int error = 0;
    assert_non_null(csv);
    for (size_t start = 0; start < size && error == 0; start += piece) {
        error = sample_csv_take(csv, text + start, size - start < piece ? size - start : piece, failure);
    }
    if (error == 0) {
        error = sample_csv_finish(csv, failure);
    }
    sample_csv_destroy(csv);
    return error;
}

/* Where the pieces end must not matter. */
static void assert_two_samples(const char *text)
{
    const size_t size = strlen(text);
    for (size_t piece = 1; piece <= size; piece++) {
        struct sample_table table = {0};
        struct failure failure = {0};
        if (read_in_pieces(text, size, piece, 0, &table, &failure) != 0) {
            fail_msg("%s", failure.text);
        }
        assert_int_equal(table.count, 2);
        assert_int_equal(table.lines[0].round, 1);
        assert_int_equal(table.lines[0].cpu, 3);
        assert_int_equal(table.lines[0].node, -1);
        assert_int_equal(table.lines[0].elapsed_ns, 1050);
        assert_int_equal(table.lines[0].requested_ns, 1000);
        assert_int_equal(table.lines[0].touch_ns, 7);
        assert_int_equal(table.lines[1].round, 2);
        assert_int_equal(table.lines[1].cpu, 64);
        assert_int_equal(table.lines[1].node, 1);
        assert_int_equal(table.lines[1].touch_ns, -1);
        assert_int_equal(table.lines[1].position, 1);
        sample_table_destroy(&table);
    }
}

static void forms_of_csv_are_read_alike(void **state)
{
    (void)state;
    assert_two_samples("round,cpu,node,elapsed_ns,requested_ns,touch_ns\n1,3,-1,1050,1000,7\n"
                       "2,64,1,1040,1000,\n");
    assert_two_samples("\xEF\xBB\xBFround,cpu,node,elapsed_ns,requested_ns,touch_ns\r\n"
                       "1,3,,1050,1000,7\r\n\r\n  \r\n2,64,1,1040,1000,\r\n\r\n");
    assert_two_samples("note,\"touch_ns\",elapsed_ns,node,cpu,\"requested_ns\",round\n"
                       "\"a \"\"b\"\",\nc\",\"7\",1050,\"\",3,1000,1\n,,1040,1,64,1000,\"2\"");
}

static void one_requested_time_stands_for_all(void **state)
{
    (void)state;
    static const char text[] = "round,cpu,node,elapsed_ns\n1,0,0,1\n";
    struct sample_table table = {0};
    struct failure failure = {0};
    assert_int_equal(read_in_pieces(text, sizeof text - 1, 100, 5000, &table, &failure), 0);
    assert_int_equal(table.lines[0].requested_ns, 5000);
    assert_int_equal(table.lines[0].line, 2);
    sample_table_destroy(&table);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
#define HEADING "round,cpu,node,elapsed_ns,requested_ns\n"
    static const struct {
        const char *text;
        const char *line;
        const char *words;
    } cases[] = {
        {"", "", "it is empty"},
        {"\n\n", "", "it is empty"},
        {HEADING, "", "only a heading"},
        {"round,cpu,elapsed_ns,requested_ns\n1,0,1,1\n", "line 1: ", "no column node"},
        {"round;cpu;node;elapsed_ns\n", "line 1: ", "one column only"},
        {HEADING "1,0,0,1000000000000000001,1\n", "line 2: ", "to 1000000000000000000"},
        {HEADING "1,0,0,99999999999999999999999,1\n", "line 2: ", "to 1000000000000000000"},
        {"round,cpu,node,elapsed_ns\n1,0,0,1\n", "line 1: ", "--timeout"},
        {"round,cpu,node,cpu,elapsed_ns\n", "line 1: ", "column cpu twice"},
        {HEADING "1,0,0,1,1\n1,x,0,1,1\n", "line 3: ", "cpu: "},
        {HEADING "\n\"1\n\",0,0,1,1\n", "line 3: ", "round: "},
        {HEADING "0,0,0,1,1\n", "line 2: ", "round: "},
        {HEADING "100001,0,0,1,1\n", "line 2: ", "round: "},
        {HEADING "1,-1,0,1,1\n", "line 2: ", "cpu: "},
        {HEADING "1,0,-2,1,1\n", "line 2: ", "node: "},
        {HEADING "1,0,0,-1,1\n", "line 2: ", "elapsed_ns: "},
        {HEADING "1,0,0,,1\n", "line 2: ", "elapsed_ns: "},
        {HEADING "1,0,0,1.5,1\n", "line 2: ", "elapsed_ns: "},
        {HEADING "1,0,0,9223372036854775808,1\n", "line 2: ", "elapsed_ns: "},
        {HEADING "1,0,0,1,0\n", "line 2: ", "requested_ns: "},
        {HEADING "1,0,0,1\n", "line 2: ", "there are 4 fields"},
        {HEADING "1,0,0,1,1,1\n", "line 2: ", "there are 6 fields"},
        {HEADING "1,0,0,1,1\n" HEADING, "line 3: ", "the heading stands here again"},
        {HEADING "1,0,0,1,1\r\n\r\n1,x,0,1,1\r\n", "line 4: ", "cpu: "},
        {HEADING "1,0,0,1,1\r1,x,0,1,1\r", "line 3: ", "cpu: "},
        {"note," HEADING "\"a\r\nb\",1,0,0,1,1\rc,1,x,0,1,1\n", "line 4: ", "cpu: "},
        {HEADING "1,0,0,1,\"1\n\n\n", "line 2: ", "no end"},
        {HEADING "1,0,0,1,1\"2\n", "line 2: ", "quotation marks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sample_table table = {0};
        struct failure failure = {0};
        struct failure same = {0};
        const size_t size = strlen(cases[i].text);
        assert_int_equal(read_in_pieces(cases[i].text, size, size + 1, 0, &table, &failure), -EINVAL);
        assert_int_equal(read_in_pieces(cases[i].text, size, 1, 0, &table, &same), -EINVAL);
        assert_string_equal(failure.text, same.text);
        if (strstr(failure.text, cases[i].words) == NULL ||
            strncmp(failure.text, cases[i].line, strlen(cases[i].line)) != 0) {
            fail_msg("case %zu: %s", i, failure.text);
        }
        sample_table_destroy(&table);
    }
}

static void endless_and_binary_records_are_refused(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 };
    static const char with_zero[] = HEADING "1,0,0,1\0002,1\n";
    struct sample_table table = {0};
    struct failure failure = {0};
    char *zeros = calloc(1, SIZE);
    assert_non_null(zeros);
    assert_int_equal(read_in_pieces(zeros, SIZE, 65536, 0, &table, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "more than 1048576 bytes"));
    assert_int_equal(read_in_pieces(with_zero, sizeof with_zero - 1, 100, 0, &table, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "byte of value 0"));
    free(zeros);
    sample_table_destroy(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_csv_are_read_alike),
        cmocka_unit_test(one_requested_time_stands_for_all),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(endless_and_binary_records_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
