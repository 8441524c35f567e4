#include "generator/recipe/benchmark.h"

#include "base/json/field_json.h"

#include <string.h>

#define WORDS(of, title, member) FIELD_MANY(of, title, FIELD_WORDS, member.items, member.count)

static const struct field_row plot_rows[] = {
    FIELD_ROW(benchmark_plot, "from", FIELD_TEXT, from), WORDS(benchmark_plot, "y", y), {0}};

static const struct field_row rows[] = {
    FIELD_ROW(benchmark, "recipe", FIELD_TEXT, recipe),
    FIELD_ROW(benchmark, "name", FIELD_TEXT, name),
    FIELD_ROW(benchmark, "title", FIELD_TEXT, title),
    FIELD_STRUCTS(benchmark, "plot", plots, plot_count, plot_rows, struct benchmark_plot),
    WORDS(benchmark, "targets", targets),
    WORDS(benchmark, "fit", fit),
    WORDS(benchmark, "tags", tags),
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
