#include "generator/recipe/recipe.h"

#include "base/json.h"
#include "base/json/field_json.h"
#include "base/memory.h"
#include "base/units.h"
#include "generator/machine/shipped.h"
#include "generator/recipe/field_line.h"
#include "generator/recipe/lua_json.h"
#include "generator/recipe/sandbox.h"
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pieces of generator/recipe/prelude/, compiled in, in the order in which they run. */
#define PIECES(X)                                                                                            \
    X(check)                                                                                                 \
    X(environment)                                                                                           \
    X(pattern)                                                                                               \
    X(shared)                                                                                                \
    X(accesses)                                                                                              \
    X(gpu_accesses) X(code) X(behaviours) X(metrics) X(sweep) X(plot) X(placement) X(benchmark) X(main)
#define DECLARE(name)                                                                                        \
    extern const unsigned char prelude_##name[];                                                             \
    extern const unsigned long prelude_##name##_size;
#define ENTRY(name) {#name, prelude_##name, &prelude_##name##_size},

PIECES(DECLARE)

static const struct sandbox_piece pieces[] = {PIECES(ENTRY)};
enum { NAME_BYTES = 512 };
enum { PIECE_COUNT = sizeof pieces / sizeof pieces[0] };

/* The text of every point with an asm{} contains this; checking others too is harmless. */
static const char TEXT_MARK[] = "\"op\":\"asm\"";

/* The same for points that are refused; a parameter is no object, and quotes in a text are escaped. */
static const char REFUSED_MARK[] = "\"refused\":{";

enum { LACKS_BYTES = 64 };

struct collector {
    struct recipe *recipe;
    json_t *input; /* of the prelude */
    size_t capacity;
    char lacks[LACKS_BYTES]; /* features, one of which an operation needs, that the machine lacks */
};

/* The points of a benchmark are consecutive, and share one copy of its name. */
static const char *benchmark_name(struct recipe *recipe, const char *name)
{
    const char *last = recipe->count == 0 ? "" : recipe->points[recipe->count - 1].benchmark;
    return recipe->count > 0 && strcmp(last, name) == 0 ? last : arena_strdup(&recipe->arena, name);
}

static enum status add_point(struct collector *collector, const char *benchmark, const char *name,
                             const char *text, size_t size, struct error *error)
{
    struct recipe *recipe = collector->recipe;
    if (recipe->count == collector->capacity) {
        collector->capacity = collector->capacity == 0 ? 64 : 2 * collector->capacity;
        recipe->points = memory_resized(recipe->points, collector->capacity, sizeof *recipe->points);
    }
    struct point point = {.benchmark = benchmark_name(recipe, benchmark),
                          .name = arena_strdup(&recipe->arena, name),
                          .size = (uint32_t)size,
                          .refused = memmem(text, size, REFUSED_MARK, sizeof REFUSED_MARK - 1) != NULL,
                          .has_text = memmem(text, size, TEXT_MARK, sizeof TEXT_MARK - 1) != NULL};
    enum status status = spool_append(&recipe->spool, text, size, &point.start, error);
    recipe->points[recipe->count++] = point;
    return status;
}

/* Reads a quoted text without escapes and the text after it. False for other input. */
static bool read_quoted(const char **at, const char *end, const char *before, char *value, size_t room)
{
    size_t length = strlen(before);
    if ((size_t)(end - *at) < length || strncmp(*at, before, length) != 0)
        return false;
    const char *start = *at + length;
    const char *quote = memchr(start, '"', (size_t)(end - start));
    if (quote == NULL || (size_t)(quote - start) >= room ||
        memchr(start, '\\', (size_t)(quote - start)) != NULL)
        return false;
    memcpy(value, start, (size_t)(quote - start));
    value[quote - start] = '\0';
    *at = quote + 1;
    return true;
}

/* Stores a point unparsed if its names are easy to find (*taken). */
static enum status collect_text(struct collector *collector, const char *text, size_t size, bool *taken,
                                struct error *error)
{
    static const char before[] = "{\"point\":";
    char benchmark[NAME_BYTES];
    char name[NAME_BYTES];
    const char *at = text + strlen(before);
    const char *end = text + size;
    *taken = size > sizeof before && strncmp(text, before, strlen(before)) == 0 && end[-1] == '}' &&
             read_quoted(&at, end, "{\"benchmark\":\"", benchmark, sizeof benchmark) &&
             read_quoted(&at, end, ",\"point\":\"", name, sizeof name);
    if (!*taken)
        return STATUS_OK;
    return add_point(collector, benchmark, name, text + strlen(before), size - strlen(before) - 1, error);
}

static void add_included(struct recipe *recipe, const char *file)
{
    for (size_t i = 0; i < recipe->included_count; i++)
        if (strcmp(recipe->included[i], file) == 0)
            return;
    recipe->included = memory_resized(recipe->included, recipe->included_count + 1, sizeof *recipe->included);
    recipe->included[recipe->included_count++] = arena_strdup(&recipe->arena, file);
}

/* A point whose names have escapes. */
static enum status collect_point(struct collector *collector, const json_t *value, struct error *error)
{
    static const struct field_row rows[] = {FIELD_ROW(point, "benchmark", FIELD_TEXT, benchmark),
                                            FIELD_ROW(point, "point", FIELD_TEXT, name),
                                            {0}};
    struct fields_reader reader = {.what = "", .kind = ""};
    struct point named = {.benchmark = "", .name = ""};
    struct buffer text = {0};
    fields_read(&reader, value, NULL, rows, &named);
    json_write(&text, value, 0);
    enum status status = add_point(collector, named.benchmark, named.name, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

/* The only member of a record. NULL with STATUS_RECIPE in *error if it is no JSON. The caller frees
 * *record. */
static json_t *read_record(const char *text, size_t size, const char *path, json_t **record,
                           const char **kind, struct error *error)
{
    *record = json_parse(text, size, path, error);
    void *member = json_object_iter(*record);
    if (member == NULL && error != NULL)
        error->code = STATUS_RECIPE;
    *kind = member == NULL ? "" : json_object_iter_key(member);
    return member == NULL ? NULL : json_object_iter_value(member);
}

static enum status collect(const char *text, size_t size, void *context, struct error *error)
{
    struct collector *collector = context;
    struct recipe *recipe = collector->recipe;
    const char *kind;
    json_t *record;
    bool taken;
    enum status status = collect_text(collector, text, size, &taken, error);
    if (taken)
        return status;
    json_t *value = read_record(text, size, recipe->file, &record, &kind, error);
    const char *word = json_is_string(value) ? json_string_value(value) : "";
    if (value == NULL)
        status = STATUS_RECIPE;
    else if (strcmp(kind, "benchmark") == 0)
        benchmark_add(&recipe->benchmarks, value);
    else if (strcmp(kind, "left_out") == 0)
        benchmark_add(&recipe->left_out, value);
    else if (strcmp(kind, "included") == 0)
        add_included(recipe, word);
    else if (strcmp(kind, "wants") == 0)
        snprintf(recipe->wants, sizeof recipe->wants, "%.15s", word);
    else if (strcmp(kind, "lacks") == 0)
        snprintf(collector->lacks, sizeof collector->lacks, "%s", word);
    else
        status = collect_point(collector, value, error);
    json_decref(record);
    return status;
}

enum status recipe_text(const struct recipe *recipe, const struct point *point, struct buffer *text,
                        struct error *error)
{
    return spool_read(&recipe->spool, point->start, point->size, text, error);
}

static json_t *value_from_text(const char *text)
{
    double number;
    if (units_parse_number(text, &number))
        return json_from_number(number);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return json_boolean(text[0] == 't');
    return json_string(text);
}

/* "0.1,0.2" as [0.1, 0.2]; NULL if a value is empty or not UTF-8. */
static json_t *values_from_text(const char *text)
{
    json_t *values = json_array();
    char *copy = memory_text(text);
    char *rest = copy;
    char *word;
    bool good = true;
    while (good && (word = strsep(&rest, ",")) != NULL)
        good = *word != '\0' && json_array_append_new(values, value_from_text(word)) == 0;
    free(copy);
    if (good)
        return values;
    json_decref(values);
    return NULL;
}

static enum status add_overrides(json_t *input, const struct override *overrides, size_t count,
                                 struct error *error)
{
    json_t *list = json_array();
    json_object_set_new(input, "overrides", list);
    for (size_t i = 0; i < count; i++) {
        json_t *values = values_from_text(overrides[i].values);
        if (values == NULL)
            return error_set(error, STATUS_USAGE,
                             "--set %s=%s has an empty value: expected NAME=VALUE[,VALUE...]",
                             overrides[i].name, overrides[i].values);
        for (size_t earlier = 0; earlier < i; earlier++) {
            if (strcmp(overrides[earlier].name, overrides[i].name) == 0) {
                json_decref(values);
                return error_set(error, STATUS_USAGE, "--set names %s twice: list its values together",
                                 overrides[i].name);
            }
        }
        json_array_append_new(list, json_pack("{s:s,s:o}", "name", overrides[i].name, "values", values));
    }
    return STATUS_OK;
}

/* ---- the operations that recipes may use ---- */

static bool is_described(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "name")), name) == 0)
            return true;
    return false;
}

static const struct form *row_of(const struct template *templates, const char *op, const char *variant,
                                 unsigned width)
{
    char name[NAME_BYTES];
    char tail[16] = "";
    if (width != templates->isa->plain_width)
        snprintf(tail, sizeof tail, ".%u", width);
    snprintf(name, sizeof name, "%.40s%s%s", op, variant, tail);
    return template_next(templates, name, NULL);
}

static json_t *describe_width(const struct template *templates, const char *op, unsigned width)
{
    const struct form *plain = row_of(templates, op, "", width);
    if (plain == NULL)
        return NULL;
    json_t *features = json_array();
    for (const struct form *form = plain; form != NULL; form = template_next(templates, plain->name, form))
        json_array_append_new(features, json_string(form->feature));
    bool chain = row_of(templates, op, ".chain", width) != NULL;
    bool turns = templates->isa->gpu && form_has(plain, FORM_COMPUTES);
    return json_pack("{s:o, s:b, s:b, s:b, s:b, s:b}", "features", features, "dependents",
                     row_of(templates, op, ".dependent", width) != NULL, "chain",
                     turns || chain || row_of(templates, op, ".start", width) != NULL, "operand",
                     form_has(plain, FORM_OPERAND), "chain_operand", !chain, "divides",
                     form_has(plain, FORM_DIVIDES));
}

/* The cache operators of a GPU's loads, stores, asynchronous or bulk copies: "load.OPERATOR.WIDTH". */
static json_t *describe_operators(const struct template *templates, const char *op)
{
    json_t *operators = json_array();
    for (size_t i = 0; i < templates->form_count; i++) {
        char name[NAME_BYTES];
        const char *form = templates->forms[i].name;
        size_t length = strlen(op);
        if (strncmp(form, op, length) != 0 || form[length] != '.')
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(form + length + 1, "."), form + length + 1);
        bool known = strcmp(name, "shared") == 0;
        for (size_t j = 0; j < json_array_size(operators); j++)
            known = known || strcmp(json_string_value(json_array_get(operators, j)), name) == 0;
        if (!known)
            json_array_append_new(operators, json_string(name));
    }
    return json_pack("{s:s, s:o}", "name", op, "operators", operators);
}

/* [{"name", "widths": {"8": {"features": [...], "dependents", "chain", "operand", "chain_operand",
 * "divides"}}}]. */
static json_t *describe_operations(const struct template *templates)
{
    static const unsigned widths[] = {4, 8, 16, 32, 64};
    json_t *list = json_array();
    for (size_t i = 0; i < templates->form_count; i++) {
        const char *name = templates->forms[i].name;
        if (form_has(&templates->forms[i], FORM_VARIANT) || is_described(list, name))
            continue; /* recipes cannot name an op that has only rows with a variant */
        json_t *forms = json_object();
        for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
            char key[8];
            json_t *form = describe_width(templates, name, widths[w]);
            snprintf(key, sizeof key, "%u", widths[w]);
            if (form != NULL)
                json_object_set_new(forms, key, form);
        }
        json_array_append_new(list, json_pack("{s:s, s:o, s:i}", "name", name, "widths", forms, "plain",
                                              (int)templates->isa->plain_width));
    }
    if (templates->isa->gpu) {
        json_array_append_new(list, describe_operators(templates, "load"));
        json_array_append_new(list, describe_operators(templates, "store"));
        json_array_append_new(list, describe_operators(templates, "async"));
        json_array_append_new(list, describe_operators(templates, "tma"));
        json_array_append_new(list, describe_operators(templates, "atomic"));
    }
    return list;
}

/* ---- a recipe ---- */

/* The prelude's input: the file's kind, and the names of processor ISAs. */
static json_t *input_for(const char *kind)
{
    json_t *processors = json_array();
    for (size_t i = 0; isa_table[i] != NULL; i++)
        if (!isa_table[i]->gpu)
            json_array_append_new(processors, json_string(isa_table[i]->name));
    return json_pack("{s:s, s:o}", "kind", kind, "processors", processors);
}

/* Every benchmark was left out: reports the reason of the first. */
static enum status refuse_all(struct recipe *recipe, struct error *error)
{
    static const struct benchmark none = {.why = ""};
    const struct benchmark *first = recipe->left_out.count == 0 ? &none : &recipe->left_out.items[0];
    snprintf(recipe->wants, sizeof recipe->wants, "%.15s",
             first->targets.count == 0 ? "" : first->targets.items[0]);
    error_set(error, STATUS_RECIPE, "%s", first->why);
    error_at(error, recipe->file, (int)first->line);
    return STATUS_RECIPE;
}

/* Why a point is refused. */
struct refusal {
    const char *message, *file, *hint;
    double line;
};

struct refused_point {
    const char *benchmark, *name;
    bool refused;
    struct refusal why;
};

static const struct field_row refusal_rows[] = {FIELD_ROW(refusal, "message", FIELD_TEXT, message),
                                                FIELD_ROW(refusal, "file", FIELD_TEXT, file),
                                                FIELD_ROW(refusal, "line", FIELD_NUMBER, line),
                                                FIELD_ROW(refusal, "hint", FIELD_TEXT, hint),
                                                {0}};

static const struct field_row refused_rows[] = {FIELD_ROW(refused_point, "benchmark", FIELD_TEXT, benchmark),
                                                FIELD_ROW(refused_point, "point", FIELD_TEXT, name),
                                                FIELD_STATED(refused_point, "refused", refused),
                                                FIELD_PART(refused_point, "refused", why, refusal_rows),
                                                {0}};

enum status recipe_refusal(const struct recipe *recipe, const struct point *point, struct error *error)
{
    struct fields_reader reader = {.what = "the point", .kind = "a point"};
    struct refused_point found = {.benchmark = "", .name = "", .why = {"", "", "", 0}};
    struct buffer text = {0};
    if (!point->refused)
        return STATUS_OK;
    if (recipe_text(recipe, point, &text, error) != STATUS_OK)
        return STATUS_FAILED;
    json_t *document = json_parse(text.data, text.size, recipe->file, error);
    enum status status = document == NULL ? STATUS_FAILED : STATUS_OK;
    fields_read(&reader, document, NULL, refused_rows, &found);
    if (found.refused) {
        status = error_set(error, STATUS_RECIPE, "%s/%s: %s", found.benchmark, found.name, found.why.message);
        error_at(error, found.why.file, (int)found.why.line);
        error_hint(error, "%s", found.why.hint);
        if (error != NULL)
            field_line_find(error);
    }
    json_decref(document);
    buffer_free(&text);
    return status;
}

static bool all_refused(const struct recipe *recipe)
{
    size_t refused = 0;
    for (size_t i = 0; i < recipe->count; i++)
        refused += recipe->points[i].refused;
    return refused > 0 && refused == recipe->count;
}

static void push_input(lua_State *lua, void *context)
{
    lua_json_push(lua, ((const struct collector *)context)->input);
}

enum status recipe_load(const char *path, const struct machine *machine, const struct template *templates,
                        const struct override *overrides, size_t override_count, struct recipe *recipe,
                        struct error *error)
{
    *recipe = (struct recipe){0};
    recipe->file = arena_strdup(&recipe->arena, path);
    struct collector collector = {.recipe = recipe};
    collector.input = input_for("recipe");
    if (machine != NULL && machine->document != NULL)
        json_object_set(collector.input, "machine", machine->document);
    json_object_set_new(collector.input, "ops", describe_operations(templates));
    enum status status = add_overrides(collector.input, overrides, override_count, error);
    const struct sandbox_request request = {.path = recipe->file,
                                            .push_input = push_input,
                                            .pieces = pieces,
                                            .piece_count = PIECE_COUNT,
                                            .on_record = collect,
                                            .context = &collector};
    if (status == STATUS_OK)
        status = sandbox_run(&request, error);
    json_decref(collector.input);
    if (status == STATUS_OK && recipe->benchmarks.count == 0)
        status = refuse_all(recipe, error);
    if (status == STATUS_OK && all_refused(recipe))
        status = recipe_refusal(recipe, &recipe->points[0], error);
    if (status == STATUS_RECIPE && error != NULL && collector.lacks[0] != '\0' && error->hint[0] == '\0') {
        char shipped[SHIPPED_TEXT_BYTES];
        error_hint(error, "%s", shipped_with(machine->isa, collector.lacks, shipped));
    }
    if (status == STATUS_RECIPE && error != NULL)
        field_line_find(error);
    return status;
}

void recipe_free(struct recipe *recipe)
{
    free(recipe->points);
    free(recipe->included);
    spool_free(&recipe->spool);
    benchmarks_free(&recipe->benchmarks);
    benchmarks_free(&recipe->left_out);
    arena_free(&recipe->arena);
    *recipe = (struct recipe){0};
}

struct description {
    json_t *document; /* NULL until machine{} was called */
    int line;         /* of that call */
    const char *path;
    json_t *input; /* of the prelude */
};

static enum status take_description(const char *text, size_t size, void *context, struct error *error)
{
    struct description *description = context;
    const char *kind;
    json_t *record, *value = read_record(text, size, description->path, &record, &kind, error);
    if (strcmp(kind, "line") == 0)
        description->line = (int)json_integer_value(value);
    else if (value != NULL)
        description->document = json_incref(value);
    json_decref(record);
    return value == NULL ? STATUS_RECIPE : STATUS_OK;
}

static void push_description_input(lua_State *lua, void *context)
{
    lua_json_push(lua, ((const struct description *)context)->input);
}

enum status recipe_load_machine(const char *path, struct machine *machine, struct error *error)
{
    struct description description = {.path = path, .input = input_for("machine")};
    memset(machine, 0, sizeof *machine);
    const struct sandbox_request request = {.path = path,
                                            .push_input = push_description_input,
                                            .pieces = pieces,
                                            .piece_count = PIECE_COUNT,
                                            .on_record = take_description,
                                            .context = &description};
    enum status status = sandbox_run(&request, error);
    json_decref(description.input);
    if (status == STATUS_OK) {
        status = machine_from_json(description.document, path, machine, error);
        if (status != STATUS_OK)
            error_at(error, path, description.line);
        if (status != STATUS_OK && error != NULL)
            field_line_find(error);
    }
    json_decref(description.document);
    return status;
}
