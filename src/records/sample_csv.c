/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/sample_csv.h"

#include "numasweep/id_list.h"
#include "numasweep/number.h"
#include "numasweep/topology.h"
#include "numasweep/visit.h"

#include <csv.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A record beyond this is no sample: a device, or a quotation mark that is never closed. */
enum { LONGEST_RECORD = 1 << 20 };

enum field {
    FIELD_ROUND,
    FIELD_CPU,
    FIELD_NODE,
    FIELD_ELAPSED,
    FIELD_REQUESTED,
    FIELD_TOUCH,
    FIELD_COUNT,
    FIELD_IGNORED = FIELD_COUNT
};

static const char *const field_names[] = {
    [FIELD_ROUND] = "round",
    [FIELD_CPU] = "cpu",
    [FIELD_NODE] = "node",
    [FIELD_ELAPSED] = "elapsed_ns",
    [FIELD_REQUESTED] = "requested_ns",
    [FIELD_TOUCH] = "touch_ns",
};

struct sample_csv {
    struct csv_parser parser;
    struct sample_table *table;
    struct sample_line sample; /* the one that is being read */
    struct failure failure;
    enum field *fields; /* what each column of the heading is */
    size_t field_count;
    size_t column; /* of the next field */
    size_t record_size;
    int64_t requested_ns;
    int64_t line;        /* of the byte before the next one; 0 before the first */
    int64_t record_line; /* where the current record begins */
    int error;
    bool has_heading;
    bool has_field[FIELD_COUNT];
    bool has_record_ended;
    bool is_at_line_start;
    bool is_after_return; /* a newline that follows belongs to it */
    size_t mark_size;     /* of the byte order mark that was seen so far */
    bool is_past_mark;
};

void sample_table_destroy(struct sample_table *table)
{
    free(table->lines);
    *table = (struct sample_table){0};
}

struct sample_csv *sample_csv_create(int64_t requested_ns, struct sample_table *table)
{
    struct sample_csv *csv = calloc(1, sizeof *csv);
    if (csv == NULL) {
        return NULL;
    }
    if (csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0) {
        free(csv);
        return NULL;
    }
    csv->table = table;
    csv->requested_ns = requested_ns;
    csv->is_at_line_start = true;
    csv->has_record_ended = true;
    return csv;
}

void sample_csv_destroy(struct sample_csv *csv)
{
    if (csv == NULL) {
        return;
    }
    csv_free(&csv->parser);
    free(csv->fields);
    free(csv);
}

static void refuse(struct sample_csv *csv, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void refuse(struct sample_csv *csv, const char *format, ...)
{
    struct failure why = {0};
    va_list arguments;
    va_start(arguments, format);
    (void)failure_vset(&why, "import", 0, format, arguments);
    va_end(arguments);
    csv->error = failure_set(&csv->failure, "import", 0, "line %lld: %.360s",
                             (long long)csv->record_line, why.text);
}

static enum field find_field(const char *name)
{
    enum field field = FIELD_ROUND;
    while (field < FIELD_COUNT && strcmp(field_names[field], name) != 0) {
        field++;
    }
    return field;
}

static void take_heading_field(struct sample_csv *csv, const char *name)
{
    const enum field field = find_field(name);
    enum field *fields = realloc(csv->fields, (csv->field_count + 1) * sizeof *fields);
    if (fields == NULL) {
        csv->error = -ENOMEM;
        return;
    }
    csv->fields = fields;
    csv->fields[csv->field_count] = field;
    csv->field_count++;
    if (field == FIELD_IGNORED) {
        return;
    }
    if (csv->has_field[field]) {
        refuse(csv, "the heading has the column %s twice", name);
    }
    csv->has_field[field] = true;
}

/* One field with blanks, semicolons or tabs where commas should be is the likeliest mistake. */
static void end_heading(struct sample_csv *csv)
{
    csv->has_heading = true;
    for (enum field field = FIELD_ROUND; field <= FIELD_ELAPSED; field++) {
        if (!csv->has_field[field]) {
            refuse(csv,
                   "the heading has no column %s; round, cpu, node and elapsed_ns are needed, with "
                   "commas between them%s",
                   field_names[field], csv->field_count == 1 ? " (there is one column only)" : "");
            return;
        }
    }
    if (!csv->has_field[FIELD_REQUESTED] && csv->requested_ns == 0) {
        refuse(csv, "the heading has no column requested_ns: give --timeout DURATION for all samples");
    }
}

static int64_t take_number(struct sample_csv *csv, enum field field, const char *text, int64_t minimum,
                           int64_t maximum)
{
    struct failure why = {0};
    int64_t value = 0;
    if (number_parse_int64(text, minimum, maximum, &value, &why) == 0) {
        return value;
    }
    if (strcmp(text, field_names[field]) == 0) {
        refuse(csv, "the heading stands here again: were two files put into one?");
    } else {
        refuse(csv, "%s: %.300s", field_names[field], why.text);
    }
    return minimum;
}

static void take_field(struct sample_csv *csv, enum field field, const char *text)
{
    struct sample_line *sample = &csv->sample;
    const bool is_empty = text[0] == '\0';
    switch (field) {
    case FIELD_ROUND:
        sample->round = (int32_t)take_number(csv, field, text, 1, SAMPLE_LARGEST_ROUND);
        break;
    case FIELD_CPU:
        sample->cpu = (int32_t)take_number(csv, field, text, 0, ID_LIST_MAX_ID);
        break;
    case FIELD_NODE:
        sample->node = is_empty ? TOPOLOGY_NONE
                                : (int32_t)take_number(csv, field, text, TOPOLOGY_NONE, ID_LIST_MAX_ID);
        break;
    case FIELD_ELAPSED:
        sample->elapsed_ns = take_number(csv, field, text, 0, SAMPLE_LONGEST_NS);
        break;
    case FIELD_REQUESTED:
        sample->requested_ns = take_number(csv, field, text, 1, SAMPLE_LONGEST_NS);
        break;
    case FIELD_TOUCH:
        sample->touch_ns = is_empty ? -1 : take_number(csv, field, text, 0, SAMPLE_LONGEST_NS);
        break;
    case FIELD_COUNT:
        break;
    }
}

static void on_field(void *bytes, size_t size, void *context)
{
    struct sample_csv *csv = context;
    const char *text = bytes != NULL ? bytes : "";
    const size_t column = csv->column;
    csv->column++;
    if (csv->error != 0) {
        return;
    }
    if (!csv->has_heading) {
        take_heading_field(csv, text);
        return;
    }
    if (column >= csv->field_count || csv->fields[column] == FIELD_IGNORED) {
        return;
    }
    if (strlen(text) != size) {
        refuse(csv, "%s: it holds a byte of value 0", field_names[csv->fields[column]]);
        return;
    }
    take_field(csv, csv->fields[column], text);
}

static int reserve_line(struct sample_table *table)
{
    if (table->count < table->capacity) {
        return 0;
    }
    const size_t capacity = table->capacity == 0 ? 1024 : table->capacity + table->capacity / 2;
    struct sample_line *lines = realloc(table->lines, capacity * sizeof *lines);
    if (lines == NULL) {
        return -ENOMEM;
    }
    table->lines = lines;
    table->capacity = capacity;
    return 0;
}

static void end_sample(struct sample_csv *csv)
{
    struct sample_table *table = csv->table;
    if (csv->column != csv->field_count) {
        refuse(csv, "there are %zu fields, and the heading has %zu columns", csv->column,
               csv->field_count);
        return;
    }
    if (table->count >= UINT32_MAX) {
        refuse(csv, "there are more samples than can be imported at once (%u)", UINT32_MAX);
        return;
    }
    if (reserve_line(table) != 0) {
        csv->error = -ENOMEM;
        return;
    }
    csv->sample.line = csv->record_line;
    csv->sample.position = (uint32_t)table->count;
    table->lines[table->count] = csv->sample;
    table->count++;
}

static void start_record(struct sample_csv *csv)
{
    csv->column = 0;
    csv->record_size = 0;
    csv->sample = (struct sample_line){.requested_ns = csv->requested_ns, .touch_ns = -1};
}

static void on_record(int terminator, void *context)
{
    struct sample_csv *csv = context;
    (void)terminator;
    if (csv->error == 0 && !csv->has_heading) {
        end_heading(csv);
    } else if (csv->error == 0) {
        end_sample(csv);
    }
    csv->has_record_ended = true;
    start_record(csv);
}

static bool is_blank(const char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && strchr(" \t\r\n", bytes[i]) != NULL && bytes[i] != '\0') {
        i++;
    }
    return i == size;
}

static int parser_error(struct sample_csv *csv)
{
    if (csv_error(&csv->parser) == CSV_ENOMEM) {
        return -ENOMEM;
    }
    refuse(csv, "its quotation marks are not those of CSV: a quoted field begins and ends with one, and "
                "holds two for each one of its own");
    return csv->error;
}

/* A piece of at most one line, its end in the last byte, so that errors know where they are. */
static int take_piece(struct sample_csv *csv, const char *bytes, size_t size)
{
    if (csv->is_at_line_start && !(csv->is_after_return && bytes[0] == '\n')) {
        csv->line++;
    }
    if (csv->has_record_ended) {
        csv->record_line = csv->line;
    }
    csv->is_after_return = bytes[size - 1] == '\r';
    csv->is_at_line_start = csv->is_after_return || bytes[size - 1] == '\n';
    if (csv->has_record_ended && is_blank(bytes, size)) {
        return 0;
    }
    csv->has_record_ended = false;
    csv->record_size += size;
    if (csv->record_size > LONGEST_RECORD) {
        refuse(csv, "the record that begins here has more than %d bytes: this is no such CSV file",
               LONGEST_RECORD);
        return csv->error;
    }
    if (csv_parse(&csv->parser, bytes, size, on_field, on_record, csv) != size) {
        return csv->error != 0 ? csv->error : parser_error(csv);
    }
    return csv->error;
}

static int report_error(const struct sample_csv *csv, int error, struct failure *failure)
{
    if (error == -ENOMEM) {
        return failure_set(failure, "import", ENOMEM, "out of memory");
    }
    if (error != 0 && failure != NULL) {
        *failure = csv->failure;
    }
    return error;
}

/* What Windows programs put in front of UTF-8. */
static size_t skip_mark(struct sample_csv *csv, const char *bytes, size_t size)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t skipped = 0;
    while (!csv->is_past_mark && skipped < size) {
        if (bytes[skipped] != mark[csv->mark_size]) {
            csv->is_past_mark = true;
            break;
        }
        skipped++;
        csv->mark_size++;
        csv->is_past_mark = csv->mark_size == sizeof mark - 1;
    }
    return skipped;
}

/* With its end; libcsv takes a carriage return alone for one too. */
static size_t line_length(const char *bytes, size_t size)
{
    size_t length = 0;
    while (length < size && bytes[length] != '\n' && bytes[length] != '\r') {
        length++;
    }
    return length < size ? length + 1 : size;
}

int sample_csv_take(struct sample_csv *csv, const char *bytes, size_t size, struct failure *failure)
{
    size_t start = skip_mark(csv, bytes, size);
    int error = csv->error;
    while (start < size && error == 0) {
        const size_t length = line_length(bytes + start, size - start);
        error = take_piece(csv, bytes + start, length);
        start += length;
    }
    csv->error = error;
    return report_error(csv, error, failure);
}

int sample_csv_finish(struct sample_csv *csv, struct failure *failure)
{
    int error = csv->error;
    if (error == 0 && csv_fini(&csv->parser, on_field, on_record, csv) != 0) {
        error = csv_error(&csv->parser) == CSV_ENOMEM ? -ENOMEM : 0;
        if (error == 0) {
            refuse(csv, "the quoted field that begins here has no end");
        }
    }
    error = error != 0 ? error : csv->error;
    if (error == 0 && csv->table->count == 0) {
        error = failure_set(&csv->failure, "import", 0, "there are no samples in it%s",
                            csv->has_heading ? ", only a heading" : ": it is empty");
    }
    csv->error = error;
    return report_error(csv, error, failure);
}
