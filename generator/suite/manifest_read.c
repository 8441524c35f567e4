#include "generator/suite/manifest_read.h"

#include "base/buffer.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

enum { PLACE_BYTES = 96, FOUND_BYTES = 64 };

/* The reading of one manifest: it goes on after an error, of which the first is kept. */
struct reader {
    struct manifest *manifest;
    const char *what;
    struct error *error;
    enum status status;
};

/* Where an object lies in the document: "data.bases[3]"; "" for the whole. */
struct place {
    char text[PLACE_BYTES];
};

static const struct place whole = {""};

static struct place place_in(const struct place *outer, const char *name)
{
    struct place place;
    snprintf(place.text, sizeof place.text, "%.60s%s%.32s", outer->text, outer->text[0] == '\0' ? "" : ".",
             name);
    return place;
}

static struct place place_at(const struct place *list, size_t index)
{
    struct place place;
    snprintf(place.text, sizeof place.text, "%.70s[%zu]", list->text, index);
    return place;
}

static const char *describe(const json_t *value, char text[FOUND_BYTES])
{
    if (json_is_string(value))
        snprintf(text, FOUND_BYTES, "\"%.40s\"", json_string_value(value));
    else if (json_is_number(value))
        snprintf(text, FOUND_BYTES, "%.10g", json_number_value(value));
    else
        snprintf(text, FOUND_BYTES, "%s",
                 value == NULL            ? "nothing"
                 : json_is_object(value)  ? "an object"
                 : json_is_array(value)   ? "a list"
                 : json_is_boolean(value) ? "true or false"
                                          : "null");
    return text;
}

static void refuse(struct reader *reader, const char *field, const json_t *value, const char *expected)
{
    char found[FOUND_BYTES];
    if (reader->status == STATUS_OK)
        reader->status =
            error_set(reader->error, STATUS_FAILED, "%s is not a manifest: expected %s as \"%s\", found %s",
                      reader->what, expected, field, describe(value, found));
}

/* The kinds of fields; LOOSE is a number that may also be a word, which then does not count. */
enum kind { TEXT, NUMBER, LOOSE, FLAG };

/* A field of a struct. */
struct field {
    const char *name;
    enum kind kind;
    size_t offset;
};

/* The value; NULL if it is missing or null. */
static json_t *get(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

static void read_field(struct reader *reader, const struct place *place, const struct field *field,
                       json_t *value, void *target)
{
    static const char *const expected[] = {"text", "a number", "a number", "true or false"};
    char *at = (char *)target + field->offset;
    bool good = field->kind == TEXT     ? json_is_string(value)
                : field->kind == NUMBER ? json_is_number(value)
                : field->kind == LOOSE  ? json_is_number(value) || json_is_string(value)
                                        : json_is_boolean(value);
    if (!good)
        refuse(reader, place_in(place, field->name).text, value, expected[field->kind]);
    else if (field->kind == TEXT)
        *(const char **)(void *)at = json_string_value(value);
    else if (field->kind == FLAG)
        *(bool *)at = json_is_true(value);
    else if (json_is_number(value))
        *(double *)(void *)at = json_number_value(value);
}

/* Fills the fields that the object states. A NULL name ends the rows. */
static void read_fields(struct reader *reader, const json_t *object, const struct place *place,
                        const struct field *rows, void *target)
{
    for (; rows->name != NULL; rows++) {
        json_t *value = get(object, rows->name);
        if (value != NULL)
            read_field(reader, place, rows, value, target);
    }
}

/* The member of that type; NULL if it is missing or refused. */
static json_t *typed(struct reader *reader, const json_t *object, const struct place *place, const char *name,
                     json_type type)
{
    json_t *value = get(object, name);
    if (value == NULL || json_typeof(value) == type)
        return value;
    refuse(reader, place_in(place, name).text, value, type == JSON_OBJECT ? "an object" : "a list");
    return NULL;
}

static json_t *object_in(struct reader *reader, const json_t *object, const struct place *place,
                         const char *name)
{
    return typed(reader, object, place, name, JSON_OBJECT);
}

static json_t *list_in(struct reader *reader, const json_t *object, const struct place *place,
                       const char *name)
{
    return typed(reader, object, place, name, JSON_ARRAY);
}

/* Refuses elements that are no objects. */
static json_t *object_at(struct reader *reader, const json_t *list, const struct place *place, size_t index)
{
    json_t *item = json_array_get(list, index);
    if (!json_is_object(item))
        refuse(reader, place_at(place, index).text, item, "an object");
    return item;
}

static void *allocate(struct reader *reader, size_t count, size_t size)
{
    return arena_alloc(&reader->manifest->arena, count, size);
}

static void read_rates(struct reader *reader, json_t *object, const struct place *place, struct rates *rates)
{
    const char *metric;
    json_t *value;
    json_object_foreach(object, metric, value)
    {
        if (json_is_number(value))
            rates_add(&reader->manifest->arena, rates, metric, json_number_value(value));
        else
            refuse(reader, place_in(place, metric).text, value, "a number");
    }
}

static void read_named_rates(struct reader *reader, const json_t *document, const char *name,
                             struct rates *rates)
{
    struct place place = place_in(&whole, name);
    read_rates(reader, object_in(reader, document, &whole, name), &place, rates);
}

/* lax: elements that are no texts are NULL, and not refused. */
static void read_words(struct reader *reader, const json_t *list, const struct place *place, bool lax,
                       struct manifest_words *words)
{
    words->count = json_array_size(list);
    words->items = allocate(reader, words->count, sizeof *words->items);
    for (size_t i = 0; i < words->count; i++) {
        words->items[i] = json_string_value(json_array_get(list, i));
        if (words->items[i] == NULL && !lax)
            refuse(reader, place_at(place, i).text, json_array_get(list, i), "text");
    }
}

static void read_named_words(struct reader *reader, const json_t *object, const struct place *outer,
                             const char *name, bool lax, struct manifest_words *words)
{
    struct place place = place_in(outer, name);
    read_words(reader, list_in(reader, object, outer, name), &place, lax, words);
}

static double *read_numbers(struct reader *reader, const json_t *object, const struct place *outer,
                            const char *name, size_t *count)
{
    const json_t *list = list_in(reader, object, outer, name);
    struct place place = place_in(outer, name);
    *count = json_array_size(list);
    double *numbers = allocate(reader, *count, sizeof *numbers);
    for (size_t i = 0; i < *count; i++) {
        numbers[i] = json_number_value(json_array_get(list, i));
        if (!json_is_number(json_array_get(list, i)))
            refuse(reader, place_at(&place, i).text, json_array_get(list, i), "a number");
    }
    return numbers;
}

/* ---- what the recipe requests ---- */

static void read_expect(struct reader *reader, const json_t *document)
{
    static const char name[] = "expect";
    static const struct field rows[] = {{"min", NUMBER, offsetof(struct metric_bounds, min)},
                                        {"max", NUMBER, offsetof(struct metric_bounds, max)},
                                        {0}};
    struct manifest *manifest = reader->manifest;
    struct place outer = place_in(&whole, name);
    json_t *object = object_in(reader, document, &whole, name);
    const char *metric;
    json_t *value;
    manifest->expect = allocate(reader, json_object_size(object), sizeof *manifest->expect);
    json_object_foreach(object, metric, value)
    {
        struct place place = place_in(&outer, metric);
        struct metric_bounds *bounds = &manifest->expect[manifest->expect_count++];
        *bounds = (struct metric_bounds){metric, -INFINITY, INFINITY};
        if (json_is_object(value))
            read_fields(reader, value, &place, rows, bounds);
        else
            refuse(reader, place.text, value, "an object");
    }
}

bool tolerances_read(const json_t *document, struct arena *arena, struct tolerances *tolerances)
{
    const char *metric;
    json_t *value;
    *tolerances = (struct tolerances){.given = document != NULL, .general = -1};
    if (json_is_number(document))
        tolerances->general = json_number_value(document);
    if (document == NULL || json_is_number(document))
        return true;
    bool good = json_is_object(document);
    json_object_foreach((json_t *)(uintptr_t)document, metric, value)
    {
        good = good && json_is_number(value);
        if (good)
            rates_add(arena, &tolerances->own, metric, json_number_value(value));
    }
    tolerances->general = rates_get(&tolerances->own, "*", -1);
    return good;
}

json_t *tolerances_to_json(const struct tolerances *tolerances)
{
    if (!tolerances->given)
        return NULL;
    if (tolerances->general >= 0 && tolerances->own.count == 0)
        return json_from_number(tolerances->general);
    json_t *document = json_object();
    for (size_t i = 0; i < tolerances->own.count; i++)
        json_object_set_new(document, tolerances->own.items[i].metric,
                            json_from_number(tolerances->own.items[i].value));
    return document;
}

double tolerances_get(const struct tolerances *tolerances, const char *metric)
{
    return rates_get(&tolerances->own, metric, tolerances->general);
}

static void read_tolerance(struct reader *reader, const json_t *document)
{
    static const char name[] = "tolerance";
    json_t *value = get(document, name);
    if (!tolerances_read(value, &reader->manifest->arena, &reader->manifest->tolerance))
        refuse(reader, name, value, "a number, or an object of numbers,");
}

static void read_calibration(struct reader *reader, const json_t *document)
{
    static const struct field rows[] = {{"source", TEXT, offsetof(struct manifest_calibration, source)},
                                        {"kind", TEXT, offsetof(struct manifest_calibration, kind)},
                                        {0}};
    struct manifest_calibration *calibration = &reader->manifest->calibration;
    struct place place = place_in(&whole, "calibration");
    const json_t *object = object_in(reader, document, &whole, place.text);
    calibration->given = object != NULL;
    read_fields(reader, object, &place, rows, calibration);
    /* What an earlier version tuned may be unknown to this one: it is then not shown. */
    calibration->tuned = object != NULL && tuning_from_json(json_object_get(object, "tuning"), NULL,
                                                            &calibration->tuning, NULL) == STATUS_OK;
}

static void read_units(struct reader *reader, const char *kind, json_t *value, const struct place *outer,
                       struct manifest_units *units)
{
    struct place place = place_in(outer, kind);
    *units =
        (struct manifest_units){.kind = kind,
                                .word = json_string_value(value),
                                .count = json_array_size(value),
                                .numbers = allocate(reader, json_array_size(value), sizeof *units->numbers)};
    if (!json_is_string(value) && !json_is_array(value))
        refuse(reader, place.text, value, "a word, or a list of whole numbers,");
    for (size_t i = 0; i < units->count; i++) {
        units->numbers[i] = json_integer_value(json_array_get(value, i));
        if (!json_is_integer(json_array_get(value, i)))
            refuse(reader, place_at(&place, i).text, json_array_get(value, i), "a whole number");
    }
}

static void read_place(struct reader *reader, const json_t *document)
{
    struct place outer = place_in(&whole, "place");
    struct manifest_place *place = &reader->manifest->place;
    json_t *object = object_in(reader, document, &whole, outer.text);
    const char *kind;
    json_t *value;
    place->given = object != NULL;
    place->items = allocate(reader, json_object_size(object), sizeof *place->items);
    json_object_foreach(object, kind, value)
        read_units(reader, kind, value, &outer, &place->items[place->count++]);
}

static void read_measure(struct reader *reader, const json_t *document)
{
    struct manifest *manifest = reader->manifest;
    struct place place = place_in(&whole, "measure");
    manifest->measure = object_in(reader, document, &whole, place.text);
    read_named_words(reader, manifest->measure, &place, "events", false, &manifest->events);
}

/* ---- the kernel ---- */

/* Texts other than objects, as "loaded", state that there is data but not which. */
static void read_pattern(struct reader *reader, json_t *value, const struct place *place,
                         struct manifest_pattern *pattern)
{
    static const struct field rows[] = {{"word", TEXT, offsetof(struct manifest_pattern, word)},
                                        {"toggle", NUMBER, offsetof(struct manifest_pattern, toggle)},
                                        {"order", TEXT, offsetof(struct manifest_pattern, order)},
                                        {"zeros", NUMBER, offsetof(struct manifest_pattern, zeros)},
                                        {0}};
    *pattern = (struct manifest_pattern){.given = value != NULL, .toggle = NAN};
    if (value != NULL && !json_is_object(value) && !json_is_string(value))
        refuse(reader, place->text, value, "an object or text");
    read_fields(reader, value, place, rows, pattern);
    pattern->loaded = json_is_string(value) && strcmp(json_string_value(value), "loaded") == 0;
    pattern->words = json_array_size(list_in(reader, value, place, "words"));
}

static void read_served(struct reader *reader, const json_t *object, const struct place *outer,
                        struct manifest_item *item)
{
    struct place place = place_in(outer, "served");
    const json_t *served = object_in(reader, object, outer, "served");
    item->is_served = served != NULL;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct field row[] = {{level_name(level), NUMBER, 0}, {0}};
        read_fields(reader, served, &place, row, &item->served[level]);
    }
}

static void read_fetched(struct reader *reader, const json_t *object, const struct place *outer,
                         struct manifest_item *item)
{
    static const struct field rows[] = {{"L1I", NUMBER, offsetof(struct manifest_item, from_l1i)},
                                        {"L2", NUMBER, offsetof(struct manifest_item, from_l2)},
                                        {0}};
    struct place place = place_in(outer, "fetched");
    const json_t *fetched = object_in(reader, object, outer, "fetched");
    item->is_fetched = fetched != NULL;
    read_fields(reader, fetched, &place, rows, item);
}

static void read_item(struct reader *reader, const json_t *object, const struct place *place,
                      struct manifest_item *item)
{
#define ROW(name, kind, member)                                                                              \
    {                                                                                                        \
        name, kind, offsetof(struct manifest_item, member)                                                   \
    }
    static const struct field rows[] = {ROW("op", TEXT, op),
                                        ROW("count", NUMBER, count),
                                        ROW("dependents", NUMBER, dependents),
                                        ROW("chain", NUMBER, chain),
                                        ROW("memory", NUMBER, memory),
                                        ROW("working_set", NUMBER, working_set),
                                        ROW("stride", LOOSE, stride),
                                        ROW("width", NUMBER, width),
                                        ROW("order", TEXT, order),
                                        ROW("address", TEXT, address),
                                        ROW("prefetch", TEXT, prefetch),
                                        ROW("shared", TEXT, shared),
                                        ROW("atomic", TEXT, atomic),
                                        ROW("returns", FLAG, returns),
                                        ROW("accuracy", NUMBER, accuracy),
                                        ROW("taken", NUMBER, taken),
                                        ROW("kind", TEXT, kind),
                                        ROW("duty", NUMBER, duty),
                                        {0}};
#undef ROW
    struct place data = place_in(place, "data");
    *item = (struct manifest_item){.op = "", .width = NAN, .accuracy = NAN, .taken = NAN, .duty = NAN};
    read_fields(reader, object, place, rows, item);
    read_served(reader, object, place, item);
    read_fetched(reader, object, place, item);
    read_pattern(reader, get(object, "data"), &data, &item->data);
    item->has_text = get(object, "text") != NULL;
}

static void read_kernel(struct reader *reader, const json_t *document)
{
    struct manifest *manifest = reader->manifest;
    struct place outer = place_in(&whole, "kernel");
    const json_t *kernel = object_in(reader, document, &whole, outer.text);
    const json_t *unit = list_in(reader, kernel, &outer, "unit");
    struct place units = place_in(&outer, "unit");
    manifest->kernel = kernel;
    manifest->unit_count = json_array_size(unit);
    manifest->unit = allocate(reader, manifest->unit_count, sizeof *manifest->unit);
    for (size_t i = 0; i < manifest->unit_count; i++) {
        struct place place = place_at(&units, i);
        read_item(reader, object_at(reader, unit, &units, i), &place, &manifest->unit[i]);
    }
    manifest->phases = read_numbers(reader, kernel, &outer, "phases", &manifest->phase_count);
}

/* ---- the loop, its code and its data ---- */

static void read_branches(struct reader *reader, const json_t *document)
{
#define ROW(name, member)                                                                                    \
    {                                                                                                        \
        name, NUMBER, offsetof(struct manifest_branches, member)                                             \
    }
    static const struct field rows[] = {
        ROW("total", total), ROW("random", random), ROW("taken", taken), ROW("not_taken", not_taken), {0}};
    static const struct field of_indirect[] = {ROW("total", indirect), ROW("random", indirect_random), {0}};
#undef ROW
    struct manifest_branches *branches = &reader->manifest->branches;
    struct place place = place_in(&whole, "branches");
    const json_t *object = object_in(reader, document, &whole, place.text);
    const json_t *indirect = object_in(reader, object, &place, "indirect");
    struct place inner = place_in(&place, "indirect");
    branches->given = object != NULL;
    branches->has_indirect = indirect != NULL;
    read_fields(reader, object, &place, rows, branches);
    read_fields(reader, indirect, &inner, of_indirect, branches);
}

static void read_code(struct reader *reader, const json_t *document)
{
#define ROW(member)                                                                                          \
    {                                                                                                        \
#member, NUMBER, offsetof(struct manifest_code, member)                                              \
    }
    static const struct field rows[] = {ROW(loop_bytes),
                                        ROW(bytes),
                                        ROW(align),
                                        ROW(chunks),
                                        ROW(lines),
                                        ROW(misses),
                                        ROW(copies),
                                        ROW(copied_lines),
                                        ROW(moves),
                                        ROW(period),
                                        ROW(conflict_sets),
                                        ROW(first_conflict_set),
                                        {0}};
#undef ROW
    struct place place = place_in(&whole, "code");
    read_fields(reader, object_in(reader, document, &whole, place.text), &place, rows,
                &reader->manifest->code);
}

static void read_eviction_sets(struct reader *reader, const json_t *object, const struct place *outer,
                               struct manifest_data *data)
{
#define ROW(member)                                                                                          \
    {                                                                                                        \
#member, NUMBER, offsetof(struct manifest_eviction_set, member)                                      \
    }
    static const struct field rows[] = {ROW(l1d_set), ROW(lines), ROW(rounds), {0}};
#undef ROW
    const char *name = get(object, "eviction_sets") != NULL ? "eviction_sets" : "conflict_groups";
    struct place sets = place_in(outer, name);
    const json_t *list = list_in(reader, object, outer, name);
    data->eviction_set_count = json_array_size(list);
    data->eviction_sets = allocate(reader, data->eviction_set_count, sizeof *data->eviction_sets);
    for (size_t i = 0; i < data->eviction_set_count; i++) {
        struct place place = place_at(&sets, i);
        read_fields(reader, object_at(reader, list, &sets, i), &place, rows, &data->eviction_sets[i]);
    }
}

static void read_bases(struct reader *reader, const json_t *object, const struct place *outer,
                       struct manifest_data *data)
{
#define ROW(member, kind)                                                                                    \
    {                                                                                                        \
#member, kind, offsetof(struct manifest_base, member)                                                \
    }
    static const struct field rows[] = {ROW(level, TEXT),
                                        ROW(walk, FLAG),
                                        ROW(start, NUMBER),
                                        ROW(step, NUMBER),
                                        ROW(turns, NUMBER),
                                        ROW(lines, NUMBER),
                                        {0}};
#undef ROW
    static const struct field by[] = {{"by", TEXT, 0}, {0}};
    struct place bases = place_in(outer, "bases");
    const json_t *list = list_in(reader, object, outer, "bases");
    data->base_count = json_array_size(list);
    data->bases = allocate(reader, data->base_count, sizeof *data->bases);
    for (size_t i = 0; i < data->base_count; i++) {
        struct place place = place_at(&bases, i);
        const json_t *base = object_at(reader, list, &bases, i);
        const char *way = "";
        read_fields(reader, base, &place, rows, &data->bases[i]);
        read_fields(reader, base, &place, by, &way);
        data->bases[i].by_capacity = strcmp(way, "capacity") == 0;
    }
}

/* Memory is zero when the program gets it. */
static double count_words(const json_t *region)
{
    const json_t *runs = json_object_get(region, "runs");
    double words = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const char *word = json_string_or(run, "word", "");
        if (strspn(word, "0x") < strlen(word))
            words += json_number_or(run, "count", 0);
    }
    return words;
}

static void read_regions(struct reader *reader, const json_t *object, const struct place *outer,
                         struct manifest_data *data)
{
    static const struct field name[] = {{"name", TEXT, 0}, {0}}, stream[] = {{"stream", NUMBER, 0}, {0}};
    struct place regions = place_in(outer, "regions");
    const json_t *list = list_in(reader, object, outer, "regions");
    data->region_count = json_array_size(list);
    data->streams = allocate(reader, data->region_count, sizeof *data->streams);
    for (size_t i = 0; i < data->region_count; i++) {
        struct place place = place_at(&regions, i);
        const json_t *region = object_at(reader, list, &regions, i);
        const char *called = "";
        data->streams[i] = NAN;
        read_fields(reader, region, &place, name, &called);
        read_fields(reader, region, &place, stream, &data->streams[i]);
        data->by_rotation = data->by_rotation || (i == 0 && strcmp(called, "working sets") == 0);
        data->words += count_words(region);
    }
}

static void read_data(struct reader *reader, const json_t *document)
{
#define ROW(member, kind)                                                                                    \
    {                                                                                                        \
#member, kind, offsetof(struct manifest_data, member)                                                \
    }
    static const struct field rows[] = {ROW(bytes, NUMBER),    ROW(align, NUMBER),
                                        ROW(pages, NUMBER),    ROW(huge_pages_from, NUMBER),
                                        ROW(huge_pages, FLAG), {0}};
#undef ROW
    struct manifest_data *data = &reader->manifest->data;
    struct place place = place_in(&whole, "data");
    const json_t *object = object_in(reader, document, &whole, place.text);
    data->given = object != NULL;
    data->document = object;
    data->huge_pages_from = INFINITY;
    read_fields(reader, object, &place, rows, data);
    if (data->huge_pages)
        data->huge_pages_from = 0;
    read_eviction_sets(reader, object, &place, data);
    read_bases(reader, object, &place, data);
    read_regions(reader, object, &place, data);
}

static void read_shared(struct reader *reader, const json_t *document)
{
#define ROW(member, kind)                                                                                    \
    {                                                                                                        \
#member, kind, offsetof(struct manifest_shared, member)                                              \
    }
    static const struct field rows[] = {
        ROW(waits, FLAG),    ROW(coherence, TEXT),    ROW(load, NUMBER),
        ROW(store, NUMBER),  ROW(atomic, NUMBER),     ROW(turns, NUMBER),
        ROW(lines, NUMBER),  ROW(pass_lines, NUMBER), ROW(prepared_loads, NUMBER),
        ROW(copied, NUMBER), ROW(line, NUMBER),       {0}};
#undef ROW
    struct place place = place_in(&whole, "shared");
    const json_t *object = object_in(reader, document, &whole, place.text);
    reader->manifest->shared.given = object != NULL;
    read_fields(reader, object, &place, rows, &reader->manifest->shared);
}

static void read_operands(struct reader *reader, const json_t *document)
{
    static const struct field rows[] = {{"op", TEXT, offsetof(struct manifest_operand, op)},
                                        {"bits", NUMBER, offsetof(struct manifest_operand, bits)},
                                        {0}};
    struct manifest *manifest = reader->manifest;
    struct place outer = place_in(&whole, "operands");
    const json_t *list = list_in(reader, document, &whole, outer.text);
    manifest->operand_count = json_array_size(list);
    manifest->operands = allocate(reader, manifest->operand_count, sizeof *manifest->operands);
    for (size_t i = 0; i < manifest->operand_count; i++) {
        struct place place = place_at(&outer, i);
        struct manifest_operand *operand = &manifest->operands[i];
        const json_t *object = object_at(reader, list, &outer, i);
        *operand = (struct manifest_operand){.op = "", .bits = 64};
        read_fields(reader, object, &place, rows, operand);
        read_named_words(reader, object, &place, "registers", true, &operand->registers);
    }
}

/* ---- accesses ---- */

static void read_offsets(struct reader *reader, const json_t *list)
{
    struct manifest *manifest = reader->manifest;
    manifest->access_count = json_array_size(list);
    manifest->accesses = allocate(reader, manifest->access_count, sizeof *manifest->accesses);
    for (size_t i = 0; i < manifest->access_count; i++) {
        const json_t *offset = json_array_get(list, i);
        manifest->accesses[i] = (uint64_t)json_integer_value(offset);
        if (!json_is_integer(offset)) {
            struct place accesses = place_in(&whole, "accesses");
            refuse(reader, place_at(&accesses, i).text, offset, "a whole number");
        }
    }
}

/* A processor's program lists offsets; a GPU's counts its loads by level. */
static void read_accesses(struct reader *reader, const json_t *document)
{
    static const char name[] = "accesses";
    json_t *accesses = get(document, name);
    if (json_is_object(accesses))
        read_named_rates(reader, document, name, &reader->manifest->loads_by_level);
    else
        read_offsets(reader, list_in(reader, document, &whole, name));
    read_named_rates(reader, document, "transfers", &reader->manifest->transfers);
    read_named_rates(reader, document, "stored", &reader->manifest->stored);
}

static void read_streams(struct reader *reader, const json_t *document)
{
#define ROW(member, kind)                                                                                    \
    {                                                                                                        \
#member, kind, offsetof(struct manifest_stream, member)                                              \
    }
    static const struct field rows[] = {ROW(op, TEXT),
                                        ROW(level, TEXT),
                                        ROW(cache, TEXT),
                                        ROW(side, TEXT),
                                        ROW(chase, FLAG),
                                        ROW(atomic, TEXT),
                                        ROW(scope, TEXT),
                                        ROW(returns, FLAG),
                                        ROW(together, NUMBER),
                                        ROW(width, NUMBER),
                                        ROW(per_pass, NUMBER),
                                        ROW(bus, NUMBER),
                                        ROW(bytes, NUMBER),
                                        ROW(step, NUMBER),
                                        ROW(lane, NUMBER),
                                        ROW(block, NUMBER),
                                        ROW(advance, NUMBER),
                                        ROW(hop, NUMBER),
                                        ROW(links, NUMBER),
                                        ROW(dense, NUMBER),
                                        ROW(apart, NUMBER),
                                        ROW(source, TEXT),
                                        ROW(ring, NUMBER),
                                        ROW(stages, NUMBER),
                                        ROW(copies, NUMBER),
                                        ROW(pending, NUMBER),
                                        ROW(groups, NUMBER),
                                        ROW(read, FLAG),
                                        {0}};
#undef ROW
    struct manifest *manifest = reader->manifest;
    struct place outer = place_in(&whole, "streams");
    const json_t *list = list_in(reader, document, &whole, outer.text);
    manifest->stream_count = json_array_size(list);
    manifest->streams = allocate(reader, manifest->stream_count, sizeof *manifest->streams);
    for (size_t i = 0; i < manifest->stream_count; i++) {
        struct place place = place_at(&outer, i);
        manifest->streams[i] = (struct manifest_stream){.op = "", .level = "", .cache = "", .source = ""};
        read_fields(reader, object_at(reader, list, &outer, i), &place, rows, &manifest->streams[i]);
    }
}

static void read_grid(struct reader *reader, const json_t *document)
{
    static const struct field rows[] = {{"blocks", NUMBER, offsetof(struct manifest, blocks)},
                                        {"threads", NUMBER, offsetof(struct manifest, block_threads)},
                                        {"cluster", NUMBER, offsetof(struct manifest, cluster)},
                                        {0}};
    struct place place = place_in(&whole, "grid");
    read_fields(reader, object_in(reader, document, &whole, place.text), &place, rows, reader->manifest);
}

/* ---- a whole manifest ---- */

const struct manifest manifest_none = {.threads = NAN, .cluster = 1, .period = 1, .access_kinds = ""};

static void read_plain(struct reader *reader, const json_t *document)
{
#define ROW(member, kind)                                                                                    \
    {                                                                                                        \
#member, kind, offsetof(struct manifest, member)                                                     \
    }
    static const struct field rows[] = {ROW(benchmark, TEXT),      ROW(point, TEXT),
                                        ROW(target, TEXT),         ROW(arch, TEXT),
                                        ROW(entry, TEXT),          ROW(threads, NUMBER),
                                        ROW(instructions, NUMBER), ROW(loads, NUMBER),
                                        ROW(stores, NUMBER),       ROW(period, NUMBER),
                                        ROW(units, NUMBER),        ROW(warmup, NUMBER),
                                        ROW(idle, NUMBER),         ROW(shared_bytes, NUMBER),
                                        ROW(indexed, FLAG),        ROW(code_lines_entered, NUMBER),
                                        ROW(access_kinds, TEXT),   {0}};
#undef ROW
    struct manifest *manifest = reader->manifest;
    manifest->instructions = manifest->loads = manifest->stores = NAN;
    read_fields(reader, document, &whole, rows, manifest);
    const struct {
        double *number;
        bool *stated;
    } counts[] = {{&manifest->instructions, &manifest->states_instructions},
                  {&manifest->loads, &manifest->states_loads},
                  {&manifest->stores, &manifest->states_stores}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        *counts[i].stated = !isnan(*counts[i].number);
        if (!*counts[i].stated)
            *counts[i].number = 0;
    }
    manifest->has_code = get(document, "code_lines_entered") != NULL;
    manifest->parameters = get(document, "parameters");
    manifest->from = object_in(reader, document, &whole, "from");
    manifest->state = object_in(reader, document, &whole, "state");
    manifest->hashes = object_in(reader, document, &whole, "hashes");
}

enum status manifest_from_json(json_t *document, const char *what, struct manifest **manifest,
                               struct error *error)
{
    struct manifest *made = memory_zeroed(1, sizeof *made);
    *made = manifest_none;
    struct reader reader = {made, what, error, STATUS_OK};
    *manifest = NULL;
    made->document = json_incref(document);
    if (!json_is_object(document))
        reader.status = error_set(error, STATUS_FAILED, "%s is not a manifest: expected an object", what);
    read_plain(&reader, document);
    read_named_rates(&reader, document, "targets", &made->targets);
    read_named_rates(&reader, document, "expected", &made->expected);
    read_expect(&reader, document);
    read_tolerance(&reader, document);
    read_calibration(&reader, document);
    read_place(&reader, document);
    read_named_words(&reader, document, &whole, "together", false, &made->together);
    read_measure(&reader, document);
    read_kernel(&reader, document);
    read_branches(&reader, document);
    read_code(&reader, document);
    read_data(&reader, document);
    read_shared(&reader, document);
    read_operands(&reader, document);
    read_named_words(&reader, document, &whole, "features", true, &made->features);
    read_accesses(&reader, document);
    read_streams(&reader, document);
    read_grid(&reader, document);
    if (reader.status == STATUS_OK)
        *manifest = made;
    else
        manifest_free(made);
    return reader.status;
}

/* Without these fields a manifest would promise nothing, yet its point would count as checked. */
static enum status check_whole(const json_t *document, const char *what, struct error *error)
{
    static const struct {
        const char *name;
        json_type type;
        const char *expected;
    } fields[] = {{"benchmark", JSON_STRING, "text"},     {"point", JSON_STRING, "text"},
                  {"target", JSON_STRING, "text"},        {"targets", JSON_OBJECT, "an object"},
                  {"expected", JSON_OBJECT, "an object"}, {"kernel", JSON_OBJECT, "an object"},
                  {"hashes", JSON_OBJECT, "an object"}};
    struct reader reader = {NULL, what, error, STATUS_OK};
    for (size_t i = 0; json_is_object(document) && i < sizeof fields / sizeof fields[0]; i++) {
        const json_t *value = json_object_get(document, fields[i].name);
        if (value == NULL || json_typeof(value) != fields[i].type)
            refuse(&reader, fields[i].name, value, fields[i].expected);
    }
    double schema = json_number_or(document, "schema", 1);
    if (reader.status == STATUS_OK && (schema < 1 || schema > MANIFEST_SCHEMA))
        return error_set(
            error, STATUS_FAILED,
            "%s has schema %.6g, and this version reads 1 to %d: use the version that generated the "
            "suite, or generate it again",
            what, schema, MANIFEST_SCHEMA);
    return reader.status;
}

enum status manifest_read(const char *text, size_t size, const char *what, struct manifest **manifest,
                          struct error *error)
{
    *manifest = NULL;
    json_t *document = json_parse(text, size, what, error);
    if (document == NULL)
        return error->code;
    enum status status = check_whole(document, what, error);
    if (status == STATUS_OK)
        status = manifest_from_json(document, what, manifest, error);
    json_decref(document);
    return status;
}

void manifest_free(struct manifest *manifest)
{
    if (manifest == NULL)
        return;
    json_decref((json_t *)(uintptr_t)manifest->document);
    arena_free(&manifest->arena);
    free(manifest);
}

/* ---- what it says ---- */

const struct metric_bounds *manifest_bounds(const struct manifest *manifest, const char *metric)
{
    for (size_t i = 0; i < manifest->expect_count; i++)
        if (strcmp(manifest->expect[i].metric, metric) == 0)
            return &manifest->expect[i];
    return NULL;
}

bool manifest_has_target(const struct manifest *manifest, const char *metric)
{
    return !isnan(rates_get(&manifest->targets, metric, NAN));
}

const struct manifest_units *manifest_units(const struct manifest *manifest, const char *kind)
{
    for (size_t i = 0; i < manifest->place.count; i++)
        if (strcmp(manifest->place.items[i].kind, kind) == 0)
            return &manifest->place.items[i];
    return NULL;
}

enum memory_level manifest_base_level(const struct manifest_base *base)
{
    int level = LEVEL_L1;
    while (level < LEVEL_MEM && strcmp(level_name(level), manifest_text_or(base->level, "")) != 0)
        level++;
    return (enum memory_level)level;
}

double manifest_width(const struct manifest_item *item)
{
    return isnan(item->width) ? 8 : item->width;
}

const char *manifest_text_or(const char *text, const char *fallback)
{
    return text == NULL ? fallback : text;
}
