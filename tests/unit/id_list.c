/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numasweep/id_list.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct id_list parsed(const char *text)
{
    struct id_list list = {0};
    struct failure failure = {0};
    if (id_list_parse(text, &list, &failure) != 0) {
        fail_msg("\"%s\": %s", text, failure.text);
    }
    return list;
}

static void assert_ids(const struct id_list *list, const int *ids, size_t count)
{
    assert_int_equal(list->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list->ids[i], ids[i]);
    }
}

static void assert_formats(const char *text, const char *expected)
{
    struct id_list list = parsed(text);
    char *formatted = id_list_format(&list);
    assert_non_null(formatted);
    assert_string_equal(formatted, expected);
    struct id_list again = parsed(formatted);
    assert_true(id_list_equal(&list, &again));
    free(formatted);
    id_list_destroy(&again);
    id_list_destroy(&list);
}

static void assert_refused(const char *text, const char *part)
{
    struct id_list list = {0};
    struct failure failure = {0};
    assert_int_equal(id_list_add(&list, 7), 0);
    assert_int_equal(id_list_parse(text, &list, &failure), -EINVAL);
    if (strstr(failure.text, part) == NULL) {
        fail_msg("\"%s\": the message \"%s\" lacks \"%s\"", text, failure.text, part);
    }
    assert_int_equal(id_list_parse(text, &list, NULL), -EINVAL);
    assert_ids(&list, (const int[]){7}, 1);
    id_list_destroy(&list);
}

static void test_zeroed_list_is_empty(void **state)
{
    (void)state;
    struct id_list list = {0};
    struct id_list other = {0};
    assert_false(id_list_contains(&list, 0));
    assert_true(id_list_equal(&list, &other));
    assert_false(id_list_intersects(&list, &other));
    assert_int_equal(id_list_copy(&list, &other), 0);
    assert_int_equal(id_list_union(&list, &other), 0);
    assert_int_equal(id_list_intersect(&list, &other), 0);
    assert_int_equal(id_list_subtract(&list, &other), 0);
    char *text = id_list_format(&list);
    assert_string_equal(text, "");
    free(text);
    id_list_destroy(&list);
    id_list_destroy(&list);
}

static void test_adding_keeps_order_and_distinct(void **state)
{
    (void)state;
    const int shuffled[] = {9, 3, 3, 0, 1023, 9, 5, 1024, 4, 0, 70000, 6, 8, 7};
    const int expected[] = {0, 3, 4, 5, 6, 7, 8, 9, 1023, 1024, 70000};
    struct id_list list = {0};
    for (size_t i = 0; i < sizeof shuffled / sizeof *shuffled; i++) {
        assert_int_equal(id_list_add(&list, shuffled[i]), 0);
    }
    assert_ids(&list, expected, sizeof expected / sizeof *expected);
    assert_true(id_list_contains(&list, 1024));
    assert_false(id_list_contains(&list, 1));
    assert_false(id_list_contains(&list, 70001));
    id_list_destroy(&list);
}

static void test_ranges_are_added_whole_or_refused(void **state)
{
    (void)state;
    struct id_list list = {0};
    assert_int_equal(id_list_add_range(&list, 10, 20, 4), 0);
    assert_int_equal(id_list_add_range(&list, 2, 12, 5), 0);
    assert_ids(&list, (const int[]){2, 7, 10, 12, 14, 18}, 6);
    assert_int_equal(id_list_add_range(&list, 30, 29, 1), -EINVAL);
    assert_int_equal(id_list_add_range(&list, 30, 40, 0), -EINVAL);
    assert_int_equal(id_list_add_range(&list, INT_MAX - 1, INT_MAX, 5), 0);
    assert_int_equal(list.ids[6], INT_MAX - 1);
    assert_int_equal(list.count, 7);
    id_list_destroy(&list);
}

static void test_set_operations(void **state)
{
    (void)state;
    struct id_list a = parsed("0-3,8,12");
    struct id_list b = parsed("2-5,12,20");
    struct id_list c = {0};

    assert_int_equal(id_list_copy(&c, &a), 0);
    assert_true(id_list_equal(&c, &a));
    assert_int_equal(id_list_union(&c, &b), 0);
    assert_ids(&c, (const int[]){0, 1, 2, 3, 4, 5, 8, 12, 20}, 9);

    assert_int_equal(id_list_copy(&c, &a), 0);
    assert_int_equal(id_list_intersect(&c, &b), 0);
    assert_ids(&c, (const int[]){2, 3, 12}, 3);

    assert_int_equal(id_list_copy(&c, &a), 0);
    assert_int_equal(id_list_subtract(&c, &b), 0);
    assert_ids(&c, (const int[]){0, 1, 8}, 3);
    assert_true(id_list_intersects(&a, &b));
    assert_false(id_list_intersects(&c, &b));
    assert_false(id_list_equal(&a, &b));

    id_list_destroy(&a);
    id_list_destroy(&b);
    id_list_destroy(&c);
}

static void test_a_list_with_itself(void **state)
{
    (void)state;
    struct id_list list = parsed("1,5-6");
    assert_int_equal(id_list_copy(&list, &list), 0);
    assert_int_equal(id_list_union(&list, &list), 0);
    assert_int_equal(id_list_intersect(&list, &list), 0);
    assert_ids(&list, (const int[]){1, 5, 6}, 3);
    assert_int_equal(id_list_subtract(&list, &list), 0);
    assert_int_equal(list.count, 0);
    id_list_destroy(&list);
}

static void test_parsing(void **state)
{
    (void)state;
    struct id_list list = parsed("16-30:2,0-3,8,2");
    assert_ids(&list, (const int[]){0, 1, 2, 3, 8, 16, 18, 20, 22, 24, 26, 28, 30}, 13);
    id_list_destroy(&list);
    list = parsed("0-1048575");
    assert_int_equal(list.count, 1048576);
    id_list_destroy(&list);
    list = parsed("5-5:9,007");
    assert_ids(&list, (const int[]){5, 7}, 2);
    id_list_destroy(&list);
}

static void test_parsing_replaces_what_was_there(void **state)
{
    (void)state;
    struct id_list list = parsed("0-9");
    assert_int_equal(id_list_parse("3", &list, NULL), 0);
    assert_ids(&list, (const int[]){3}, 1);
    id_list_destroy(&list);
}

static void test_malformed_texts_are_refused_by_name(void **state)
{
    (void)state;
    assert_refused("", "empty");
    assert_refused(",", "empty element");
    assert_refused("1,", "empty element");
    assert_refused(",1", "empty element");
    assert_refused("1,,2", "\"1,,2\" has an empty element");
    assert_refused("0,5-3", "\"5-3\" is a reversed range");
    assert_refused("0-8:0", "stride of zero");
    assert_refused("4:2", "stride without a range");
    assert_refused("-1", "not a number");
    assert_refused("+1", "not a number");
    assert_refused(" 1", "not a number");
    assert_refused("1 ", "after the number");
    assert_refused("1, 2", "\" 2\"");
    assert_refused("1-", "not a number");
    assert_refused("1-2-3", "after the number");
    assert_refused("1-2:", "not a number");
    assert_refused("1-9:2:3", "after the number");
    assert_refused("0x4", "after the number");
    assert_refused("1.5", "after the number");
    assert_refused("all", "\"all\"");
    assert_refused("1\n", "after the number");
    assert_refused("1048576", "over 1048575");
    assert_refused("4294967297", "over 1048575");
    assert_refused("0-18446744073709551617", "over 1048575");
    assert_refused("0-3,x", "0-3,8,16-30:2");
}

static void test_kernel_texts(void **state)
{
    (void)state;
    struct id_list list = parsed("0-9");
    assert_int_equal(id_list_parse_kernel("", &list, NULL), 0);
    assert_int_equal(list.count, 0);
    assert_int_equal(id_list_parse_kernel("0-1,4\n", &list, NULL), 0);
    assert_ids(&list, (const int[]){0, 1, 4}, 3);
    assert_int_equal(id_list_parse_kernel("7", &list, NULL), 0);
    assert_ids(&list, (const int[]){7}, 1);
    assert_int_equal(id_list_parse_kernel("\n", &list, NULL), 0);
    assert_int_equal(list.count, 0);
    assert_int_equal(id_list_parse_kernel("1\n\n", &list, NULL), -EINVAL);
    assert_int_equal(id_list_parse_kernel("(null)\n", &list, NULL), -EINVAL);
    id_list_destroy(&list);
}

static void test_formatting(void **state)
{
    (void)state;
    assert_formats("7", "7");
    assert_formats("0,1", "0-1");
    assert_formats("0,2", "0,2");
    assert_formats("0,2,4", "0-4:2");
    assert_formats("0-3,8,16-30:2", "0-3,8,16-30:2");
    assert_formats("0,2,4-100", "0,2,4-100");
    assert_formats("0,2,4,6,7,8", "0-4:2,6-8");
    assert_formats("0-1,64-65", "0-1,64-65");
    assert_formats("0-127:4", "0-124:4");
    assert_formats("1-3,5-7", "1-3,5-7");
    assert_formats("0,3,6,9,11,13,15", "0-9:3,11-15:2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeroed_list_is_empty),
        cmocka_unit_test(test_adding_keeps_order_and_distinct),
        cmocka_unit_test(test_ranges_are_added_whole_or_refused),
        cmocka_unit_test(test_set_operations),
        cmocka_unit_test(test_a_list_with_itself),
        cmocka_unit_test(test_parsing),
        cmocka_unit_test(test_parsing_replaces_what_was_there),
        cmocka_unit_test(test_malformed_texts_are_refused_by_name),
        cmocka_unit_test(test_kernel_texts),
        cmocka_unit_test(test_formatting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
