/* What one pass of a loop does, which models need beside times and energies of many passes. */
#ifndef SESSION_PER_PASS_H
#define SESSION_PER_PASS_H

#include <jansson.h>

/* Sets point["per_pass"] from the manifest: "instructions", "loads", "stores"; of a GPU's grid
 * "accesses.LEVEL" and "transfers.LEVEL", the threads' loads by the level that serves them and the sectors
 * that these are. NULL is no point. */
void per_pass_set(const json_t *manifest, json_t *point);

#endif
