/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grid.h"

#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The panels are cut here, so the library must never find a line too wide and shorten it. */
enum { UNLIMITED_WIDTH = 1 << 20 };

void grid_init(struct grid *grid, const struct output_settings *settings)
{
    *grid = (struct grid){.settings = settings};
}

void grid_destroy(struct grid *grid)
{
    for (size_t i = 0; i < grid->column_count; i++) {
        free(grid->columns[i].heading);
    }
    for (size_t i = 0; i < grid->cell_count; i++) {
        free(grid->cells[i].text);
    }
    free(grid->columns);
    free(grid->cells);
    *grid = (struct grid){0};
}

void grid_add_column(struct grid *grid, const char *heading, bool is_number, bool is_expendable,
                     int group)
{
    if (grid->error != 0) {
        return;
    }
    struct grid_column *larger = realloc(grid->columns,
                                         (grid->column_count + 1) * sizeof *grid->columns);
    char *copy = text_printable(heading, grid->settings->use_ascii);
    if (larger != NULL) {
        grid->columns = larger;
    }
    if (larger == NULL || copy == NULL) {
        free(copy);
        grid->error = -ENOMEM;
        return;
    }
    grid->columns[grid->column_count++] = (struct grid_column){
        .heading = copy,
        .is_number = is_number,
        .is_expendable = is_expendable,
        .group = group,
        .width = grid->settings->no_headings ? 0 : text_width(copy),
    };
}

static bool grid_reserve(struct grid *grid)
{
    if (grid->cell_count < grid->cell_capacity) {
        return true;
    }
    const size_t capacity = grid->cell_capacity == 0 ? 256 : 2 * grid->cell_capacity;
    struct grid_cell *larger = realloc(grid->cells, capacity * sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    grid->cells = larger;
    grid->cell_capacity = capacity;
    return true;
}

static void add_cell(struct grid *grid, const char *text, enum grid_style style)
{
    if (grid->error != 0 || grid->column_count == 0) {
        return;
    }
    char *copy = text_printable(text, grid->settings->use_ascii);
    if (copy == NULL || !grid_reserve(grid)) {
        free(copy);
        grid->error = -ENOMEM;
        return;
    }
    struct grid_column *column = &grid->columns[grid->cell_count % grid->column_count];
    const size_t width = text_width(copy);
    if (width > column->width) {
        column->width = width;
    }
    grid->cells[grid->cell_count++] = (struct grid_cell){.text = copy, .style = style};
}

static const char *text_or_dash(const char *text)
{
    return text == NULL || text[0] == '\0' ? "-" : text;
}

void grid_add_text(struct grid *grid, const char *text)
{
    add_cell(grid, text_or_dash(text), GRID_PLAIN);
}

void grid_add_strong(struct grid *grid, const char *text)
{
    add_cell(grid, text_or_dash(text), GRID_STRONG);
}

void grid_add_flag(struct grid *grid, const char *text)
{
    add_cell(grid, text_or_dash(text), GRID_FLAG);
}

void grid_add_blank(struct grid *grid)
{
    add_cell(grid, "", GRID_PLAIN);
}

void grid_add_id(struct grid *grid, int id)
{
    char text[TEXT_NUMBER_SIZE];
    (void)snprintf(text, sizeof text, "%d", id);
    add_cell(grid, id < 0 ? "-" : text, GRID_PLAIN);
}

void grid_add_format(struct grid *grid, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        grid->error = grid->error != 0 ? grid->error : -ENOMEM;
        return;
    }
    add_cell(grid, text_or_dash(text), GRID_PLAIN);
    free(text);
}

static size_t total_width(const struct grid *grid, const bool *is_shown, size_t first, size_t end)
{
    size_t width = 0;
    for (size_t i = first; i < end; i++) {
        width += is_shown[i] ? grid->columns[i].width + 1 : 0;
    }
    return width;
}

/* The end of the group that column `first` belongs to. */
static size_t group_end(const struct grid *grid, size_t first)
{
    size_t end = first + 1;
    while (end < grid->column_count && grid->columns[end].group == grid->columns[first].group) {
        end++;
    }
    return end;
}

/* One past the last column of the panel that starts at column `first` (not counting the repeated one).
 */
static size_t panel_end(const struct grid *grid, const bool *is_shown, size_t first)
{
    /* The last column of a line takes no separator. */
    const size_t limit = (size_t)grid->settings->width + 1;
    const size_t key = first == 0 ? 0 : grid->columns[0].width + 1;
    size_t used = key;
    size_t column = first;
    while (column < grid->column_count) {
        const bool starts_group = column == 0 ||
                                  grid->columns[column].group != grid->columns[column - 1].group;
        const size_t whole = total_width(grid, is_shown, column, group_end(grid, column));
        const bool has_others = used > grid->columns[0].width + 1;
        if (starts_group && has_others && used + whole > limit &&
            grid->columns[0].width + 1 + whole <= limit) {
            break;
        }
        const size_t width = is_shown[column] ? grid->columns[column].width + 1 : 0;
        if (has_others && used + width > limit) {
            break;
        }
        used += width;
        column++;
    }
    return column;
}

/* A heading that is not shown must not widen its column either. */
static int add_panel_column(const struct grid *grid, struct libscols_table *table,
                            const struct grid_column *column)
{
    const char *heading = grid->settings->no_headings ? "" : column->heading;
    return scols_table_new_column(table, heading, 0, column->is_number ? SCOLS_FL_RIGHT : 0) != NULL
               ? 0
               : -ENOMEM;
}

static int fill_cell(struct libscols_line *line, size_t position, const struct grid_cell *cell)
{
    if (scols_line_set_data(line, position, cell->text) != 0) {
        return -ENOMEM;
    }
    if (cell->style == GRID_PLAIN) {
        return 0;
    }
    const char *color = cell->style == GRID_FLAG ? "\033[1;31m" : "\033[1m";
    return scols_cell_set_color(scols_line_get_cell(line, position), color) == 0 ? 0 : -ENOMEM;
}

static bool is_in_panel(const bool *is_shown, size_t column, size_t first, size_t end)
{
    return column == 0 || (is_shown[column] && column >= first && column < end);
}

static int fill_panel(const struct grid *grid, struct libscols_table *table, const bool *is_shown,
                      size_t first, size_t end)
{
    const size_t rows = grid->cell_count / grid->column_count;
    for (size_t i = 0; i < end; i++) {
        if (is_in_panel(is_shown, i, first, end) &&
            add_panel_column(grid, table, &grid->columns[i]) != 0) {
            return -ENOMEM;
        }
    }
    for (size_t row = 0; row < rows; row++) {
        struct libscols_line *line = scols_table_new_line(table, NULL);
        size_t position = 0;
        for (size_t i = 0; i < end; i++) {
            if (!is_in_panel(is_shown, i, first, end)) {
                continue;
            }
            if (line == NULL ||
                fill_cell(line, position++, &grid->cells[row * grid->column_count + i]) != 0) {
                return -ENOMEM;
            }
        }
    }
    return 0;
}

/* The library pads a blank last cell. */
static void write_trimmed(const char *text, FILE *stream)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        size_t kept = length;
        while (kept > 0 && text[kept - 1] == ' ') {
            kept--;
        }
        (void)fwrite(text, 1, kept, stream);
        (void)fputc('\n', stream);
        text += length + (text[length] == '\n' ? 1 : 0);
    }
}

static int print_panel(const struct grid *grid, const bool *is_shown, size_t first, size_t end,
                       FILE *stream)
{
    char *text = NULL;
    struct libscols_table *table = scols_new_table();
    if (table == NULL) {
        return -ENOMEM;
    }
    (void)scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS);
    (void)scols_table_set_termwidth(table, UNLIMITED_WIDTH);
    (void)scols_table_enable_ascii(table, grid->settings->use_ascii);
    (void)scols_table_enable_colors(table, grid->settings->use_color);
    (void)scols_table_enable_noheadings(table, grid->settings->no_headings);
    /* All texts are printable already, and a second encoding would spoil the first. */
    (void)scols_table_enable_noencoding(table, 1);
    int error = fill_panel(grid, table, is_shown, first, end);
    if (error == 0) {
        error = scols_print_table_to_string(table, &text) == 0 && text != NULL ? 0 : -ENOMEM;
    }
    if (error == 0) {
        write_trimmed(text, stream);
    }
    free(text);
    scols_unref_table(table);
    return error;
}

/* Marks the columns to show; `left_out` gets the names of those that are not. */
static void choose_columns(const struct grid *grid, bool *is_shown, FILE *left_out)
{
    const size_t limit = (size_t)grid->settings->width + 1;
    for (size_t i = 0; i < grid->column_count; i++) {
        is_shown[i] = true;
    }
    if (grid->settings->width == 0) {
        return;
    }
    const char *separator = "";
    for (size_t i = grid->column_count;
         i-- > 1 && total_width(grid, is_shown, 0, grid->column_count) > limit;) {
        if (grid->columns[i].is_expendable) {
            is_shown[i] = false;
            (void)fprintf(left_out, "%s%s", separator, grid->columns[i].heading);
            separator = ", ";
        }
    }
}

static int print_panels(const struct grid *grid, const bool *is_shown, FILE *stream)
{
    int error = 0;
    size_t first = 0;
    while (error == 0 && first < grid->column_count) {
        const size_t end = grid->settings->width == 0 ? grid->column_count
                                                      : panel_end(grid, is_shown, first);
        if (total_width(grid, is_shown, first, end) > 0) {
            if (first > 0) {
                (void)fputc('\n', stream);
            }
            error = print_panel(grid, is_shown, first, end, stream);
        }
        first = end;
    }
    return error;
}

bool grid_fits(const struct grid *grid)
{
    size_t width = 0;
    for (size_t i = 0; i < grid->column_count; i++) {
        width += grid->columns[i].width + 1;
    }
    return grid->settings->width == 0 || width <= (size_t)grid->settings->width + 1;
}

int grid_print(struct grid *grid, FILE *stream)
{
    char *names = NULL;
    size_t size = 0;
    bool *is_shown = NULL;
    FILE *left_out = NULL;
    int error = grid->error;

    if (error != 0 || grid->column_count == 0 || grid->cell_count == 0) {
        return error;
    }
    is_shown = calloc(grid->column_count, sizeof *is_shown);
    left_out = open_memstream(&names, &size);
    if (is_shown == NULL || left_out == NULL) {
        error = -ENOMEM;
        goto out;
    }
    choose_columns(grid, is_shown, left_out);
    error = print_panels(grid, is_shown, stream);
    if (fflush(left_out) != 0) {
        error = error != 0 ? error : -ENOMEM;
    }
    if (error == 0 && size > 0) {
        error = text_print_line(stream, grid->settings->width, grid->settings->use_ascii, 2,
                                "Left out for want of width, since they tell nothing here: %s.", names);
    }
out:
    if (left_out != NULL) {
        (void)fclose(left_out);
    }
    free(names);
    free(is_shown);
    return error;
}
