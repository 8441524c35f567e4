/* Energy of one access (DESIGN.md section 5), where a loop's loads are all served by one level. What else the
 * loop does is in it: the models take that apart (DESIGN.md section 10). */
#ifndef RUNNER_POWER_PER_ACCESS_H
#define RUNNER_POWER_PER_ACCESS_H

#include <jansson.h>

/* Sets power["energy.per_access_j.LEVEL"] from its "energy.dynamic_j", when the manifest expects at least 99
 * % of the loads to be served there and there are no stores. passes: of one repetition, of all its copies. */
void per_access_set(const json_t *manifest, double passes, json_t *power);

#endif
