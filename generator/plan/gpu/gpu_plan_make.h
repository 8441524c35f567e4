/* Makes a GPU's plan: streams and their regions, the slots of the loop, and the rates. */
#ifndef GENERATOR_PLAN_GPU_GPU_PLAN_MAKE_H
#define GENERATOR_PLAN_GPU_GPU_PLAN_MAKE_H

#include "generator/plan/gpu/gpu_plan.h"

/* Makes the plan; kernel and machine must outlive it. label: "benchmark/point", which with the seed selects
 * its random numbers. STATUS_RECIPE with the reason if a rate cannot be reached. Free with gpu_plan_free also
 * after an error. */
enum status gpu_plan_make(const struct kernel *kernel, const struct machine *machine,
                          const struct template *templates, uint64_t seed, const char *label,
                          struct gpu_plan *plan, struct error *error);

#endif
