/* The work of one pass of a loop, which models need beside the time and energy of many passes. */
#ifndef SESSION_EXECUTE_PER_PASS_H
#define SESSION_EXECUTE_PER_PASS_H

#include "runner/results/result_point.h"

/* Sets per_pass and units of the point from the manifest: "instructions", "loads", "stores"; for a GPU's grid
 * "accesses.LEVEL" (threads' loads by the level that serves them), and "transfers.LEVEL" and "stored.LEVEL"
 * (sectors). */
void per_pass_set(const struct manifest *manifest, struct result_point *point);

#endif
