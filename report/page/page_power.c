#include "report/page/page_power.h"

#include "report/page/html.h"

#include <stdbool.h>
#include <string.h>

enum { METRICS = 3 };

/* The power of a point or of one of its channels. */
struct power_row {
    const char *point;
    const char *sensor; /* of a channel: its name and label */
    struct interval numbers[METRICS];
    const char *verdict, *reason;
};

/* An old results file has no verdict, which counts as untrustworthy. */
static void write_trust(struct page *page, const struct power_row *row)
{
    bool trusted = strcmp(row->verdict, "trustworthy") == 0;
    bool doubted = strcmp(row->verdict, "untrustworthy") == 0;
    buffer_printf(&page->text, "<td class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> ",
                  trusted   ? "pass"
                  : doubted ? "fail"
                            : "unobserved",
                  trusted   ? "\xe2\x9c\x93"
                  : doubted ? "\xe2\x9c\x97"
                            : "?");
    html_text(&page->text, row->verdict);
    buffer_text(&page->text, "</td>");
    html_element(&page->text, "td", row->reason);
}

static void write_row(struct page *page, const struct power_row *row)
{
    buffer_text(&page->text, "<tr>");
    html_name(&page->text, "th scope=\"row\"", row->point);
    if (row->sensor != NULL)
        html_element(&page->text, "td", row->sensor);
    for (size_t i = 0; i < METRICS; i++)
        html_interval(&page->text, row->numbers[i]);
    write_trust(page, row);
    buffer_text(&page->text, "</tr>\n");
    page_pass_on(page);
}

/* Untrustworthy points first, then the others in the order of the file. */
static void write_points(struct page *page, bool doubted)
{
    const struct power_row *rows = page->power.items;
    for (size_t i = 0; i < page->power.count; i++)
        if ((strcmp(rows[i].verdict, "untrustworthy") == 0) == doubted)
            write_row(page, &rows[i]);
}

static struct power_row read_row(struct page *page, const struct result_values *values, const char *verdict,
                                 const char *reason, const char *name)
{
    static const char *const metrics[METRICS] = {"power.static_w", "power.dynamic_w", "energy.dynamic_j"};
    struct power_row row = {.point = name,
                            .verdict = page_text(page, verdict == NULL ? "not judged" : verdict),
                            .reason = page_text(page, reason == NULL ? "" : reason)};
    for (size_t i = 0; i < METRICS; i++)
        row.numbers[i] = result_value(values, metrics[i]);
    return row;
}

void page_add_power(struct page *page, const struct result_point *point, const char *name)
{
    const struct result_power *power = &point->power;
    if (power->values.count > 0) {
        struct power_row row = read_row(page, &power->values, power->verdict, power->reason, name);
        *(struct power_row *)page_add_row(&page->power, sizeof row) = row;
    }
    for (size_t i = 0; i < power->channel_count; i++) {
        const struct result_channel *channel = &power->channels[i];
        struct buffer sensor = {0};
        struct power_row row = read_row(page, &channel->values, channel->verdict, channel->reason, name);
        buffer_printf(&sensor, "%s (%s)", channel->name, channel->label == NULL ? "" : channel->label);
        row.sensor = page_text(page, sensor.data);
        *(struct power_row *)page_add_row(&page->channels, sizeof row) = row;
        buffer_free(&sensor);
    }
}

void page_power(struct page *page)
{
    static const char *const heads[] = {"Point", "#Static (W)", "#Dynamic (W)", "#Energy (J)", "Trusted",
                                        "Why",   NULL};
    static const char *const channel_heads[] = {"Point",       "Sensor",  "#Static (W)", "#Dynamic (W)",
                                                "#Energy (J)", "Trusted", "Why",         NULL};
    const struct power_row *channels = page->channels.items;
    buffer_text(&page->text, "<section id=\"power\">\n<h2>Power</h2>\n");
    if (page->power.count == 0) {
        buffer_text(&page->text, "<p>No power was measured.</p>\n</section>\n");
        return;
    }
    html_table_begin(&page->text,
                     "Static and dynamic power, dynamic energy of a repetition, and measurement quality",
                     heads);
    write_points(page, true);
    write_points(page, false);
    html_table_end(&page->text);
    buffer_text(&page->text, "<details><summary>Each sensor</summary>\n");
    html_table_begin(&page->text, "Readings of each sensor", channel_heads);
    for (size_t i = 0; i < page->channels.count; i++)
        write_row(page, &channels[i]);
    html_table_end(&page->text);
    buffer_text(&page->text, "</details>\n</section>\n");
}
