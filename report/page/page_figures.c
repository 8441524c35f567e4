#include "report/page/page_figures.h"

#include "base/units.h"
#include "report/figure/figure_draw.h"
#include "report/page/html.h"

#include <math.h>
#include <string.h>

/* Larger tables are left to the raw data. */
enum { SAMPLES_MOST = 400 };

/* ---- pictures ---- */

/* A panel's picture, or why it has none. */
struct picture {
    struct buffer svg; /* empty: it could not be drawn */
    struct error error;
};

/* The pictures of the panels; each alone if they cannot be drawn together, to learn which cannot. */
static void draw_pictures(const struct figure_panel panels[], size_t count, struct picture pictures[])
{
    struct figure_panel alone[FIGURE_BATCH];
    struct figure figures[FIGURE_BATCH] = {0};
    struct buffer drawn[FIGURE_BATCH] = {0};
    struct error error = {0};
    for (size_t i = 0; i < count; i++) {
        alone[i] = panels[i];
        alone[i].title = NULL; /* the page reports it */
        figures[i] = (struct figure){.panels = &alone[i], .panel_count = 1};
    }
    enum status status = figure_pictures(figures, count, FIGURE_SVG, drawn, &error);
    for (size_t i = 0; i < count; i++) {
        pictures[i] = (struct picture){.svg = drawn[i], .error = error};
        if (status == STATUS_OK || count == 1)
            continue;
        buffer_free(&pictures[i].svg);
        draw_pictures(&panels[i], 1, &pictures[i]);
    }
}

static void write_picture(struct page *page, const struct figure_panel *panel, size_t number,
                          struct picture *picture)
{
    if (!html_picture(&page->text, picture->svg.data, number, panel->heading))
        html_element_of(&page->text, "p", "It could not be drawn: %s", picture->error.message);
}

/* ---- the same as numbers ---- */

static size_t count_samples(const struct figure_panel *panel)
{
    size_t count = 0;
    for (size_t i = 0; i < panel->line_count; i++)
        count += panel->lines[i].reference ? 0 : panel->lines[i].count;
    return count;
}

/* Where a sample is on x: a size with its unit, as on the axis. */
static void write_place(struct page *page, const struct figure_panel *panel, double x)
{
    char size[40];
    if (panel->x_is_bytes && x >= 0 && x < 0x1p63)
        html_element(&page->text, "td class=\"number\"", units_show_size((uint64_t)x, size, sizeof size));
    else
        html_element_of(&page->text, "td class=\"number\"", "%.6g", x);
}

/* Empty without an interval. */
static void write_bound(struct page *page, double bound)
{
    if (isfinite(bound))
        html_element_of(&page->text, "td class=\"number\"", "%.6g", bound);
    else
        buffer_text(&page->text, "<td></td>");
}

static void write_sample(struct page *page, const struct figure_panel *panel, const struct figure_line *line,
                         const struct figure_sample *sample)
{
    buffer_text(&page->text, "<tr>");
    html_element(&page->text, "th scope=\"row\"", line->label);
    if (panel->categories != NULL)
        html_element(&page->text, "td", panel->categories[(size_t)sample->x]);
    else
        write_place(page, panel, sample->x);
    html_element_of(&page->text, "td class=\"number\"", "%.6g%s", sample->y - sample->base,
                    sample->doubt == NULL ? "" : " ?");
    write_bound(page, sample->low - sample->base);
    write_bound(page, sample->high - sample->base);
    html_element(&page->text, "td", sample->doubt == NULL ? "" : sample->doubt);
    buffer_text(&page->text, "</tr>\n");
}

static void write_numbers(struct page *page, const struct figure_panel *panel)
{
    const char *y = panel->right_label == NULL ? panel->y_label : "Value";
    const char *const heads[] = {"Line", panel->x_label, y, "#Low", "#High", "Note", NULL};
    if (count_samples(panel) > SAMPLES_MOST)
        return;
    buffer_text(&page->text, "<details><summary>As numbers</summary>\n");
    html_table_begin(&page->text, panel->heading, heads);
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count && !panel->lines[i].reference; j++)
            write_sample(page, panel, &panel->lines[i], &panel->lines[i].samples[j]);
    html_table_end(&page->text);
    buffer_text(&page->text, "</details>\n");
}

static void write_panel(struct page *page, const struct figure_panel *panel, size_t number,
                        struct picture *picture)
{
    if (panel->title != NULL)
        html_element(&page->text, "h3", panel->title);
    buffer_text(&page->text, "<figure>\n");
    if (page->no_pictures == NULL)
        write_picture(page, panel, number, picture);
    html_element_of(&page->text, "figcaption", "Figure %zu. %s. %s", number, panel->heading, panel->subtitle);
    write_numbers(page, panel);
    buffer_text(&page->text, "</figure>\n");
}

/* Panels from the one with that index on. */
static void write_batch(struct page *page, size_t from)
{
    size_t left = page->figure->panel_count - from;
    size_t count = left < FIGURE_BATCH ? left : FIGURE_BATCH;
    struct picture pictures[FIGURE_BATCH] = {0};
    if (page->no_pictures == NULL)
        draw_pictures(&page->figure->panels[from], count, pictures);
    for (size_t i = 0; i < count; i++) {
        write_panel(page, &page->figure->panels[from + i], from + i + 1, &pictures[i]);
        buffer_free(&pictures[i].svg);
    }
}

static void write_missing(struct page *page)
{
    const char *line = page->figure->warnings.data;
    if (line == NULL)
        return;
    buffer_text(&page->text, "<details><summary>What is not drawn, and why</summary><ul>\n");
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        html_element_of(&page->text, "li", "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    buffer_text(&page->text, "</ul></details>\n");
}

void page_figures(struct page *page)
{
    buffer_text(&page->text, "<section id=\"figures\">\n<h2>Figures</h2>\n");
    if (page->figure->panel_count == 0)
        buffer_text(&page->text, "<p>There is nothing to draw.</p>\n");
    if (page->no_pictures != NULL)
        html_element_of(&page->text, "p class=\"fail\"", "The pictures are missing: %s", page->no_pictures);
    for (size_t i = 0; i < page->figure->panel_count; i += FIGURE_BATCH)
        write_batch(page, i);
    write_missing(page);
    buffer_text(&page->text, "</section>\n");
}
