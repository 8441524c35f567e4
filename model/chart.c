#include "model/chart.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

/* The array under the key; created if missing. */
static json_t *array_of(json_t *object, const char *key)
{
    json_t *array = json_object_get(object, key);
    if (array == NULL) {
        array = json_array();
        json_object_set_new(object, key, array);
    }
    return array;
}

json_t *chart_add(json_t *document, const char *title, const char *subtitle, const char *kind, const char *x,
                  const char *y)
{
    json_t *chart = json_pack("{s:s, s:s, s:s, s:s, s:s, s:[]}", "title", title, "subtitle", subtitle, "kind",
                              kind, "x", x, "y", y, "lines");
    json_array_append_new(array_of(document, "charts"), chart);
    return chart;
}

void chart_sample(json_t *chart, const char *label, double x, struct interval y)
{
    json_t *lines = array_of(chart, "lines");
    json_t *line = NULL;
    for (size_t i = 0; i < json_array_size(lines) && line == NULL; i++)
        if (strcmp(json_string_or(json_array_get(lines, i), "label", ""), label) == 0)
            line = json_array_get(lines, i);
    if (line == NULL) {
        line = json_pack("{s:s}", "label", label);
        json_array_append_new(lines, line);
    }
    json_array_append_new(array_of(line, "samples"), json_pack("[f, f, f, f]", x, y.value, y.low, y.high));
}

void chart_curve(json_t *chart, const char *label, const char *like)
{
    json_t *line;
    size_t i;
    json_array_foreach(json_object_get(chart, "lines"), i, line)
    {
        if (strcmp(json_string_or(line, "label", ""), label) != 0)
            continue;
        json_object_set_new(line, "reference", json_true());
        if (like != NULL)
            json_object_set_new(line, "like", json_string(like));
    }
}

void chart_bar(json_t *chart, const char *label, const char *category, struct interval y)
{
    json_t *categories = array_of(chart, "categories");
    size_t index = 0;
    while (index < json_array_size(categories) &&
           strcmp(json_string_value(json_array_get(categories, index)), category) != 0)
        index++;
    if (index == json_array_size(categories))
        json_array_append_new(categories, json_string(category));
    chart_sample(chart, label, (double)index, y);
}

void chart_diagonal(json_t *chart, const char *label)
{
    double least = INFINITY;
    double most = -INFINITY;
    json_t *line;
    json_t *sample;
    size_t i;
    size_t j;
    json_array_foreach(json_object_get(chart, "lines"), i, line)
        json_array_foreach(json_object_get(line, "samples"), j, sample) for (size_t k = 0; k < 2; k++)
    {
        least = fmin(least, json_number_value(json_array_get(sample, k)));
        most = fmax(most, json_number_value(json_array_get(sample, k)));
    }
    if (!(least < most))
        return;
    chart_sample(chart, label, least, (struct interval){least, least, least, 0});
    chart_sample(chart, label, most, (struct interval){most, most, most, 0});
    chart_curve(chart, label, NULL);
}
