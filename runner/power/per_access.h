/* Energy per access (DESIGN.md section 5) for loops whose loads are all served by one level. It includes the
 * loop's other work, which the models separate (DESIGN.md section 10). */
#ifndef RUNNER_POWER_PER_ACCESS_H
#define RUNNER_POWER_PER_ACCESS_H

#include "runner/results/result_point.h"

/* Adds "energy.per_access_j.LEVEL" to the power's values, from its "energy.dynamic_j" if the manifest expects
 * at least 99 % of the loads to be served there and there are no stores. passes: of one repetition, over all
 * its copies. */
void per_access_set(const struct manifest *manifest, double passes, struct result_power *power,
                    struct arena *arena);

#endif
