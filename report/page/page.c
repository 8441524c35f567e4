#include "report/page/page_data.h"

#include "base/file.h"
#include "base/units.h"
#include "report/figure/figure_draw.h"
#include "report/page/html.h"
#include "report/page/page_parts.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The section of power, of each point and of each sensor. */

enum { METRICS = 3 };

/* The power of a point or of one of its channels. */
struct power_row {
    const char *point;
    const char *sensor; /* of a channel: its name and label */
    struct interval numbers[METRICS];
    const char *verdict, *reason;
};

/* Writes the verdict and its reason. Old results have no verdict, which is shown as "?". */
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

static void page_add_power(struct page *page, const struct result_point *point, const char *name)
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

static void page_power(struct page *page)
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

/* The section of figures: pictures, and their numbers as tables. */

enum { SAMPLES_MOST = 400 };

/* ---- pictures ---- */

/* A panel's picture, or why there is none. */
struct picture {
    struct buffer svg; /* empty: it could not be drawn */
    struct error error;
};

/* Draws the panels' pictures together or, if that fails, each alone, so that only those that cannot be drawn
 * are missing. */
static void draw_pictures(const struct figure_panel panels[], size_t count, struct picture pictures[])
{
    struct figure_panel alone[FIGURE_BATCH];
    struct figure figures[FIGURE_BATCH] = {0};
    struct buffer drawn[FIGURE_BATCH] = {0};
    struct error error = {0};
    for (size_t i = 0; i < count; i++) {
        alone[i] = panels[i];
        alone[i].title = NULL; /* the page shows it */
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

/* ---- tables of the pictures' numbers ---- */

static size_t count_samples(const struct figure_panel *panel)
{
    size_t count = 0;
    for (size_t i = 0; i < panel->line_count; i++)
        count += panel->lines[i].reference ? 0 : panel->lines[i].count;
    return count;
}

/* Writes a sample's x; a size with its unit, as on the axis. */
static void write_place(struct page *page, const struct figure_panel *panel, double x)
{
    char size[40];
    if (panel->x_is_bytes && x >= 0 && x < 0x1p63)
        html_element(&page->text, "td class=\"number\"", units_show_size((uint64_t)x, size, sizeof size));
    else
        html_element_of(&page->text, "td class=\"number\"", "%.6g", x);
}

/* Writes a bound; without an interval, an empty cell. */
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
    if (page->no_pictures == NULL && !html_picture(&page->text, picture->svg.data, number, panel->heading))
        html_element_of(&page->text, "p", "It could not be drawn: %s", picture->error.message);
    html_element_of(&page->text, "figcaption", "Figure %zu. %s. %s", number, panel->heading, panel->subtitle);
    write_numbers(page, panel);
    buffer_text(&page->text, "</figure>\n");
}

/* Writes up to FIGURE_BATCH panels, the first with that index. */
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

static void page_figures(struct page *page)
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

struct trace_row {
    const char *name, *trace;
};

void page_add_point(struct page *page, const struct result_point *point)
{
    char text[512]; /* "benchmark/point" */
    snprintf(text, sizeof text, "%s/%s", point->benchmark, point->name);
    const char *name = arena_strdup(&page->arena, text);
    struct check_finding *finding = check_finding_judged(page->context, point);
    page->point_count++;
    page_add_warnings(page, point, name);
    page_add_verdicts(page, finding, name);
    check_finding_free(finding);
    page_add_power(page, point, name);
    if (point->trace != NULL && point->trace[0] != '\0') {
        struct trace_row *row = page_add_row(&page->traces, sizeof *row);
        *row = (struct trace_row){name, arena_strdup(&page->arena, point->trace)};
    }
}

void page_free(struct page *page)
{
    struct page_rows *const sections[] = {&page->warnings, &page->verdicts, &page->unobserved, &page->power,
                                          &page->channels, &page->traces,   &page->indices};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        free(sections[i]->items);
    text_set_free(&page->texts);
    text_set_free(&page->keys);
    point_table_free(&page->points);
    table_free(&page->rate_marks);
    arena_free(&page->arena);
    buffer_free(&page->text);
}

/* ---- the context ---- */

/* Keys of the context that other sections show. */
static const char *const elsewhere[] = {"schema", "kind", "benchmarks", "sensors", "warnings", "simulated"};

static bool is_elsewhere(const char *key)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(key, elsewhere[i]) == 0)
            return true;
    return false;
}

static void write_sensors(struct page *page)
{
    static const char *const heads[] = {"Sensor",         "Label",       "Quantity", "#Read every",
                                        "#Updates every", "#Resolution", NULL};
    const struct results_context *context = page->context;
    if (context->sensor_count == 0)
        return;
    html_table_begin(&page->text, "Sensors", heads);
    for (size_t i = 0; i < context->sensor_count; i++) {
        const struct context_sensor *sensor = &context->sensors[i];
        buffer_text(&page->text, "<tr>");
        html_element(&page->text, "th scope=\"row\"", sensor->name);
        html_element(&page->text, "td", sensor->label == NULL ? "" : sensor->label);
        html_element_of(&page->text, "td", "%s (%s)", sensor->quantity, sensor->unit);
        const double values[] = {sensor->period_s, sensor->update_s, sensor->resolution};
        for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
            if (!isnan(values[j]))
                html_element_of(&page->text, "td class=\"number\"", "%.4g %s", values[j],
                                j < 2 ? "s" : sensor->unit);
            else
                html_element(&page->text, "td class=\"number\"", "unknown");
        }
        buffer_text(&page->text, "</tr>\n");
    }
    html_table_end(&page->text);
}

/* Writes the section that describes the machine and the measurement. */
static void write_context(struct page *page)
{
    static const char *const heads[] = {"What", "Value", NULL};
    const struct value *members = &page->context->members;
    buffer_text(&page->text, "<section id=\"context\">\n<h2>Context</h2>\n");
    html_table_begin(&page->text, "The machine, its state and how it was measured", heads);
    for (size_t i = 0; i < members->count; i++) {
        const struct value_part *member = &members->parts[i];
        if (is_elsewhere(member->name))
            continue;
        buffer_text(&page->text, "<tr>");
        html_element(&page->text, "th scope=\"row\"", member->name);
        buffer_text(&page->text, "<td>");
        html_value(&page->text, &member->value);
        buffer_text(&page->text, "</td></tr>\n");
    }
    html_table_end(&page->text);
    write_sensors(page);
    buffer_text(&page->text, "</section>\n");
}

/* ---- the page ---- */

static void write_header(struct page *page)
{
    const struct results_context *context = page->context;
    buffer_text(&page->text, "<header>\n");
    html_element_of(&page->text, "h1", "Report of %s", page->results);
    html_element_of(&page->text, "p", "Machine %s, run on %s (%s).",
                    context->machine.name == NULL ? "unknown" : context->machine.name,
                    context->host == NULL ? "an unknown host" : context->host,
                    context->cpu == NULL ? "unknown processor" : context->cpu);
    if (context->simulated.given)
        html_element_of(&page->text, "p class=\"simulated\"", "These results are of a %s: %s.",
                        simulated_label(&context->simulated), context->simulated.how);
    page_counts(page);
    buffer_text(&page->text, "</header>\n<main>\n");
}

/* Writes the links to the following sections, of details. */
static void write_sections(struct page *page)
{
    buffer_printf(&page->text,
                  "<nav aria-label=\"Sections\"><a href=\"#verdicts\">Rates</a> <a "
                  "href=\"#warnings\">Warnings (%zu)</a> <a href=\"#power\">Power</a> <a "
                  "href=\"#unseen\">Not observed</a> <a href=\"#context\">Context</a> <a "
                  "href=\"#raw\">Raw data</a></nav>\n",
                  page->warnings.count);
}

/* ---- raw data ---- */

/* Whether the trace is in the page's folder, by its name and, if it exists, after resolving links. */
static bool is_linked(const struct page *page, const char *trace, const char *path)
{
    char full[FILE_PATH_BYTES];
    return page->link != NULL && file_stays_inside(trace) &&
           (access(file_join(full, page->folder, path), F_OK) != 0 || file_lies_within(page->folder, full));
}

/* A trace outside the page's folder is named but not linked. */
static void write_trace(struct page *page, const struct trace_row *row)
{
    const char *folder_end = page->link == NULL ? NULL : strrchr(page->link, '/');
    struct buffer path = {0};
    if (folder_end != NULL)
        buffer_append(&path, page->link, (size_t)(folder_end - page->link) + 1);
    buffer_text(&path, row->trace);
    buffer_text(&page->text, "<li>");
    if (is_linked(page, row->trace, path.data))
        html_link(&page->text, path.data, row->name);
    else
        html_element_of(&page->text, "span", "%s: %s", row->name, row->trace);
    buffer_text(&page->text, "</li>\n");
    buffer_free(&path);
    page_pass_on(page);
}

static void page_raw(struct page *page)
{
    buffer_text(
        &page->text,
        "<section id=\"raw\">\n<h2>Raw data</h2>\n<p>The results, with each repetition as measured: ");
    if (page->link != NULL)
        html_link(&page->text, page->link, page->results);
    else
        html_element_of(&page->text, "span", "%s, outside of this page's folder", page->results);
    buffer_text(&page->text, " (one JSON object per line).</p>\n");
    const struct trace_row *traces = page->traces.items;
    if (page->traces.count > 0)
        buffer_text(&page->text, "<details><summary>Sensor readings over time (CSV)</summary><ul>\n");
    for (size_t i = 0; i < page->traces.count; i++)
        write_trace(page, &traces[i]);
    buffer_text(&page->text, page->traces.count > 0 ? "</ul></details>\n</section>\n" : "</section>\n");
}

void page_write(struct page *page)
{
    static void (*const sections[])(struct page *) = {page_figures,    page_points,   write_sections,
                                                      page_verdicts,   page_warnings, page_power,
                                                      page_unobserved, write_context, page_raw};
    if (page->point_count == 0)
        page_add_warnings(page, NULL, NULL);
    struct buffer title = {0};
    buffer_printf(&title, "Report of %s", page->results);
    html_begin(&page->text, title.data);
    buffer_free(&title);
    write_header(page);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        sections[i](page);
    html_element_of(&page->text, "footer",
                    "TraumaGen %s. Measured and simulated values are medians with 95 %% "
                    "intervals where they have one.",
                    page->context->version == NULL ? "of an unknown version" : page->context->version);
    buffer_text(&page->text, "\n</main>\n</body>\n</html>\n");
}
