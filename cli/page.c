#include "cli/page.h"

#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/html.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const unsigned char report_style[];

char *page_point_name(const json_t *point, char *text, size_t capacity)
{
    snprintf(text, capacity, "%s/%s", json_string_or(point, "benchmark", ""),
             json_string_or(point, "name", ""));
    return text;
}

/* The browser itself is told that the page loads and runs nothing. */
static void write_head(struct page *page)
{
    buffer_text(
        &page->text,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>Report of ");
    html_text(&page->text, page->results);
    buffer_text(&page->text, "</title>\n<style>\n");
    buffer_text(&page->text, (const char *)report_style);
    buffer_text(&page->text, "</style>\n</head>\n<body>\n");
}

static void write_header(struct page *page)
{
    const json_t *machine = json_object_get(page->context, "machine");
    buffer_text(&page->text, "<header>\n");
    html_element_of(&page->text, "h1", "Report of %s", page->results);
    html_element_of(&page->text, "p", "%zu point%s for the machine %s, run on %s (%s).",
                    json_array_size(page->points), command_plural(json_array_size(page->points)),
                    json_string_or(machine, "name", "unknown"),
                    json_string_or(page->context, "host", "an unknown host"),
                    json_string_or(page->context, "cpu", "unknown processor"));
    buffer_text(
        &page->text,
        "<nav aria-label=\"Sections\"><a href=\"#warnings\">Warnings</a> <a "
        "href=\"#verdicts\">Verdicts</a> <a href=\"#figures\">Figures</a> <a href=\"#power\">Power</a> "
        "<a href=\"#unseen\">Not observed</a> <a href=\"#context\">Context</a> <a href=\"#raw\">Raw "
        "data</a></nav>\n</header>\n<main>\n");
}

/* ---- raw data ---- */

/* True for a trace in the page's folder, by its name and, where it is there, by where its links lead. */
static bool is_linked(const struct page *page, const char *trace, const char *path)
{
    char full[FILE_PATH_BYTES];
    return page->link != NULL && file_stays_inside(trace) &&
           (access(file_join(full, page->folder, path), F_OK) != 0 || file_lies_within(page->folder, full));
}

/* A trace that lies elsewhere is named, and not linked. */
static void write_trace(struct page *page, const json_t *point)
{
    char name[512];
    const char *trace = json_string_or(point, "trace", "");
    const char *folder_end = page->link == NULL ? NULL : strrchr(page->link, '/');
    struct buffer path = {0};
    if (folder_end != NULL)
        buffer_append(&path, page->link, (size_t)(folder_end - page->link) + 1);
    buffer_text(&path, trace);
    page_point_name(point, name, sizeof name);
    buffer_text(&page->text, "<li>");
    if (is_linked(page, trace, path.data))
        html_link(&page->text, path.data, name);
    else
        html_element_of(&page->text, "span", "%s: %s", name, trace);
    buffer_text(&page->text, "</li>\n");
    buffer_free(&path);
}

void page_raw(struct page *page)
{
    size_t index, traces = 0;
    const json_t *point;
    buffer_text(&page->text,
                "<section id=\"raw\">\n<h2>Raw data</h2>\n<p>All of this, and each repetition as it was "
                "measured: ");
    if (page->link != NULL)
        html_link(&page->text, page->link, page->results);
    else
        html_element_of(&page->text, "span", "%s, outside of this page's folder", page->results);
    buffer_text(&page->text, " (a JSON object a line).</p>\n");
    json_array_foreach(page->points, index, point)
    {
        if (json_string_or(point, "trace", "")[0] == '\0')
            continue;
        if (traces++ == 0)
            buffer_text(&page->text,
                        "<details><summary>What the sensors told over time (CSV)</summary><ul>\n");
        write_trace(page, point);
    }
    buffer_text(&page->text, traces > 0 ? "</ul></details>\n</section>\n" : "</section>\n");
}

void page_write(struct page *page)
{
    static void (*const sections[])(struct page *) = {page_warnings, page_verdicts, page_figures, page_power,
                                                      page_unseen,   page_context,  page_raw};
    write_head(page);
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
