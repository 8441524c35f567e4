#include "sim/device_memory.h"

static bool holds(const struct device_range *range, uint64_t address, uint64_t bytes)
{
    uint64_t past = address - range->address;
    return past < range->size && bytes <= range->size - past;
}

enum status device_memory_add(struct device_memory *memory, const struct device_range *range,
                              struct error *error)
{
    if (range->size == 0)
        return STATUS_OK;
    if (memory->count == DEVICE_MOST_RANGES || range->address + range->size < range->address)
        return error_set(error, STATUS_USAGE,
                         "the memory range '%s' does not fit: there are too many, or it wraps around",
                         range->name);
    for (size_t i = 0; i < memory->count; i++) {
        const struct device_range *other = &memory->ranges[i];
        if (range->address < other->address + other->size && other->address < range->address + range->size)
            return error_set(error, STATUS_USAGE, "the memory ranges '%s' and '%s' overlap", range->name,
                             other->name);
    }
    memory->ranges[memory->count++] = *range;
    return STATUS_OK;
}

const struct device_range *device_memory_find(struct device_memory *memory, uint64_t address, uint64_t bytes)
{
    if (memory->count > 0 && holds(&memory->ranges[memory->last], address, bytes))
        return &memory->ranges[memory->last];
    for (size_t i = 0; i < memory->count; i++)
        if (holds(&memory->ranges[i], address, bytes)) {
            memory->last = i;
            return &memory->ranges[i];
        }
    return NULL;
}
