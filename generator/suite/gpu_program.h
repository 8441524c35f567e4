/* The program for one point on a GPU: source and manifest, from the point's document. */
#ifndef GENERATOR_SUITE_GPU_PROGRAM_H
#define GENERATOR_SUITE_GPU_PROGRAM_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/plan/gpu/gpu_plan.h"
#include "generator/suite/program.h"

#include <jansson.h>
#include <stdint.h>

/* program_write (program.h) for GPU targets. */
enum status gpu_program_write(const struct code_generator *code_generator, const json_t *point,
                              const struct machine *machine, uint64_t seed, struct program *program,
                              struct error *error);

/* Writes the manifest's text and the program's hash. Its fields in addition to those common to all targets:
 *   "arch", "entry", "grid": {"blocks", "threads"}, "shared_bytes",
 *   "data": {"bytes", "align", "regions": [{"name", "level", "offset", "bytes", "fill"}]} (image.h),
 *   "streams": [{"op", "level", "predicted", "cache", "chase", "width", "per_pass", "bytes", "step", "lane",
 * "block", "advance", of a side of L2 also "side" and "hop", accesses in a chunk}], "accesses": {level: loads
 * of all threads in a pass}, "transfers": {level: sectors or lines that these are}. */
enum status gpu_manifest_write(const struct gpu_plan *plan, const json_t *point, uint64_t seed,
                               struct program *program, struct error *error);

#endif
