#include "generator/kernel/gpu_kernel.h"

#include "base/json.h"
#include "generator/kernel/kernel_fields.h"

#include <math.h>
#include <string.h>

enum { MOST_TEXT = 8192, MOST_REGISTERS = 48 };
#define MOST_BYTES ((uint64_t)1 << 40)

static const char *const level_names[] = {"SHARED", "L1", "L2", "MEM"};

static const struct {
    const char *op;
    enum gpu_kind kind;
} kinds[] = {{"load", GPU_LOAD},
             {"store", GPU_STORE},
             {"branch", GPU_BRANCH},
             {"asm", GPU_ASM},
             {"throttle", GPU_THROTTLE}};

const char *gpu_level_name(int level)
{
    return level_names[level];
}

static enum gpu_kind kind_of(const char *op)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(op, kinds[i].op) == 0)
            return kinds[i].kind;
    return GPU_OPERATION;
}

static enum status read_shares(const json_t *served, struct gpu_behaviour *item, struct error *error)
{
    const char *level;
    const json_t *share;
    double sum = 0;
    bool good = json_is_object(served);
    json_object_foreach((json_t *)served, level, share)
    {
        int row = 0;
        while (row < GPU_LEVELS && strcmp(level, level_names[row]) != 0)
            row++;
        good = good && row < GPU_LEVELS && json_is_number(share) && json_number_value(share) >= 0;
        if (good)
            item->served[row] = json_number_value(share);
        sum += json_number_value(share);
    }
    if (!good || fabs(sum - 1) > 1e-6)
        return field_wrong(error, "served", "shares of SHARED, L1, L2 and MEM that sum to 1");
    return STATUS_OK;
}

static bool read_bytes(const json_t *object, const char *key, uint64_t *bytes)
{
    const json_t *value = json_object_get(object, key);
    *bytes = (uint64_t)json_integer_value(value);
    return value == NULL || (json_is_integer(value) && json_integer_value(value) > 0 && *bytes <= MOST_BYTES);
}

static enum status read_access(const json_t *object, struct arena *arena, struct gpu_behaviour *item,
                               struct error *error)
{
    static const char *const orders[] = {"shuffled", "even", "burst"};
    static const char *const addresses[] = {"independent", "chase"};
    struct behaviour *base = &item->base;
    int order = 0, address = 0;
    unsigned bits = 0;
    const char *stride = json_string_value(json_object_get(object, "stride"));
    const char *cache = json_string_value(json_object_get(object, "cache"));
    item->random = stride != NULL && strcmp(stride, "random") == 0;
    if ((!item->random && !read_bytes(object, "stride", &base->stride)) ||
        !read_bytes(object, "lane", &item->lane) || !read_bytes(object, "working_set", &base->working_set))
        return field_wrong(error, "stride, lane or working_set", "a number of bytes");
    item->cache = cache == NULL ? NULL : arena_strdup(arena, cache);
    enum status status =
        base->working_set > 0 ? STATUS_OK : read_shares(json_object_get(object, "served"), item, error);
    if (status == STATUS_OK)
        status = field_name(object, "order", orders, 3, &order, error);
    if (status == STATUS_OK)
        status = field_name(object, "address", addresses, 2, &address, error);
    if (status == STATUS_OK)
        status = field_count(object, "width", 4, 16, 4, &base->width, error);
    if (status == STATUS_OK)
        status = field_count(object, "bus", 32, 1024, 0, &bits, error);
    if (status != STATUS_OK)
        return status;
    base->order = (enum order)order;
    base->address = (enum address)address;
    item->bus = bits / 8;
    if ((base->width & (base->width - 1)) != 0 || (bits & (bits - 1)) != 0)
        return field_wrong(error, "width or bus", "a power of two");
    return data_from_json(json_object_get(object, "data"), arena, base, error);
}

static enum status read_operation(const json_t *object, bool after_load, struct gpu_behaviour *item,
                                  struct error *error)
{
    struct behaviour *base = &item->base;
    enum status status = field_count(object, "dependents", 0, base->count, 0, &base->dependents, error);
    if (status == STATUS_OK)
        status = field_count(object, "chain", 0, 1000000, 0, &base->chain, error);
    if (status == STATUS_OK)
        status = field_count(object, "width", 4, 8, 4, &base->width, error);
    if (status == STATUS_OK && base->dependents > 0 && !after_load)
        return field_wrong(error, "dependents", "a load before them in the unit");
    return status;
}

static enum status read_asm(const json_t *object, struct arena *arena, struct behaviour *base,
                            struct error *error)
{
    const json_t *text = json_object_get(object, "text");
    const char *file = json_string_value(json_object_get(object, "file"));
    const json_t *registers = json_object_get(object, "registers");
    if (!json_is_string(text) || json_string_length(text) > MOST_TEXT)
        return field_wrong(error, "asm.text", "instructions, of at most 8192 characters");
    base->is_asm = true;
    base->text = arena_strdup(arena, json_string_value(text));
    base->file = file == NULL ? NULL : arena_strdup(arena, file);
    base->line = (int)json_integer_value(json_object_get(object, "line"));
    if (json_object_get(object, "memory") != NULL)
        return field_wrong(error, "asm.memory",
                           "none: a GPU program accesses memory with load{} and store{}");
    if (registers != NULL && !json_is_integer(registers))
        return field_wrong(error, "asm.registers", "a number of them, as GPU registers have no names");
    return field_count(object, "registers", 0, MOST_REGISTERS, 0, &base->registers, error);
}

static enum status read_item(const json_t *object, bool after_load, struct arena *arena,
                             struct gpu_behaviour *item, struct error *error)
{
    const char *op = json_string_value(json_object_get(object, "op"));
    if (op == NULL || op[0] == '\0')
        return field_wrong(error, "unit", "behaviours with an op");
    item->base.op = arena_strdup(arena, op);
    item->kind = kind_of(op);
    enum status status = field_count(object, "count", 1, 10000, 1, &item->base.count, error);
    if (status != STATUS_OK)
        return status;
    switch (item->kind) {
    case GPU_LOAD:
    case GPU_STORE:
        item->base.is_load = item->kind == GPU_LOAD;
        item->base.is_store = item->kind == GPU_STORE;
        return read_access(object, arena, item, error);
    case GPU_BRANCH:
        item->base.is_branch = true;
        return field_share(object, "divergence", 0, 0, &item->divergence, error);
    case GPU_ASM:
        return read_asm(object, arena, &item->base, error);
    case GPU_THROTTLE:
        item->base.is_throttle = true;
        status = field_share(object, "duty", 0, 1, &item->base.duty, error);
        return status == STATUS_OK && item->base.duty <= 0
                   ? field_wrong(error, "throttle.duty", "a share above 0 and at most 1")
                   : status;
    default:
        return read_operation(object, after_load, item, error);
    }
}

enum status gpu_kernel_read(const json_t *point, struct arena *arena, struct gpu_kernel *kernel,
                            struct error *error)
{
    const json_t *document = json_object_get(point, "kernel");
    const json_t *unit = json_object_get(document, "unit");
    const json_t *loop = json_object_get(document, "loop");
    const json_t *grid = json_object_get(point, "grid");
    memset(kernel, 0, sizeof *kernel);
    if (json_array_size(unit) == 0)
        return field_wrong(error, "unit", "a list of at least one behaviour");
    if (json_object_get(document, "phases") != NULL || json_object_get(point, "together") != NULL)
        return error_set(error, STATUS_RECIPE,
                         "a GPU's kernel has phases or cores: expected one list of behaviours");
    kernel->count = json_array_size(unit);
    kernel->items = arena_alloc(arena, kernel->count, sizeof *kernel->items);
    bool after_load = false;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++) {
        status = read_item(json_array_get(unit, i), after_load, arena, &kernel->items[i], error);
        after_load = after_load || kernel->items[i].kind == GPU_LOAD;
    }
    if (status == STATUS_OK)
        status = field_count(loop, "units", 1, 1000000, 0, &kernel->loop_units, error);
    if (status == STATUS_OK)
        status = field_count(loop, "instructions", 1, 1000000, 0, &kernel->loop_instructions, error);
    if (status == STATUS_OK)
        status = field_count(grid, "blocks", 1, 1 << 24, 0, &kernel->blocks, error);
    if (status == STATUS_OK)
        status = field_count(grid, "threads", 1, 4096, 0, &kernel->threads, error);
    if (status == STATUS_OK && json_object_get(loop, "fill") != NULL)
        status = field_wrong(error, "loop.fill", "units or instructions: fill is for CPUs");
    kernel->place = json_object_get(point, "place");
    return status;
}
