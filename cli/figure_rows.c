#include "cli/figure_rows.h"

#include "base/buffer.h"
#include "base/json.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

static void write_value(struct buffer *text, const json_t *value)
{
    if (json_is_string(value)) {
        buffer_text(text, json_string_value(value));
    } else if (json_is_number(value)) {
        char number[40];
        buffer_text(text, units_format_number(json_number_value(value), number, sizeof number));
    } else {
        buffer_text(text, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "none");
    }
}

static bool is_of(const json_t *point, const struct figure_query *query)
{
    const char *recipe = json_string_or(point, "recipe", NULL);
    return strcmp(json_string_or(point, "benchmark", ""), query->benchmark) == 0 &&
           (query->recipe == NULL || recipe == NULL || strcmp(recipe, query->recipe) == 0);
}

static void gather(struct figure_rows *rows, const json_t *points, const struct figure_query *query)
{
    size_t index;
    const json_t *point;
    json_array_foreach(points, index, point)
    {
        if (!is_of(point, query))
            continue;
        rows->found++;
        if (json_object_get(point, "error") != NULL) {
            rows->failed++;
            continue;
        }
        struct figure_row *row = &rows->rows[rows->count];
        row->parameters = json_object_get(point, "point");
        if (json_object_get(row->parameters, query->x) == NULL)
            continue;
        rows->with_x++;
        if (!metric_value_of(point, query->metric, &row->seen))
            continue;
        row->target = json_string_or(point, "target", "");
        row->sample =
            (struct figure_sample){.y = row->seen.value, .low = row->seen.low, .high = row->seen.high};
        row->place = index;
        rows->count++;
    }
}

static size_t category_of(struct figure_rows *rows, struct arena *arena, const json_t *value)
{
    struct buffer text = {0};
    write_value(&text, value);
    size_t index = 0;
    while (index < rows->category_count && strcmp(rows->categories[index], text.size ? text.data : "") != 0)
        index++;
    if (index == rows->category_count)
        rows->categories[rows->category_count++] = arena_strdup(arena, text.size ? text.data : "");
    buffer_free(&text);
    return index;
}

/* Numbers make a numeric axis; one value that is none makes all of them categories. */
static void place_on_x(struct figure_rows *rows, struct arena *arena, const char *x)
{
    bool numeric = true;
    for (size_t i = 0; i < rows->count; i++)
        numeric = numeric && json_is_number(json_object_get(rows->rows[i].parameters, x));
    if (!numeric)
        rows->categories = arena_alloc(arena, rows->count, sizeof *rows->categories);
    for (size_t i = 0; i < rows->count; i++) {
        const json_t *value = json_object_get(rows->rows[i].parameters, x);
        rows->rows[i].sample.x = numeric ? json_number_value(value) : (double)category_of(rows, arena, value);
    }
}

static bool parameter_varies(const struct figure_rows *rows, const char *key)
{
    const json_t *first = json_object_get(rows->rows[0].parameters, key);
    for (size_t i = 1; i < rows->count; i++) {
        const json_t *other = json_object_get(rows->rows[i].parameters, key);
        if (first != other && !json_equal(first, other))
            return true;
    }
    return false;
}

static bool target_varies(const struct figure_rows *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (strcmp(rows->rows[i].target, rows->rows[0].target) != 0)
            return true;
    return false;
}

static void write_part(struct buffer *label, const char *key, const json_t *value)
{
    if (value == NULL)
        return;
    buffer_printf(label, "%s%s = ", label->size == 0 ? "" : ", ", key);
    write_value(label, value);
}

/* `by` first, then what else tells the rows apart. */
static void label_rows(struct figure_rows *rows, struct arena *arena, const struct figure_query *query)
{
    const char *by = query->by == NULL ? "" : query->by;
    json_t *varying = json_array();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)rows->rows[0].parameters, key, value)
    {
        if (strcmp(key, query->x) != 0 && strcmp(key, by) != 0 && parameter_varies(rows, key))
            json_array_append_new(varying, json_string(key));
    }
    bool targets = target_varies(rows);
    for (size_t i = 0; i < rows->count; i++) {
        struct figure_row *row = &rows->rows[i];
        struct buffer label = {0};
        const json_t *by_value = json_object_get(row->parameters, by);
        row->order = json_number_value(by_value);
        write_part(&label, by, by_value);
        size_t index;
        json_array_foreach(varying, index, value)
        {
            key = json_string_value(value);
            write_part(&label, key, json_object_get(row->parameters, key));
        }
        if (targets)
            buffer_printf(&label, "%s%s", label.size == 0 ? "" : ", ", row->target);
        row->label = arena_strdup(arena, label.size == 0 ? "" : label.data);
        buffer_free(&label);
    }
    json_decref(varying);
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *left, const void *right)
{
    const struct figure_row *a = left;
    const struct figure_row *b = right;
    int order = compare(a->order, b->order);
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = compare(a->sample.x, b->sample.x);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static void sort_into_lines(struct figure_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        while (strcmp(rows->rows[rows->rows[i].line].label, rows->rows[i].label) != 0)
            rows->rows[i].line++;
    qsort(rows->rows, rows->count, sizeof *rows->rows, compare_rows);
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct figure_row *before = kept == 0 ? NULL : &rows->rows[kept - 1];
        bool again = before != NULL && before->line == rows->rows[i].line &&
                     before->sample.x == rows->rows[i].sample.x;
        rows->rows[again ? kept - 1 : kept] = rows->rows[i];
        kept += !again;
    }
    rows->count = kept;
}

struct figure_rows figure_rows_select(struct arena *arena, const json_t *points,
                                      const struct figure_query *query)
{
    struct figure_rows rows = {0};
    rows.rows = arena_alloc(arena, json_array_size(points), sizeof *rows.rows);
    gather(&rows, points, query);
    if (rows.count == 0)
        return rows;
    place_on_x(&rows, arena, query->x);
    label_rows(&rows, arena, query);
    sort_into_lines(&rows);
    return rows;
}
