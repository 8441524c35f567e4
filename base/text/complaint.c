#include "base/text/complaint.h"

#include "base/buffer.h"

#include <stdio.h>
#include <string.h>

static int is_blank(char byte)
{
    return (unsigned char)byte <= ' ' || byte == 0x7f;
}

static void add_line(struct buffer *joined, const char *line, size_t length)
{
    while (length > 0 && is_blank(*line)) {
        line++;
        length--;
    }
    while (length > 0 && is_blank(line[length - 1]))
        length--;
    if (length == 0)
        return;
    if (joined->size > 0)
        buffer_text(joined, joined->data[joined->size - 1] == ':' ? " " : "; ");
    size_t start = joined->size;
    buffer_append(joined, line, length);
    for (size_t i = start; i < joined->size; i++)
        if (is_blank(joined->data[i]))
            joined->data[i] = ' ';
}

void complaint_join(char *text, size_t size, const char *output, size_t length, const char *mark)
{
    static const char cut[] = "... ";
    struct buffer joined = {0};
    size_t mark_size = strlen(mark);
    for (size_t at = 0; output != NULL && at < length;) {
        const char *end = memchr(output + at, '\n', length - at);
        size_t line = end == NULL ? length - at : (size_t)(end - output) - at;
        if (line >= mark_size && memcmp(output + at, mark, mark_size) == 0)
            add_line(&joined, output + at + mark_size, line - mark_size);
        at += line + 1;
    }
    size_t over = joined.size < size ? 0 : joined.size - size + sizeof cut;
    snprintf(text, size, "%s%s", over > 0 ? cut : "", joined.size == 0 ? "" : joined.data + over);
    buffer_free(&joined);
}
