/* Makes many programs in parallel, in worker processes that share only the suite's folder. */
#ifndef CLI_GEN_WORKERS_H
#define CLI_GEN_WORKERS_H

#include "cli/progress.h"
#include "cli/work.h"
#include "generator/suite/suite.h"

/* Makes and writes every item's program, -j at a time; appends the entries to the index in the items' order.
 * Stops at the first failure. */
enum status gen_programs(const struct work *work, struct suite_writer *writer, const struct options *options,
                         struct progress *progress, struct error *error);

#endif
