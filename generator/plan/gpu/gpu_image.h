/* The initial data of a GPU program, made from its manifest's rules: in parts, because it may be larger than
 * this machine's memory. */
#ifndef GENERATOR_PLAN_GPU_GPU_IMAGE_H
#define GENERATOR_PLAN_GPU_GPU_IMAGE_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/gpu/gpu_rule.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_image {
    uint64_t bytes, align;
    struct gpu_rule *rules; /* [rule_count], in ascending order of offset, without overlap */
    size_t rule_count;
};

/* The rule in manifest form. New reference. */
json_t *gpu_rule_to_json(const struct gpu_rule *rule);

/* Reads a manifest's "data" ({"bytes","align","regions": [{"offset","bytes","fill"}]}), which is untrusted.
 * The arena owns the rules. STATUS_FAILED with what is wrong. */
enum status gpu_image_read(const json_t *data, struct arena *arena, struct gpu_image *image,
                           struct error *error);

/* Writes bytes [from, from + size) of the data, for a device that holds it at `address`; zeros between
 * regions and past the end. from and size are multiples of 8. */
void gpu_image_fill(const struct gpu_image *image, uint64_t address, uint64_t from, size_t size,
                    unsigned char *bytes);

/* A copy of the data in which all that lies on one side of L2 lies on that one ("near", "far"). New
 * reference.
 */
json_t *gpu_image_on_side(const json_t *data, const char *side);

#endif
