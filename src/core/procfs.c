/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/procfs.h"

#include "numasweep/saturated.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end == NULL ? text + strlen(text) : end + 1;
}

/* A decimal number at `*text`, which is moved behind it. False, and `*text` stays, where there is none
 * or it does not fit. */
static bool take_number(const char **text, int64_t *value)
{
    const char *start = skip_blanks(*text);
    char *end = NULL;
    if (!isdigit((unsigned char)*start)) {
        return false;
    }
    errno = 0;
    const long long number = strtoll(start, &end, 10);
    if (errno != 0) {
        return false;
    }
    *value = number;
    *text = end;
    return true;
}

/* The heading "CPU0 CPU2 ...": `wanted[i]` says whether the i-th column is one of `cpus`. */
static bool *read_heading(const char *text, const struct id_list *cpus, size_t *column_count)
{
    size_t capacity = 64;
    bool *wanted = malloc(capacity * sizeof *wanted);
    *column_count = 0;
    if (wanted == NULL) {
        return NULL;
    }
    for (text = skip_blanks(text); strncmp(text, "CPU", 3) == 0; text = skip_blanks(text)) {
        int64_t cpu = 0;
        text += 3;
        if (!take_number(&text, &cpu)) {
            break;
        }
        if (*column_count == capacity) {
            bool *grown = realloc(wanted, 2 * capacity * sizeof *wanted);
            if (grown == NULL) {
                free(wanted);
                return NULL;
            }
            wanted = grown;
            capacity *= 2;
        }
        wanted[*column_count] = cpu <= INT_MAX && id_list_contains(cpus, (int)cpu);
        (*column_count)++;
    }
    return wanted;
}

/* One line "NAME: 1 2 3 text". "ERR:" and "MIS:" have one number for the whole machine, and so on a
 * machine of one CPU too; other lines of fewer numbers are no CPU's either. */
static int take_interrupt_line(const char *line, const bool *wanted, size_t column_count,
                               struct counter_set *counters)
{
    char name[COUNTER_NAME_SIZE];
    const char *start = skip_blanks(line);
    const size_t length = strcspn(start, ": \t\n");
    int64_t sum = 0;
    size_t column = 0;
    if (length == 0 || start[length] != ':' || strncmp(start, "ERR:", 4) == 0 ||
        strncmp(start, "MIS:", 4) == 0) {
        return 0;
    }
    (void)snprintf(name, sizeof name, "irq:%.*s", (int)(length < 32 ? length : 32), start);
    const char *text = start + length + 1;
    int64_t value = 0;
    while (column < column_count && take_number(&text, &value)) {
        if (wanted[column]) {
            sum = saturated_add(sum, value);
        }
        column++;
    }
    return column == column_count && column_count > 0 ? counter_set_add(counters, name, sum) : 0;
}

static size_t count_wanted(const bool *wanted, size_t column_count)
{
    size_t count = 0;
    for (size_t column = 0; column < column_count; column++) {
        count += wanted[column];
    }
    return count;
}

/* The column of a CPU that goes offline vanishes: a sum without it would fall behind the one before. */
int procfs_parse_interrupts(const char *text, const struct id_list *cpus, struct counter_set *counters)
{
    size_t column_count = 0;
    bool *wanted = read_heading(text, cpus, &column_count);
    int error = wanted == NULL ? -ENOMEM : 0;
    const bool is_whole = error == 0 && count_wanted(wanted, column_count) == cpus->count;
    for (const char *line = next_line(text); is_whole && *line != '\0' && error == 0;
         line = next_line(line)) {
        error = take_interrupt_line(line, wanted, column_count, counters);
    }
    free(wanted);
    return error;
}

/* proc(5): user nice system idle iowait irq softirq steal. */
enum { STAT_IDLE = 3, STAT_IOWAIT = 4, STAT_SOFTIRQ = 6, STAT_STEAL = 7, STAT_FIELDS = 8 };

static bool take_stat_line(const char *line, const struct id_list *cpus, int64_t fields[STAT_FIELDS])
{
    int64_t cpu = 0;
    const char *text = line + 3;
    if (strncmp(line, "cpu", 3) != 0 || !isdigit((unsigned char)*text) || !take_number(&text, &cpu) ||
        cpu > INT_MAX || !id_list_contains(cpus, (int)cpu)) {
        return false;
    }
    for (size_t i = 0; i < STAT_FIELDS; i++) {
        if (!take_number(&text, &fields[i])) {
            return false;
        }
    }
    return true;
}

/* In two parts, so that ticks up to INT64_MAX stay in range and keep every digit. */
static int64_t ticks_to_ms(int64_t ticks, long ticks_per_second)
{
    const int64_t whole_ms = saturated_multiply(ticks / ticks_per_second, 1000);
    const int64_t rest = ticks % ticks_per_second;
    return saturated_add(whole_ms, (int64_t)((double)rest * 1000.0 / (double)ticks_per_second));
}

/* Whether all CPUs have a line; the fields of these are added up. */
static bool sum_stat_lines(const char *text, const struct id_list *cpus, int64_t sums[STAT_FIELDS])
{
    int64_t fields[STAT_FIELDS];
    size_t found = 0;
    for (const char *line = text; strncmp(line, "cpu", 3) == 0; line = next_line(line)) {
        if (take_stat_line(line, cpus, fields)) {
            found++;
            for (size_t i = 0; i < STAT_FIELDS; i++) {
                sums[i] = saturated_add(sums[i], fields[i]);
            }
        }
    }
    return found > 0 && found == cpus->count;
}

int procfs_parse_stat(const char *text, const struct id_list *cpus, long ticks_per_second,
                      struct counter_set *counters)
{
    int64_t sums[STAT_FIELDS] = {0};
    if (ticks_per_second <= 0 || !sum_stat_lines(text, cpus, sums)) {
        return 0;
    }
    int error = counter_set_add(counters, "steal_ms", ticks_to_ms(sums[STAT_STEAL], ticks_per_second));
    if (error == 0) {
        error = counter_set_add(counters, "softirq_ms",
                                ticks_to_ms(sums[STAT_SOFTIRQ], ticks_per_second));
    }
    return error;
}

/* What the hypervisor takes from a sibling leaves the core to its other threads. */
static bool is_busy(size_t field)
{
    return field != STAT_IDLE && field != STAT_IOWAIT && field != STAT_STEAL;
}

int procfs_parse_stat_busy(const char *text, const struct id_list *cpus, long ticks_per_second,
                           const char *name, struct counter_set *counters)
{
    int64_t sums[STAT_FIELDS] = {0};
    int64_t busy_ticks = 0;
    if (ticks_per_second <= 0 || !sum_stat_lines(text, cpus, sums)) {
        return 0;
    }
    for (size_t i = 0; i < STAT_FIELDS; i++) {
        busy_ticks = saturated_add(busy_ticks, is_busy(i) ? sums[i] : 0);
    }
    return counter_set_add(counters, name, ticks_to_ms(busy_ticks, ticks_per_second));
}

/* The text behind "key :" on a line that begins with the key, up to the end of the line. */
static const char *find_key(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = text; *line != '\0'; line = next_line(line)) {
        const char *start = skip_blanks(line);
        if (strncmp(start, key, length) == 0) {
            const char *colon = skip_blanks(start + length);
            if (*colon == ':') {
                return skip_blanks(colon + 1);
            }
        }
    }
    return NULL;
}

bool procfs_find_int64(const char *text, const char *key, int64_t *value)
{
    const char *found = find_key(text, key);
    const bool is_negative = found != NULL && *found == '-';
    if (found == NULL) {
        return false;
    }
    found += is_negative;
    if (!take_number(&found, value)) {
        return false;
    }
    *value = is_negative ? -*value : *value;
    return true;
}

static void copy_part(const char *text, size_t length, char *value, size_t size)
{
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL) {
        length--;
    }
    if (length >= size) {
        length = size - 1;
    }
    memcpy(value, text, length);
    value[length] = '\0';
}

bool procfs_find_text(const char *text, const char *key, char *value, size_t size)
{
    const char *found = find_key(text, key);
    if (found == NULL || size == 0) {
        return false;
    }
    copy_part(found, strcspn(found, "\n"), value, size);
    return true;
}

bool procfs_find_boot_parameter(const char *command_line, const char *name, char *value, size_t size)
{
    const size_t name_length = strlen(name);
    if (size == 0) {
        return false;
    }
    for (const char *word = command_line + strspn(command_line, " \t\n"); *word != '\0';) {
        const size_t length = strcspn(word, " \t\n");
        if (length >= name_length && strncmp(word, name, name_length) == 0) {
            if (length == name_length) {
                value[0] = '\0';
                return true;
            }
            if (word[name_length] == '=') {
                copy_part(word + name_length + 1, length - name_length - 1, value, size);
                return true;
            }
        }
        word += length;
        word += strspn(word, " \t\n");
    }
    return false;
}

static bool names_controller(const char *list, size_t length, const char *controller)
{
    const size_t wanted = strlen(controller);
    if (wanted == 0) {
        return length == 0;
    }
    for (size_t start = 0; start < length;) {
        size_t end = start;
        while (end < length && list[end] != ',') {
            end++;
        }
        if (end - start == wanted && strncmp(list + start, controller, wanted) == 0) {
            return true;
        }
        start = end + 1;
    }
    return false;
}

bool procfs_find_cgroup(const char *text, const char *controller, char *path, size_t size)
{
    if (size == 0) {
        return false;
    }
    for (const char *line = text; *line != '\0'; line = next_line(line)) {
        const size_t line_length = strcspn(line, "\n");
        const char *list = memchr(line, ':', line_length);
        if (list == NULL) {
            continue;
        }
        list++;
        const char *found = memchr(list, ':', line_length - (size_t)(list - line));
        if (found != NULL && names_controller(list, (size_t)(found - list), controller)) {
            copy_part(found + 1, line_length - (size_t)(found + 1 - line), path, size);
            return true;
        }
    }
    return false;
}

static bool find_word_value(const char *text, const char *name, int64_t *value)
{
    const size_t length = strlen(name);
    for (const char *line = text; *line != '\0'; line = next_line(line)) {
        if (strncmp(line, name, length) == 0 && (line[length] == ' ' || line[length] == '\t')) {
            const char *number = line + length;
            return take_number(&number, value);
        }
    }
    return false;
}

bool procfs_find_throttling(const char *text, int64_t *throttled, int64_t *throttled_ns)
{
    if (!find_word_value(text, "nr_throttled", throttled)) {
        return false;
    }
    if (find_word_value(text, "throttled_usec", throttled_ns) && *throttled_ns <= INT64_MAX / 1000) {
        *throttled_ns *= 1000;
        return true;
    }
    return find_word_value(text, "throttled_time", throttled_ns);
}

int procfs_parse_cpu_stat(const char *text, struct counter_set *counters)
{
    int64_t value = 0;
    int error = 0;
    if (find_word_value(text, "nr_throttled", &value)) {
        error = counter_set_add(counters, "cgroup_throttled", value);
    }
    if (error == 0 && find_word_value(text, "throttled_usec", &value)) {
        error = counter_set_add(counters, "cgroup_throttled_us", value);
    } else if (error == 0 && find_word_value(text, "throttled_time", &value)) {
        error = counter_set_add(counters, "cgroup_throttled_us", value / 1000);
    }
    return error;
}

int procfs_parse_schedstat(const char *text, struct counter_set *counters)
{
    int64_t running_ns = 0;
    int64_t waiting_ns = 0;
    if (!take_number(&text, &running_ns) || !take_number(&text, &waiting_ns)) {
        return 0;
    }
    return counter_set_add(counters, "run_delay_ns", waiting_ns);
}
