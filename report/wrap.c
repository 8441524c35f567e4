#include "report/wrap.h"

#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_WIDTH = 40 }; /* narrower terminals break lines themselves */
enum { LEAST_COLUMN = 8 }; /* least width of a last column that is broken into lines */

size_t wrap_terminal_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

static size_t width_of(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

size_t wrap_text_width(const char *text)
{
    return width_of(text, strlen(text));
}

/* Appends the words of a text of `length` bytes from column *at on, and advances *at. begun: a word precedes.
 */
static void add_words(const char *text, size_t length, size_t *at, bool begun, size_t indent, size_t width,
                      struct buffer *buffer)
{
    const char *end = text + length;
    while (text < end) {
        size_t word = 0;
        while (text + word < end && text[word] != ' ')
            word++;
        size_t columns = width_of(text, word);
        if (word > 0 && begun && *at + 1 + columns > width) {
            buffer_text(buffer, "\n");
            buffer_fill(buffer, ' ', indent);
            *at = indent;
        } else if (word > 0 && begun) {
            buffer_text(buffer, " ");
            (*at)++;
        }
        if (word > 0) {
            buffer_append(buffer, text, word);
            *at += columns;
            begun = true;
        }
        text += word < (size_t)(end - text) ? word + 1 : word;
    }
}

void wrap_words(const char *text, size_t at, size_t indent, size_t width, struct buffer *buffer)
{
    add_words(text, strlen(text), &at, false, indent, width, buffer);
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

/* The start of the line's last column: after its first gap, else at its first word. */
static size_t column_of(const char *line, size_t length)
{
    size_t first = strspn(line, " ");
    for (size_t i = first; i + 2 < length; i++) {
        if (line[i] != ' ' || line[i + 1] != ' ')
            continue;
        while (i < length && line[i] == ' ')
            i++;
        return i < length ? i : first;
    }
    return first < length ? first : 0;
}

static bool is_prose(const char *line)
{
    size_t length = line_length(line);
    return length > 0 && line[0] != ' ' && column_of(line, length) == 0;
}

static const char *add_paragraph(const char *text, size_t width, struct buffer *buffer)
{
    size_t at = 0;
    bool begun = false;
    while (is_prose(text)) {
        size_t length = line_length(text);
        add_words(text, length, &at, begun, 0, width, buffer);
        begun = true;
        text += length + (text[length] == '\n');
    }
    buffer_text(buffer, "\n");
    return text;
}

static const char *add_line(const char *line, size_t width, struct buffer *buffer)
{
    size_t length = line_length(line);
    if (width_of(line, length) <= width) {
        buffer_append(buffer, line, length);
    } else {
        size_t column = column_of(line, length);
        size_t at = width_of(line, column);
        size_t indent = at <= width / 2 || at + LEAST_COLUMN <= width ? at : 4;
        buffer_append(buffer, line, column);
        add_words(line + column, length - column, &at, false, indent, width, buffer);
    }
    buffer_text(buffer, "\n");
    return line + length + (line[length] == '\n');
}

void wrap_page(const char *text, size_t width, struct buffer *buffer)
{
    while (*text != '\0')
        text = is_prose(text) ? add_paragraph(text, width, buffer) : add_line(text, width, buffer);
}

void wrap_print(const char *text, FILE *where)
{
    size_t width = wrap_terminal_width();
    struct buffer page = {0};
    wrap_page(text, width < LEAST_WIDTH || width > WRAP_WIDTH ? WRAP_WIDTH : width, &page);
    if (page.size > 0)
        fwrite(page.data, 1, page.size, where);
    buffer_free(&page);
}
