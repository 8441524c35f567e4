#include "report/page/page.h"

#include "base/file.h"
#include "base/json.h"
#include "report/page/html.h"
#include "report/page/page_figures.h"
#include "report/page/page_power.h"
#include "report/page/page_verdicts.h"
#include "report/page/page_warnings.h"
#include "runner/results/simulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    struct page_rows *const sections[] = {&page->warnings, &page->verdicts, &page->unseen, &page->power,
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
    const json_t *sensors = json_object_get(page->context, "sensors");
    size_t index;
    const json_t *sensor;
    if (json_array_size(sensors) == 0)
        return;
    html_table_begin(&page->text, "Sensors", heads);
    json_array_foreach(sensors, index, sensor)
    {
        buffer_text(&page->text, "<tr>");
        html_element(&page->text, "th scope=\"row\"", json_string_or(sensor, "name", ""));
        html_element(&page->text, "td", json_string_or(sensor, "label", ""));
        html_element_of(&page->text, "td", "%s (%s)", json_string_or(sensor, "quantity", ""),
                        json_string_or(sensor, "unit", ""));
        static const char *const keys[] = {"period_s", "update_s", "resolution"};
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const json_t *value = json_object_get(sensor, keys[i]);
            const char *unit = i < 2 ? "s" : json_string_or(sensor, "unit", "");
            if (json_is_number(value))
                html_element_of(&page->text, "td class=\"number\"", "%.4g %s", json_number_value(value),
                                unit);
            else
                html_element(&page->text, "td class=\"number\"", "unknown");
        }
        buffer_text(&page->text, "</tr>\n");
    }
    html_table_end(&page->text);
}

/* The section that describes the machine and how it was measured. */
static void write_context(struct page *page)
{
    static const char *const heads[] = {"What", "Value", NULL};
    const char *key;
    json_t *value;
    buffer_text(&page->text, "<section id=\"context\">\n<h2>Context</h2>\n");
    html_table_begin(&page->text, "The machine, its state and how it was measured", heads);
    json_object_foreach((json_t *)page->context, key, value)
    {
        if (is_elsewhere(key))
            continue;
        buffer_text(&page->text, "<tr>");
        html_element(&page->text, "th scope=\"row\"", key);
        buffer_text(&page->text, "<td>");
        html_value(&page->text, value);
        buffer_text(&page->text, "</td></tr>\n");
    }
    html_table_end(&page->text);
    write_sensors(page);
    buffer_text(&page->text, "</section>\n");
}

/* ---- the page ---- */

static void write_header(struct page *page)
{
    const json_t *machine = json_object_get(page->context, "machine");
    buffer_text(&page->text, "<header>\n");
    html_element_of(&page->text, "h1", "Report of %s", page->results);
    html_element_of(&page->text, "p", "Machine %s, run on %s (%s).",
                    json_string_or(machine, "name", "unknown"),
                    json_string_or(page->context, "host", "an unknown host"),
                    json_string_or(page->context, "cpu", "unknown processor"));
    if (simulated_label(page->context) != NULL)
        html_element_of(&page->text, "p class=\"simulated\"", "These results are of a %s: %s.",
                        simulated_label(page->context), simulated_how(page->context));
    page_counts(page);
    buffer_text(&page->text, "</header>\n<main>\n");
}

/* The links to the sections that follow what everybody reads. */
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

/* True if the trace is in the page's folder, by its name and, if it exists, after resolving links. */
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
    static void (*const sections[])(struct page *) = {page_figures,  page_points,   write_sections,
                                                      page_verdicts, page_warnings, page_power,
                                                      page_unseen,   write_context, page_raw};
    if (page->point_count == 0)
        page_add_warnings(page, NULL, NULL);
    struct buffer title = {0};
    buffer_printf(&title, "Report of %s", page->results);
    html_begin(&page->text, title.data);
    buffer_free(&title);
    write_header(page);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        sections[i](page);
    html_element_of(
        &page->text, "footer",
        "TraumaGen %s. Measured and simulated values are medians with 95 %% "
        "intervals where they have one.",
        json_string_or(json_object_get(page->context, "tool"), "version", "of an unknown version"));
    buffer_text(&page->text, "\n</main>\n</body>\n</html>\n");
}
