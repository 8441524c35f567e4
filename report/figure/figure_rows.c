#include "report/figure/figure_rows.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text/text_set.h"
#include "base/units.h"
#include "generator/metric/metric.h"

#include <stdlib.h>
#include <string.h>

void figure_write_value(struct buffer *text, const char *name, const struct value *value,
                        const struct benchmark_words *sizes)
{
    char number[40];
    if (value->kind == VALUE_WORD)
        buffer_text(text, value->word);
    else if (value->whole && value->integer >= 0 && benchmark_has(sizes, name))
        buffer_text(text, units_show_size((uint64_t)value->integer, number, sizeof number));
    else if (value->kind == VALUE_NUMBER)
        buffer_text(text, units_format_number(value->number, number, sizeof number));
    else
        buffer_text(text, value->kind != VALUE_FLAG ? "none" : value->on ? "true" : "false");
}

static double number_of(const struct value *value)
{
    return value->kind == VALUE_NUMBER ? value->number : 0;
}

double figure_order_of(const struct benchmark_plot *plot, const char *name, const struct value *value)
{
    const struct value *order = value_get(&plot->order, name);
    return order->kind != VALUE_NONE ? (double)value_place(order, value) : number_of(value);
}

static bool is_of(const struct figure_point *point, const struct figure_query *query)
{
    return strcmp(point->benchmark, query->benchmark) == 0 &&
           (query->recipe == NULL || point->recipe[0] == '\0' || strcmp(point->recipe, query->recipe) == 0);
}

bool figure_rows_selects(const struct figure_point *point, const struct figure_query *query)
{
    bool wanted = is_of(point, query);
    for (size_t i = 0; wanted && i < query->plot->only.count; i++) {
        const struct value_part *part = &query->plot->only.parts[i];
        wanted = value_place(&part->value, value_get(&point->parameters, part->name)) < part->value.count;
    }
    return wanted;
}

/* False if the point has no value on x. Sets the sample's x if it is a metric, in the unit of figures;
 * place_on_x sets it if it is a sweep parameter. */
static bool read_x(const struct figure_point *point, const struct figure_query *query,
                   struct figure_sample *sample)
{
    if (value_has(&point->parameters, query->x))
        return true;
    const struct figure_value *observed = figure_point_value(point, query->x);
    double scale = metric_scale(query->x);
    if (observed == NULL)
        return false;
    *sample = (struct figure_sample){
        .x = observed->value * scale, .x_low = observed->low * scale, .x_high = observed->high * scale};
    return true;
}

static void gather(struct figure_rows *rows, struct arena *arena, const struct figure_point *const *points,
                   size_t count, const struct figure_query *query)
{
    double scale = metric_scale(query->metric);
    for (size_t i = 0; i < count; i++) {
        const struct figure_point *point = points[i];
        if (!figure_rows_selects(point, query))
            continue;
        rows->found++;
        if (point->failed) {
            rows->failed++;
            continue;
        }
        struct figure_row *row = &rows->rows[rows->count];
        *row = (struct figure_row){.parameters = &point->parameters};
        if (!read_x(point, query, &row->sample))
            continue;
        rows->with_x++;
        row->observed = figure_point_value(point, query->metric);
        if (row->observed == NULL)
            continue;
        row->target = point->target;
        row->sample.y = row->observed->value * scale;
        row->sample.low = row->observed->low * scale;
        row->sample.high = row->observed->high * scale;
        if (row->observed->doubt[0] != '\0')
            row->sample.doubt = arena_strdup(arena, row->observed->doubt);
        row->place = i;
        rows->count++;
    }
}

/* The value's number in the set; adds it if it is missing. */
static size_t index_of_value(struct text_set *set, const struct value *value)
{
    struct buffer key = {0};
    value_key(value, &key);
    size_t index = text_set_add(set, key.data);
    buffer_free(&key);
    return index;
}

/* A value of x and its sort key. */
struct place_of_x {
    const struct value *value;
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
        for (; at > 0 && taken.value->kind == VALUE_NUMBER && found[at - 1].value->kind == VALUE_NUMBER &&
               taken.value->number < found[at - 1].value->number;
             at--)
            found[at] = found[at - 1];
        found[at] = taken;
    }
}

/* The rows' distinct values of x in the recipe's order; without one, numbers by size, words in order of
 * appearance. */
static const struct value **different_values(const struct figure_rows *rows, const struct figure_query *query,
                                             struct arena *arena, size_t *count)
{
    bool ordered = value_has(&query->plot->order, query->x);
    struct place_of_x *found = arena_alloc(arena, rows->count, sizeof *found);
    struct text_set known = {0};
    bool numbers = true;
    *count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct value *value = value_get(rows->rows[i].parameters, query->x);
        size_t at = index_of_value(&known, value);
        if (at == *count)
            found[(*count)++] = (struct place_of_x){value, 0, at};
        numbers = numbers && value->kind == VALUE_NUMBER;
    }
    for (size_t i = 0; i < *count; i++)
        found[i].order = ordered || numbers ? figure_order_of(query->plot, query->x, found[i].value) : 0;
    text_set_free(&known);
    if (!ordered && !numbers)
        sort_mixed(found, *count);
    else
        qsort(found, *count, sizeof *found, by_order);
    const struct value **values = arena_alloc(arena, rows->count, sizeof *values);
    for (size_t i = 0; i < *count; i++)
        values[i] = found[i].value;
    return values;
}

static void place_in_categories(struct figure_rows *rows, struct arena *arena,
                                const struct figure_query *query)
{
    const struct value **values = different_values(rows, query, arena, &rows->category_count);
    rows->categories = arena_alloc(arena, rows->category_count, sizeof *rows->categories);
    for (size_t i = 0; i < rows->category_count; i++) {
        struct buffer text = {0};
        figure_write_value(&text, query->x, values[i], &query->plot->sizes);
        rows->categories[i] = arena_strdup(arena, text.size ? text.data : "");
        buffer_free(&text);
    }
    struct text_set known = {0};
    for (size_t i = 0; i < rows->category_count; i++)
        (void)index_of_value(&known, values[i]);
    for (size_t i = 0; i < rows->count; i++)
        rows->rows[i].sample.x =
            (double)index_of_value(&known, value_get(rows->rows[i].parameters, query->x));
    text_set_free(&known);
}

static bool x_is_metric(const struct figure_rows *rows, const struct figure_query *query)
{
    return !value_has(rows->rows[0].parameters, query->x);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Makes categories of a metric's values, for bars and maps. */
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

/* Sets x: on a numeric axis if all values are numbers, else in categories. */
static void place_on_x(struct figure_rows *rows, struct arena *arena, const struct figure_query *query)
{
    bool numeric = !query->categories;
    if (x_is_metric(rows, query)) {
        if (query->categories)
            place_metric_in_categories(rows, arena);
        return;
    }
    for (size_t i = 0; i < rows->count; i++)
        numeric = numeric && value_get(rows->rows[i].parameters, query->x)->kind == VALUE_NUMBER;
    if (!numeric) {
        place_in_categories(rows, arena, query);
        return;
    }
    for (size_t i = 0; i < rows->count; i++)
        rows->rows[i].sample.x = value_get(rows->rows[i].parameters, query->x)->number;
}

/* ---- relative to another point ---- */

/* The value of this parameter in the base of a row. */
static const struct value *wanted_of(const struct value *relative, const struct value_part *part)
{
    const struct value *list = value_get(relative, part->name);
    return list->kind == VALUE_NONE ? &part->value : list->count > 0 ? &list->parts[0].value : &value_none;
}

/* Whether base has the row's parameters, except that those of `relative` have the values stated there. */
static bool is_base_of(const struct figure_row *base, const struct figure_row *row,
                       const struct value *relative)
{
    bool is = strcmp(base->target, row->target) == 0;
    for (size_t i = 0; is && i < row->parameters->count; i++) {
        const struct value_part *part = &row->parameters->parts[i];
        is = value_same(value_get(base->parameters, part->name), wanted_of(relative, part));
    }
    return is;
}

/* The key of a row's base, or, without `relative`, of the row itself. */
static void write_row_key(struct buffer *key, const struct figure_row *row, const struct value *relative)
{
    struct arena arena = {0};
    struct value wanted = value_none;
    for (size_t i = 0; i < row->parameters->count; i++) {
        const struct value_part *part = &row->parameters->parts[i];
        value_set(&wanted, part->name, *wanted_of(relative, part), &arena);
    }
    buffer_printf(key, "%s\n", row->target);
    value_key(&wanted, key);
    arena_free(&arena);
}

/* An index of rows by target and parameters: the first row with each. */
struct row_index {
    struct text_set keys;
    size_t *rows; /* [keys.count] */
};

static struct row_index index_rows(const struct figure_row *rows, size_t count)
{
    struct row_index index = {.rows = memory_zeroed(count + 1, sizeof *index.rows)};
    for (size_t i = 0; i < count; i++) {
        struct buffer key = {0};
        write_row_key(&key, &rows[i], &value_none);
        size_t known = index.keys.count, at = text_set_add(&index.keys, key.data);
        if (at == known)
            index.rows[at] = i;
        buffer_free(&key);
    }
    return index;
}

/* Whether all rows have the same number of parameters, so that a base has no further ones. */
static bool alike(const struct figure_row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (rows[i].parameters->count != rows[0].parameters->count)
            return false;
    return true;
}

/* The index of the row's base; count: none. index without rows: searches all rows. */
static size_t find_base(const struct figure_row *rows, size_t count, const struct row_index *index,
                        size_t row, const struct value *relative)
{
    if (index->rows == NULL) {
        size_t first = 0;
        while (first < count && !is_base_of(&rows[first], &rows[row], relative))
            first++;
        return first;
    }
    struct buffer key = {0};
    write_row_key(&key, &rows[row], relative);
    size_t at = text_set_find(&index->keys, key.data);
    buffer_free(&key);
    return at < index->keys.count ? index->rows[at] : count;
}

/* Divides the rows by their bases; the interval is the widest that both intervals allow. */
static void make_relative(struct figure_rows *rows, struct arena *arena, const struct value *relative)
{
    struct figure_row *whole = arena_alloc(arena, rows->count, sizeof *whole);
    size_t count = rows->count;
    memcpy(whole, rows->rows, count * sizeof *whole);
    rows->count = 0;
    struct row_index index = alike(whole, count) ? index_rows(whole, count) : (struct row_index){0};
    for (size_t i = 0; i < count; i++) {
        size_t base = find_base(whole, count, &index, i, relative);
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
    text_set_free(&index.keys);
    free(index.rows);
}

/* ---- lines ---- */

static bool parameter_varies(const struct figure_rows *rows, const char *key)
{
    const struct value *first = value_get(rows->rows[0].parameters, key);
    for (size_t i = 1; i < rows->count; i++)
        if (!value_same(first, value_get(rows->rows[i].parameters, key)))
            return true;
    return false;
}

static bool target_varies(const struct figure_rows *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (strcmp(rows->rows[i].target, rows->rows[0].target) != 0)
            return true;
    return false;
}

static void write_part(struct buffer *label, const char *key, const struct value *value,
                       const struct benchmark_words *sizes)
{
    if (value->kind == VALUE_NONE)
        return;
    buffer_printf(label, "%s%s = ", label->size == 0 ? "" : ", ", key);
    figure_write_value(label, key, value, sizes);
}

/* Sets each row's label: the value of `by`, then all other parameters that distinguish the rows. */
static void label_rows(struct figure_rows *rows, struct arena *arena, const struct figure_query *query)
{
    const char *by = query->by == NULL ? "" : query->by;
    const struct value *first = rows->rows[0].parameters;
    const char **varying = arena_alloc(arena, first->count, sizeof *varying);
    size_t count = 0;
    bool scatter = x_is_metric(rows, query); /* its points may differ in any parameter */
    for (size_t i = 0; i < first->count; i++) {
        const char *key = first->parts[i].name;
        if (!scatter && !benchmark_has(&query->plot->paired, key) && strcmp(key, query->x) != 0 &&
            strcmp(key, by) != 0 && parameter_varies(rows, key))
            varying[count++] = key;
    }
    bool targets = target_varies(rows);
    for (size_t i = 0; i < rows->count; i++) {
        struct figure_row *row = &rows->rows[i];
        struct buffer label = {0};
        const struct value *by_value = value_get(row->parameters, by);
        row->order = figure_order_of(query->plot, by, by_value);
        write_part(&label, by, by_value, &query->plot->sizes);
        for (size_t j = 0; j < count; j++)
            write_part(&label, varying[j], value_get(row->parameters, varying[j]), &query->plot->sizes);
        if (targets)
            buffer_printf(&label, "%s%s", label.size == 0 ? "" : ", ", row->target);
        row->label = arena_strdup(arena, label.size == 0 ? "" : label.data);
        buffer_free(&label);
    }
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
                     value_same(before->parameters, rows->rows[i].parameters);
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
    if (rows.count > 0 && query->plot->relative.kind != VALUE_NONE)
        make_relative(&rows, arena, &query->plot->relative);
    if (rows.count == 0)
        return rows;
    place_on_x(&rows, arena, query);
    label_rows(&rows, arena, query);
    sort_into_lines(&rows);
    return rows;
}
