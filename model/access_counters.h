/* What an application's counters say of how often each level of the memory hierarchy was accessed, for the
 * model "access-energy". */
#ifndef MODEL_ACCESS_COUNTERS_H
#define MODEL_ACCESS_COUNTERS_H

#include <jansson.h>

/* Accesses of the level ("SHARED", "L1", "L2", "MEM"): "accesses.LEVEL" as it is; else accesses of 32 bytes
 * by what a GPU's profiler counted (templates/imports/ncu.txt): sectors that the level had, stores as loads
 * (Delestrac et al. 2024, section VI-A). NAN when nothing tells it. */
double access_counter(const json_t *counters, const char *level);

#endif
