#include "generator/kernel/kernel.h"

#include "base/units.h"
#include "generator/kernel/kernel_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = 48, MOST_TEXT = 8192, MOST_MEMORY = 1 << 20 };
static const char *const branch_kinds[] = {"conditional", "indirect"};

/* ---- loads and stores ---- */

static const char *const order_names[] = {"shuffled", "even", "burst"};
static const char *const address_names[] = {"independent", "chase"};

static const char *const prefetch_names[] = {"defeat", "invite"};

static enum status read_shares(const json_t *served, struct behaviour *item, struct error *error)
{
    double sum = 0;
    bool good = json_is_object(served);
    for (int level = 0; good && level < LEVEL_COUNT; level++) {
        item->served[level] = json_number_value(json_object_get(served, level_name(level)));
        good = item->served[level] >= 0 && item->served[level] <= 1;
        sum += item->served[level];
    }
    if (!good || fabs(sum - 1) > 1e-6)
        return field_wrong(error, "served", "shares of L1, L2, L3 and MEM that sum to 1");
    return STATUS_OK;
}

static bool parse_word(const json_t *value, unsigned width, uint64_t *word)
{
    const char *text = json_string_value(value);
    char *end = NULL;
    if (text == NULL || strncmp(text, "0x", 2) != 0 || strlen(text) > 2 + 2 * width)
        return false;
    *word = strtoull(text + 2, &end, 16);
    return end != text + 2 && *end == '\0';
}

static bool read_words(const json_t *list, struct arena *arena, struct behaviour *item)
{
    item->word_count = json_array_size(list);
    uint64_t *words = arena_alloc(arena, item->word_count, sizeof *words);
    item->words = words;
    item->changes = true;
    for (size_t i = 0; i < item->word_count; i++)
        if (!parse_word(json_array_get(list, i), behaviour_lane(item), &words[i]))
            return false;
    return item->word_count > 0;
}

/* "data": {"word": "0x..."}, {"words": ["0x...", ...]} or {"toggle": share}. */
enum status data_from_json(const json_t *data, struct arena *arena, struct behaviour *item,
                           struct error *error)
{
    const json_t *word = json_object_get(data, "word");
    const json_t *words = json_object_get(data, "words");
    if (data == NULL)
        return STATUS_OK;
    bool good = word != NULL    ? parse_word(word, behaviour_lane(item), &item->word)
                : words != NULL ? read_words(words, arena, item)
                                : json_is_number(json_object_get(data, "toggle"));
    if (good && word == NULL && words == NULL) {
        item->changes = true;
        good = field_share(data, "toggle", 0, 0, &item->toggle, NULL) == STATUS_OK;
    }
    if (!good)
        return field_wrong(error, "data",
                           "words in hexadecimal, no wider than what reads them, or a share that toggles");
    if (item->width == 4)
        item->word |= item->word << 32;
    item->has_data = true;
    if (item->address == ADDRESS_CHASE)
        return field_wrong(error, "load.data", "address = \"independent\", as a chase loads addresses");
    return STATUS_OK;
}

/* "stride": bytes, or "random", as without it. */
static enum status read_walk(const json_t *object, struct behaviour *item, struct error *error)
{
    const json_t *stride = json_object_get(object, "stride");
    const json_t *working_set = json_object_get(object, "working_set");
    int prefetch;
    enum status status = field_name(object, "prefetch", prefetch_names, 2, &prefetch, error);
    if (status != STATUS_OK)
        return status;
    item->prefetch = (enum prefetch)prefetch;
    item->steers = json_object_get(object, "prefetch") != NULL || stride != NULL || working_set != NULL;
    if (json_is_integer(stride) && json_integer_value(stride) > 0)
        item->stride = (uint64_t)json_integer_value(stride);
    else if (stride != NULL && strcmp(json_is_string(stride) ? json_string_value(stride) : "", "random") != 0)
        return field_wrong(error, "stride", "a number of bytes, or \"random\"");
    if (working_set != NULL && !(json_is_integer(working_set) && json_integer_value(working_set) > 0))
        return field_wrong(error, "working_set", "a number of bytes");
    item->working_set = (uint64_t)json_integer_value(working_set);
    return STATUS_OK;
}

static enum status check_access(const struct behaviour *item, struct error *error)
{
    if (item->width < 4 || (item->width & (item->width - 1)) != 0)
        return field_wrong(error, "width", "4, 8, 16, 32 or 64");
    if (item->width != 8 && item->address == ADDRESS_CHASE)
        return field_wrong(error, "width", "8, as a chase loads an address");
    if (item->non_temporal && (!item->is_store || (item->served[LEVEL_MEM] != 1 && item->working_set == 0)))
        return field_wrong(error, "cache", "a store that MEM serves, as it bypasses the caches");
    if (item->is_store && item->address == ADDRESS_CHASE)
        return field_wrong(error, "address", "\"independent\", as a store gives no address to chase");
    return STATUS_OK;
}

/* The fields of a load or store except op and count. */
static enum status access_from_json(const json_t *object, struct arena *arena, struct behaviour *item,
                                    struct error *error)
{
    int order;
    int address;
    enum status status = read_walk(object, item, error);
    if (status == STATUS_OK && item->working_set == 0)
        status = read_shares(json_object_get(object, "served"), item, error);
    if (status == STATUS_OK)
        status = field_name(object, "order", order_names, 3, &order, error);
    if (status == STATUS_OK)
        status = field_name(object, "address", address_names, 2, &address, error);
    if (status == STATUS_OK)
        status = field_count(object, "width", 4, 64, 8, &item->width, error);
    if (status != STATUS_OK)
        return status;
    item->order = (enum order)order;
    item->address = (enum address)address;
    item->non_temporal = json_object_get(object, "cache") != NULL;
    status = check_access(item, error);
    const char *loaded = json_string_value(json_object_get(object, "data"));
    item->stores_loaded = item->is_store && loaded != NULL && strcmp(loaded, "loaded") == 0;
    if (item->stores_loaded)
        return status;
    if (status == STATUS_OK && json_object_get(object, "data") != NULL && item->width > 8)
        return field_wrong(error, "width", "4 or 8, as data has words of that width");
    return status == STATUS_OK ? data_from_json(json_object_get(object, "data"), arena, item, error) : status;
}

static json_t *word_to_json(const struct behaviour *item, uint64_t word)
{
    word = item->width == 4 ? word & UINT32_MAX : word;
    return json_sprintf("0x%0*llx", (int)(2 * behaviour_lane(item)), (unsigned long long)word);
}

/* The data in its JSON form. New reference. */
static json_t *data_to_json(const struct behaviour *item)
{
    if (!item->changes)
        return json_pack("{s:o}", "word", word_to_json(item, item->word));
    if (item->word_count == 0)
        return json_pack("{s:f}", "toggle", item->toggle);
    json_t *words = json_array();
    for (size_t i = 0; i < item->word_count; i++)
        json_array_append_new(words, word_to_json(item, item->words[i]));
    return json_pack("{s:o}", "words", words);
}

static json_t *served_to_json(const struct behaviour *item)
{
    json_t *served = json_object();
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (level <= LEVEL_L2 || item->served[level] > 0)
            json_object_set_new(served, level_name(level), json_real(item->served[level]));
    return served;
}

/* The behaviour in its JSON form. */
static json_t *access_to_json(const struct behaviour *item)
{
    json_t *object = json_pack("{s:s}", "op", item->op);
    if (item->working_set > 0)
        json_object_set_new(object, "working_set", json_integer((json_int_t)item->working_set));
    else
        json_object_set_new(object, "served", served_to_json(item));
    json_object_set_new(object, "order", json_string(order_names[item->order]));
    json_object_set_new(object, "address", json_string(address_names[item->address]));
    json_object_set_new(object, "width", json_integer(item->width));
    json_object_set_new(object, "count", json_integer(item->count));
    if (item->stride > 0)
        json_object_set_new(object, "stride", json_integer((json_int_t)item->stride));
    if (item->steers)
        json_object_set_new(object, "prefetch", json_string(prefetch_names[item->prefetch]));
    if (item->non_temporal)
        json_object_set_new(object, "cache", json_string("nt"));
    if (item->stores_loaded)
        json_object_set_new(object, "data", json_string("loaded"));
    if (item->has_data)
        json_object_set_new(object, "data", data_to_json(item));
    return object;
}

/* ---- other behaviours ---- */

static enum status read_operation(const json_t *object, bool after_load, struct arena *arena,
                                  struct behaviour *item, struct error *error)
{
    enum status status = field_count(object, "dependents", 0, item->count, 0, &item->dependents, error);
    if (status == STATUS_OK)
        status = field_count(object, "chain", 0, 1000000, 0, &item->chain, error);
    if (status == STATUS_OK)
        status = field_count(object, "width", 4, 64, 8, &item->width, error);
    if (status != STATUS_OK)
        return status;
    if (item->dependents > 0 && !after_load)
        return field_wrong(error, "dependents", "a load of 4 or 8 bytes before them in the unit");
    if (!units_is_power_of_two(item->width))
        return field_wrong(error, "width", "4, 8, 16, 32 or 64");
    return data_from_json(json_object_get(object, "data"), arena, item, error);
}

static enum status read_branch(const json_t *object, struct behaviour *item, struct error *error)
{
    int kind;
    enum status status = field_share(object, "accuracy", 0.5, 1, &item->accuracy, error);
    if (status == STATUS_OK)
        status = field_share(object, "taken", 0, -1, &item->taken, error);
    if (status == STATUS_OK)
        status = field_name(object, "kind", branch_kinds, 2, &kind, error);
    if (status != STATUS_OK)
        return status;
    item->indirect = kind == 1;
    if (item->indirect && item->taken >= 0)
        return field_wrong(error, "branch.taken",
                           "it only for conditional branches: indirect ones are always taken");
    return STATUS_OK;
}

/* "registers": how many, or a list of names. */
static enum status read_registers(const json_t *value, struct arena *arena, struct behaviour *item,
                                  struct error *error)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0 &&
        json_integer_value(value) <= MOST_REGISTERS) {
        item->registers = (unsigned)json_integer_value(value);
        return STATUS_OK;
    }
    if (value == NULL)
        return STATUS_OK;
    bool good = json_array_size(value) > 0 && json_array_size(value) <= MOST_REGISTERS;
    item->registers = good ? (unsigned)json_array_size(value) : 0;
    const char **names = arena_alloc(arena, item->registers + 1, sizeof *names);
    item->register_names = names;
    for (unsigned i = 0; i < item->registers; i++) {
        const char *name = json_string_value(json_array_get(value, i));
        good = good && name != NULL;
        names[i] = arena_strdup(arena, name == NULL ? "" : name);
    }
    return good ? STATUS_OK : field_wrong(error, "asm.registers", "a number of registers, or their names");
}

static enum status read_asm(const json_t *object, struct arena *arena, struct behaviour *item,
                            struct error *error)
{
    const json_t *text = json_object_get(object, "text");
    const json_t *memory = json_object_get(object, "memory");
    const json_t *line = json_object_get(object, "line");
    const char *file = json_string_value(json_object_get(object, "file"));
    if (!json_is_string(text) || json_string_length(text) > MOST_TEXT)
        return field_wrong(error, "asm.text", "instructions, of at most 8192 characters");
    if (memory != NULL && !(json_is_integer(memory) && json_integer_value(memory) >= 1 &&
                            json_integer_value(memory) <= MOST_MEMORY))
        return field_wrong(error, "asm.memory", "a number of bytes from 1 to 1 MiB");
    item->text = arena_strdup(arena, json_string_value(text));
    item->memory = (uint64_t)json_integer_value(memory);
    item->file = file == NULL ? NULL : arena_strdup(arena, file);
    item->line = (int)json_integer_value(line);
    return read_registers(json_object_get(object, "registers"), arena, item, error);
}

/* "fetched": {"L1I": share, "L2": share}. */
static enum status read_code(const json_t *object, struct behaviour *item, struct error *error)
{
    const json_t *fetched = json_object_get(object, "fetched");
    double l1i = json_number_value(json_object_get(fetched, "L1I"));
    item->l1i_miss_rate = json_number_value(json_object_get(fetched, "L2"));
    if (!(l1i >= 0 && l1i <= 1 && item->l1i_miss_rate >= 0 && item->l1i_miss_rate <= 1) ||
        fabs(l1i + item->l1i_miss_rate - 1) > 1e-6)
        return field_wrong(error, "code.fetched", "shares of L1I and L2 that sum to 1");
    return STATUS_OK;
}

static enum status read_throttle(const json_t *object, struct behaviour *item, struct error *error)
{
    enum status status = field_share(object, "duty", 0, 1, &item->duty, error);
    if (status == STATUS_OK && !(item->duty > 0))
        return field_wrong(error, "throttle.duty", "a share above 0 and at most 1");
    return status;
}

static enum status read_item(const json_t *object, bool after_load, struct arena *arena,
                             struct behaviour *item, struct error *error)
{
    const json_t *op = json_object_get(object, "op");
    if (!json_is_string(op) || json_string_length(op) == 0)
        return field_wrong(error, "unit", "behaviours with an op");
    item->op = arena_strdup(arena, json_string_value(op));
    item->is_load = strcmp(item->op, "load") == 0;
    item->is_store = strcmp(item->op, "store") == 0;
    item->is_tlb = strcmp(item->op, "tlb") == 0;
    if (item->is_tlb)
        return field_share(object, "miss_rate", 0, 0, &item->page_misses, error);
    item->is_throttle = strcmp(item->op, "throttle") == 0;
    if (item->is_throttle)
        return read_throttle(object, item, error);
    item->is_branch = strcmp(item->op, "branch") == 0;
    item->is_asm = strcmp(item->op, "asm") == 0;
    item->is_code = strcmp(item->op, "code") == 0;
    enum status status = field_count(object, "count", 1, 10000, 1, &item->count, error);
    if (status != STATUS_OK)
        return status;
    if (item->is_branch)
        return read_branch(object, item, error);
    if (item->is_asm)
        return read_asm(object, arena, item, error);
    if (item->is_code)
        return read_code(object, item, error);
    return behaviour_accesses(item) ? access_from_json(object, arena, item, error)
                                    : read_operation(object, after_load, arena, item, error);
}

unsigned behaviour_lane(const struct behaviour *item)
{
    return item->width < 8 ? item->width : 8;
}

double behaviour_miss_rate(const struct behaviour *item)
{
    return item->served[LEVEL_L2] + item->served[LEVEL_L3] + item->served[LEVEL_MEM];
}

const struct behaviour *kernel_data(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].is_load && kernel->items[i].has_data)
            return &kernel->items[i];
    return NULL;
}

bool behaviour_same_data(const struct behaviour *a, const struct behaviour *b)
{
    if (!a->has_data || !b->has_data || a->is_load != b->is_load || a->width != b->width ||
        a->changes != b->changes || a->word_count != b->word_count)
        return false;
    if (!a->changes)
        return a->word == b->word;
    return a->word_count > 0 ? memcmp(a->words, b->words, a->word_count * sizeof *a->words) == 0
                             : a->toggle == b->toggle;
}

/* "phases": the number of behaviours in each phase's unit; if missing, one phase has them all. */
static enum status read_phases(const json_t *phases, struct kernel *kernel, struct error *error)
{
    size_t next = 0;
    kernel->phase_count = phases == NULL ? 1 : (unsigned)json_array_size(phases);
    for (unsigned phase = 0; phases != NULL && phase < kernel->phase_count; phase++) {
        json_int_t length = json_integer_value(json_array_get(phases, phase));
        if (length < 1 || (size_t)length > kernel->count - next)
            return field_wrong(error, "phases", "lengths of at least 1 that sum to the behaviours");
        for (json_int_t i = 0; i < length; i++)
            kernel->items[next++].phase = phase;
    }
    if (phases != NULL && next != kernel->count)
        return field_wrong(error, "phases", "lengths of at least 1 that sum to the behaviours");
    return STATUS_OK;
}

/* Distributes the share of a tlb{} over all loads and stores. */
static enum status share_page_misses(struct kernel *kernel, struct error *error)
{
    const struct behaviour *tlb = NULL;
    bool accesses = false;
    for (size_t i = 0; i < kernel->count; i++) {
        if (kernel->items[i].is_tlb && tlb != NULL)
            return field_wrong(error, "tlb", "at most one in a kernel, whose rate all its phases share");
        tlb = kernel->items[i].is_tlb ? &kernel->items[i] : tlb;
        accesses = accesses || behaviour_accesses(&kernel->items[i]);
    }
    if (tlb != NULL && !accesses)
        return field_wrong(error, "tlb", "a load or a store beside it");
    for (size_t i = 0; tlb != NULL && i < kernel->count; i++) {
        struct behaviour *item = &kernel->items[i];
        if (!behaviour_accesses(item))
            continue;
        if (item->working_set > 0 || tlb->page_misses > item->served[LEVEL_L1] + 1e-9)
            return field_wrong(
                error, "tlb.miss_rate",
                "at most the share that L1 serves of each load and store, none of which walks");
        item->page_misses = tlb->page_misses;
    }
    return STATUS_OK;
}

static json_t *phases_to_json(const struct kernel *kernel)
{
    json_t *phases = json_array();
    for (unsigned phase = 0; phase < kernel->phase_count; phase++) {
        json_int_t length = 0;
        for (size_t i = 0; i < kernel->count; i++)
            length += kernel->items[i].phase == phase;
        json_array_append_new(phases, json_integer(length));
    }
    return phases;
}

const struct behaviour *kernel_code(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].is_code)
            return &kernel->items[i];
    return NULL;
}

/* All code lines of a loop share one rate. */
static bool code_agrees(const struct kernel *kernel)
{
    const struct behaviour *code = kernel_code(kernel);
    for (size_t i = 0; code != NULL && i < kernel->count; i++)
        if (kernel->items[i].is_code && kernel->items[i].l1i_miss_rate != code->l1i_miss_rate)
            return false;
    return true;
}

enum status kernel_from_json(const json_t *document, struct arena *arena, struct kernel *kernel,
                             struct error *error)
{
    memset(kernel, 0, sizeof *kernel);
    const json_t *unit = json_object_get(document, "unit");
    if (!json_is_array(unit) || json_array_size(unit) == 0)
        return field_wrong(error, "unit", "a list of at least one behaviour");
    kernel->count = json_array_size(unit);
    kernel->items = arena_alloc(arena, kernel->count, sizeof *kernel->items);
    enum status phases = read_phases(json_object_get(document, "phases"), kernel, error);
    if (phases != STATUS_OK)
        return phases;
    bool after_load = false;
    unsigned copied = 0; /* width of the last load, which a store may write; 0: nothing was loaded */
    for (size_t i = 0; i < kernel->count; i++) {
        struct behaviour *item = &kernel->items[i];
        unsigned phase = item->phase;
        bool same_phase = i > 0 && kernel->items[i - 1].phase == phase;
        after_load = after_load && same_phase;
        copied = same_phase ? copied : 0;
        enum status status = read_item(json_array_get(unit, i), after_load, arena, item, error);
        if (status != STATUS_OK)
            return status;
        if (item->stores_loaded && item->width != copied)
            return field_wrong(error, "store.data",
                               "a pattern, or an independent load of that width before it");
        after_load = item->is_load ? item->width <= 8 : after_load;
        if (item->is_load)
            copied = item->address == ADDRESS_CHASE ? 0 : item->width;
    }
    enum status shared = share_page_misses(kernel, error);
    if (shared != STATUS_OK)
        return shared;
    for (size_t i = 0; kernel_code(kernel) != NULL && i < kernel->count; i++)
        if (kernel->items[i].is_asm || (kernel->items[i].is_branch && kernel->items[i].indirect))
            return field_wrong(error, "code{}", "it without asm{} and without indirect branches in the unit");
    if (!code_agrees(kernel))
        return field_wrong(error, "code.fetched", "the same shares in all code{} of the unit");
    const json_t *loop = json_object_get(document, "loop");
    enum status status = field_count(loop, "units", 1, 1000000, 0, &kernel->loop_units, error);
    if (status == STATUS_OK)
        status = field_count(loop, "instructions", 1, 1000000, 0, &kernel->loop_instructions, error);
    kernel->loop_fill = json_object_get(loop, "fill") != NULL;
    return status;
}

static json_t *branch_to_json(const struct behaviour *item)
{
    json_t *object =
        json_pack("{s:s, s:i, s:f}", "op", item->op, "count", (int)item->count, "accuracy", item->accuracy);
    if (item->taken >= 0)
        json_object_set_new(object, "taken", json_real(item->taken));
    if (item->indirect)
        json_object_set_new(object, "kind", json_string("indirect"));
    return object;
}

/* Omits the recipe's file and line: a kernel's identity does not depend on where it is written. */
static json_t *asm_to_json(const struct behaviour *item)
{
    json_t *object =
        json_pack("{s:s, s:i, s:s}", "op", item->op, "count", (int)item->count, "text", item->text);
    json_t *registers = item->register_names == NULL ? json_integer(item->registers) : json_array();
    for (unsigned i = 0; item->register_names != NULL && i < item->registers; i++)
        json_array_append_new(registers, json_string(item->register_names[i]));
    json_object_set_new(object, "registers", registers);
    if (item->memory > 0)
        json_object_set_new(object, "memory", json_integer((json_int_t)item->memory));
    return object;
}

static json_t *operation_to_json(const struct behaviour *item)
{
    json_t *object = json_pack("{s:s, s:i, s:i, s:i}", "op", item->op, "count", (int)item->count,
                               "dependents", (int)item->dependents, "chain", (int)item->chain);
    if (item->width != 8)
        json_object_set_new(object, "width", json_integer(item->width));
    if (item->has_data)
        json_object_set_new(object, "data", data_to_json(item));
    return object;
}

static json_t *item_to_json(const struct behaviour *item)
{
    if (item->is_asm)
        return asm_to_json(item);
    if (item->is_branch)
        return branch_to_json(item);
    if (item->is_throttle)
        return json_pack("{s:s, s:f}", "op", item->op, "duty", item->duty);
    if (item->is_tlb)
        return json_pack("{s:s, s:f}", "op", item->op, "miss_rate", item->page_misses);
    if (behaviour_accesses(item))
        return access_to_json(item);
    if (item->is_code)
        return json_pack("{s:s, s:i, s:{s:f, s:f}}", "op", item->op, "count", (int)item->count, "fetched",
                         "L1I", 1 - item->l1i_miss_rate, "L2", item->l1i_miss_rate);
    return operation_to_json(item);
}

json_t *kernel_to_json(const struct kernel *kernel)
{
    json_t *unit = json_array();
    for (size_t i = 0; i < kernel->count; i++)
        json_array_append_new(unit, item_to_json(&kernel->items[i]));
    json_t *loop = json_object();
    if (kernel->loop_units != 0)
        json_object_set_new(loop, "units", json_integer(kernel->loop_units));
    if (kernel->loop_instructions != 0)
        json_object_set_new(loop, "instructions", json_integer(kernel->loop_instructions));
    if (kernel->loop_fill)
        json_object_set_new(loop, "fill", json_string("L1I"));
    json_t *document = json_pack("{s:o, s:o}", "unit", unit, "loop", loop);
    if (kernel->phase_count > 1)
        json_object_set_new(document, "phases", phases_to_json(kernel));
    return document;
}
