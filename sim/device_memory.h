/* The device memory of a launched kernel: it may access these address ranges and nothing else. */
#ifndef SIM_DEVICE_MEMORY_H
#define SIM_DEVICE_MEMORY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_MOST_RANGES = 16 };

/* Memory at a device address; not owned. */
struct device_range {
    const char *name; /* for messages: "data" */
    uint64_t address, size;
    unsigned char *bytes;
    bool writable;
    bool counted; /* accesses to it are counted */
};

struct device_memory {
    struct device_range ranges[DEVICE_MOST_RANGES];
    size_t count;
    size_t last; /* the range found last */
};

/* Adds a range. STATUS_USAGE if there are too many or it overlaps another. */
enum status device_memory_add(struct device_memory *memory, const struct device_range *range,
                              struct error *error);

/* The range that contains all the bytes, or NULL. */
const struct device_range *device_memory_find(struct device_memory *memory, uint64_t address, uint64_t bytes);

#endif
