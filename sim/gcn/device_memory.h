/* The device memory that a launched kernel sees: address ranges, and nothing outside them. */
#ifndef SIM_GCN_DEVICE_MEMORY_H
#define SIM_GCN_DEVICE_MEMORY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAVE_MOST_RANGES = 16 };

/* Memory that the kernel may reach at that device address; not owned. */
struct wave_range {
    const char *name; /* for messages: "data" */
    uint64_t address, size;
    unsigned char *bytes;
    bool writable;
    bool counted; /* its accesses are observed */
};

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
