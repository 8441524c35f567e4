/* Rejects impossible counters of a point that a model is fitted to, or of an application. */
#ifndef MODEL_DATA_COUNTERS_H
#define MODEL_DATA_COUNTERS_H

#include "base/error.h"
#include "model/data/named_numbers.h"

#include <stdbool.h>

/* STATUS_USAGE when a counter is negative or exceeds its whole: more misses than accesses, more stall cycles
 * than cycles. */
enum status counters_check(const struct named_numbers *counters, struct error *error);

/* Reports that a model needs counters: returns STATUS_USAGE and sets error->lacking. names: separated by ",
 * "; why: the end of the message, or "". */
enum status counters_lack(const char *names, const char *why, struct error *error);

/* Whether any model uses a counter of that name: of a chip, of a core or of a what-if ("to.l2_hits"). */
bool counters_known(const char *name);

#endif
