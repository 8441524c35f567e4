#include "report/page/html.h"

#include "base/memory.h"
#include "base/text/visible.h"
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char report_style[];

/* Deeper lists are not shown; results files that the program writes have none. */
enum { DEEPEST = 6 };

static const char *entity_of(char character)
{
    static const char *const entities[] = {"&&amp;", "<&lt;", ">&gt;", "\"&quot;", "'&#39;"};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (entities[i][0] == character)
            return entities[i] + 1;
    return NULL;
}

/* Characters that a page shows as a blank. */
static bool is_blank(char c)
{
    return c == '\n' || c == '\t' || c == '\r';
}

static void write_text(struct buffer *page, const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        char escape[VISIBLE_ESCAPE_BYTES];
        size_t length = visible_next(text, (size_t)(end - text), escape);
        const char *entity = entity_of(*text);
        if (escape[0] != '\0')
            buffer_text(page, is_blank(*text) ? " " : escape);
        else if (entity != NULL)
            buffer_text(page, entity);
        else
            buffer_append(page, text, length);
        text += length;
    }
}

void html_text(struct buffer *page, const char *text)
{
    write_text(page, text, strlen(text));
}

void html_element(struct buffer *page, const char *element, const char *text)
{
    buffer_printf(page, "<%s>", element);
    html_text(page, text);
    buffer_printf(page, "</%.*s>", (int)strcspn(element, " "), element);
}

void html_name(struct buffer *page, const char *element, const char *name)
{
    buffer_printf(page, "<%s>", element);
    while (*name != '\0') {
        size_t length = strcspn(name, "/,");
        length += name[length] != '\0';
        write_text(page, name, length);
        name += length;
        buffer_text(page, *name != '\0' ? "<wbr/>" : "");
    }
    buffer_printf(page, "</%.*s>", (int)strcspn(element, " "), element);
}

void html_element_of(struct buffer *page, const char *element, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_printed(format, arguments);
    va_end(arguments);
    html_element(page, element, text);
    free(text);
}

/* Escapes every byte with a special meaning in a URL; "./" prevents a colon from introducing a scheme. */
void html_link(struct buffer *page, const char *path, const char *text)
{
    buffer_text(page, path[0] == '/' ? "<a href=\"" : "<a href=\"./");
    for (const unsigned char *c = (const unsigned char *)path; *c != '\0'; c++) {
        bool plain = (*c < 128 && isalnum(*c)) || strchr("/._-=,", *c) != NULL;
        buffer_printf(page, plain ? "%c" : "%%%02X", *c);
    }
    buffer_text(page, "\">");
    html_text(page, text);
    buffer_text(page, "</a>");
}

void html_table_begin(struct buffer *page, const char *caption, const char *const *heads)
{
    buffer_text(page, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_text(page, caption);
    buffer_text(page, "\"><table>\n<caption>");
    html_text(page, caption);
    buffer_text(page, "</caption>\n<thead><tr>");
    for (size_t i = 0; heads[i] != NULL; i++)
        html_element(page, heads[i][0] == '#' ? "th scope=\"col\" class=\"number\"" : "th scope=\"col\"",
                     heads[i] + (heads[i][0] == '#'));
    buffer_text(page, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct buffer *page)
{
    buffer_text(page, "</tbody></table></div>\n");
}

void html_interval(struct buffer *page, struct interval interval)
{
    char number[32];
    units_show_number(interval.value, number, sizeof number);
    if (!isfinite(interval.value))
        buffer_text(page, "<td></td>");
    else if (interval.low < interval.high)
        buffer_printf(page, "<td class=\"number\">%s <small>[%.4g, %.4g]</small></td>", number, interval.low,
                      interval.high);
    else
        buffer_printf(page, "<td class=\"number\">%s%s</td>", number, isfinite(interval.low) ? "" : " ?");
}

static void write_value(struct buffer *page, const struct value *value, int depth)
{
    char number[40];
    if (value->kind == VALUE_WORD)
        html_text(page, value->word);
    else if (value->kind == VALUE_NUMBER)
        buffer_text(page, units_format_number(value->number, number, sizeof number));
    else if (value->kind != VALUE_PARTS && value->kind != VALUE_LIST)
        buffer_text(page, value->kind != VALUE_FLAG ? "unknown" : value->on ? "yes" : "no");
    for (size_t i = 0; depth < DEEPEST && i < value->count; i++) {
        const struct value_part *part = &value->parts[i];
        bool deeper = part->name != NULL && part->value.kind == VALUE_PARTS;
        buffer_text(page, i == 0 ? "" : part->name == NULL ? ", " : "; ");
        if (part->name != NULL)
            html_text(page, part->name);
        buffer_text(page, deeper ? ": (" : part->name != NULL ? ": " : "");
        write_value(page, &part->value, depth + 1);
        buffer_text(page, deeper ? ")" : "");
    }
}

void html_value(struct buffer *page, const struct value *value)
{
    write_value(page, value, 0);
}

/* ---- gnuplot's picture in a page ---- */

/* The length of the attribute's beginning, if its value is the id of an element; else 0. */
static size_t reference_at(const char *text)
{
    static const char *const marks[] = {" id=\"", " id='", "href=\"#", "href='#", "url(#"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(text, marks[i], strlen(marks[i])) == 0)
            return strlen(marks[i]);
    return 0;
}

/* Copies the <svg> and makes its ids unique to the picture, as gnuplot uses the same ids in all pictures.
 * Text outside of tags is unchanged. */
static void copy_svg(struct buffer *page, const char *svg, size_t number, const char *label)
{
    bool in_tag = true;
    buffer_text(page, "<svg role=\"img\" aria-label=\"");
    html_text(page, label);
    buffer_text(page, "\"");
    for (const char *c = svg + strlen("<svg"); *c != '\0';) {
        size_t length = in_tag ? reference_at(c) : 0;
        in_tag = *c == '<' || (in_tag && *c != '>');
        buffer_append(page, c, length > 0 ? length : 1);
        c += length > 0 ? length : 1;
        if (length > 0)
            buffer_printf(page, "f%zu-", number);
    }
}

/* Removes an element: gnuplot's title and description, which a browser would show over the figure, name
 * gnuplot. */
static void cut_element(char *svg, const char *begin, const char *end)
{
    char *from = strstr(svg, begin);
    char *to = from == NULL ? NULL : strstr(from, end);
    if (to != NULL)
        memmove(from, to + strlen(end), strlen(to + strlen(end)) + 1);
}

bool html_picture(struct buffer *page, char *svg, size_t number, const char *label)
{
    svg = svg == NULL ? NULL : strstr(svg, "<svg");
    if (svg == NULL)
        return false;
    cut_element(svg, "<title>", "</title>");
    cut_element(svg, "<desc>", "</desc>");
    buffer_text(page, "<div class=\"scroll picture\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_text(page, label);
    buffer_text(page, "\">");
    copy_svg(page, svg, number, label);
    buffer_text(page, "</div>\n");
    return true;
}

/* The security policy tells the browser that the page loads and runs nothing. */
void html_begin(struct buffer *page, const char *title)
{
    buffer_text(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
    html_text(page, title);
    buffer_text(page, "</title>\n<style>\n");
    buffer_text(page, (const char *)report_style);
    buffer_text(page, "</style>\n</head>\n<body>\n");
}
