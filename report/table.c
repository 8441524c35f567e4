#include "report/table.h"

#include "base/memory.h"
#include "base/text/visible.h"
#include "report/wrap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GAP = 2 };         /* blanks between columns */
enum { ROOM = 24 };       /* the least width in which text is wrapped */
enum { NOTE_INDENT = 4 }; /* the length of "[1] " */
enum { SHORT_CELL = 72 }; /* the longest sentence in a cell, in bytes */
enum { MARK_INDENT = 2 }; /* the length of "? " */
enum { NAMED_ROWS = 3 };  /* the most rows that a mark names: of more it gives the number */

static const char underline[] = "\033[4m";
static const char plain[] = "\033[0m";

/* The text with control characters as escapes; free it. */
static char *shown(const char *text)
{
    struct buffer buffer = {0};
    buffer_text(&buffer, "");
    visible_append(&buffer, text);
    char *copy = memory_text(buffer.data); /* no larger than needed, as tables have many */
    buffer_free(&buffer);
    return copy;
}

void table_add_column(struct table *table, const char *title, enum table_align align)
{
    table->columns = memory_next(table->columns, table->column_count, sizeof *table->columns);
    table->columns[table->column_count++] = (struct table_column){memory_text(title), align};
}

struct table table_of(const char *titles)
{
    struct table table = {0};
    for (const char *at = titles; at != NULL; at = strchr(at, '|')) {
        at += *at == '|' && table.column_count > 0;
        bool number = *at == '>';
        struct buffer title = {0};
        buffer_append(&title, at + number, strcspn(at + number, "|"));
        table_add_column(&table, title.data, number ? TABLE_RIGHT : TABLE_LEFT);
        buffer_free(&title);
    }
    return table;
}

void table_add_texts(struct table *table, size_t count, const char *const *texts)
{
    for (size_t i = 0; i < count; i++)
        table_cell(table, "%s", texts[i]);
}

void table_cell(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_printed(format, arguments);
    va_end(arguments);
    char *cell = shown(text);
    free(text);
    if (table->cell_count == table->capacity) {
        table->capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
        table->cells = memory_resized(table->cells, table->capacity, sizeof *table->cells);
    }
    table->cells[table->cell_count++] = cell;
}

static struct table_mark *mark_of(struct table *table, const char *reason)
{
    size_t count = table->reasons.count;
    size_t number = text_set_add(&table->reasons, reason);
    if (number == count) {
        table->marks = memory_next(table->marks, count, sizeof *table->marks);
        table->marks[number] = (struct table_mark){.rows = memory_text("")};
    }
    return &table->marks[number];
}

void table_doubt(struct table *table, const char *reason, const char *row)
{
    if (reason[0] == '\0')
        return;
    struct table_mark *mark = mark_of(table, reason);
    if (mark->last != NULL && strcmp(mark->last, row) == 0)
        return;
    free(mark->last);
    mark->last = memory_text(row);
    if (++mark->count > NAMED_ROWS)
        return;
    struct buffer rows = {0};
    buffer_printf(&rows, "%s%s%s", mark->rows, mark->count > 1 ? "; " : "", row);
    free(mark->rows);
    mark->rows = memory_text(rows.data);
    buffer_free(&rows);
}

void table_write_mark(const struct table *table, size_t reason, struct buffer *text)
{
    const struct table_mark *mark = &table->marks[reason];
    buffer_text(text, "? ");
    visible_append(text, table->reasons.texts[reason]);
    if (mark->count > NAMED_ROWS) {
        buffer_printf(text, " (%zu rows)", mark->count);
    } else if (mark->rows[0] != '\0') {
        buffer_text(text, " (");
        visible_append(text, mark->rows);
        buffer_text(text, ")");
    }
}

void table_take_rows(struct table *table, struct table *from)
{
    size_t count = table->cell_count + from->cell_count;
    if (from->cell_count == 0)
        return;
    if (count > table->capacity) {
        table->capacity = count;
        table->cells = memory_resized(table->cells, count, sizeof *table->cells);
    }
    memcpy(table->cells + table->cell_count, from->cells, from->cell_count * sizeof *from->cells);
    table->cell_count = count;
    from->cell_count = 0;
    table_free(from);
}

void table_note(struct table *table, const char *sentence, char *text, size_t capacity)
{
    if (table == NULL || strlen(sentence) <= SHORT_CELL) {
        snprintf(text, capacity, "%s", sentence);
        return;
    }
    char *note = shown(sentence);
    size_t number = text_set_add(&table->notes, note);
    free(note);
    snprintf(text, capacity, "[%zu]", number + 1);
}

/* The column's width: that of its title or of its widest cell. */
static size_t column_width(const struct table *table, size_t column)
{
    size_t widest = wrap_text_width(table->columns[column].title);
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        size_t width = wrap_text_width(table->cells[i]);
        if (width > widest)
            widest = width;
    }
    return widest;
}

static void write_aligned(struct buffer *buffer, const char *text, size_t width, enum table_align align)
{
    int padding = (int)(width - wrap_text_width(text));
    buffer_printf(buffer, "%*s%s%*s", align == TABLE_RIGHT ? padding : 0, "", text,
                  align == TABLE_LEFT ? padding : 0, "");
}

static void cut_blanks(struct buffer *buffer)
{
    while (buffer->size > 0 && buffer->data[buffer->size - 1] == ' ')
        buffer->data[--buffer->size] = '\0';
}

static void write_header(const struct table *table, const size_t *widths, bool styled, struct buffer *buffer)
{
    if (styled)
        buffer_text(buffer, underline);
    for (size_t column = 0; column < table->column_count; column++) {
        if (column > 0)
            buffer_printf(buffer, "%*s", GAP, "");
        write_aligned(buffer, table->columns[column].title, widths[column], table->columns[column].align);
    }
    cut_blanks(buffer);
    buffer_printf(buffer, "%s\n", styled ? plain : "");
}

/* The indent of further lines in the last column; 0: it is not wrapped, as it has numbers, or too little
 * room. */
static size_t last_indent(const struct table *table, const size_t *widths, size_t width)
{
    size_t last = table->column_count - 1;
    size_t at = 0;
    for (size_t column = 0; column < last; column++)
        at += widths[column] + GAP;
    bool cut = table->columns[last].align == TABLE_LEFT && at > 0 && at + ROOM <= width;
    return cut ? at : 0;
}

/* A cell of the last column; further lines keep a manual indent. */
static void write_wrapped(struct buffer *buffer, const char *text, size_t indent, size_t width)
{
    size_t blanks = strspn(text, " ");
    buffer_fill(buffer, ' ', blanks);
    wrap_words(text, indent + blanks, indent + blanks + (blanks > 0 ? GAP : 0), width, buffer);
}

static void write_rows(const struct table *table, const size_t *widths, size_t width, struct buffer *buffer)
{
    size_t indent = last_indent(table, widths, width);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        bool last = column + 1 == table->column_count;
        if (last && indent > 0)
            write_wrapped(buffer, table->cells[i], indent, width);
        else
            write_aligned(buffer, table->cells[i], widths[column], table->columns[column].align);
        if (!last && i + 1 < table->cell_count) {
            buffer_printf(buffer, "%*s", GAP, "");
            continue;
        }
        cut_blanks(buffer);
        buffer_text(buffer, "\n");
    }
}

static void write_notes(const struct table *table, size_t width, struct buffer *buffer)
{
    for (size_t i = 0; i < table->notes.count; i++) {
        buffer_printf(buffer, "%s[%zu] ", i == 0 ? "\n" : "", i + 1);
        if (width >= ROOM)
            wrap_words(table->notes.texts[i], NOTE_INDENT, NOTE_INDENT, width, buffer);
        else
            buffer_text(buffer, table->notes.texts[i]);
        buffer_text(buffer, "\n");
    }
}

static void write_marks(const struct table *table, size_t width, struct buffer *buffer)
{
    for (size_t i = 0; i < table->reasons.count; i++) {
        struct buffer text = {0};
        table_write_mark(table, i, &text);
        buffer_text(buffer, i == 0 && table->notes.count == 0 ? "\n" : "");
        if (width >= ROOM)
            wrap_words(text.data, MARK_INDENT, MARK_INDENT, width, buffer);
        else
            buffer_text(buffer, text.data);
        buffer_text(buffer, "\n");
        buffer_free(&text);
    }
}

void table_write(const struct table *table, bool styled, size_t width, struct buffer *buffer)
{
    if (table->column_count == 0)
        return;
    size_t *widths = memory_resized(NULL, table->column_count, sizeof *widths);
    for (size_t column = 0; column < table->column_count; column++)
        widths[column] = column_width(table, column);
    write_header(table, widths, styled, buffer);
    write_rows(table, widths, width, buffer);
    free(widths);
    write_notes(table, width, buffer);
    write_marks(table, width, buffer);
}

void table_print(const struct table *table, FILE *to)
{
    const char *no_color = getenv("NO_COLOR");
    bool styled = isatty(fileno(to)) && (no_color == NULL || no_color[0] == '\0');
    struct buffer text = {0};
    table_write(table, styled, wrap_terminal_width(), &text);
    if (text.size > 0)
        fwrite(text.data, 1, text.size, to);
    buffer_free(&text);
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    for (size_t i = 0; i < table->reasons.count; i++) {
        free(table->marks[i].rows);
        free(table->marks[i].last);
    }
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i].title);
    free(table->columns);
    free(table->marks);
    text_set_free(&table->notes);
    text_set_free(&table->reasons);
    *table = (struct table){0};
}

void table_finish(struct table *table, FILE *to)
{
    table_print(table, to);
    table_free(table);
}
