/* Writes the manifest: everything known about a program, so that it can be checked without its recipe
 * (DESIGN.md section 3). generator/suite/manifest_read.h reads the same fields. */
#ifndef GENERATOR_SUITE_MANIFEST_H
#define GENERATOR_SUITE_MANIFEST_H

#include "base/error.h"
#include "generator/plan/gpu/gpu_plan.h"
#include "generator/plan/plan.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program_parts.h"

#include <jansson.h>
#include <stdint.h>

/* The manifest of a reference program: what running it needs. Free with manifest_free. */
enum status manifest_of_reference(const struct plan *plan, const struct template *templates,
                                  struct manifest **manifest, struct error *error);

/* Writes program->manifest_text from the plan, the recipe's point and the program's other parts, and fills in
 * program->hash. symbols: what the names that its object exports begin with; markers: the executable's region
 * markers; NULL: none. */
enum status manifest_write(const struct plan *plan, const struct template *templates, const json_t *point,
                           uint64_t seed, const char *symbols, const char *markers, struct program *program,
                           struct error *error);

/* The same for a GPU's program. Its fields in addition to those common to all targets:
 *   "arch", "entry", "grid": {"blocks", "threads", "cluster"}, "shared_bytes",
 *   "data": {"bytes", "align", "regions": [{"name", "level", "offset", "bytes", "fill"}]} (gpu_image.h),
 *   "streams": [{"op", "level", "predicted", "cache", "chase", "width", "per_pass", "bytes", "step", "lane",
 * "block", "advance", of a side of L2 also "side" and "hop", accesses in a chunk; of an asynchronous
 * load "source", "ring", its offset in shared memory, "stages", "copies" of a unit, "read"
 * and, of one that is no bulk load, "groups" of a unit and "pending" (gpu_async.h); of an atomic "atomic",
 * its operation, "scope", "returns", and "together", threads that have a word in common}], "accesses":
 * {level: loads of all threads in a pass}, "transfers": {level: sectors or lines that these are}. */
enum status manifest_write_gpu(const struct gpu_plan *plan, const json_t *point, uint64_t seed,
                               const json_t *compiled, struct program *program, struct error *error);

#endif
