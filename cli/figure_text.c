#include "cli/figure_text.h"

#include <string.h>

enum { LETTER_TENTHS = 72 }; /* a letter at font size 12, in tenths of a pixel: a generous mean */

/* Bytes that no picture may hold: control characters, and what XML has no place for. 0 where the text is
 * plain. */
static size_t unfit(const unsigned char *c)
{
    if (*c < ' ' || *c == 0x7f)
        return 1;
    if (*c == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
        return 2;
    return *c == 0xef && c[1] == 0xbf && c[2] >= 0xbe ? 3 : 0;
}

void figure_quote_part(struct buffer *script, const char *text, int longest, bool is_format)
{
    buffer_text(script, "'");
    int characters = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        size_t blank = unfit(c);
        bool begins = (*c & 0xc0) != 0x80;
        if (begins && ++characters > longest) {
            buffer_text(script, "…");
            break;
        }
        if (*c == '\'' || (*c == '%' && is_format))
            buffer_append(script, c, 1);
        if (strncmp((const char *)c, "]]>", 3) == 0) { /* gnuplot leaves it, and XML knows it as an end */
            buffer_text(script, "]] ");
            c += 2;
        }
        buffer_append(script, blank > 0 ? (const unsigned char *)" " : c, 1);
        c += blank > 0 ? blank : 1;
    }
    buffer_text(script, "'");
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
