/* Rejects impossible counters of a point that a model is fitted to, or of an application. */
#ifndef MODEL_DATA_COUNTERS_H
#define MODEL_DATA_COUNTERS_H

#include "base/error.h"
#include "model/data/named_numbers.h"

#include <stdbool.h>

/* STATUS_USAGE when one is negative, or exceeds one that it is a part of: more misses than accesses, more
 * stall cycles than cycles. */
enum status counters_check(const struct named_numbers *counters, struct error *error);

/* STATUS_USAGE, and error->lacking: a model needs the counters, named with ", " between them; why: behind
 * that, or "". */
enum status counters_lack(const char *names, const char *why, struct error *error);

/* Whether some model uses a counter of that name, of a chip or a core, or for a what-if ("to.l2_hits"). */
bool counters_known(const char *name);

#endif
