/* The manifest: everything known about a program, so that it can be checked without its recipe (DESIGN.md
 * section 3). */
#ifndef GENERATOR_SUITE_MANIFEST_H
#define GENERATOR_SUITE_MANIFEST_H

#include "base/error.h"
#include "generator/plan/gpu/gpu_plan.h"
#include "generator/plan/plan.h"
#include "generator/suite/program_parts.h"

#include <jansson.h>
#include <stdint.h>

/* Schema 2 calls eviction sets by their name; schema 1 is still read. */
enum { MANIFEST_SCHEMA = 2 };

/* Rates as {metric: value}. New reference. */
json_t *manifest_rates(const struct rates *rates);

/* The plan's bases, as in the manifest's "data". New reference. */
json_t *manifest_bases(const struct plan *plan);

/* The eviction sets of its data, [{"l1d_set", "lines", "rounds"}]; NULL in a GPU's. Schema 1 has them as
 * "conflict_groups". */
const json_t *manifest_eviction_sets(const json_t *manifest);

/* The level that one of the manifest's bases serves; LEVEL_MEM (the farthest) for a walk, whose level is not
 * stated. */
enum memory_level manifest_base_level(const json_t *base);

/* Writes program->manifest_text from the plan, the recipe's point and the program's other parts, and fills in
 * program->hash. markers: the executable's region markers; NULL: none. */
enum status manifest_write(const struct plan *plan, const struct template *templates, const json_t *point,
                           uint64_t seed, const char *markers, struct program *program, struct error *error);

/* The same for a GPU's program. Its fields in addition to those common to all targets:
 *   "arch", "entry", "grid": {"blocks", "threads"}, "shared_bytes",
 *   "data": {"bytes", "align", "regions": [{"name", "level", "offset", "bytes", "fill"}]} (gpu_image.h),
 *   "streams": [{"op", "level", "predicted", "cache", "chase", "width", "per_pass", "bytes", "step", "lane",
 * "block", "advance", of a side of L2 also "side" and "hop", accesses in a chunk}], "accesses": {level: loads
 * of all threads in a pass}, "transfers": {level: sectors or lines that these are}. */
enum status manifest_write_gpu(const struct gpu_plan *plan, const json_t *point, uint64_t seed,
                               struct program *program, struct error *error);

#endif
