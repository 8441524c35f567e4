/* In which order points are run: what the machine does meanwhile (warming up, another's load) must not look
 * like an effect of the sweep. */
#ifndef CLI_RUN_ORDER_H
#define CLI_RUN_ORDER_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/work.h"
#include "runner/power/recorder.h"

#include <stddef.h>

/* STATUS_USAGE when --order is neither "given" nor "random". */
enum status run_order_check(const struct options *options, struct error *error);

/* The items' indexes: as given or, by the seed, at random, which is usual where there is power to measure.
 * Free with free. */
size_t *run_order(const struct options *options, const struct work *work, const struct recorder *recorder);

#endif
