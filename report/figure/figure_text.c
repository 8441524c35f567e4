#include "report/figure/figure_text.h"

#include "base/text/visible.h"

#include <stdbool.h>
#include <string.h>

enum { LETTER_TENTHS = 72 }; /* a generous mean width of a letter at font size 12, in tenths of a pixel */

/* gnuplot misreads a doubled quote beside another one or at the start. So a text with a quote is put in
 * double quotes, and characters that are special there are written in octal. */
static void write_byte(struct buffer *script, char byte, bool doubled, bool is_format)
{
    if (doubled && strchr("\\\"`'", byte) != NULL)
        buffer_printf(script, "\\%03o", (unsigned)byte);
    else
        buffer_append(script, &byte, 1);
    if (byte == '%' && is_format)
        buffer_append(script, &byte, 1);
}

void figure_quote_part(struct buffer *script, const char *text, int longest, bool is_format)
{
    const char *end = text + strlen(text);
    bool doubled = strchr(text, '\'') != NULL;
    buffer_text(script, doubled ? "\"" : "'");
    for (int characters = 0; text < end; characters++) {
        char escape[VISIBLE_ESCAPE_BYTES];
        size_t length = visible_next(text, (size_t)(end - text), escape);
        const char *shown = escape[0] == '\0' ? text : escape;
        size_t size = escape[0] == '\0' ? length : strlen(escape);
        if (characters == longest) {
            buffer_text(script, "…");
            break;
        }
        for (size_t i = 0; i < size; i++)
            write_byte(script, shown[i], doubled, is_format);
        text += length;
        if (strncmp(text - length, "]]>", 3) == 0) { /* gnuplot keeps it, but it is not allowed in XML */
            buffer_text(script, "] ");
            text++;
        }
    }
    buffer_text(script, doubled ? "\"" : "'");
}

void figure_quote(struct buffer *script, const char *text)
{
    figure_quote_part(script, text, 1 << 20, false);
}

int figure_length(const char *text, int longest)
{
    int characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return characters < longest ? characters : longest;
}

int figure_width(const char *text, int longest)
{
    return figure_length(text, longest) * LETTER_TENTHS / 10;
}
