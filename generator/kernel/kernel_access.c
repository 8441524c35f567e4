#include "generator/kernel/kernel_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        return field_wrong(error, "cache", "a store that MEM serves, as it goes past the caches");
    if (item->is_store && item->address == ADDRESS_CHASE)
        return field_wrong(error, "address", "\"independent\", as a store gives no address to chase");
    return STATUS_OK;
}

enum status access_from_json(const json_t *object, struct arena *arena, struct behaviour *item,
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

json_t *data_to_json(const struct behaviour *item)
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

json_t *access_to_json(const struct behaviour *item)
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
