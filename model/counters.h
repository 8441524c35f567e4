/* What counters cannot say, of a point that a model is fitted to or of an application. */
#ifndef MODEL_COUNTERS_H
#define MODEL_COUNTERS_H

#include "base/error.h"

#include <jansson.h>

/* counters: {name: number}, of a chip or of cores ("core3.cycles"). STATUS_USAGE when one is below 0, or one
 * that is a part of another is above it: misses above accesses, cycles of waiting above cycles. */
enum status counters_check(const json_t *counters, struct error *error);

#endif
