#include "report/page/page_parts.h"

#include "base/arena.h"
#include "report/page/html.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 8 };   /* numbers of a sentence that may vary; further ones count as words */
enum { MOST_UNBROKEN = 56 }; /* the longest command that is not wrapped, in bytes */

/* A number in a sentence. */
struct figure_text {
    const char *text;
    size_t length;
};

struct warning {
    const char *what, *mend;
    struct figure_text least[MOST_NUMBERS], most[MOST_NUMBERS];
    const char *where; /* the first point with this warning */
    size_t points;     /* 0: a warning of the whole run */
};

/* The length of a standalone number at text[at]; 0 if it is part of a name (cpu0, hit=0.5). */
static size_t number_length(const char *text, size_t at)
{
    unsigned char before = at == 0 ? ' ' : (unsigned char)text[at - 1];
    if (!isdigit((unsigned char)text[at]) || (before != ' ' && before != '[' && before != '('))
        return 0;
    size_t length = strspn(text + at, "0123456789.");
    if (text[at + length - 1] == '.')
        length--;
    unsigned char after = (unsigned char)text[at + length];
    return isalnum(after) || after == '_' || after == '-' || after == '/' || after == '=' ? 0 : length;
}

/* Moves *at to the next number; false at the end. */
static bool next_number(const char *text, size_t *at, struct figure_text *number)
{
    for (; text[*at] != '\0'; (*at)++) {
        size_t length = number_length(text, *at);
        if (length > 0) {
            *number = (struct figure_text){text + *at, length};
            return true;
        }
    }
    return false;
}

/* Appends the sentence without its first numbers: sentences of one shape differ only in these. */
static void write_shape(struct buffer *shape, const char *what)
{
    size_t numbers = 0;
    for (size_t at = 0; what[at] != '\0';) {
        size_t length = numbers < MOST_NUMBERS ? number_length(what, at) : 0;
        numbers += length > 0;
        buffer_append(shape, length > 0 ? "\1" : what + at, 1);
        at += length > 0 ? length : 1;
    }
}

static struct figure_text keep(struct page *page, struct figure_text number)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)number.length, number.text);
    return (struct figure_text){page_text(page, text), strlen(text)};
}

static void widen(struct page *page, struct warning *warning, const char *what)
{
    struct figure_text number;
    size_t at = 0;
    for (size_t i = 0; i < MOST_NUMBERS && next_number(what, &at, &number); i++) {
        double value = strtod(number.text, NULL);
        if (warning->least[i].text == NULL || value < strtod(warning->least[i].text, NULL))
            warning->least[i] = keep(page, number);
        if (warning->most[i].text == NULL || value > strtod(warning->most[i].text, NULL))
            warning->most[i] = keep(page, number);
        at += number.length;
    }
}

/* Adds a warning, or counts the point (name; NULL: the whole run) at an earlier one. Warnings of the whole
 * run must match exactly; those of points only in their shape. */
static void add_warning(struct page *page, const char *what, const char *mend, const char *name)
{
    struct buffer exact = {0};
    struct buffer shape = {0};
    buffer_printf(&exact, "exact\n%s\n%s", what, mend);
    buffer_text(&shape, "shape\n");
    write_shape(&shape, what);
    buffer_printf(&shape, "\n%s", mend);
    struct warning *warnings = page->warnings.items;
    size_t index = page_index(page, exact.data);
    if (name != NULL) {
        size_t alike = page_index(page, shape.data);
        bool own = index < page->warnings.count && warnings[index].points == 0;
        index = own && index < alike ? index : alike;
    }
    if (index == SIZE_MAX) {
        index = page->warnings.count;
        struct warning *row = page_add_row(&page->warnings, sizeof *row);
        *row = (struct warning){.what = arena_strdup(&page->arena, what), .mend = page_text(page, mend)};
        warnings = page->warnings.items;
    }
    struct warning *warning = &warnings[index];
    widen(page, warning, what);
    if (name == NULL)
        page_set_index(page, exact.data, index);
    else if (warning->points++ == 0)
        warning->where = name;
    if (name != NULL)
        page_set_index(page, shape.data, index);
    buffer_free(&exact);
    buffer_free(&shape);
}

void page_add_warnings(struct page *page, const struct result_point *point, const char *name)
{
    const struct results_context *context = page->context;
    for (size_t i = 0; page->point_count <= 1 && i < context->warning_count; i++)
        /* once, before those of the first point */
        add_warning(page, context->warnings[i].what, context->warnings[i].mend, NULL);
    for (size_t i = 0; point != NULL && i < point->warnings.count; i++)
        add_warning(page, point->warnings.items[i].what, point->warnings.items[i].mend, name);
}

static bool is_range(const struct figure_text *least, const struct figure_text *most)
{
    return least->length != most->length || strncmp(least->text, most->text, least->length) != 0;
}

/* The sentence, with the range of each number that differs. */
static void write_sentence(struct buffer *page, const struct warning *warning)
{
    struct buffer text = {0};
    struct figure_text number;
    size_t at = 0, from = 0;
    for (size_t i = 0; i < MOST_NUMBERS && next_number(warning->what, &at, &number); i++) {
        const struct figure_text *least = &warning->least[i], *most = &warning->most[i];
        buffer_append(&text, warning->what + from, at - from);
        buffer_append(&text, least->text, least->length);
        if (is_range(least, most))
            buffer_printf(&text, " to %.*s", (int)most->length, most->text);
        at += number.length;
        from = at;
    }
    buffer_text(&text, warning->what + from);
    html_element(page, "td", text.data);
    buffer_free(&text);
}

static void write_where(struct buffer *page, const struct warning *warning)
{
    buffer_text(page, "<td>");
    html_name(page, "span", warning->where);
    if (warning->points > 1)
        buffer_printf(page, " and %zu more", warning->points - 1);
    buffer_text(page, "</td>");
}

static void write_warning(struct buffer *page, const struct warning *warning)
{
    buffer_text(page, "<tr>");
    write_sentence(page, warning);
    if (warning->points == 0)
        html_element(page, "td", "the whole run");
    else
        write_where(page, warning);
    buffer_text(page, "<td>");
    if (warning->mend[0] != '\0')
        html_element(page, strlen(warning->mend) <= MOST_UNBROKEN ? "code class=\"line\"" : "code",
                     warning->mend);
    buffer_text(page, "</td></tr>\n");
}

void page_warnings(struct page *page)
{
    static const char *const heads[] = {"Warning", "Where", "Remedy", NULL};
    const struct warning *warnings = page->warnings.items;
    size_t count = page->warnings.count;
    buffer_text(&page->text, "<section id=\"warnings\">\n<h2>Warnings</h2>\n");
    if (count == 0)
        buffer_text(&page->text, "<p>None were recorded.</p>\n");
    else
        html_table_begin(&page->text, "Warnings before and during measurement", heads);
    for (size_t i = 0; i < count; i++)
        write_warning(&page->text, &warnings[i]);
    if (count > 0)
        html_table_end(&page->text);
    buffer_text(&page->text, "</section>\n");
}
