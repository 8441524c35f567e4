#include "generator/suite/suite_index.h"

#include "base/file.h"
#include "base/json.h"
#include "base/json/field_json.h"
#include "base/json/json_scan.h"

#include <string.h>

/* True for a path below the suite's folder: relative, without going up. */
static bool stays_inside(const char *path)
{
    if (path[0] == '\0' || path[0] == '/')
        return false;
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

bool suite_counts_events(const struct benchmark *benchmark)
{
    return benchmark_has(&benchmark->tags, "events");
}

static const struct field_row entry_rows[] = {
    FIELD_ROW(suite_entry, "benchmark", FIELD_TEXT, benchmark),
    FIELD_ROW(suite_entry, "point", FIELD_TEXT, point),
    FIELD_ROW(suite_entry, "target", FIELD_TEXT, target),
    FIELD_ROW(suite_entry, "recipe", FIELD_TEXT, recipe),
    FIELD_ROW(suite_entry, "from", FIELD_TEXT, from),
    FIELD_ROW(suite_entry, "path", FIELD_TEXT, path),
    FIELD_ROW(suite_entry, "refused", FIELD_TEXT, refused),
    FIELD_ROW(suite_entry, "hash", FIELD_TEXT, hash),
    FIELD_ROW(suite_entry, "manifest_hash", FIELD_TEXT, manifest_hash),
    {0}};

static const struct field_row index_rows[] = {
    FIELD_ROW(suite_index, "schema", FIELD_NUMBER, schema),
    FIELD_ROW(suite_index, "kind", FIELD_TEXT, kind),
    FIELD_ROW(suite_index, "seed", FIELD_WHOLE, seed),
    FIELD_ROW(suite_index, "markers", FIELD_TEXT, markers),
    FIELD_MANY(suite_index, "traces", FIELD_WORDS, traces, trace_count),
    {0}};

/* An entry must have a name, and files in the folder or a reason. */
static enum status read_entry(const json_t *document, size_t number, const char *path,
                              struct suite_entry *entry, struct error *error)
{
    struct fields_reader reader = {.what = path, .kind = "a suite index"};
    *entry = (struct suite_entry){.recipe = "", .document = document};
    fields_read(&reader, document, NULL, entry_rows, entry);
    const char *missing = entry->benchmark == NULL                        ? "benchmark"
                          : entry->point == NULL                          ? "point"
                          : entry->path == NULL && entry->refused == NULL ? "path"
                                                                          : NULL;
    if (missing != NULL)
        return error_set(error, STATUS_USAGE, "%s: program %zu has no %s", path, number, missing);
    if (entry->path != NULL && !stays_inside(entry->path))
        return error_set(error, STATUS_USAGE, "%s: the path '%.200s' of program %zu is not in the suite",
                         path, entry->path, number);
    return STATUS_OK;
}

static enum status parse(const char *text, size_t size, const char *path, struct suite_index *index,
                         struct error *error)
{
    *index = (struct suite_index){.kind = ""};
    index->document = json_quick(text, size);
    if (index->document == NULL)
        index->document = json_parse(text, size, path, error);
    return index->document != NULL ? STATUS_OK : error == NULL ? STATUS_USAGE : error->code;
}

enum status suite_entry_parse(const char *text, size_t size, const char *path, struct suite_index *index,
                              struct error *error)
{
    enum status status = parse(text, size, path, index, error);
    if (status != STATUS_OK)
        return status;
    index->entries = arena_alloc(&index->arena, 1, sizeof *index->entries);
    index->count = 1;
    return read_entry(index->document, 1, path, index->entries, error);
}

enum status suite_index_parse(const struct buffer *text, const char *path, struct suite_index *index,
                              struct error *error)
{
    struct fields_reader reader = {.arena = &index->arena, .what = path, .kind = "a suite index"};
    enum status status = parse(text->data, text->size, path, index, error);
    if (status != STATUS_OK)
        return status;
    fields_read(&reader, index->document, NULL, index_rows, index);
    struct fields_reader lists = {.what = path, .kind = "a suite index"};
    const json_t *programs = fields_list(&lists, index->document, NULL, "programs");
    const json_t *benchmarks = fields_list(&lists, index->document, NULL, "benchmarks");
    if (index->schema != SUITE_SCHEMA || strcmp(index->kind, "suite") != 0 || programs == NULL ||
        benchmarks == NULL)
        return error_set(error, STATUS_USAGE, "%s is not a suite index of schema %d", path, SUITE_SCHEMA);
    for (size_t i = 0; i < json_array_size(benchmarks); i++)
        benchmark_add(&index->benchmarks, json_array_get(benchmarks, i));
    index->count = json_array_size(programs);
    index->entries = arena_alloc(&index->arena, index->count, sizeof *index->entries);
    for (size_t i = 0; status == STATUS_OK && i < index->count; i++)
        status = read_entry(json_array_get(programs, i), i + 1, path, &index->entries[i], error);
    return status;
}

enum status suite_index_read(int folder, const char *shown, struct suite_index *index, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    *index = (struct suite_index){.kind = ""};
    file_join(path, shown, SUITE_INDEX);
    enum status status = file_read_in(folder, SUITE_INDEX, path, FILE_MOST_DOCUMENT, &text, error);
    if (status == STATUS_OK)
        status = suite_index_parse(&text, path, index, error);
    buffer_free(&text);
    return status;
}

void suite_index_free(struct suite_index *index)
{
    benchmarks_free(&index->benchmarks);
    json_decref(index->document);
    arena_free(&index->arena);
    *index = (struct suite_index){.kind = ""};
}
