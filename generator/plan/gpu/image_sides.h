/* Data of one side of L2: which chunks of a region are in the ring of which side, once a device told, and the
 * bytes that follow from it. */
#ifndef GENERATOR_PLAN_GPU_IMAGE_SIDES_H
#define GENERATOR_PLAN_GPU_IMAGE_SIDES_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/gpu/image.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GPU_SIDES = 2, GPU_SIDE_UNKNOWN = 255 };

/* What a device told of a region: a side (0, 1 or GPU_SIDE_UNKNOWN) of each of its chunks, and of each
 * multiprocessor. */
struct gpu_homes {
    const unsigned char *chunks; /* [chunk_count], gpu_sides_chunks of the rule */
    size_t chunk_count;
    const unsigned char *sms; /* [sm_count] */
    size_t sm_count;
};

/* Chunks that the rule's region has behind its table, and where the first one begins in the data. */
size_t gpu_sides_chunks(const struct gpu_rule *rule);
uint64_t gpu_sides_first(const struct gpu_rule *rule);

/* Makes the rings; the arena owns them. STATUS_UNAVAILABLE when a side has too few chunks or
 * multiprocessors. */
enum status gpu_sides_learn(struct gpu_rule *rule, const struct gpu_homes *homes, struct arena *arena,
                            struct error *error);

/* The side of a chunk in its ring; GPU_SIDE_UNKNOWN: in none. The rule has been learned. */
unsigned gpu_sides_ring_of(const struct gpu_rule *rule, size_t chunk);

/* The rule's fields in the manifest's "fill", but for its words. False when one is missing or wrong. */
void gpu_sides_to_json(const struct gpu_rule *rule, json_t *fill);
bool gpu_sides_from_json(const json_t *fill, struct gpu_rule *rule);

/* gpu_image_fill of one rule, from a place in its region on, into bytes that are zeros. */
void gpu_sides_fill(const struct gpu_rule *rule, uint64_t address, uint64_t from, uint64_t size,
                    unsigned char *bytes);

#endif
