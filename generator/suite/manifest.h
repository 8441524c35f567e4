/* Makes the manifest of a plan's program: everything known about it, so that it can be checked without its
 * recipe (DESIGN.md section 3). */
#ifndef GENERATOR_SUITE_MANIFEST_H
#define GENERATOR_SUITE_MANIFEST_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/plan/gpu/gpu_plan.h"
#include "generator/plan/plan.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program_parts.h"

#include <stdint.h>

/* What a program was made from, besides its plan. */
struct manifest_origin {
    const struct manifest *point; /* the manifest keeps a reference to its document */
    const struct machine *machine;
    uint64_t seed;
    const char *symbols; /* the prefix of the names that its object exports; NULL: it exports none */
    const char *markers; /* the executable's region markers; NULL: none */
};

/* Fills program->manifest, from the plan and the program's other parts, and program->hash. */
enum status manifest_of_plan(const struct plan *plan, const struct template *templates,
                             const struct manifest_origin *origin, struct program *program,
                             struct error *error);

/* Fills program->manifest of a reference program with the fields that are needed to run it. */
void manifest_of_reference(const struct plan *plan, const struct template *templates,
                           struct program *program);

/* The same for a GPU's program. compiled: the program's compiled kernel (compiled.h), from the arena, which
 * the manifest takes over; NULL: the program is emitted. */
enum status manifest_of_gpu_plan(const struct gpu_plan *plan, const struct manifest_origin *origin,
                                 const struct compiled_kernel *compiled, struct arena *arena,
                                 struct program *program, struct error *error);

#endif
