#include "report/figure/figure_rows.h"

#include "base/buffer.h"
#include "base/json.h"
#include "base/text/text_set.h"
#include "base/units.h"
#include "generator/metric/metric.h"

#include <stdlib.h>
#include <string.h>

void figure_write_value(struct buffer *text, const char *name, const json_t *value, const json_t *sizes)
{
    if (json_is_string(value)) {
        buffer_text(text, json_string_value(value));
    } else if (json_is_integer(value) && json_integer_value(value) >= 0 && json_has_text(sizes, name)) {
        char size[40];
        buffer_text(text, units_show_size((uint64_t)json_integer_value(value), size, sizeof size));
    } else if (json_is_number(value)) {
        char number[40];
        buffer_text(text, units_format_number(json_number_value(value), number, sizeof number));
    } else {
        buffer_text(text, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "none");
    }
}

static bool is_of(const struct figure_point *point, const struct figure_query *query)
{
    return strcmp(point->benchmark, query->benchmark) == 0 &&
           (query->recipe == NULL || point->recipe[0] == '\0' || strcmp(point->recipe, query->recipe) == 0);
}

/* Compares numbers by value: 1 is 1.0. */
static bool same_value(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    return a == NULL || b == NULL ? a == b : json_equal(a, b);
}

/* Its index in the list; the list's length if it is missing. */
static size_t place_in(const json_t *list, const json_t *value)
{
    size_t index = 0;
    while (index < json_array_size(list) && !same_value(json_array_get(list, index), value))
        index++;
    return index;
}

bool figure_rows_wants(const struct figure_point *point, const struct figure_query *query)
{
    const char *key;
    json_t *values;
    if (!is_of(point, query))
        return false;
    json_object_foreach((json_t *)query->only, key, values)
    {
        if (place_in(values, json_object_get(point->parameters, key)) == json_array_size(values))
            return false;
    }
    return true;
}

/* A sweep parameter, else a metric, in the units that figures show. */
static bool read_x(const struct figure_point *point, const struct figure_query *query,
                   struct figure_sample *sample)
{
    if (json_object_get(point->parameters, query->x) != NULL)
        return true;
    const struct figure_value *seen = figure_point_value(point, query->x);
    double scale = metric_scale(query->x);
    if (seen == NULL)
        return false;
    *sample = (struct figure_sample){
        .x = seen->value * scale, .x_low = seen->low * scale, .x_high = seen->high * scale};
    return true;
}

static void gather(struct figure_rows *rows, struct arena *arena, const struct figure_point *const *points,
                   size_t count, const struct figure_query *query)
{
    double scale = metric_scale(query->metric);
    for (size_t i = 0; i < count; i++) {
        const struct figure_point *point = points[i];
        if (!figure_rows_wants(point, query))
            continue;
        rows->found++;
        if (point->failed) {
            rows->failed++;
            continue;
        }
        struct figure_row *row = &rows->rows[rows->count];
        *row = (struct figure_row){.parameters = point->parameters};
        if (!read_x(point, query, &row->sample))
            continue;
        rows->with_x++;
        row->seen = figure_point_value(point, query->metric);
        if (row->seen == NULL)
            continue;
        row->target = point->target;
        row->sample.y = row->seen->value * scale;
        row->sample.low = row->seen->low * scale;
        row->sample.high = row->seen->high * scale;
        if (row->seen->doubt[0] != '\0')
            row->sample.doubt = arena_strdup(arena, row->seen->doubt);
        row->place = i;
        rows->count++;
    }
}

/* A text that is equal for two values if same_value is true for them. */
static void write_value_key(struct buffer *key, const json_t *value)
{
    if (value == NULL) {
        buffer_text(key, "-");
    } else if (json_is_number(value)) {
        buffer_printf(key, "%.17g", json_number_value(value) + 0.0);
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
        buffer_text(key, text == NULL ? "" : text);
        free(text);
    }
}

/* The set's number for the value; a new one, the set's count, if it is missing. */
static size_t index_of_value(struct text_set *set, const json_t *value)
{
    struct buffer key = {0};
    write_value_key(&key, value);
    size_t index = text_set_add(set, key.data);
    buffer_free(&key);
    return index;
}

/* A value of x and its sort key. */
struct place_of_x {
    const json_t *value;
    double order;
    size_t first; /* its index in order of appearance */
};

static int by_order(const void *left, const void *right)
{
    const struct place_of_x *a = left;
    const struct place_of_x *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Words keep their order; adjacent numbers are sorted by size. */
static void sort_mixed(struct place_of_x *found, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct place_of_x taken = found[i];
        size_t at = i;
        for (; at > 0 && json_is_number(taken.value) && json_is_number(found[at - 1].value) &&
               json_number_value(taken.value) < json_number_value(found[at - 1].value);
             at--)
            found[at] = found[at - 1];
        found[at] = taken;
    }
}

/* The rows' distinct values of x in the recipe's order; numbers by size, words in order of appearance. */
static const json_t **different_values(const struct figure_rows *rows, const struct figure_query *query,
                                       struct arena *arena, size_t *count)
{
    const json_t *order = json_object_get(query->order, query->x);
    struct place_of_x *found = arena_alloc(arena, rows->count, sizeof *found);
    struct text_set known = {0};
    bool numbers = true;
    *count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const json_t *value = json_object_get(rows->rows[i].parameters, query->x);
        size_t at = index_of_value(&known, value);
        if (at == *count)
            found[(*count)++] = (struct place_of_x){value, 0, at};
        numbers = numbers && json_is_number(value);
    }
    for (size_t i = 0; i < *count; i++)
        found[i].order = order != NULL ? (double)place_in(order, found[i].value)
                         : numbers     ? json_number_value(found[i].value)
                                       : 0;
    text_set_free(&known);
    if (order == NULL && !numbers)
        sort_mixed(found, *count);
    else
        qsort(found, *count, sizeof *found, by_order);
    const json_t **values = arena_alloc(arena, rows->count, sizeof *values);
    for (size_t i = 0; i < *count; i++)
        values[i] = found[i].value;
    return values;
}

static void place_in_categories(struct figure_rows *rows, struct arena *arena,
                                const struct figure_query *query)
{
    const json_t **values = different_values(rows, query, arena, &rows->category_count);
    rows->categories = arena_alloc(arena, rows->category_count, sizeof *rows->categories);
    for (size_t i = 0; i < rows->category_count; i++) {
        struct buffer text = {0};
        figure_write_value(&text, query->x, values[i], query->sizes);
        rows->categories[i] = arena_strdup(arena, text.size ? text.data : "");
        buffer_free(&text);
    }
    struct text_set known = {0};
    for (size_t i = 0; i < rows->category_count; i++)
        (void)index_of_value(&known, values[i]);
    for (size_t i = 0; i < rows->count; i++)
        rows->rows[i].sample.x =
            (double)index_of_value(&known, json_object_get(rows->rows[i].parameters, query->x));
    text_set_free(&known);
}

static bool x_is_metric(const struct figure_rows *rows, const struct figure_query *query)
{
    return json_object_get(rows->rows[0].parameters, query->x) == NULL;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Values of a metric as categories, as bars and maps need them. */
static void place_metric_in_categories(struct figure_rows *rows, struct arena *arena)
{
    double *values = arena_alloc(arena, rows->count, sizeof *values);
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++)
        values[i] = rows->rows[i].sample.x;
    qsort(values, rows->count, sizeof *values, by_value);
    rows->categories = arena_alloc(arena, rows->count, sizeof *rows->categories);
    for (size_t i = 0; i < rows->count; i++) {
        char number[40];
        if (kept > 0 && values[i] == values[kept - 1])
            continue;
        rows->categories[kept] = arena_strdup(arena, units_format_number(values[i], number, sizeof number));
        values[kept++] = values[i];
    }
    rows->category_count = kept;
    for (size_t i = 0; i < rows->count; i++) {
        const double *found = bsearch(&rows->rows[i].sample.x, values, kept, sizeof *values, by_value);
        rows->rows[i].sample.x = found == NULL ? 0 : (double)(found - values);
    }
}

/* Numbers make a numeric axis; a single other value makes all of them categories. */
static void place_on_x(struct figure_rows *rows, struct arena *arena, const struct figure_query *query)
{
    bool numeric = !query->categories;
    if (x_is_metric(rows, query)) {
        if (query->categories)
            place_metric_in_categories(rows, arena);
        return;
    }
    for (size_t i = 0; i < rows->count; i++)
        numeric = numeric && json_is_number(json_object_get(rows->rows[i].parameters, query->x));
    if (!numeric) {
        place_in_categories(rows, arena, query);
        return;
    }
    for (size_t i = 0; i < rows->count; i++)
        rows->rows[i].sample.x = json_number_value(json_object_get(rows->rows[i].parameters, query->x));
}

/* ---- relative to another point ---- */

/* True if b has a's parameters, except those of `relative`, which have its values. */
static bool is_base_of(const struct figure_row *base, const struct figure_row *row, const json_t *relative)
{
    const char *key;
    json_t *value;
    if (strcmp(base->target, row->target) != 0)
        return false;
    json_object_foreach((json_t *)row->parameters, key, value)
    {
        const json_t *wanted = json_object_get(relative, key);
        if (!same_value(json_object_get(base->parameters, key),
                        wanted == NULL ? value : json_array_get(wanted, 0)))
            return false;
    }
    return true;
}

/* The key of a row's base, or, without `relative`, of the row itself. */
static void write_row_key(struct buffer *key, const struct figure_row *row, const json_t *relative)
{
    json_t *places = json_object();
    const char *name;
    json_t *value;
    buffer_printf(key, "%s\n", row->target);
    json_object_foreach((json_t *)row->parameters, name, value)
    {
        const json_t *wanted = json_object_get(relative, name);
        struct buffer text = {0};
        write_value_key(&text, wanted == NULL ? value : json_array_get(wanted, 0));
        json_object_set_new_nocheck(places, name, json_stringn_nocheck(text.data, text.size));
        buffer_free(&text);
    }
    char *text = json_dumps(places, JSON_COMPACT | JSON_SORT_KEYS);
    buffer_text(key, text == NULL ? "" : text);
    free(text);
    json_decref(places);
}

/* Target and parameters -> the first row that has them. New reference. */
static json_t *index_rows(const struct figure_row *rows, size_t count)
{
    json_t *map = json_object();
    for (size_t i = 0; i < count; i++) {
        struct buffer key = {0};
        write_row_key(&key, &rows[i], NULL);
        if (json_object_get(map, key.data) == NULL)
            json_object_set_new_nocheck(map, key.data, json_integer((json_int_t)i));
        buffer_free(&key);
    }
    return map;
}

/* True if all rows have the same number of parameters: then a base has no further ones. */
static bool alike(const struct figure_row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (json_object_size(rows[i].parameters) != json_object_size(rows[0].parameters))
            return false;
    return true;
}

/* The row's base; count if there is none. map NULL: search the rows. */
static size_t find_base(const struct figure_row *rows, size_t count, const json_t *map, size_t row,
                        const json_t *relative)
{
    if (map == NULL) {
        size_t first = 0;
        while (first < count && !is_base_of(&rows[first], &rows[row], relative))
            first++;
        return first;
    }
    struct buffer key = {0};
    write_row_key(&key, &rows[row], relative);
    const json_t *known = json_object_get(map, key.data);
    size_t base = known == NULL ? count : (size_t)json_integer_value(known);
    buffer_free(&key);
    return base;
}

/* Shares of the base, with the widest interval that both intervals allow. */
static void make_relative(struct figure_rows *rows, struct arena *arena, const json_t *relative)
{
    struct figure_row *whole = arena_alloc(arena, rows->count, sizeof *whole);
    size_t count = rows->count;
    memcpy(whole, rows->rows, count * sizeof *whole);
    rows->count = 0;
    json_t *map = alike(whole, count) ? index_rows(whole, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        size_t base = find_base(whole, count, map, i, relative);
        if (base == count || !(whole[base].sample.y > 0) || whole[base].sample.low <= 0) {
            rows->alone++;
            continue;
        }
        struct figure_row *row = &rows->rows[rows->count++];
        *row = whole[i];
        const struct figure_sample *unit = &whole[base].sample;
        row->sample.y /= unit->y;
        row->sample.low = base == i ? 1 : row->sample.low / unit->high;
        row->sample.high = base == i ? 1 : row->sample.high / unit->low;
        if (row->sample.doubt == NULL)
            row->sample.doubt = unit->doubt;
    }
    json_decref(map);
}

/* ---- lines ---- */

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

static void write_part(struct buffer *label, const char *key, const json_t *value, const json_t *sizes)
{
    if (value == NULL)
        return;
    buffer_printf(label, "%s%s = ", label->size == 0 ? "" : ", ", key);
    figure_write_value(label, key, value, sizes);
}

/* The label: `by` first, then whatever else distinguishes the rows. */
static void label_rows(struct figure_rows *rows, struct arena *arena, const struct figure_query *query)
{
    const char *by = query->by == NULL ? "" : query->by;
    json_t *varying = json_array();
    bool scatter = x_is_metric(rows, query); /* its points differ in every parameter, joined or not */
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)rows->rows[0].parameters, key, value)
    {
        if (!scatter && !json_has_text(query->paired, key) && strcmp(key, query->x) != 0 &&
            strcmp(key, by) != 0 && parameter_varies(rows, key))
            json_array_append_new(varying, json_string(key));
    }
    bool targets = target_varies(rows);
    for (size_t i = 0; i < rows->count; i++) {
        struct figure_row *row = &rows->rows[i];
        struct buffer label = {0};
        const json_t *by_value = json_object_get(row->parameters, by);
        const json_t *order = json_object_get(query->order, by);
        row->order = order != NULL ? (double)place_in(order, by_value) : json_number_value(by_value);
        write_part(&label, by, by_value, query->sizes);
        size_t index;
        json_array_foreach(varying, index, value)
        {
            key = json_string_value(value);
            write_part(&label, key, json_object_get(row->parameters, key), query->sizes);
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
    struct text_set labels = {0};
    for (size_t i = 0; i < rows->count; i++)
        rows->rows[i].line = text_set_add(&labels, rows->rows[i].label);
    text_set_free(&labels);
    qsort(rows->rows, rows->count, sizeof *rows->rows, compare_rows);
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct figure_row *before = kept == 0 ? NULL : &rows->rows[kept - 1];
        bool again = before != NULL && before->line == rows->rows[i].line &&
                     before->sample.x == rows->rows[i].sample.x &&
                     json_equal(before->parameters, rows->rows[i].parameters);
        rows->rows[again ? kept - 1 : kept] = rows->rows[i];
        kept += !again;
    }
    rows->count = kept;
}

struct figure_rows figure_rows_select(struct arena *arena, const struct figure_point *const *points,
                                      size_t count, const struct figure_query *query)
{
    struct figure_rows rows = {0};
    rows.rows = arena_alloc(arena, count, sizeof *rows.rows);
    gather(&rows, arena, points, count, query);
    if (rows.count > 0 && query->relative != NULL)
        make_relative(&rows, arena, query->relative);
    if (rows.count == 0)
        return rows;
    place_on_x(&rows, arena, query);
    label_rows(&rows, arena, query);
    sort_into_lines(&rows);
    return rows;
}
