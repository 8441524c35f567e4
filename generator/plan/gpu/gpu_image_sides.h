/* Data for the sides of L2: which chunks of a region form the cycle of each side, learned from a device, and
 * the resulting bytes. */
#ifndef GENERATOR_PLAN_GPU_GPU_IMAGE_SIDES_H
#define GENERATOR_PLAN_GPU_GPU_IMAGE_SIDES_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/plan/gpu/gpu_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GPU_SIDES = 2, GPU_SIDE_UNKNOWN = 255 };

/* What a device reported about a region: the side (0, 1 or GPU_SIDE_UNKNOWN) of each chunk and of each
 * multiprocessor. */
struct gpu_homes {
    const unsigned char *chunks; /* [chunk_count], gpu_sides_chunks of the rule */
    size_t chunk_count;
    const unsigned char *sms; /* [sm_count] */
    size_t sm_count;
};

/* The number of chunks after the table in the rule's region, and the first one's offset in the data. */
size_t gpu_sides_chunks(const struct gpu_rule *rule);
uint64_t gpu_sides_first(const struct gpu_rule *rule);

/* Makes the cycles; the arena owns them. STATUS_UNAVAILABLE if a side has too few chunks or multiprocessors.
 */
enum status gpu_sides_learn(struct gpu_rule *rule, const struct gpu_homes *homes, struct arena *arena,
                            struct error *error);

/* 8 bytes of the data's words at that distance from their start; the words continue from chunk to chunk,
 * behind the headers. The bytes at 0 and at the rule's bus hide the next chunk's offset. */
uint64_t gpu_sides_key(const struct gpu_rule *rule, uint64_t inside);

/* gpu_image_fill for one rule: writes into zeroed bytes, from a position in the rule's region on. */
void gpu_sides_fill(const struct gpu_rule *rule, uint64_t address, uint64_t from, uint64_t size,
                    unsigned char *bytes);

#endif
