#include "generator/recipe/benchmark.h"

#include "base/json/field_json.h"

#include <math.h>
#include <string.h>

static const struct benchmark_plot no_plot = {.reference = {.penalty = NAN}};
static const struct field_row reference_rows[] = {
    FIELD_ROW(benchmark_plot, "kind", FIELD_TEXT, reference.kind),
    FIELD_ROW(benchmark_plot, "y", FIELD_TEXT, reference.y),
    FIELD_ROW(benchmark_plot, "penalty", FIELD_NUMBER, reference.penalty),
    {0}};
static const struct field_row plot_rows[] = {
    FIELD_ROW(benchmark_plot, "title", FIELD_TEXT, title),
    FIELD_ROW(benchmark_plot, "kind", FIELD_TEXT, kind),
    FIELD_ROW(benchmark_plot, "from", FIELD_TEXT, from),
    FIELD_ROW(benchmark_plot, "x", FIELD_TEXT, x),
    FIELD_ROW(benchmark_plot, "by", FIELD_TEXT, by),
    FIELD_ROW(benchmark_plot, "log", FIELD_TEXT, log),
    FIELD_ROW(benchmark_plot, "fit", FIELD_TEXT, fit),
    FIELD_ROW(benchmark_plot, "xlabel", FIELD_TEXT, xlabel),
    FIELD_ROW(benchmark_plot, "ylabel", FIELD_TEXT, ylabel),
    FIELD_ROW(benchmark_plot, "xunit", FIELD_TEXT, xunit),
    FIELD_TEXTS(benchmark_plot, "y", y),
    FIELD_TEXTS(benchmark_plot, "right", right),
    FIELD_ROW(benchmark_plot, "only", FIELD_VALUE, only),
    FIELD_ROW(benchmark_plot, "order", FIELD_VALUE, order),
    FIELD_ROW(benchmark_plot, "relative", FIELD_VALUE, relative),
    FIELD_TEXTS(benchmark_plot, "paired", paired),
    FIELD_TEXTS(benchmark_plot, "sizes", sizes),
    FIELD_GIVEN(benchmark_plot, "zero", FIELD_FLAG, zero, zero_given),
    FIELD_ROW(benchmark_plot, "mirror", FIELD_FLAG, mirror),
    FIELD_ROW(benchmark_plot, "together", FIELD_FLAG, together),
    FIELD_INNER("reference", reference_rows),
    {0}};

static const struct field_row rows[] = {FIELD_ROW(benchmark, "recipe", FIELD_TEXT, recipe),
                                        FIELD_ROW(benchmark, "name", FIELD_TEXT, name),
                                        FIELD_ROW(benchmark, "title", FIELD_TEXT, title),
                                        FIELD_LIKE(benchmark, "plot", plots, plot_count, plot_rows, no_plot),
                                        FIELD_TEXTS(benchmark, "targets", targets),
                                        FIELD_TEXTS(benchmark, "fit", fit),
                                        FIELD_TEXTS(benchmark, "tags", tags),
                                        FIELD_TEXTS(benchmark, "sizes", sizes),
                                        FIELD_ROW(benchmark, "why", FIELD_TEXT, why),
                                        FIELD_ROW(benchmark, "line", FIELD_NUMBER, line),
                                        {0}};

void benchmark_add(struct benchmark_list *list, const json_t *document)
{
    struct fields_reader reader = {.arena = &list->arena, .what = "", .kind = ""};
    list->items = arena_next(&list->arena, list->items, list->count, sizeof *list->items);
    struct benchmark *benchmark = &list->items[list->count++];
    *benchmark = (struct benchmark){.name = "", .why = ""};
    fields_read(&reader, document, NULL, rows, benchmark);
    for (size_t i = 0; i < benchmark->plot_count; i++)
        if (benchmark->plots[i].sizes.items == NULL)
            benchmark->plots[i].sizes = benchmark->sizes;
    benchmark->document = json_incref((json_t *)(uintptr_t)document);
}

const char *benchmark_title(const struct benchmark *benchmark)
{
    return benchmark->title == NULL ? benchmark->name : benchmark->title;
}

bool benchmark_has(const struct benchmark_words *words, const char *text)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->items[i] != NULL && strcmp(words->items[i], text) == 0)
            return true;
    return false;
}

void benchmark_write_members(struct json_text *text, const char *recipe, const struct benchmark *benchmark)
{
    const char *name;
    json_t *value;
    json_text_string(text, "recipe", recipe);
    json_object_foreach((json_t *)(uintptr_t)benchmark->document, name, value)
    {
        if (strcmp(name, "recipe") != 0)
            json_text_value(text, name, value);
    }
}

json_t *benchmark_to_json(const char *recipe, const struct benchmark *benchmark)
{
    json_t *document = json_pack("{s:s}", "recipe", recipe);
    json_object_update(document, (json_t *)(uintptr_t)benchmark->document);
    return document;
}

void benchmarks_free(struct benchmark_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        json_decref((json_t *)(uintptr_t)list->items[i].document);
    arena_free(&list->arena);
    *list = (struct benchmark_list){0};
}
