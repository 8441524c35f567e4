#include "generator/suite/manifest_read.h"

#include "base/json.h"
#include "base/json/field_json.h"
#include "base/json/json_scan.h"
#include "base/memory.h"
#include "generator/suite/calibration.h"
#include "generator/suite/compiled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fields ---- */

/* Rows of struct `of`; with a flag that is set if the field is given. */
#define AT(of, member) offsetof(struct of, member)
#define ROW FIELD_ROW
#define GIVEN FIELD_GIVEN
#define OBJECT(of, title, at, flag, table)                                                                   \
    {                                                                                                        \
        .name = (title), .type = FIELD_OBJECT, .offset = (at), .given = 1 + AT(of, flag), .rows = (table)    \
    }
#define VALUES(of, title, kind, items, number)                                                               \
    {                                                                                                        \
        .name = (title), .type = (kind), .offset = AT(of, items), .count = AT(of, number)                    \
    }
#define LIST(of, title, items, number, ...)                                                                  \
    {                                                                                                        \
        .name = (title), .type = FIELD_LIST, .offset = AT(of, items), .count = AT(of, number), __VA_ARGS__   \
    }
#define OF(table, struct_name) .rows = (table), .size = sizeof(struct struct_name)

static const struct field_row head_rows[] = {ROW(manifest, "benchmark", FIELD_TEXT, benchmark),
                                             ROW(manifest, "point", FIELD_TEXT, point),
                                             ROW(manifest, "parameters", FIELD_ANY, parameters),
                                             ROW(manifest, "target", FIELD_TEXT, target),
                                             ROW(manifest, "machine", FIELD_TEXT, machine),
                                             ROW(manifest, "arch", FIELD_TEXT, arch),
                                             ROW(manifest, "entry", FIELD_TEXT, entry),
                                             {.name = "from",
                                              .type = FIELD_OWN,
                                              .offset = AT(manifest, from),
                                              .read = compiled_read,
                                              .write = compiled_write},
                                             ROW(manifest, "seed", FIELD_WHOLE, seed),
                                             {0}};

static const struct field_row grid_rows[] = {
    ROW(manifest, "blocks", FIELD_NUMBER, blocks),
    ROW(manifest, "threads", FIELD_NUMBER, block_threads),
    GIVEN(manifest, "cluster", FIELD_NUMBER, cluster, has_clusters),
    GIVEN(manifest, "working", FIELD_NUMBER, working, states_working),
    GIVEN(manifest, "leaving", FIELD_NUMBER, leaving, states_working),
    {0}};

static const struct field_row indirect_rows[] = {
    ROW(manifest_branches, "total", FIELD_NUMBER, indirect),
    ROW(manifest_branches, "random", FIELD_NUMBER, indirect_random),
    {0}};

/* The counts of indirect branches are members of the same struct. */
static const struct field_row branch_rows[] = {
    ROW(manifest_branches, "total", FIELD_NUMBER, total),
    ROW(manifest_branches, "random", FIELD_NUMBER, random),
    ROW(manifest_branches, "taken", FIELD_NUMBER, taken),
    ROW(manifest_branches, "not_taken", FIELD_NUMBER, not_taken),
    OBJECT(manifest_branches, "indirect", 0, has_indirect, indirect_rows),
    {0}};

#define LAYOUT(member) GIVEN(manifest_code, #member, FIELD_NUMBER, member, has_layout)
static const struct field_row code_rows[] = {ROW(manifest_code, "loop_bytes", FIELD_NUMBER, loop_bytes),
                                             LAYOUT(bytes),
                                             LAYOUT(align),
                                             LAYOUT(chunks),
                                             LAYOUT(lines),
                                             LAYOUT(misses),
                                             LAYOUT(copies),
                                             LAYOUT(copied_lines),
                                             LAYOUT(moves),
                                             LAYOUT(period),
                                             LAYOUT(conflict_sets),
                                             LAYOUT(first_conflict_set),
                                             {0}};

#define TEXT(member) ROW(manifest_stream, #member, FIELD_TEXT, member)
#define NUMBER(member) ROW(manifest_stream, #member, FIELD_NUMBER, member)
#define WITH(flag, member, type) GIVEN(manifest_stream, #member, type, member, flag)
static const struct manifest_stream no_stream = {.op = "", .level = "", .cache = "", .source = ""};
static const struct field_row stream_rows[] = {TEXT(op),
                                               TEXT(level),
                                               TEXT(predicted),
                                               TEXT(cache),
                                               ROW(manifest_stream, "chase", FIELD_FLAG, chase),
                                               NUMBER(width),
                                               NUMBER(per_pass),
                                               NUMBER(bus),
                                               NUMBER(bytes),
                                               NUMBER(step),
                                               NUMBER(lane),
                                               NUMBER(block),
                                               NUMBER(advance),
                                               WITH(is_dense, dense, FIELD_NUMBER),
                                               WITH(is_dense, apart, FIELD_NUMBER),
                                               WITH(is_async, source, FIELD_TEXT),
                                               WITH(is_async, ring, FIELD_NUMBER),
                                               WITH(is_async, stages, FIELD_NUMBER),
                                               WITH(is_async, copies, FIELD_NUMBER),
                                               WITH(has_groups, pending, FIELD_NUMBER),
                                               WITH(is_async, read, FIELD_FLAG),
                                               WITH(has_groups, groups, FIELD_NUMBER),
                                               WITH(is_atomic, atomic, FIELD_TEXT),
                                               WITH(is_atomic, scope, FIELD_TEXT),
                                               WITH(is_atomic, returns, FIELD_FLAG),
                                               WITH(is_atomic, together, FIELD_NUMBER),
                                               TEXT(side),
                                               WITH(is_sided, hop, FIELD_NUMBER),
                                               WITH(is_sided, links, FIELD_NUMBER),
                                               {0}};
#undef TEXT
#undef NUMBER

static const struct field_row loop_rows[] = {
    OBJECT(manifest, "grid", 0, has_grid, grid_rows),
    GIVEN(manifest, "shared_bytes", FIELD_NUMBER, shared_bytes, has_grid),
    ROW(manifest, "period", FIELD_NUMBER, period),
    ROW(manifest, "units", FIELD_NUMBER, units),
    GIVEN(manifest, "instructions", FIELD_NUMBER, instructions, states_instructions),
    GIVEN(manifest, "loads", FIELD_NUMBER, loads, states_loads),
    GIVEN(manifest, "stores", FIELD_NUMBER, stores, states_stores),
    OBJECT(manifest, "branches", AT(manifest, branches), branches.given, branch_rows),
    GIVEN(manifest, "idle", FIELD_NUMBER, idle, states_idle),
    ROW(manifest, "warmup", FIELD_NUMBER, warmup),
    GIVEN(manifest, "indexed", FIELD_FLAG, indexed, states_indexed),
    GIVEN(manifest, "code_lines_entered", FIELD_NUMBER, code_lines_entered, has_code),
    OBJECT(manifest, "code", AT(manifest, code), code.given, code_rows),
    LIST(manifest, "streams", streams, stream_count, .given = 1 + AT(manifest, has_grid), .none = &no_stream,
         OF(stream_rows, manifest_stream)),
    {0}};

static const struct field_row run_rows[] = {ROW(manifest_run, "offset", FIELD_NUMBER, offset),
                                            ROW(manifest_run, "step", FIELD_NUMBER, step),
                                            ROW(manifest_run, "count", FIELD_NUMBER, count),
                                            ROW(manifest_run, "word", FIELD_TEXT, word),
                                            {0}};

static const struct manifest_region no_region = {.stream = NAN};
static const struct field_row region_rows[] = {
    ROW(manifest_region, "name", FIELD_TEXT, name),
    ROW(manifest_region, "stream", FIELD_NUMBER, stream),
    ROW(manifest_region, "offset", FIELD_NUMBER, offset),
    ROW(manifest_region, "bytes", FIELD_NUMBER, bytes),
    LIST(manifest_region, "runs", runs, run_count, OF(run_rows, manifest_run)),
    {0}};

static const struct field_row set_rows[] = {ROW(manifest_eviction_set, "l1d_set", FIELD_NUMBER, l1d_set),
                                            ROW(manifest_eviction_set, "lines", FIELD_NUMBER, lines),
                                            ROW(manifest_eviction_set, "rounds", FIELD_NUMBER, rounds),
                                            {0}};

static const struct field_row base_rows[] = {GIVEN(manifest_base, "walk", FIELD_FLAG, walk, walk),
                                             ROW(manifest_base, "level", FIELD_TEXT, level),
                                             ROW(manifest_base, "by", FIELD_TEXT, by),
                                             ROW(manifest_base, "start", FIELD_NUMBER, start),
                                             ROW(manifest_base, "step", FIELD_NUMBER, step),
                                             ROW(manifest_base, "positions", FIELD_NUMBER, positions),
                                             ROW(manifest_base, "jump", FIELD_NUMBER, jump),
                                             ROW(manifest_base, "turns", FIELD_NUMBER, turns),
                                             ROW(manifest_base, "lines", FIELD_NUMBER, lines),
                                             {.name = "passes",
                                              .type = FIELD_NUMBERS,
                                              .offset = AT(manifest_base, passes),
                                              .given = 1 + AT(manifest_base, has_passes),
                                              .count = AT(manifest_base, pass_count)},
                                             {0}};

static const struct field_row data_rows[] = {
    ROW(manifest_data, "bytes", FIELD_NUMBER, bytes),
    ROW(manifest_data, "align", FIELD_NUMBER, align),
    ROW(manifest_data, "pages", FIELD_NUMBER, pages),
    ROW(manifest_data, "huge_pages_from", FIELD_NUMBER, huge_pages_from),
    GIVEN(manifest_data, "huge_pages", FIELD_FLAG, huge_pages, huge_pages),
    LIST(manifest_data, "regions", regions, region_count, .none = &no_region,
         OF(region_rows, manifest_region)),
    LIST(manifest_data, "conflict_groups", eviction_sets, eviction_set_count, .former = true,
         OF(set_rows, manifest_eviction_set)),
    LIST(manifest_data, "eviction_sets", eviction_sets, eviction_set_count,
         OF(set_rows, manifest_eviction_set)),
    LIST(manifest_data, "bases", bases, base_count, OF(base_rows, manifest_base)),
    {0}};

static const struct field_row mapping_rows[] = {
    ROW(manifest_mapping, "name", FIELD_TEXT, name),
    ROW(manifest_mapping, "offset", FIELD_NUMBER, offset),
    ROW(manifest_mapping, "bytes", FIELD_NUMBER, bytes),
    ROW(manifest_mapping, "file_offset", FIELD_NUMBER, file_offset),
    {0}};

#define NUMBER(member) ROW(manifest_shared, #member, FIELD_NUMBER, member)
#define COHERENT(member) GIVEN(manifest_shared, #member, FIELD_NUMBER, member, has_coherence)
static const struct field_row shared_rows[] = {NUMBER(file_bytes),
                                               NUMBER(state),
                                               ROW(manifest_shared, "waits", FIELD_FLAG, waits),
                                               LIST(manifest_shared, "regions", regions, region_count,
                                                    mapping_rows, sizeof(struct manifest_mapping), NULL),
                                               NUMBER(load),
                                               NUMBER(store),
                                               NUMBER(atomic),
                                               NUMBER(turns),
                                               ROW(manifest_shared, "coherence", FIELD_TEXT, coherence),
                                               COHERENT(lines),
                                               COHERENT(pass_lines),
                                               COHERENT(prepared_loads),
                                               COHERENT(copied),
                                               COHERENT(line),
                                               {0}};
#undef NUMBER

static const struct manifest_operand no_operand = {.behaviour = NAN, .op = "", .bits = 64};
static const struct field_row operand_rows[] = {
    ROW(manifest_operand, "behaviour", FIELD_NUMBER, behaviour),
    ROW(manifest_operand, "op", FIELD_TEXT, op),
    ROW(manifest_operand, "bits", FIELD_NUMBER, bits),
    VALUES(manifest_operand, "registers", FIELD_WORDS, registers.items, registers.count),
    {0}};

/* Reads an object of texts; values of other types are skipped. */
static bool read_hashes(struct fields_reader *reader, const json_t *object, void *at)
{
    struct manifest *manifest = at;
    const char *name;
    json_t *value;
    if (!json_is_object(object))
        fields_refuse(reader, NULL, "hashes", object, "an object");
    manifest->hashes = arena_alloc(reader->arena, json_object_size(object), sizeof *manifest->hashes);
    json_object_foreach((json_t *)(uintptr_t)object, name, value) manifest->hashes[manifest->hash_count++] =
        (struct manifest_hash){arena_strdup(reader->arena, name),
                               json_is_string(value) ? arena_strdup(reader->arena, json_string_value(value))
                                                     : ""};
    return true;
}

static void write_hashes(struct json_text *text, const char *name, const void *at)
{
    const struct manifest *manifest = at;
    if (manifest->hashes == NULL) /* not stated */
        return;
    json_text_open(text, name, '{');
    for (size_t i = 0; i < manifest->hash_count; i++)
        json_text_string(text, manifest->hashes[i].name, manifest->hashes[i].hash);
    json_text_close(text, '}');
}

static const struct field_row tail_rows[] = {
    OBJECT(manifest, "shared", AT(manifest, shared), shared.given, shared_rows),
    {.name = "features",
     .type = FIELD_WORDS,
     .offset = AT(manifest, features.items),
     .given = 1 + AT(manifest, states_features),
     .count = AT(manifest, features.count)},
    LIST(manifest, "operands", operands, operand_count, .given = 1 + AT(manifest, states_operands),
         .none = &no_operand, OF(operand_rows, manifest_operand)),
    ROW(manifest, "kernel", FIELD_DOCUMENT, kernel),
    ROW(manifest, "symbols", FIELD_TEXT, symbols),
    {.name = "hashes", .type = FIELD_OWN, .read = read_hashes, .write = write_hashes},
    {0}};

static const struct field_row access_rows[] = {
    VALUES(manifest, "accesses", FIELD_OFFSETS, accesses, access_count), {0}};

static const struct field_row end_rows[] = {
    GIVEN(manifest, "access_kinds", FIELD_TEXT, access_kinds, states_access_kinds),
    ROW(manifest, "markers", FIELD_TEXT, markers),
    {0}};

/* Rates by metric, counts by quantity, or either by level. */
static const struct {
    const char *name;
    size_t offset;
} rate_rows[] = {{"targets", offsetof(struct manifest, targets)},
                 {"expected", offsetof(struct manifest, expected)},
                 {"counts", offsetof(struct manifest, counts)},
                 {"accesses", offsetof(struct manifest, loads_by_level)},
                 {"transfers", offsetof(struct manifest, transfers)},
                 {"stored", offsetof(struct manifest, stored)}};
enum { COUNTS = 2, OF_METRICS, ALL_RATES = sizeof rate_rows / sizeof rate_rows[0] };

/* ---- what the recipe requests ---- */

/* Copied from the point unchanged. */
static const char *const requests[] = {"expect", "tolerance", "calibration", "threads",
                                       "place",  "together",  "state",       "measure"};

static const struct field_row request_rows[] = {
    ROW(manifest, "threads", FIELD_NUMBER, threads),
    VALUES(manifest, "together", FIELD_WORDS, together.items, together.count),
    FIELD_BY(manifest, "calibration", calibration, calibration_read_stated),
    ROW(manifest, "state", FIELD_DOCUMENT, state),
    ROW(manifest, "measure", FIELD_DOCUMENT, measure),
    {0}};

static void *allocate(struct fields_reader *reader, size_t count, size_t size)
{
    return arena_alloc(reader->arena, count, size);
}

static void read_expect(struct fields_reader *reader, struct manifest *manifest)
{
    static const struct field_row rows[] = {
        ROW(metric_bounds, "min", FIELD_NUMBER, min), ROW(metric_bounds, "max", FIELD_NUMBER, max), {0}};
    const struct field_place outer = {.name = "expect"};
    json_t *object = fields_object(reader, manifest->recipe, NULL, outer.name);
    const char *metric;
    json_t *value;
    manifest->expect = allocate(reader, json_object_size(object), sizeof *manifest->expect);
    json_object_foreach(object, metric, value)
    {
        const struct field_place place = {.outer = &outer, .name = metric};
        struct metric_bounds *bounds = &manifest->expect[manifest->expect_count++];
        *bounds = (struct metric_bounds){metric, -INFINITY, INFINITY};
        if (json_is_object(value))
            fields_read(reader, value, &place, rows, bounds);
        else
            fields_refuse(reader, &outer, metric, value, "an object");
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

static void read_tolerance(struct fields_reader *reader, struct manifest *manifest)
{
    static const char name[] = "tolerance";
    const json_t *value = json_object_get(manifest->recipe, name);
    if (!tolerances_read(json_is_null(value) ? NULL : value, reader->arena, &manifest->tolerance))
        fields_refuse(reader, NULL, name, value, "a number, or an object of numbers,");
}

static void read_units(struct fields_reader *reader, const char *kind, json_t *value,
                       const struct field_place *outer, struct manifest_units *units)
{
    const struct field_place place = {.outer = outer, .name = kind};
    *units =
        (struct manifest_units){.kind = kind,
                                .word = json_string_value(value),
                                .count = json_array_size(value),
                                .numbers = allocate(reader, json_array_size(value), sizeof *units->numbers)};
    if (!json_is_string(value) && !json_is_array(value))
        fields_refuse(reader, outer, kind, value, "a word, or a list of whole numbers,");
    for (size_t i = 0; i < units->count; i++) {
        const struct field_place element = {.outer = &place, .index = i};
        units->numbers[i] = json_integer_value(json_array_get(value, i));
        if (!json_is_integer(json_array_get(value, i)))
            fields_refuse(reader, &element, NULL, json_array_get(value, i), "a whole number");
    }
}

static void read_place(struct fields_reader *reader, struct manifest *manifest)
{
    const struct field_place outer = {.name = "place"};
    struct manifest_place *place = &manifest->place;
    json_t *object = fields_object(reader, manifest->recipe, NULL, outer.name);
    const char *kind;
    json_t *value;
    place->given = object != NULL;
    place->items = allocate(reader, json_object_size(object), sizeof *place->items);
    json_object_foreach(object, kind, value)
        read_units(reader, kind, value, &outer, &place->items[place->count++]);
}

/* ---- the kernel ---- */

static const struct field_row pattern_rows[] = {ROW(manifest_pattern, "word", FIELD_TEXT, word),
                                                ROW(manifest_pattern, "toggle", FIELD_NUMBER, toggle),
                                                ROW(manifest_pattern, "order", FIELD_TEXT, order),
                                                ROW(manifest_pattern, "zeros", FIELD_NUMBER, zeros),
                                                {0}};

/* Reads the data: an object, or a text such as "loaded". */
static void read_pattern(struct fields_reader *reader, const json_t *item, const struct field_place *outer,
                         struct manifest_pattern *pattern)
{
    const struct field_place place = {.outer = outer, .name = "data"};
    json_t *value = json_object_get(item, place.name);
    bool given = value != NULL && !json_is_null(value);
    *pattern = (struct manifest_pattern){.given = given, .toggle = NAN};
    if (given && !json_is_object(value) && !json_is_string(value))
        fields_refuse(reader, outer, place.name, value, "an object or text");
    fields_read(reader, value, &place, pattern_rows, pattern);
    pattern->loaded = json_is_string(value) && strcmp(json_string_value(value), "loaded") == 0;
    pattern->words = json_array_size(fields_list(reader, value, &place, "words"));
}

static const struct field_row fetched_rows[] = {
    ROW(manifest_item, "L1I", FIELD_NUMBER, from_l1i), ROW(manifest_item, "L2", FIELD_NUMBER, from_l2), {0}};

#define TEXT(member) ROW(manifest_item, #member, FIELD_TEXT, member)
#define NUMBER(member) ROW(manifest_item, #member, FIELD_NUMBER, member)
static const struct field_row item_rows[] = {TEXT(op),
                                             NUMBER(count),
                                             NUMBER(dependents),
                                             NUMBER(chain),
                                             NUMBER(memory),
                                             NUMBER(working_set),
                                             ROW(manifest_item, "stride", FIELD_LOOSE, stride),
                                             NUMBER(width),
                                             TEXT(order),
                                             TEXT(address),
                                             TEXT(prefetch),
                                             TEXT(from),
                                             TEXT(through),
                                             ROW(manifest_item, "leads", FIELD_FLAG, leads),
                                             ROW(manifest_item, "updates", FIELD_FLAG, updates),
                                             ROW(manifest_item, "copies", FIELD_FLAG, copies),
                                             NUMBER(behind),
                                             NUMBER(logic),
                                             NUMBER(misses),
                                             TEXT(shared),
                                             TEXT(atomic),
                                             ROW(manifest_item, "returns", FIELD_FLAG, returns),
                                             NUMBER(accuracy),
                                             NUMBER(taken),
                                             TEXT(kind),
                                             TEXT(test),
                                             NUMBER(duty),
                                             NUMBER(node),
                                             OBJECT(manifest_item, "fetched", 0, is_fetched, fetched_rows),
                                             {0}};

static void read_item(struct fields_reader *reader, const json_t *object, const struct field_place *place,
                      struct manifest_item *item)
{
    const struct field_place inner = {.outer = place, .name = "served"};
    const json_t *served = fields_object(reader, object, place, inner.name);
    const json_t *text = json_object_get(object, "text");
    *item = (struct manifest_item){
        .op = "", .width = NAN, .accuracy = NAN, .taken = NAN, .duty = NAN, .node = NAN, .misses = NAN};
    fields_read(reader, object, place, item_rows, item);
    item->is_served = served != NULL;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct field_row row[] = {{.name = level_name(level), .type = FIELD_NUMBER}, {0}};
        fields_read(reader, served, &inner, row, &item->served[level]);
    }
    read_pattern(reader, object, place, &item->data);
    item->has_text = text != NULL && !json_is_null(text);
}

static void read_kernel(struct fields_reader *reader, struct manifest *manifest)
{
    static const struct field_row rows[] = {VALUES(manifest, "phases", FIELD_NUMBERS, phases, phase_count),
                                            {0}};
    const struct field_place outer = {.name = "kernel"}, units = {.outer = &outer, .name = "unit"};
    const json_t *unit = fields_list(reader, manifest->kernel, &outer, units.name);
    manifest->unit_count = json_array_size(unit);
    manifest->unit = allocate(reader, manifest->unit_count, sizeof *manifest->unit);
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const struct field_place place = {.outer = &units, .index = i};
        const json_t *item = json_array_get(unit, i);
        if (!json_is_object(item))
            fields_refuse(reader, &place, NULL, item, "an object");
        read_item(reader, item, &place, &manifest->unit[i]);
    }
    fields_read(reader, manifest->kernel, &outer, rows, manifest);
}

/* Reads the data's document, if it has one, and adds what follows from its fields. */
static void read_data(struct fields_reader *reader, struct manifest *manifest)
{
    const struct field_place place = {.name = "data"};
    struct manifest_data *data = &manifest->data;
    fields_read(reader, data->document, &place, data_rows, data);
    data->given = data->given || data->document != NULL;
    if (data->huge_pages)
        data->huge_pages_from = 0;
    for (size_t i = 0; i < data->base_count; i++)
        data->bases[i].by_capacity = strcmp(manifest_text_or(data->bases[i].by, ""), "capacity") == 0;
    data->words = 0;
    for (size_t i = 0; i < data->region_count; i++) {
        const struct manifest_region *region = &data->regions[i];
        if (i == 0)
            data->by_rotation = strcmp(manifest_text_or(region->name, ""), "working sets") == 0;
        for (size_t j = 0; j < region->run_count; j++) { /* memory is zero initially */
            const char *word = manifest_text_or(region->runs[j].word, "");
            data->words += strspn(word, "0x") < strlen(word) ? region->runs[j].count : 0;
        }
    }
}

static struct fields_reader reader_of(struct manifest *manifest, const char *what, struct error *error)
{
    return (struct fields_reader){manifest == NULL ? NULL : &manifest->arena, what, "a manifest", error,
                                  STATUS_OK};
}

enum status manifest_read_requests(struct manifest *manifest, const char *what, struct error *error)
{
    struct fields_reader reader = reader_of(manifest, what, error);
    const struct field_place place = {.name = "measure"};
    static const struct field_row rows[] = {
        VALUES(manifest, "events", FIELD_WORDS, events.items, events.count), {0}};
    fields_read(&reader, manifest->recipe, NULL, request_rows, manifest);
    fields_read(&reader, manifest->measure, &place, rows, manifest);
    read_expect(&reader, manifest);
    read_tolerance(&reader, manifest);
    read_place(&reader, manifest);
    read_kernel(&reader, manifest);
    read_data(&reader, manifest);
    return reader.status;
}

/* ---- a whole manifest ---- */

const struct manifest manifest_none = {
    .threads = NAN, .cluster = 1, .period = 1, .access_kinds = "", .data = {.huge_pages_from = INFINITY}};

static void read_rates(struct fields_reader *reader, const json_t *document, const char *name,
                       struct rates *rates)
{
    const struct field_place place = {.name = name};
    const char *metric;
    json_t *value;
    json_object_foreach(fields_object(reader, document, NULL, name), metric, value)
    {
        if (json_is_number(value))
            rates_add(reader->arena, rates, metric, json_number_value(value));
        else
            fields_refuse(reader, &place, metric, value, "a number");
    }
}

/* The documents to which it holds references. */
static void keep_documents(struct manifest *manifest)
{
    const json_t *const kept[] = {manifest->recipe, manifest->kernel, manifest->data.document};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        json_incref((json_t *)(uintptr_t)kept[i]);
}

enum status manifest_from_json(json_t *document, const char *what, struct manifest **manifest,
                               struct error *error)
{
    static const struct field_row data[] = {ROW(manifest, "data", FIELD_DOCUMENT, data.document), {0}};
    static const struct field_row *const tables[] = {head_rows, loop_rows, data, tail_rows, end_rows};
    struct manifest *made = memory_zeroed(1, sizeof *made);
    *made = manifest_none;
    made->recipe = document;
    struct fields_reader reader = reader_of(made, what, error);
    bool by_level = json_is_object(json_object_get(document, "accesses"));
    *manifest = NULL;
    if (!json_is_object(document))
        reader.status = error_set(error, STATUS_FAILED, "%s is not a manifest: expected an object", what);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        fields_read(&reader, document, NULL, tables[i], made);
    for (size_t i = 0; i < ALL_RATES; i++)
        if (i != OF_METRICS || by_level)
            read_rates(&reader, document, rate_rows[i].name,
                       (struct rates *)(void *)((char *)made + rate_rows[i].offset));
    if (!by_level)
        fields_read(&reader, document, NULL, access_rows, made);
    keep_documents(made);
    if (reader.status == STATUS_OK)
        reader.status = manifest_read_requests(made, what, error);
    if (reader.status == STATUS_OK)
        *manifest = made;
    else
        manifest_free(made);
    return reader.status;
}

struct manifest *point_from_json(json_t *document)
{
    struct fields_reader reader = {.what = "the point", .kind = "a point"};
    struct manifest *point = memory_zeroed(1, sizeof *point);
    static const struct field_row rows[] = {ROW(manifest, "line", FIELD_NUMBER, line), {0}};
    *point = manifest_none;
    reader.arena = &point->arena;
    point->recipe = document;
    fields_read(&reader, document, NULL, head_rows, point);
    fields_read(&reader, document, NULL, rows, point);
    point->kernel = fields_object(&reader, document, NULL, "kernel");
    keep_documents(point);
    (void)manifest_read_requests(point, reader.what, NULL);
    return point;
}

struct manifest *point_read(const struct buffer *text, const char *what, struct error *error)
{
    json_t *document = json_quick(text->data, text->size);
    if (document == NULL)
        document = json_parse(text->data, text->size, what, error);
    struct manifest *point = document == NULL ? NULL : point_from_json(document);
    json_decref(document);
    return point;
}

void point_write_texts(const struct manifest *point, struct buffer *text)
{
    struct json_text output = {.buffer = text, .compact = true};
    const json_t *unit = fields_list(&(struct fields_reader){.what = ""}, point->kernel, NULL, "unit");
    for (size_t i = 0; i < point->unit_count; i++)
        if (strcmp(point->unit[i].op, "asm") == 0)
            json_text_value(&output, NULL, json_array_get(unit, i));
}

/* Required fields: without them a manifest would promise nothing, yet its point would count as checked. */
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
    struct fields_reader reader = reader_of(NULL, what, error);
    for (size_t i = 0; json_is_object(document) && i < sizeof fields / sizeof fields[0]; i++) {
        const json_t *value = json_object_get(document, fields[i].name);
        if (value == NULL || json_typeof(value) != fields[i].type)
            fields_refuse(&reader, NULL, fields[i].name, value, fields[i].expected);
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
    const json_t *const kept[] = {manifest->recipe, manifest->kernel, manifest->data.document};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        json_decref((json_t *)(uintptr_t)kept[i]);
    arena_free(&manifest->arena);
    free(manifest);
}

/* ---- writing ---- */

static void write_rates(struct json_text *text, const struct manifest *manifest, size_t row,
                        const struct field_choice *choice)
{
    const struct rates *rates = (const void *)((const char *)manifest + rate_rows[row].offset);
    if ((row >= COUNTS && rates->count == 0) || !field_is_chosen(choice, rate_rows[row].name))
        return;
    json_text_open(text, rate_rows[row].name, '{');
    for (size_t i = 0; i < rates->count; i++)
        json_text_number(text, rates->items[i].metric, rates->items[i].value);
    json_text_close(text, '}');
}

/* A calibration is not part of the recipe's document. */
static void write_request(struct json_text *text, const char *name, const struct manifest *manifest)
{
    const json_t *stated = json_object_get(manifest->recipe, name);
    if (stated == NULL && manifest->calibration.given && strcmp(name, "calibration") == 0)
        calibration_write_stated(text, name, &manifest->calibration);
    else
        json_text_value(text, name, stated);
}

void manifest_write_members(const struct manifest *manifest, const struct field_choice *choice,
                            struct json_text *text)
{
    static const struct field_row data[] = {
        OBJECT(manifest, "data", AT(manifest, data), data.given, data_rows), {0}};
    static const struct field_row document[] = {ROW(manifest, "data", FIELD_DOCUMENT, data.document), {0}};
    if (field_is_chosen(choice, "schema")) {
        json_text_integer(text, "schema", MANIFEST_SCHEMA);
        json_text_string(text, "kind", "program");
    }
    fields_write(text, head_rows, choice, manifest);
    for (size_t i = 0; i < OF_METRICS; i++)
        write_rates(text, manifest, i, choice);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (field_is_chosen(choice, requests[i]))
            write_request(text, requests[i], manifest);
    fields_write(text, loop_rows, choice, manifest);
    for (size_t i = OF_METRICS; i < ALL_RATES; i++)
        write_rates(text, manifest, i, choice);
    fields_write(text, manifest->data.document == NULL ? data : document, choice, manifest);
    fields_write(text, tail_rows, choice, manifest);
    if (!manifest->has_grid)
        fields_write(text, access_rows, choice, manifest);
    fields_write(text, end_rows, choice, manifest);
}

void manifest_write(const struct manifest *manifest, struct buffer *output)
{
    struct json_text text = {.buffer = output};
    json_text_open(&text, NULL, '{');
    manifest_write_members(manifest, NULL, &text);
    json_text_close(&text, '}');
}

/* ---- queries ---- */

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

const char *manifest_hash(const struct manifest *manifest, const char *name)
{
    for (size_t i = 0; i < manifest->hash_count; i++)
        if (strcmp(manifest->hashes[i].name, name) == 0)
            return manifest->hashes[i].hash;
    return NULL;
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
