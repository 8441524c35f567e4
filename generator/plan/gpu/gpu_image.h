/* The initial data of a GPU program, made from its rules in parts, because it may be larger than this
 * machine's memory. */
#ifndef GENERATOR_PLAN_GPU_GPU_IMAGE_H
#define GENERATOR_PLAN_GPU_GPU_IMAGE_H

#include "generator/plan/gpu/gpu_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_image {
    uint64_t bytes, align;
    struct gpu_rule *rules; /* [rule_count], in ascending order of offset, without overlap */
    size_t rule_count;
};

/* Writes bytes [from, from + size) of the data, for a device that holds it at `address`; zeros between
 * regions and past the end. from and size are multiples of 8. */
void gpu_image_fill(const struct gpu_image *image, uint64_t address, uint64_t from, size_t size,
                    unsigned char *bytes);

#endif
