#include "generator/kernel/kernel.h"

#include "base/json/field_json.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = 48, MOST_TEXT = 8192, MOST_MEMORY = 1 << 20, WIDEST = 64 };
enum { NUMBER_BYTES = 8, WANTED_BYTES = 64 };
enum { GPU_WIDEST_ACCESS = 16, GPU_WIDEST_OPERATION = 8, GPU_WIDEST_BUS = 1024 };
enum {
    MOST_COUNT = 10000,
    MOST_CHAIN = 1000000,
    MOST_LOOP = 1000000,
    MOST_NODE = 1023,
    MOST_STAGES = 16,
    MOST_BLOCKS = 1 << 24,
    MOST_THREADS = 4096,
    MOST_CLUSTER = 8
};
#define MOST_BYTES ((uint64_t)1 << 40)

static const char *const branch_kinds[] = {"conditional", "indirect"};
static const char *const branch_throughs[] = {"register", "memory"};
static const char *const branch_tests[] = {"each", "shared"};
static const char *const order_names[] = {"shuffled", "even", "burst"};
static const char *const address_names[] = {"independent", "chase", "led"};
enum { GPU_ADDRESSES = 2, ADDRESSES };
static const char *const prefetch_names[] = {"defeat", "invite"};
static const char *const coherence_names[] = {NULL, "modified", "exclusive", "shared"};
enum { COHERENCE_NAMES = sizeof coherence_names / sizeof coherence_names[0] };
static const char *const atomic_names[] = {"add", "cas", "swap", "turn"};
enum { ATOMIC_NAMES = sizeof atomic_names / sizeof atomic_names[0] };
static const char SHARED_LOAD[] = "shared", SHARED_CHASE[] = "shared_chase";
static const char *const gpu_atomics[] = {"add", "cas", "swap", "max"};
enum { GPU_ATOMICS = sizeof gpu_atomics / sizeof gpu_atomics[0] };
static const char *const words_names[] = {"one", "block", "warp", "thread"};
static const char *const scope_names[] = {"cta", "cluster", "gpu", "sys"};
static const char *const gpu_levels[] = {"SHARED", "DSMEM", "L1", "L2", "L3", "MEM"};

const char *gpu_level_name(int level)
{
    return gpu_levels[level];
}

const char *atomic_scope_name(enum atomic_scope scope)
{
    return scope_names[scope];
}

/* The target for which a kernel is read, and the error to fill. */
struct kernel_reading {
    const struct isa *isa;
    struct arena *arena;
    struct error *error;
};

/* ---- the fields of an object of the document ---- */

/* A field that should be a number. */
struct stated_number {
    bool given, is_number, is_whole;
    json_int_t whole;
    double value;
};

struct stated_text {
    bool given;
    const char *words; /* NULL: not a text */
};

/* Members of a point, a kernel, a behaviour and their parts, by name. */
/* clang-format off */
#define NUMBERS(X) \
    X(width) X(toggle) X(zeros) X(node) X(bus) X(stages) X(dependents) X(chain) X(divergence) X(accuracy) \
    X(taken) X(duty) X(miss_rate) X(misses) X(count) X(units) X(instructions) X(blocks) X(threads) X(cluster) \
    X(window) X(behind) X(logic) X(offset) X(stride) X(apart) X(working_set) X(lane) X(memory) X(line) X(L1I) X(L2)
#define TEXTS(X) \
    X(order) X(prefetch) X(spread) X(scope) X(address) X(kind) X(through) X(test) X(word) X(atomic) X(source) X(cache) \
    X(from) X(text) X(file) X(coherence) X(op) X(peak) X(fill)
#define PARTS(X) \
    X(words) X(data) X(served) X(registers) X(shared) X(fetched) X(unit) X(loop) X(phases) X(grid) \
    X(kernel) X(place)
/* clang-format on */
#define NUMBER_MEMBER(name) struct stated_number name;
#define TEXT_MEMBER(name) struct stated_text name;
#define PART_MEMBER(name) const json_t *name;
#define NUMBER_ROW(name) FIELD_BY(stated, #name, name, read_number),
#define TEXT_ROW(name) FIELD_BY(stated, #name, name, read_text),
#define PART_ROW(name) FIELD_ROW(stated, #name, FIELD_ANY, name),

struct stated {
    NUMBERS(NUMBER_MEMBER)
    TEXTS(TEXT_MEMBER)
    PARTS(PART_MEMBER)
    struct stated_text stride_word; /* in place of the number */
    bool returns, leads, updates, copies;
};

static bool read_number(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(struct stated_number *)at = (struct stated_number){true, json_is_number(value), json_is_integer(value),
                                                         json_integer_value(value), json_number_value(value)};
    return true;
}

static bool read_text(struct fields_reader *reader, const json_t *value, void *at)
{
    (void)reader;
    *(struct stated_text *)at = (struct stated_text){true, json_string_value(value)};
    return true;
}

/* Reads the object's fields (NULL: none). */
static struct stated read_stated(const json_t *object)
{
    static const struct field_row rows[] = {NUMBERS(NUMBER_ROW) TEXTS(TEXT_ROW) PARTS(PART_ROW)
                                                FIELD_BY(stated, "stride", stride_word, read_text),
                                            FIELD_ROW(stated, "returns", FIELD_FLAG, returns),
                                            FIELD_ROW(stated, "leads", FIELD_FLAG, leads),
                                            FIELD_ROW(stated, "updates", FIELD_FLAG, updates),
                                            FIELD_ROW(stated, "copies", FIELD_FLAG, copies),
                                            {0}};
    struct fields_reader reader = {.what = "", .kind = ""};
    struct stated stated = {0};
    fields_read(&reader, object, NULL, rows, &stated);
    return stated;
}

/* ---- fields ---- */

/* The kernel's field is wrong. */
static enum status field_wrong(struct error *error, const char *field, const char *expected)
{
    return error_set(error, STATUS_RECIPE, "the kernel's %s is wrong: expected %s", field, expected);
}

static enum status field_count(const struct stated_number *value, const char *key, unsigned low,
                               unsigned high, unsigned fallback, unsigned *result, struct error *error)
{
    *result = fallback;
    if (!value->given)
        return STATUS_OK;
    if (!value->is_whole || value->whole < low || value->whole > high)
        return error_set(error, STATUS_RECIPE,
                         "the kernel's %s is wrong: expected a whole number from %u to %u", key, low, high);
    *result = (unsigned)value->whole;
    return STATUS_OK;
}

static enum status field_name(const struct stated_text *value, const char *key, const char *const *names,
                              int count, int *result, struct error *error)
{
    *result = 0;
    if (!value->given)
        return STATUS_OK;
    for (int i = 0; value->words != NULL && i < count; i++) {
        if (strcmp(value->words, names[i]) == 0) {
            *result = i;
            return STATUS_OK;
        }
    }
    return field_wrong(error, key, "one of its names in the recipe language");
}

static enum status field_share(const struct stated_number *value, const char *key, double low,
                               double fallback, double *result, struct error *error)
{
    *result = !value->given ? fallback : value->value;
    if (value->given && !(value->is_number && *result >= low && *result <= 1))
        return error_set(error, STATUS_RECIPE, "the kernel's %s is wrong: expected a number from %g to 1",
                         key, low);
    return STATUS_OK;
}

static enum status read_width(const struct stated *object, const struct kernel_reading *reading,
                              unsigned widest, unsigned *width)
{
    enum status status =
        field_count(&object->width, "width", 4, widest, reading->isa->plain_width, width, reading->error);
    if (status != STATUS_OK || units_is_power_of_two(*width))
        return status;
    return field_wrong(reading->error, "width",
                       widest == GPU_WIDEST_OPERATION ? "4 or 8"
                       : widest == GPU_WIDEST_ACCESS  ? "4, 8 or 16"
                                                      : "4, 8, 16, 32 or 64");
}

/* ---- loads and stores ---- */

static enum status read_shares(const json_t *served, const struct kernel_reading *reading,
                               struct behaviour *item)
{
    const char *key;
    const json_t *share;
    double sum = 0;
    bool good = json_is_object(served);
    json_object_foreach((json_t *)served, key, share)
    {
        int level = 0, levels = reading->isa->gpu ? (int)GPU_LEVELS : (int)LEVEL_COUNT;
        while (level < levels && strcmp(key, reading->isa->gpu ? gpu_levels[level] : level_name(level)) != 0)
            level++;
        good = good && level < levels && json_is_number(share) && json_number_value(share) >= 0;
        if (good)
            item->served[level] = json_number_value(share);
        sum += json_number_value(share);
    }
    if (good && fabs(sum - 1) <= 1e-6)
        return STATUS_OK;
    return field_wrong(
        reading->error, "served",
        reading->isa->gpu ? "shares of SHARED, L1, L2 and MEM (of NVIDIA also DSMEM, of AMD L3) that sum to 1"
                          : "shares of L1, L2, L3 and MEM that sum to 1");
}

static bool parse_word(const char *text, unsigned width, uint64_t *word)
{
    char *end = NULL;
    if (text == NULL || strncmp(text, "0x", 2) != 0 || strlen(text) > 2 + 2 * width)
        return false;
    *word = strtoull(text + 2, &end, 16);
    return end != text + 2 && *end == '\0';
}

static bool read_words(const json_t *list, const struct kernel_reading *reading, struct behaviour *item)
{
    item->word_count = json_array_size(list);
    uint64_t *words = arena_alloc(reading->arena, item->word_count, sizeof *words);
    item->words = words;
    item->changes = true;
    for (size_t i = 0; i < item->word_count; i++)
        if (!parse_word(json_string_value(json_array_get(list, i)), behaviour_lane(item), &words[i]))
            return false;
    return item->word_count > 0;
}

/* Greatest toggle rate that can hold in every order. */
static const double MOST_DEALT = 0.5;

/* {"toggle": share, "order": "program", "zeros": bits} */
static enum status read_toggle(const struct stated *data, struct behaviour *item)
{
    static const char *const orders[] = {"every", "program"};
    enum { MOST_ZEROS = 16 };
    int order;
    enum status status = field_share(&data->toggle, "toggle", 0, 0, &item->toggle, NULL);
    if (status == STATUS_OK)
        status = field_name(&data->order, "order", orders, 2, &order, NULL);
    if (status == STATUS_OK)
        status = field_count(&data->zeros, "zeros", 0, MOST_ZEROS, 0, &item->zeros, NULL);
    if (status != STATUS_OK)
        return status;
    item->changes = true;
    item->program_order = order == 1;
    bool groups = item->zeros == 0 || (units_is_power_of_two(item->zeros) && item->toggle <= MOST_DEALT / 2);
    return groups && (item->program_order || item->toggle <= MOST_DEALT) ? STATUS_OK : STATUS_RECIPE;
}

/* "data": {"word": "0x..."}, {"words": ["0x...", ...]} or {"toggle": share}, of a behaviour whose width is
 * known. */
static enum status read_data(const json_t *data, const struct kernel_reading *reading, struct behaviour *item)
{
    const struct stated stated = read_stated(data);
    if (data == NULL)
        return STATUS_OK;
    bool good = stated.word.given      ? parse_word(stated.word.words, behaviour_lane(item), &item->word)
                : stated.words != NULL ? read_words(stated.words, reading, item)
                                       : stated.toggle.is_number && read_toggle(&stated, item) == STATUS_OK;
    if (!good)
        return field_wrong(reading->error, "data",
                           "words in hexadecimal, no wider than the access, or a toggle rate, above 0.5 with "
                           "\"order\": \"program\"");
    if (item->width == 4)
        item->word |= item->word << 32;
    item->has_data = true;
    if (behaviour_chases(item))
        return field_wrong(reading->error, "load.data",
                           "address = \"independent\", as a chase loads addresses");
    return STATUS_OK;
}

static bool read_bytes(const struct stated_number *value, uint64_t *bytes)
{
    *bytes = (uint64_t)value->whole;
    return !value->given || (value->is_whole && value->whole > 0 && *bytes <= MOST_BYTES);
}

/* "stride": bytes, or "random", as without it. */
static enum status read_walk(const struct stated *object, const struct kernel_reading *reading,
                             struct behaviour *item)
{
    const char *name = object->stride_word.words;
    int prefetch;
    enum status status =
        field_name(&object->prefetch, "prefetch", prefetch_names, 2, &prefetch, reading->error);
    if (status != STATUS_OK)
        return status;
    item->prefetch = (enum prefetch)prefetch;
    item->steers = object->prefetch.given || object->stride.given || object->working_set.given;
    item->random = name != NULL && strcmp(name, "random") == 0;
    if (!item->random && !read_bytes(&object->stride, &item->stride))
        return field_wrong(reading->error, "stride", "a number of bytes, or \"random\"");
    if (!read_bytes(&object->working_set, &item->working_set))
        return field_wrong(reading->error, "working_set", "a number of bytes");
    if (!read_bytes(&object->lane, &item->lane))
        return field_wrong(reading->error, "lane", "a number of bytes");
    item->bound = object->node.given;
    return field_count(&object->node, "node", 0, MOST_NODE, 0, &item->node, reading->error);
}

static enum status check_access(const struct behaviour *item, struct error *error)
{
    if (item->width != 8 && item->address == ADDRESS_CHASE)
        return field_wrong(error, "width", "8, as a chase loads an address");
    bool led = item->address == ADDRESS_LED;
    if ((led || item->leads) && (item->kind != BEHAVIOUR_LOAD || item->width > NUMBER_BYTES))
        return field_wrong(error, "leads and address", "\"led\" and leads of loads of 4 or 8 bytes");
    if (item->leads && item->address == ADDRESS_CHASE)
        return field_wrong(error, "leads", "it of loads that are no chase, which lead in any case");
    if (item->behind > 0 && (!led || item->leads))
        return field_wrong(error, "behind", "it of loads with address = \"led\" that do not lead");
    if ((item->updates || item->copies) &&
        (item->kind != BEHAVIOUR_LOAD || item->width > NUMBER_BYTES || item->leads ||
         (item->copies && (item->updates || item->width < NUMBER_BYTES)) ||
         item->address != ADDRESS_INDEPENDENT || item->steers || item->served[LEVEL_L1] != 1))
        return field_wrong(
            error, item->updates ? "updates" : "copies",
            "it of loads of 8 bytes (updates: of 4, too) that hit L1 and give no load its address");
    if (item->logic > 0 && (!item->leads || (item->logic != 4 && item->logic != NUMBER_BYTES)))
        return field_wrong(error, "logic", "4 or 8 of loads that lead");
    if (item->non_temporal &&
        (item->kind != BEHAVIOUR_STORE || (item->served[LEVEL_MEM] != 1 && item->working_set == 0)))
        return field_wrong(error, "cache", "a store that MEM serves, as it bypasses the caches");
    if (item->from_vector &&
        (item->kind != BEHAVIOUR_STORE || item->width > NUMBER_BYTES || item->non_temporal))
        return field_wrong(error, "from", "it of stores of 4 or 8 bytes that pass through the caches");
    if (item->kind == BEHAVIOUR_STORE && item->address == ADDRESS_CHASE)
        return field_wrong(error, "address", "\"independent\", as a store gives no address to chase");
    return STATUS_OK;
}

/* The width of the data's words on the bus that carries them. */
static enum status read_bus(const struct stated *object, const struct kernel_reading *reading,
                            struct behaviour *item)
{
    unsigned bits = 0;
    unsigned least = reading->isa->gpu ? 32 : 8 * item->width;
    unsigned most = reading->isa->gpu ? GPU_WIDEST_BUS : item->kind == BEHAVIOUR_STORE ? least : 8 * WIDEST;
    enum status status = field_count(&object->bus, "bus", least, most, 0, &bits, reading->error);
    if (status == STATUS_OK && (bits & (bits - 1)) != 0)
        status = field_wrong(reading->error, "bus", "a power of two");
    item->bus = bits / 8;
    return status;
}

static const char *name_among(const char *const *names, int count, const char *wanted, int *index)
{
    for (int i = 0; wanted != NULL && i < count; i++)
        if (names[i] != NULL && strcmp(names[i], wanted) == 0) {
            *index = i;
            return names[i];
        }
    return NULL;
}

/* Reads the other fields of a GPU's atomic, which is performed in L2 or in shared memory. */
static enum status read_atomic(const struct stated *object, const struct kernel_reading *reading,
                               struct behaviour *item)
{
    int ignored, words = 0, scope = 0;
    const char *name = object->atomic.words;
    item->atomic = name_among(gpu_atomics, GPU_ATOMICS, name, &ignored);
    if (item->atomic == NULL || item->width > 8)
        return field_wrong(reading->error, "atomic", "add, cas, swap or max, of 4 or 8 bytes");
    if (item->served[GPU_L1] > 0 || item->served[GPU_L3] > 0 || item->served[GPU_MEM] > 0 ||
        item->working_set > 0)
        return field_wrong(reading->error, "served", "shares of SHARED, DSMEM and L2");
    enum status status = field_name(&object->spread, "spread", words_names, 4, &words, reading->error);
    if (status == STATUS_OK)
        status = field_name(&object->scope, "scope", scope_names, 4, &scope, reading->error);
    item->spread = (enum atomic_words)words;
    item->scope = (enum atomic_scope)scope;
    item->returns = object->returns;
    return status;
}

/* Reads the source of an asynchronous load, which loads no register. */
static enum status read_source(const struct stated *object, const struct kernel_reading *reading,
                               struct behaviour *item)
{
    const char *source = object->source.words;
    struct error *error = reading->error;
    item->bulk = source != NULL && strcmp(source, "tma") == 0;
    item->async = item->bulk || (source != NULL && strcmp(source, "async") == 0);
    enum status status = field_count(&object->stages, "stages", 1, MOST_STAGES, 0, &item->stages, error);
    if (status == STATUS_OK && object->source.given && !item->async)
        return field_wrong(error, "source", "\"async\" or \"tma\"");
    if (status != STATUS_OK || !item->async)
        return status;
    if ((item->kind != BEHAVIOUR_LOAD || item->address == ADDRESS_CHASE) && !item->bulk)
        return field_wrong(error, "source", "an independent load that is asynchronous, or a bulk copy");
    if (item->bulk &&
        (item->served[GPU_L1] > 0 || object->cache.given || (item->lane > 0 && item->lane != item->width)))
        return field_wrong(error, "source",
                           "a bulk copy of adjacent bytes past L1, without a cache operator");
    return item->served[GPU_SHARED] > 0 || item->served[GPU_DSMEM] > 0
               ? field_wrong(error, "source", "an asynchronous load that L1, L2 or MEM serves")
               : STATUS_OK;
}

/* Reads the fields that processors or GPUs alone have: a store that bypasses the caches or copies, and a
 * cache operator. */
static enum status read_own(const struct stated *object, const struct kernel_reading *reading,
                            struct behaviour *item)
{
    const char *cache = object->cache.words;
    const char *data = json_string_value(object->data);
    if (!reading->isa->gpu) {
        item->non_temporal = object->cache.given;
        item->stores_loaded = item->kind == BEHAVIOUR_STORE && data != NULL && strcmp(data, "loaded") == 0;
        return check_access(item, reading->error);
    }
    item->cache = cache == NULL ? NULL : arena_strdup(reading->arena, cache);
    return strcmp(item->op, "atomic") == 0 ? read_atomic(object, reading, item)
                                           : read_source(object, reading, item);
}

/* The fields of a load or store except op and count. */
static enum status read_access(const struct stated *object, const struct kernel_reading *reading,
                               struct behaviour *item)
{
    struct error *error = reading->error;
    bool gpu = reading->isa->gpu;
    int order = 0, address = 0;
    enum status status = read_walk(object, reading, item);
    if (status == STATUS_OK && item->working_set == 0)
        status = read_shares(object->served, reading, item);
    if (status == STATUS_OK)
        status = field_name(&object->order, "order", order_names, 3, &order, error);
    if (status == STATUS_OK)
        status = field_name(&object->address, "address", address_names, gpu ? GPU_ADDRESSES : ADDRESSES,
                            &address, error);
    if (status == STATUS_OK)
        status = field_count(&object->behind, "behind", 1, MOST_COUNT, 0, &item->behind, error);
    item->leads = object->leads;
    if (status == STATUS_OK)
        status = field_count(&object->logic, "logic", 4, NUMBER_BYTES, 0, &item->logic, error);
    item->updates = object->updates;
    item->copies = object->copies;
    if (status == STATUS_OK)
        status = read_width(object, reading, gpu ? GPU_WIDEST_ACCESS : WIDEST, &item->width);
    item->order = (enum order)order;
    item->address = (enum address)address;
    item->from_vector = object->from.given;
    if (status == STATUS_OK)
        status = read_own(object, reading, item);
    if (status == STATUS_OK)
        status = read_bus(object, reading, item);
    const json_t *data = item->stores_loaded ? NULL : object->data;
    if (status == STATUS_OK)
        status = read_data(data, reading, item);
    return status == STATUS_OK && item->from_vector && !item->has_data
               ? field_wrong(error, "from", "it beside data")
               : status;
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
        return json_pack("{s:f, s:s*, s:o*}", "toggle", item->toggle, "order",
                         item->program_order ? "program" : NULL, "zeros",
                         item->zeros > 0 ? json_integer(item->zeros) : NULL);
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
    if (item->bus > 0)
        json_object_set_new(object, "bus", json_integer(8 * (json_int_t)item->bus));
    if (item->from_vector)
        json_object_set_new(object, "from", json_string("vector"));
    if (item->leads)
        json_object_set_new(object, "leads", json_true());
    if (item->logic > 0)
        json_object_set_new(object, "logic", json_integer(item->logic));
    if (item->updates)
        json_object_set_new(object, "updates", json_true());
    if (item->copies)
        json_object_set_new(object, "copies", json_true());
    if (item->behind > 0)
        json_object_set_new(object, "behind", json_integer(item->behind));
    if (item->bound)
        json_object_set_new(object, "node", json_integer(item->node));
    return object;
}

/* ---- other behaviours ---- */

/* True if an operation can consume a load of so many bytes: a vector needs at least its width, a number a
 * load into a general register. */
static bool can_consume(unsigned loaded, unsigned width, bool gpu)
{
    if (gpu || loaded == 0)
        return loaded > 0;
    return width > NUMBER_BYTES ? loaded >= width : loaded <= NUMBER_BYTES;
}

/* loaded: bytes of the last load before it in the unit, 0 without any. */
static enum status read_operation(const struct stated *object, unsigned loaded,
                                  const struct kernel_reading *reading, struct behaviour *item)
{
    struct error *error = reading->error;
    bool gpu = reading->isa->gpu;
    enum status status =
        field_count(&object->dependents, "dependents", 0, item->count, 0, &item->dependents, error);
    if (status == STATUS_OK)
        status = field_count(&object->chain, "chain", 0, MOST_CHAIN, 0, &item->chain, error);
    if (status == STATUS_OK)
        status = read_width(object, reading, gpu ? GPU_WIDEST_OPERATION : WIDEST, &item->width);
    if (status != STATUS_OK)
        return status;
    if (item->dependents > 0 && !can_consume(loaded, item->width, gpu)) {
        char wanted[WANTED_BYTES] = "a load before them in the unit";
        if (!gpu && item->width > NUMBER_BYTES)
            snprintf(wanted, sizeof wanted, "a load with width = %u before them in the unit", item->width);
        else if (!gpu)
            snprintf(wanted, sizeof wanted, "a load of 4 or 8 bytes before them in the unit");
        return field_wrong(error, "dependents", wanted);
    }
    return read_data(object->data, reading, item);
}

static enum status read_branch(const struct stated *object, struct behaviour *item, bool gpu,
                               struct error *error)
{
    int kind, through = 0, test = 0;
    if (gpu)
        return field_share(&object->divergence, "divergence", 0, 0, &item->divergence, error);
    enum status status = field_share(&object->accuracy, "accuracy", 0.5, 1, &item->accuracy, error);
    if (status == STATUS_OK)
        status = field_share(&object->taken, "taken", 0, -1, &item->taken, error);
    if (status == STATUS_OK)
        status = field_name(&object->kind, "kind", branch_kinds, 2, &kind, error);
    if (status == STATUS_OK)
        status = field_name(&object->through, "through", branch_throughs, 2, &through, error);
    if (status == STATUS_OK)
        status = field_name(&object->test, "test", branch_tests, 2, &test, error);
    if (status != STATUS_OK)
        return status;
    item->indirect = kind == 1;
    item->through_memory = through == 1;
    if (item->through_memory && (!item->indirect || item->accuracy < 1))
        return field_wrong(error, "branch.through", "it only for indirect branches of accuracy 1");
    item->shares_test = test == 1;
    item->narrow_test = object->width.given && object->width.whole == 4;
    if (item->indirect && item->narrow_test)
        return field_wrong(error, "branch.width", "it only for conditional branches");
    if (item->indirect && item->taken >= 0)
        return field_wrong(error, "branch.taken",
                           "it only for conditional branches: indirect ones are always taken");
    return STATUS_OK;
}

/* "registers": how many, or a list of names. */
static enum status read_registers(const json_t *value, const struct kernel_reading *reading,
                                  struct behaviour *item)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0 &&
        json_integer_value(value) <= MOST_REGISTERS) {
        item->registers = (unsigned)json_integer_value(value);
        return STATUS_OK;
    }
    if (value == NULL)
        return STATUS_OK;
    if (reading->isa->gpu)
        return field_wrong(reading->error, "asm.registers",
                           "a number of them, as GPU registers have no names");
    bool good = json_array_size(value) > 0 && json_array_size(value) <= MOST_REGISTERS;
    item->registers = good ? (unsigned)json_array_size(value) : 0;
    const char **names = arena_alloc(reading->arena, item->registers + 1, sizeof *names);
    item->register_names = names;
    for (unsigned i = 0; i < item->registers; i++) {
        const char *name = json_string_value(json_array_get(value, i));
        good = good && name != NULL;
        names[i] = arena_strdup(reading->arena, name == NULL ? "" : name);
    }
    return good ? STATUS_OK
                : field_wrong(reading->error, "asm.registers", "a number of registers, or their names");
}

/* loaded: as for read_operation(). */
static enum status read_asm(const struct stated *object, unsigned loaded,
                            const struct kernel_reading *reading, struct behaviour *item)
{
    struct error *error = reading->error;
    const char *text = object->text.words;
    const struct stated_number *memory = &object->memory;
    const char *file = object->file.words;
    if (text == NULL || strlen(text) > MOST_TEXT)
        return field_wrong(error, "asm.text", "instructions, of at most 8192 characters");
    if (memory->given && reading->isa->gpu)
        return field_wrong(error, "asm.memory",
                           "none: a GPU program accesses memory with load{} and store{}");
    if (memory->given && !(memory->is_whole && memory->whole >= 1 && memory->whole <= MOST_MEMORY))
        return field_wrong(error, "asm.memory", "a number of bytes from 1 to 1 MiB");
    item->text = arena_strdup(reading->arena, text);
    item->consumes = strstr(item->text, "{loaded") != NULL;
    if (item->consumes && reading->isa->gpu)
        return field_wrong(error, "asm.text", "it without {loaded}, which the texts of processors have");
    if (item->consumes && !can_consume(loaded, NUMBER_BYTES, false))
        return field_wrong(error, "asm.text",
                           "a load of 4 or 8 bytes before it in the unit, as it names {loaded}");
    item->memory = (uint64_t)memory->whole;
    item->file = file == NULL ? NULL : arena_strdup(reading->arena, file);
    item->line = (int)object->line.whole;
    return read_registers(object->registers, reading, item);
}

/* ---- accesses to shared regions ---- */

/* "regions" of the kernel: names in order. */
static enum status read_regions(const json_t *names, const struct kernel_reading *reading,
                                struct kernel *kernel)
{
    kernel->region_count = (unsigned)json_array_size(names);
    if (kernel->region_count > MOST_REGIONS)
        return field_wrong(reading->error, "shared", "at most 8 regions");
    for (unsigned i = 0; i < kernel->region_count; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name == NULL || (i > 0 && strcmp(kernel->regions[i - 1], name) >= 0))
            return field_wrong(reading->error, "shared", "names of regions in order, each once");
        kernel->regions[i] = arena_strdup(reading->arena, name);
    }
    return STATUS_OK;
}

static bool read_offset(const struct stated_number *value, unsigned width, uint64_t *bytes)
{
    *bytes = (uint64_t)value->whole;
    return !value->given ||
           (value->is_whole && value->whole >= 0 && *bytes < REGION_SPAN && *bytes % width == 0);
}

/* Sets `how`: the form of the address, or the atomic. */
static bool read_how(const struct stated *object, struct behaviour *item)
{
    const char *atomic = object->atomic.words;
    const char *address = object->address.words;
    bool chase = address != NULL && strcmp(address, "chase") == 0;
    int ignored;
    if (strcmp(item->op, "atomic") == 0) {
        item->shared.how = name_among(atomic_names, ATOMIC_NAMES, atomic, &ignored);
        return item->shared.how != NULL && (strcmp(atomic, "turn") != 0 || item->width == 8);
    }
    item->shared.how = chase ? SHARED_CHASE : SHARED_LOAD;
    return !chase || (strcmp(item->op, "load") == 0 && item->width == 8);
}

static enum status read_coherence(const struct stated *object, struct behaviour *item, struct error *error)
{
    const char *name = object->coherence.words;
    int index = 0;
    if (name == NULL)
        return STATUS_OK;
    if (name_among(coherence_names, COHERENCE_NAMES, name, &index) == NULL || strcmp(item->op, "load") != 0 ||
        item->shared.apart != 0)
        return field_wrong(error, "coherence", "modified, exclusive or shared, of a load without apart");
    item->shared.coherence = (enum coherence)index;
    return STATUS_OK;
}

/* Reads the window that is put into the state at a time, and the data that a store writes. */
static enum status read_window(const struct stated *object, struct behaviour *item, struct error *error)
{
    struct shared_access *access = &item->shared;
    const char *data = json_string_value(object->data);
    access->window = access->working_set;
    access->copies = data != NULL && strcmp(data, "loaded") == 0;
    if (object->data != NULL && (!access->copies || strcmp(item->op, "store") != 0))
        return field_wrong(error, "data", "\"loaded\", of a store");
    if (!object->window.given)
        return STATUS_OK;
    if (!read_offset(&object->window, item->width, &access->window) || access->window == 0 ||
        access->working_set == 0 || access->coherence == COHERENCE_NONE ||
        access->working_set % access->window != 0 || access->window % (item->count * access->stride) != 0)
        return field_wrong(
            error, "window",
            "a part of the working_set of a load with coherence, and a multiple of count * stride");
    return STATUS_OK;
}

/* A load or store with "shared", or an atomic. */
static enum status read_shared(const struct stated *object, const struct kernel *kernel,
                               const struct kernel_reading *reading, struct behaviour *item)
{
    const char *order = object->order.words;
    int region = -1;
    enum status status = read_width(object, reading, 8, &item->width);
    if (status != STATUS_OK)
        return status;
    if (name_among(kernel->regions, (int)kernel->region_count, json_string_value(object->shared), &region) ==
        NULL)
        return field_wrong(reading->error, "shared", "the name of one of its regions");
    item->shared.region = (unsigned)region;
    item->shared.shuffled = order == NULL || strcmp(order, "shuffled") == 0;
    if (!read_how(object, item))
        return field_wrong(reading->error, "atomic", "add, cas, swap or turn, of 4 or 8 bytes");
    if (!read_offset(&object->offset, item->width, &item->shared.offset) ||
        !read_offset(&object->stride, item->width, &item->shared.stride) ||
        !read_offset(&object->apart, item->width, &item->shared.apart) ||
        !read_offset(&object->working_set, item->width, &item->shared.working_set))
        return field_wrong(reading->error, "offset, stride, apart and working_set",
                           "multiples of the width, below 2 GiB");
    if (item->shared.working_set > 0 && (item->shared.stride == 0 || item->shared.apart != 0 ||
                                         item->shared.working_set % (item->count * item->shared.stride) != 0))
        return field_wrong(reading->error, "working_set",
                           "a multiple of count * stride, of copies that are not apart");
    status = read_coherence(object, item, reading->error);
    return status == STATUS_OK ? read_window(object, item, reading->error) : status;
}

bool behaviour_is_atomic(const struct behaviour *item, const char *how)
{
    return item->kind == BEHAVIOUR_SHARED && strcmp(item->shared.how, how) == 0;
}

const char *coherence_name(enum coherence coherence)
{
    return coherence_names[coherence];
}

const struct behaviour *kernel_coherent(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_SHARED && kernel->items[i].shared.coherence != COHERENCE_NONE)
            return &kernel->items[i];
    return NULL;
}

bool kernel_waits(const struct kernel *kernel)
{
    bool turns = false;
    for (size_t i = 0; i < kernel->count; i++)
        turns = turns || behaviour_is_atomic(&kernel->items[i], "turn");
    return turns || kernel_coherent(kernel) != NULL;
}

bool shared_reaches(const struct behaviour *item, const struct isa *isa, uint64_t last)
{
    enum { ADDED = 2047, ANYWHERE = 1 << 20 };
    if (last >= REGION_SPAN)
        return false;
    if (strcmp(item->op, "atomic") == 0)
        return last <= ADDED || isa_farthest(isa, item->width) > ANYWHERE;
    return isa_reaches(isa, item->width, (int64_t)last);
}

/* True if displacements reach the pass's accesses, and these divide their working set. */
static bool shared_fits(const struct behaviour *item, const struct isa *isa, unsigned units)
{
    const struct shared_access *access = &item->shared;
    uint64_t step = (uint64_t)units * item->count * access->stride;
    if (item->kind != BEHAVIOUR_SHARED || access->stride == 0)
        return true;
    uint64_t last = access->offset + step - access->stride;
    return (access->working_set == 0 || access->window % step == 0) && shared_reaches(item, isa, last);
}

void kernel_size_shared(struct kernel *kernel, const struct isa *isa)
{
    enum { LIKELY_UNIT = 800 };
    unsigned unit = 0;
    bool strided = false;
    for (size_t i = 0; i < kernel->count; i++) {
        unit += kernel->items[i].count;
        strided =
            strided || (kernel->items[i].kind == BEHAVIOUR_SHARED && kernel->items[i].shared.stride > 0);
    }
    if (!strided || kernel->loop_units > 0 || kernel->loop_instructions > 0 || kernel->loop_fill)
        return;
    unsigned units = unit >= LIKELY_UNIT ? 1 : LIKELY_UNIT / unit;
    for (; units > 1; units--) {
        bool fits = true;
        for (size_t i = 0; fits && i < kernel->count; i++)
            fits = shared_fits(&kernel->items[i], isa, units);
        if (fits)
            break;
    }
    kernel->loop_units = units;
}

/* New reference. */
static json_t *shared_to_json(const struct behaviour *item, const struct kernel *kernel)
{
    const struct shared_access *access = &item->shared;
    json_t *object = json_pack("{s:s, s:s}", "op", item->op, "shared", kernel->regions[access->region]);
    if (strcmp(item->op, "atomic") == 0)
        json_object_set_new(object, "atomic", json_string(access->how));
    const struct {
        const char *key;
        uint64_t bytes;
    } fields[] = {{"offset", access->offset},
                  {"stride", access->stride},
                  {"apart", access->apart},
                  {"working_set", access->working_set}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].bytes > 0)
            json_object_set_new(object, fields[i].key, json_integer((json_int_t)fields[i].bytes));
    if (access->window < access->working_set)
        json_object_set_new(object, "window", json_integer((json_int_t)access->window));
    if (access->copies)
        json_object_set_new(object, "data", json_string("loaded"));
    json_object_set_new(object, "count", json_integer(item->count));
    json_object_set_new(object, "width", json_integer(item->width));
    json_object_set_new(object, "order",
                        json_string(order_names[access->shuffled ? ORDER_SHUFFLED : ORDER_EVEN]));
    if (strcmp(access->how, SHARED_CHASE) == 0)
        json_object_set_new(object, "address", json_string(address_names[ADDRESS_CHASE]));
    if (access->coherence != COHERENCE_NONE)
        json_object_set_new(object, "coherence", json_string(coherence_names[access->coherence]));
    return object;
}

/* "fetched": {"L1I": share, "L2": share}. */
static enum status read_code(const struct stated *object, struct behaviour *item, struct error *error)
{
    if (object->misses.given) {
        item->l1i_counted = true;
        item->l1i_misses = object->misses.value;
        return item->l1i_misses >= 0 ? STATUS_OK : field_wrong(error, "code.misses", "a number from 0 on");
    }
    const struct stated fetched = read_stated(object->fetched);
    double l1i = fetched.L1I.value;
    item->l1i_miss_rate = fetched.L2.value;
    if (!(l1i >= 0 && l1i <= 1 && item->l1i_miss_rate >= 0 && item->l1i_miss_rate <= 1) ||
        fabs(l1i + item->l1i_miss_rate - 1) > 1e-6)
        return field_wrong(error, "code.fetched", "shares of L1I and L2 that sum to 1");
    return STATUS_OK;
}

static enum status read_throttle(const struct stated *object, struct behaviour *item, struct error *error)
{
    enum status status = field_share(&object->duty, "duty", 0, 1, &item->duty, error);
    if (status == STATUS_OK && !(item->duty > 0))
        return field_wrong(error, "throttle.duty", "a share above 0 and at most 1");
    item->of_ports = object->peak.given;
    return status;
}

/* The ops with kinds of their own; all others are operations. */
static const struct named_kind {
    const char *op;
    enum behaviour_kind kind;
    bool gpu; /* GPUs have it, too */
} named_kinds[] = {{"load", BEHAVIOUR_LOAD, true},      {"store", BEHAVIOUR_STORE, true},
                   {"branch", BEHAVIOUR_BRANCH, true},  {"asm", BEHAVIOUR_ASM, true},
                   {"code", BEHAVIOUR_CODE, false},     {"tlb", BEHAVIOUR_TLB, false},
                   {"atomic", BEHAVIOUR_SHARED, false}, {"throttle", BEHAVIOUR_THROTTLE, true}};

static enum behaviour_kind kind_of(const char *op, bool gpu)
{
    if (gpu && strcmp(op, "atomic") == 0)
        return BEHAVIOUR_STORE; /* kept by L2 alone */
    for (size_t i = 0; i < sizeof named_kinds / sizeof named_kinds[0]; i++)
        if (strcmp(op, named_kinds[i].op) == 0 && (named_kinds[i].gpu || !gpu))
            return named_kinds[i].kind;
    return BEHAVIOUR_OPERATION;
}

static enum status read_item(const struct stated *object, unsigned loaded, const struct kernel *kernel,
                             const struct kernel_reading *reading, struct behaviour *item)
{
    struct error *error = reading->error;
    const char *op = object->op.words;
    if (op == NULL || op[0] == '\0')
        return field_wrong(error, "unit", "behaviours with an op");
    item->op = arena_strdup(reading->arena, op);
    item->kind = kind_of(item->op, reading->isa->gpu);
    if (!reading->isa->gpu && object->shared != NULL &&
        (item->kind == BEHAVIOUR_LOAD || item->kind == BEHAVIOUR_STORE))
        item->kind = BEHAVIOUR_SHARED;
    if (item->kind == BEHAVIOUR_TLB)
        return field_share(&object->miss_rate, "miss_rate", 0, 0, &item->page_misses, error);
    if (item->kind == BEHAVIOUR_THROTTLE)
        return read_throttle(object, item, error);
    enum status status = field_count(&object->count, "count", 1, MOST_COUNT, 1, &item->count, error);
    if (status != STATUS_OK)
        return status;
    switch (item->kind) {
    case BEHAVIOUR_BRANCH:
        return read_branch(object, item, reading->isa->gpu, error);
    case BEHAVIOUR_ASM:
        return read_asm(object, loaded, reading, item);
    case BEHAVIOUR_CODE:
        return read_code(object, item, error);
    case BEHAVIOUR_SHARED:
        return read_shared(object, kernel, reading, item);
    case BEHAVIOUR_OPERATION:
        return read_operation(object, loaded, reading, item);
    default:
        return read_access(object, reading, item);
    }
}

enum status behaviour_at_recipe(const struct behaviour *text, struct error *error)
{
    if (text->file != NULL && text->line > 0)
        error_at(error, text->file, text->line);
    return STATUS_RECIPE;
}

unsigned behaviour_lane(const struct behaviour *item)
{
    return item->width < 8 ? item->width : 8;
}

unsigned behaviour_bus(const struct behaviour *item)
{
    return item->bus > item->width ? item->bus : item->width;
}

double behaviour_miss_rate(const struct behaviour *item)
{
    return behaviour_accesses(item)
               ? item->served[LEVEL_L2] + item->served[LEVEL_L3] + item->served[LEVEL_MEM]
               : 0;
}

bool behaviour_moves(const struct behaviour *item)
{
    return behaviour_accesses(item) &&
           (behaviour_miss_rate(item) > 0 || item->working_set > 0 || item->page_misses > 0);
}

const struct behaviour *kernel_data(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_LOAD && kernel->items[i].has_data)
            return &kernel->items[i];
    return NULL;
}

unsigned kernel_data_block(const struct kernel *kernel)
{
    unsigned block = 8;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind == BEHAVIOUR_LOAD && item->has_data && behaviour_bus(item) > block)
            block = behaviour_bus(item);
    }
    return block;
}

uint64_t behaviour_own_bits(const struct behaviour *item)
{
    uint64_t own = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        own |= (uint64_t)(item->zeros == 0 || bit / item->zeros % 2 == 0) << bit;
    return own;
}

bool behaviour_same_data(const struct behaviour *a, const struct behaviour *b)
{
    if (!a->has_data || !b->has_data || a->kind != b->kind || a->width != b->width || a->bus != b->bus ||
        a->changes != b->changes || a->word_count != b->word_count)
        return false;
    if (!a->changes)
        return a->word == b->word;
    return a->word_count > 0
               ? memcmp(a->words, b->words, a->word_count * sizeof *a->words) == 0
               : a->toggle == b->toggle && a->program_order == b->program_order && a->zeros == b->zeros;
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

/* Tolerance for rounding, in accesses. */
static const double NO_ACCESS = 1e-9;

/* Shares pages among the behaviours of which L1 serves most, one after the other. */
static bool take_pages_together(struct kernel *kernel, double share)
{
    double left = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        left += share * kernel->items[i].count * behaviour_touches(&kernel->items[i]);
        kernel->items[i].page_misses =
            behaviour_accesses(&kernel->items[i]) ? 0 : kernel->items[i].page_misses;
    }
    while (left > NO_ACCESS) {
        struct behaviour *most = NULL;
        for (size_t i = 0; i < kernel->count; i++) {
            struct behaviour *item = &kernel->items[i];
            if (behaviour_accesses(item) && item->page_misses == 0 &&
                (most == NULL || item->count * item->served[LEVEL_L1] > most->count * most->served[LEVEL_L1]))
                most = item;
        }
        if (most == NULL || most->served[LEVEL_L1] <= 0)
            return false;
        most->page_misses = fmin(most->served[LEVEL_L1], left / most->count);
        left -= most->page_misses * most->count;
    }
    return true;
}

bool kernel_share_pages(struct kernel *kernel, double share)
{
    if (kernel->pages_together)
        return take_pages_together(kernel, share);
    double level = share;
    for (bool changed = true; changed;) {
        double wanted = 0;
        double free = 0;
        for (size_t i = 0; i < kernel->count; i++) {
            const struct behaviour *item = &kernel->items[i];
            if (behaviour_loads_target(item))
                wanted += item->count * share;
            if (!behaviour_accesses(item))
                continue;
            bool is_free = item->served[LEVEL_L1] >= level - 1e-9;
            wanted +=
                item->count * (share * behaviour_touches(item) - (is_free ? 0 : item->served[LEVEL_L1]));
            free += is_free ? item->count : 0;
        }
        if (free == 0)
            return false;
        changed = wanted > free * level * (1 + 1e-12);
        level = changed ? wanted / free : level;
    }
    for (size_t i = 0; i < kernel->count; i++)
        if (behaviour_accesses(&kernel->items[i]))
            kernel->items[i].page_misses = fmin(level, kernel->items[i].served[LEVEL_L1]);
    return true;
}

/* Distributes the share of a tlb{} over all loads and stores. */
static enum status share_page_misses(struct kernel *kernel, struct error *error)
{
    const struct behaviour *tlb = NULL;
    double hits = 0;
    double accesses = 0;
    bool walks = false;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind == BEHAVIOUR_TLB && tlb != NULL)
            return field_wrong(error, "tlb", "at most one in a kernel, whose rate all its phases share");
        tlb = item->kind == BEHAVIOUR_TLB ? item : tlb;
        if (!behaviour_accesses(item))
            continue;
        hits += item->count * item->served[LEVEL_L1];
        accesses += item->count;
        walks = walks || item->working_set > 0;
    }
    if (tlb == NULL)
        return STATUS_OK;
    if (accesses == 0)
        return field_wrong(error, "tlb", "a load or a store beside it");
    if (walks)
        return field_wrong(error, "tlb",
                           "no load or store with a working_set beside it, as the pages of a walk are not "
                           "promised");
    if (kernel_share_pages(kernel, tlb->page_misses))
        return STATUS_OK;
    error_set(
        error, STATUS_RECIPE,
        "tlb.miss_rate is %.6g: expected at most the share that L1 serves of all loads and stores, %.6g",
        tlb->page_misses, hits / accesses);
    error_hint(error, "accesses that L1 does not serve are to pages that stay in the TLB");
    return STATUS_RECIPE;
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

const struct behaviour *kernel_first(const struct kernel *kernel, enum behaviour_kind kind)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == kind)
            return &kernel->items[i];
    return NULL;
}

bool kernel_any(const struct kernel *kernel, bool (*test)(const struct behaviour *item))
{
    for (size_t i = 0; i < kernel->count; i++)
        if (test(&kernel->items[i]))
            return true;
    return false;
}

bool kernel_code_misses(const struct kernel *kernel)
{
    const struct behaviour *code = kernel_code(kernel);
    return code != NULL && (code->l1i_counted ? code->l1i_misses : code->l1i_miss_rate) > 0;
}

/* All code lines of a loop share one rate. */
static bool code_agrees(const struct kernel *kernel)
{
    const struct behaviour *code = kernel_code(kernel);
    for (size_t i = 0; code != NULL && i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_CODE &&
            (kernel->items[i].l1i_miss_rate != code->l1i_miss_rate ||
             kernel->items[i].l1i_counted != code->l1i_counted ||
             kernel->items[i].l1i_misses != code->l1i_misses))
            return false;
    return true;
}

/* Reads the behaviours. Some must follow a load of their phase. */
static enum status read_unit(const json_t *unit, const struct kernel_reading *reading, struct kernel *kernel)
{
    unsigned loaded = 0; /* width of the last load that operations may consume; 0: none */
    unsigned copied = 0; /* the same for a value that a store may write */
    for (size_t i = 0; i < kernel->count; i++) {
        struct behaviour *item = &kernel->items[i];
        bool same_phase = i > 0 && kernel->items[i - 1].phase == item->phase;
        loaded = same_phase ? loaded : 0;
        copied = same_phase ? copied : 0;
        const struct stated object = read_stated(json_array_get(unit, i));
        enum status status = read_item(&object, loaded, kernel, reading, item);
        if (status != STATUS_OK)
            return status;
        if (item->kind == BEHAVIOUR_STORE && item->stores_loaded && item->width != copied)
            return field_wrong(reading->error, "store.data",
                               "a pattern, or an independent load of that width before it");
        if (item->kind == BEHAVIOUR_SHARED && item->shared.copies && item->width != copied)
            return field_wrong(reading->error, "store.data", "an independent load of that width before it");
        if (item->kind == BEHAVIOUR_SHARED && strcmp(item->op, "store") != 0) {
            loaded = item->width;
            copied = strcmp(item->shared.how, SHARED_LOAD) == 0 ? item->width : 0;
        }
        if (item->kind == BEHAVIOUR_STORE && item->returns)
            loaded = item->width;
        if (item->kind != BEHAVIOUR_LOAD)
            continue;
        loaded = item->width;
        copied = behaviour_points(item) ? 0 : item->width;
    }
    return STATUS_OK;
}

/* Checks leading loads. Led loads need a leading load in their phase's unit, and no chase beside it, because
 * one register leads. Behaviours that depend on the order of the list, or on the last load, are refused if
 * `behind` changes the order or if some loads load no register. */
static enum status check_led(const struct kernel *kernel, struct error *error)
{
    bool chases = false, points = false;
    for (unsigned phase = 0; phase < kernel->phase_count; phase++) {
        bool led = false, leads = false, ordered = false, writes = false;
        unsigned behind = 0;
        for (size_t i = 0; i < kernel->count; i++) {
            const struct behaviour *item = &kernel->items[i];
            if (item->phase != phase)
                continue;
            if (behaviour_is_led(item) && item->behind > 0) {
                if (behind > 0 && behind != item->behind)
                    return field_wrong(error, "behind", "one number in all loads of a unit");
                behind = item->behind;
            }
            led = led || behaviour_is_led(item);
            leads = leads || (item->kind == BEHAVIOUR_LOAD && item->leads);
            writes = writes || behaviour_writes_back(item);
            chases = chases || behaviour_chases(item);
            ordered = ordered || item->kind == BEHAVIOUR_THROTTLE ||
                      (item->kind == BEHAVIOUR_OPERATION && item->dependents > 0) ||
                      (item->kind == BEHAVIOUR_STORE && item->stores_loaded) ||
                      (item->kind == BEHAVIOUR_ASM && item->consumes);
        }
        if (led && !leads)
            return field_wrong(error, "address", "a load with leads = true beside \"led\" in the unit");
        if ((behind > 0 || writes) && ordered)
            return field_wrong(
                error, writes ? "updates, copies" : "behind",
                "it in a unit without dependents, {loaded}, stores of what is loaded and throttle{}");
        points = points || leads;
    }
    return chases && points
               ? field_wrong(error, "leads", "it without address = \"chase\", as one register leads")
               : STATUS_OK;
}

/* Checks kernels with shared regions, beside which no rate can be promised that other copies' accesses would
 * change. */
static enum status check_shared(const struct kernel *kernel, struct error *error)
{
    const struct behaviour *coherent = kernel_coherent(kernel);
    bool shares = kernel_has(kernel, BEHAVIOUR_SHARED);
    for (size_t i = 0; shares && i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (behaviour_accesses(item) || item->kind == BEHAVIOUR_TLB || item->kind == BEHAVIOUR_CODE)
            return field_wrong(error, "shared", "it without tlb{}, code{} and other loads and stores");
        if (coherent != NULL && item->kind == BEHAVIOUR_BRANCH)
            return field_wrong(error, "coherence", "it without branch{} in the unit");
        if (coherent != NULL && item->kind == BEHAVIOUR_SHARED && item->shared.coherence != COHERENCE_NONE &&
            (item->shared.coherence != coherent->shared.coherence ||
             item->shared.region != coherent->shared.region))
            return field_wrong(error, "coherence", "one state of one region");
        if (coherent != NULL && item->kind == BEHAVIOUR_SHARED && item->shared.coherence != COHERENCE_NONE &&
            (item->shared.working_set != coherent->shared.working_set ||
             item->shared.window != coherent->shared.window))
            return field_wrong(error, "working_set and window",
                               "the same of all loads whose lines are in a given state");
    }
    return STATUS_OK;
}

bool kernel_node(const struct kernel *kernel, unsigned *node)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (!behaviour_accesses(item) || !item->bound)
            continue;
        *node = item->node;
        return true;
    }
    return false;
}

static enum status check_nodes(const struct kernel *kernel, struct error *error)
{
    unsigned node = 0;
    bool bound = kernel_node(kernel, &node);
    for (size_t i = 0; bound && i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (behaviour_accesses(item) && item->bound && item->node != node)
            return error_set(
                error, STATUS_RECIPE,
                "%s.node is %u, and another access has node %u: the data of a kernel is one "
                "region, on one node; expected one node, or cores = { [0] = {...}, [1] = {...} }, "
                "whose kernels each have their own",
                item->op, item->node, node);
    }
    return STATUS_OK;
}

static enum status check_code(const struct kernel *kernel, struct error *error)
{
    for (size_t i = 0; kernel_code(kernel) != NULL && i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind == BEHAVIOUR_ASM)
            return field_wrong(error, "code{}", "it without asm{} in the unit");
    }
    return code_agrees(kernel)
               ? STATUS_OK
               : field_wrong(error, "code{}", "the same shares or misses in all code{} of the unit");
}

enum status kernel_from_json(const json_t *document, const struct isa *isa, struct arena *arena,
                             struct kernel *kernel, struct error *error)
{
    const struct kernel_reading reading = {isa, arena, error};
    const struct stated stated = read_stated(document), loop = read_stated(stated.loop);
    memset(kernel, 0, sizeof *kernel);
    if (json_array_size(stated.unit) == 0)
        return field_wrong(error, "unit", "a list of at least one behaviour");
    if (isa->gpu && stated.phases != NULL)
        return error_set(error, STATUS_RECIPE, "a GPU's kernel has phases: expected one list of behaviours");
    kernel->count = json_array_size(stated.unit);
    kernel->items = arena_alloc(arena, kernel->count, sizeof *kernel->items);
    enum status status = read_phases(stated.phases, kernel, error);
    if (status == STATUS_OK && !isa->gpu)
        status = read_regions(stated.shared, &reading, kernel);
    if (status == STATUS_OK)
        status = read_unit(stated.unit, &reading, kernel);
    if (status == STATUS_OK && !isa->gpu)
        status = check_led(kernel, error);
    if (status == STATUS_OK)
        status = check_shared(kernel, error);
    if (status == STATUS_OK && !isa->gpu)
        status = check_nodes(kernel, error);
    if (status == STATUS_OK)
        status = share_page_misses(kernel, error);
    if (status == STATUS_OK)
        status = check_code(kernel, error);
    if (status == STATUS_OK)
        status = field_count(&loop.units, "units", 1, MOST_LOOP, 0, &kernel->loop_units, error);
    if (status == STATUS_OK)
        status = field_count(&loop.instructions, "instructions", 1, MOST_LOOP, 0, &kernel->loop_instructions,
                             error);
    kernel->loop_fill = loop.fill.given;
    if (status == STATUS_OK && isa->gpu && kernel->loop_fill)
        status = field_wrong(error, "loop.fill", "units or instructions: fill is for CPUs");
    return status;
}

const char *const place_fields[PLACE_FIELDS] = {"xcc", "se", "sh", "cu", "sm", "l2_channels"};

static void read_place(const json_t *place, struct arena *arena, struct gpu_place *read)
{
    *read = (struct gpu_place){.first = json_object_iter_key(json_object_iter((json_t *)(uintptr_t)place)),
                               .side = json_string_value(json_object_get(place, "side"))};
    for (size_t i = 0; i < PLACE_FIELDS; i++) {
        const json_t *list = json_object_get(place, place_fields[i]);
        size_t count = json_array_size(list);
        long long *numbers = arena_alloc(arena, count, sizeof *numbers);
        for (size_t j = 0; j < count; j++)
            numbers[j] = json_integer_value(json_array_get(list, j));
        read->of[i] = (struct place_list){numbers, count};
    }
}

enum status kernel_from_point(const json_t *point, const struct isa *isa, struct arena *arena,
                              struct kernel *kernel, struct error *error)
{
    const struct stated stated = read_stated(point), grid = read_stated(stated.grid);
    enum status status = kernel_from_json(stated.kernel, isa, arena, kernel, error);
    if (status != STATUS_OK || !isa->gpu)
        return status;
    read_place(stated.place, arena, &kernel->place);
    status = field_count(&grid.blocks, "blocks", 1, MOST_BLOCKS, 0, &kernel->blocks, error);
    if (status == STATUS_OK)
        status = field_count(&grid.threads, "threads", 1, MOST_THREADS, 0, &kernel->threads, error);
    return status == STATUS_OK
               ? field_count(&grid.cluster, "cluster", 1, MOST_CLUSTER, 0, &kernel->cluster, error)
               : status;
}

static json_t *branch_to_json(const struct behaviour *item)
{
    json_t *object =
        json_pack("{s:s, s:i, s:f}", "op", item->op, "count", (int)item->count, "accuracy", item->accuracy);
    if (item->taken >= 0)
        json_object_set_new(object, "taken", json_real(item->taken));
    if (item->indirect)
        json_object_set_new(object, "kind", json_string("indirect"));
    if (item->through_memory)
        json_object_set_new(object, "through", json_string("memory"));
    if (item->shares_test)
        json_object_set_new(object, "test", json_string("shared"));
    if (item->narrow_test)
        json_object_set_new(object, "width", json_integer(4));
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

static json_t *item_to_json(const struct behaviour *item, const struct kernel *kernel)
{
    if (item->kind == BEHAVIOUR_SHARED)
        return shared_to_json(item, kernel);
    if (item->kind == BEHAVIOUR_ASM)
        return asm_to_json(item);
    if (item->kind == BEHAVIOUR_BRANCH)
        return branch_to_json(item);
    if (item->kind == BEHAVIOUR_THROTTLE)
        return json_pack("{s:s, s:f, s:s*}", "op", item->op, "duty", item->duty, "peak",
                         item->of_ports ? "ports" : NULL);
    if (item->kind == BEHAVIOUR_TLB)
        return json_pack("{s:s, s:f}", "op", item->op, "miss_rate", item->page_misses);
    if (behaviour_accesses(item))
        return access_to_json(item);
    if (item->kind == BEHAVIOUR_CODE && item->l1i_counted)
        return json_pack("{s:s, s:i, s:f}", "op", item->op, "count", (int)item->count, "misses",
                         item->l1i_misses);
    if (item->kind == BEHAVIOUR_CODE)
        return json_pack("{s:s, s:i, s:{s:f, s:f}}", "op", item->op, "count", (int)item->count, "fetched",
                         "L1I", 1 - item->l1i_miss_rate, "L2", item->l1i_miss_rate);
    return operation_to_json(item);
}

json_t *kernel_to_json(const struct kernel *kernel)
{
    json_t *unit = json_array();
    for (size_t i = 0; i < kernel->count; i++)
        json_array_append_new(unit, item_to_json(&kernel->items[i], kernel));
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
    if (kernel->region_count > 0) {
        json_t *names = json_array();
        for (unsigned i = 0; i < kernel->region_count; i++)
            json_array_append_new(names, json_string(kernel->regions[i]));
        json_object_set_new(document, "shared", names);
    }
    return document;
}
