#include "cli/figure_text.h"

enum { LETTER_TENTHS = 72 }; /* a letter at font size 12, in tenths of a pixel: a generous mean */

void figure_quote_part(struct buffer *script, const char *text, int longest, bool is_format)
{
    buffer_text(script, "'");
    int characters = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        bool begins = (*c & 0xc0) != 0x80;
        if (begins && ++characters > longest) {
            buffer_text(script, "…");
            break;
        }
        if (*c == '\'' || (*c == '%' && is_format))
            buffer_append(script, c, 1);
        buffer_append(script, *c < ' ' || *c == 0x7f ? (const unsigned char *)" " : c, 1);
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
