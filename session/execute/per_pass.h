/* Work per pass of a loop, which models need besides the times and energies of many passes. */
#ifndef SESSION_EXECUTE_PER_PASS_H
#define SESSION_EXECUTE_PER_PASS_H

#include "generator/suite/manifest_read.h"

#include <jansson.h>

/* Sets point["per_pass"] from the manifest: "instructions", "loads", "stores"; for a GPU's grid
 * "accesses.LEVEL" and "transfers.LEVEL", the threads' loads by the level that serves them and the
 * corresponding sectors. */
void per_pass_set(const struct manifest *manifest, json_t *point);

#endif
