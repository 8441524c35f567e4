/* The section of warnings: what many points say is told once, also where only its numbers differ. */
#include "base/arena.h"
#include "base/json.h"
#include "cli/html.h"
#include "cli/page.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 8 };   /* of a sentence; further ones are words */
enum { MOST_UNBROKEN = 56 }; /* characters of a command that stays on its line */

/* A number as it stands in a sentence. */
struct figure_text {
    const char *text;
    size_t length;
};

struct warning {
    const char *what, *mend;
    struct figure_text least[MOST_NUMBERS], most[MOST_NUMBERS];
    char where[256]; /* the first point that has it */
    size_t points;
};

/* The length of a number that stands by itself at text[at]: what is part of a name (cpu0, hit=0.5) is none.
 */
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

/* The next number from text[*at] on, which is moved there; false at the end. */
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

/* True when both sentences are the same but for their numbers. */
static bool same_shape(const char *a, const char *b)
{
    size_t i = 0, j = 0, numbers = 0;
    while (a[i] != '\0' && b[j] != '\0') {
        size_t length = number_length(a, i), other = number_length(b, j);
        if (length > 0 && other > 0 && ++numbers <= MOST_NUMBERS) {
            i += length;
            j += other;
        } else if (a[i++] != b[j++]) {
            return false;
        }
    }
    return a[i] == b[j];
}

static void widen(struct warning *warning, const char *what)
{
    struct figure_text number;
    size_t at = 0;
    for (size_t i = 0; i < MOST_NUMBERS && next_number(what, &at, &number); i++) {
        double value = strtod(number.text, NULL);
        if (warning->least[i].text == NULL || value < strtod(warning->least[i].text, NULL))
            warning->least[i] = number;
        if (warning->most[i].text == NULL || value > strtod(warning->most[i].text, NULL))
            warning->most[i] = number;
        at += number.length;
    }
}

/* of_point: a warning of the whole run keeps its numbers, which are its own. */
static struct warning *find_warning(struct warning *warnings, size_t *count, const json_t *entry,
                                    bool of_point)
{
    const char *what = json_string_or(entry, "what", "");
    const char *mend = json_string_or(entry, "mend", "");
    size_t i = 0;
    for (; i < *count; i++) {
        bool like = of_point && warnings[i].points > 0 ? same_shape(warnings[i].what, what)
                                                       : strcmp(warnings[i].what, what) == 0;
        if (like && strcmp(warnings[i].mend, mend) == 0)
            break;
    }
    if (i == *count)
        warnings[(*count)++] = (struct warning){.what = what, .mend = mend};
    widen(&warnings[i], what);
    return &warnings[i];
}

static size_t count_warnings(const struct page *page)
{
    size_t count = json_array_size(json_object_get(page->context, "warnings")), index;
    const json_t *point;
    json_array_foreach(page->points, index, point)
    {
        count += json_array_size(json_object_get(point, "warnings"));
    }
    return count;
}

static size_t gather_warnings(const struct page *page, struct warning *warnings)
{
    size_t count = 0, index, place;
    const json_t *point, *entry;
    json_array_foreach(json_object_get(page->context, "warnings"), index, entry)
    {
        find_warning(warnings, &count, entry, false);
    }
    json_array_foreach(page->points, place, point)
    {
        json_array_foreach(json_object_get(point, "warnings"), index, entry)
        {
            struct warning *warning = find_warning(warnings, &count, entry, true);
            if (warning->points++ == 0)
                page_point_name(point, warning->where, sizeof warning->where);
        }
    }
    return count;
}

static bool is_range(const struct figure_text *least, const struct figure_text *most)
{
    return least->length != most->length || strncmp(least->text, most->text, least->length) != 0;
}

/* The sentence, with the least and the most of each number that differs. */
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
    static const char *const heads[] = {"Warning", "Where", "What mends it", NULL};
    struct arena arena = {0};
    struct warning *warnings = arena_alloc(&arena, count_warnings(page) + 1, sizeof *warnings);
    size_t count = gather_warnings(page, warnings);
    buffer_text(&page->text, "<section id=\"warnings\">\n<h2>Warnings</h2>\n");
    if (count == 0)
        buffer_text(&page->text, "<p>None were recorded.</p>\n");
    else
        html_table_begin(&page->text, "What was warned of before and while measuring", heads);
    for (size_t i = 0; i < count; i++)
        write_warning(&page->text, &warnings[i]);
    if (count > 0)
        html_table_end(&page->text);
    buffer_text(&page->text, "</section>\n");
    arena_free(&arena);
}
