#include "report/page/page_context.h"

#include "base/json.h"
#include "report/page/html.h"

#include <string.h>

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

void page_context(struct page *page)
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
