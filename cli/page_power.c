#include "base/json.h"
#include "cli/html.h"
#include "cli/page.h"

#include <stdio.h>
#include <string.h>

static bool has_power(const json_t *point)
{
    return json_object_size(json_object_get(point, "power")) > 0;
}

/* Not said is not trusted: an old results file has no verdict. */
static void write_trust(struct page *page, const json_t *power)
{
    const char *verdict = json_string_or(power, "verdict", "not judged");
    bool trusted = strcmp(verdict, "trustworthy") == 0;
    bool doubted = strcmp(verdict, "untrustworthy") == 0;
    buffer_printf(&page->text, "<td class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> ",
                  trusted   ? "pass"
                  : doubted ? "fail"
                            : "unobserved",
                  trusted   ? "\xe2\x9c\x93"
                  : doubted ? "\xe2\x9c\x97"
                            : "?");
    html_text(&page->text, verdict);
    buffer_text(&page->text, "</td>");
    html_element(&page->text, "td", json_string_or(power, "reason", ""));
}

static void write_numbers(struct page *page, const json_t *power)
{
    static const char *const metrics[] = {"power.static_w", "power.dynamic_w", "energy.dynamic_j"};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        html_interval(&page->text, json_object_get(power, metrics[i]));
}

/* Untrustworthy points first, then the others in the order of the file. */
static void write_points(struct page *page, bool doubted)
{
    size_t index;
    const json_t *point;
    char name[512];
    json_array_foreach(page->points, index, point)
    {
        const json_t *power = json_object_get(point, "power");
        bool is_doubted = strcmp(json_string_or(power, "verdict", ""), "untrustworthy") == 0;
        if (!has_power(point) || is_doubted != doubted)
            continue;
        buffer_text(&page->text, "<tr>");
        html_name(&page->text, "th scope=\"row\"", page_point_name(point, name, sizeof name));
        write_numbers(page, power);
        write_trust(page, power);
        buffer_text(&page->text, "</tr>\n");
    }
}

static void write_channels(struct page *page, const json_t *point)
{
    char name[512];
    const char *channel;
    json_t *told;
    json_object_foreach(json_object_get(json_object_get(point, "power"), "sensors"), channel, told)
    {
        buffer_text(&page->text, "<tr>");
        html_name(&page->text, "th scope=\"row\"", page_point_name(point, name, sizeof name));
        html_element_of(&page->text, "td", "%s (%s)", channel, json_string_or(told, "label", ""));
        write_numbers(page, told);
        write_trust(page, told);
        buffer_text(&page->text, "</tr>\n");
    }
}

void page_power(struct page *page)
{
    static const char *const heads[] = {"Point", "#Static (W)", "#Dynamic (W)", "#Energy (J)", "Trusted",
                                        "Why",   NULL};
    static const char *const channel_heads[] = {"Point",       "Sensor",  "#Static (W)", "#Dynamic (W)",
                                                "#Energy (J)", "Trusted", "Why",         NULL};
    size_t index, count = 0;
    const json_t *point;
    json_array_foreach(page->points, index, point)
    {
        count += has_power(point);
    }
    buffer_text(&page->text, "<section id=\"power\">\n<h2>Power</h2>\n");
    if (count == 0) {
        buffer_text(&page->text, "<p>No power was measured.</p>\n</section>\n");
        return;
    }
    html_table_begin(
        &page->text,
        "Static and dynamic power, dynamic energy of a repetition, and whether they are to be trusted",
        heads);
    write_points(page, true);
    write_points(page, false);
    html_table_end(&page->text);
    buffer_text(&page->text, "<details><summary>Each sensor by itself</summary>\n");
    html_table_begin(&page->text, "What each sensor told", channel_heads);
    json_array_foreach(page->points, index, point)
    {
        write_channels(page, point);
    }
    html_table_end(&page->text);
    buffer_text(&page->text, "</details>\n</section>\n");
}
