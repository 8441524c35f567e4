/* The device memory that a launched kernel sees: address ranges, and nothing outside them. */
#ifndef SIM_GCN_DEVICE_MEMORY_H
#define SIM_GCN_DEVICE_MEMORY_H

#include "sim/gcn/execute.h"

enum { WAVE_MOST_RANGES = 16 };

struct wave_memory {
    struct wave_range ranges[WAVE_MOST_RANGES];
    size_t count;
    size_t last; /* the range found last */
};

/* Adds a range. STATUS_USAGE if there are too many or it overlaps another. */
enum status wave_memory_add(struct wave_memory *memory, const struct wave_range *range, struct error *error);

/* The range that contains all the bytes, or NULL. */
const struct wave_range *wave_memory_find(struct wave_memory *memory, uint64_t address, uint64_t bytes);

#endif
