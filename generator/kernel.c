#include "generator/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const order_names[] = {"shuffled", "even", "burst"};
static const char *const address_names[] = {"independent", "chase"};

static enum status wrong(struct error *error, const char *field, const char *expected)
{
    return error_set(error, STATUS_RECIPE, "the kernel's %s is wrong: expected %s", field, expected);
}

/* A whole number from the object within [low, high]; fallback when the key is missing. */
static enum status read_count(const json_t *object, const char *key, unsigned low, unsigned high,
                              unsigned fallback, unsigned *result, struct error *error)
{
    const json_t *value = json_object_get(object, key);
    *result = fallback;
    if (value == NULL)
        return STATUS_OK;
    if (!json_is_integer(value) || json_integer_value(value) < low || json_integer_value(value) > high)
        return error_set(error, STATUS_RECIPE,
                         "the kernel's %s is wrong: expected a whole number from %u to %u", key, low, high);
    *result = (unsigned)json_integer_value(value);
    return STATUS_OK;
}

/* The index of the object's string in names; 0 when the key is missing. */
static enum status read_name(const json_t *object, const char *key, const char *const *names, int count,
                             int *result, struct error *error)
{
    const json_t *value = json_object_get(object, key);
    *result = 0;
    if (value == NULL)
        return STATUS_OK;
    for (int i = 0; json_is_string(value) && i < count; i++) {
        if (strcmp(json_string_value(value), names[i]) == 0) {
            *result = i;
            return STATUS_OK;
        }
    }
    return wrong(error, key, "one of the names that the recipe language has for it");
}

static enum status read_shares(const json_t *served, struct behaviour *item, struct error *error)
{
    if (!json_is_object(served))
        return wrong(error, "load.served", "an object of level and share");
    item->l1 = json_number_value(json_object_get(served, "L1"));
    item->l2 = json_number_value(json_object_get(served, "L2"));
    if (!(item->l1 >= 0 && item->l1 <= 1 && item->l2 >= 0 && item->l2 <= 1) ||
        fabs(item->l1 + item->l2 - 1) > 1e-6)
        return wrong(error, "load.served", "shares of L1 and L2 that sum to 1");
    return STATUS_OK;
}

/* A number from the object within [low, 1]; fallback when the key is missing. */
static enum status read_share(const json_t *object, const char *key, double low, double fallback,
                              double *result, struct error *error)
{
    const json_t *value = json_object_get(object, key);
    *result = value == NULL ? fallback : json_number_value(value);
    if (value != NULL && !(json_is_number(value) && *result >= low && *result <= 1))
        return error_set(error, STATUS_RECIPE, "the kernel's %s is wrong: expected a number from %g to 1",
                         key, low);
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
        if (!parse_word(json_array_get(list, i), item->width, &words[i]))
            return false;
    return item->word_count > 0;
}

/* "data": {"word": "0x..."}, {"words": ["0x...", ...]} or {"toggle": share}. */
static enum status read_data(const json_t *data, struct arena *arena, struct behaviour *item,
                             struct error *error)
{
    const json_t *word = json_object_get(data, "word");
    const json_t *words = json_object_get(data, "words");
    if (data == NULL)
        return STATUS_OK;
    bool good = word != NULL    ? parse_word(word, item->width, &item->word)
                : words != NULL ? read_words(words, arena, item)
                                : json_is_number(json_object_get(data, "toggle"));
    if (good && word == NULL && words == NULL) {
        item->changes = true;
        good = read_share(data, "toggle", 0, 0, &item->toggle, NULL) == STATUS_OK;
    }
    if (!good)
        return wrong(error, "load.data",
                     "words in hexadecimal, no wider than the load, or a share that toggles");
    if (item->width == 4)
        item->word |= item->word << 32;
    item->has_data = true;
    if (item->address == ADDRESS_CHASE)
        return wrong(error, "load.data", "address = \"independent\", as a chase loads addresses");
    return STATUS_OK;
}

static enum status read_load(const json_t *object, struct arena *arena, struct behaviour *item,
                             struct error *error)
{
    int order;
    int address;
    enum status status = read_shares(json_object_get(object, "served"), item, error);
    if (status == STATUS_OK)
        status = read_name(object, "order", order_names, 3, &order, error);
    if (status == STATUS_OK)
        status = read_name(object, "address", address_names, 2, &address, error);
    if (status == STATUS_OK)
        status = read_count(object, "width", 4, 8, 8, &item->width, error);
    if (status != STATUS_OK)
        return status;
    item->order = (enum order)order;
    item->address = (enum address)address;
    if (item->width != 4 && item->width != 8)
        return wrong(error, "load.width", "4 or 8");
    if (item->width != 8 && item->address == ADDRESS_CHASE)
        return wrong(error, "load.width", "8, as a chase loads an address");
    return read_data(json_object_get(object, "data"), arena, item, error);
}

static enum status read_operation(const json_t *object, bool after_load, struct behaviour *item,
                                  struct error *error)
{
    enum status status = read_count(object, "dependents", 0, item->count, 0, &item->dependents, error);
    if (status == STATUS_OK)
        status = read_count(object, "chain", 0, 1000000, 0, &item->chain, error);
    if (status == STATUS_OK && item->dependents > 0 && !after_load)
        return wrong(error, "dependents", "a load before them in the unit");
    return status;
}

static enum status read_branch(const json_t *object, struct behaviour *item, struct error *error)
{
    enum status status = read_share(object, "accuracy", 0.5, 1, &item->accuracy, error);
    return status == STATUS_OK ? read_share(object, "taken", 0, -1, &item->taken, error) : status;
}

static enum status read_item(const json_t *object, bool after_load, struct arena *arena,
                             struct behaviour *item, struct error *error)
{
    const json_t *op = json_object_get(object, "op");
    if (!json_is_string(op) || json_string_length(op) == 0)
        return wrong(error, "unit", "behaviours with an op");
    item->op = arena_strdup(arena, json_string_value(op));
    item->is_load = strcmp(item->op, "load") == 0;
    item->is_branch = strcmp(item->op, "branch") == 0;
    enum status status = read_count(object, "count", 1, 10000, 1, &item->count, error);
    if (status != STATUS_OK)
        return status;
    if (item->is_branch)
        return read_branch(object, item, error);
    return item->is_load ? read_load(object, arena, item, error)
                         : read_operation(object, after_load, item, error);
}

const struct behaviour *kernel_data(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].is_load && kernel->items[i].has_data)
            return &kernel->items[i];
    return NULL;
}

/* Hits of all loads share a line. */
static bool data_agrees(const struct kernel *kernel)
{
    const struct behaviour *data = kernel_data(kernel);
    for (size_t i = 0; data != NULL && i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->is_load && item != data && (data->changes || !item->has_data || item->word != data->word))
            return false;
    }
    return true;
}

enum status kernel_from_json(const json_t *document, struct arena *arena, struct kernel *kernel,
                             struct error *error)
{
    memset(kernel, 0, sizeof *kernel);
    const json_t *unit = json_object_get(document, "unit");
    if (!json_is_array(unit) || json_array_size(unit) == 0)
        return wrong(error, "unit", "a list of at least one behaviour");
    kernel->count = json_array_size(unit);
    kernel->items = arena_alloc(arena, kernel->count, sizeof *kernel->items);
    bool after_load = false;
    for (size_t i = 0; i < kernel->count; i++) {
        enum status status = read_item(json_array_get(unit, i), after_load, arena, &kernel->items[i], error);
        if (status != STATUS_OK)
            return status;
        after_load = after_load || kernel->items[i].is_load;
    }
    if (!data_agrees(kernel))
        return wrong(error, "load.data", "the same pattern in all loads of the unit, or in none");
    const json_t *loop = json_object_get(document, "loop");
    enum status status = read_count(loop, "units", 1, 1000000, 0, &kernel->loop_units, error);
    if (status == STATUS_OK)
        status = read_count(loop, "instructions", 1, 1000000, 0, &kernel->loop_instructions, error);
    return status;
}

static json_t *branch_to_json(const struct behaviour *item)
{
    json_t *object =
        json_pack("{s:s, s:i, s:f}", "op", item->op, "count", (int)item->count, "accuracy", item->accuracy);
    if (item->taken >= 0)
        json_object_set_new(object, "taken", json_real(item->taken));
    return object;
}

static json_t *word_to_json(const struct behaviour *item, uint64_t word)
{
    word = item->width == 4 ? word & UINT32_MAX : word;
    return json_sprintf("0x%0*llx", (int)(2 * item->width), (unsigned long long)word);
}

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

static json_t *item_to_json(const struct behaviour *item)
{
    if (item->is_branch)
        return branch_to_json(item);
    if (!item->is_load)
        return json_pack("{s:s, s:i, s:i, s:i}", "op", item->op, "count", (int)item->count, "dependents",
                         (int)item->dependents, "chain", (int)item->chain);
    json_t *load =
        json_pack("{s:s, s:{s:f, s:f}, s:s, s:s, s:i, s:i}", "op", item->op, "served", "L1", item->l1, "L2",
                  item->l2, "order", order_names[item->order], "address", address_names[item->address],
                  "width", (int)item->width, "count", (int)item->count);
    if (item->has_data)
        json_object_set_new(load, "data", data_to_json(item));
    return load;
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
    return json_pack("{s:o, s:o}", "unit", unit, "loop", loop);
}
