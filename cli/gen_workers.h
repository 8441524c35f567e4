/* Making many programs at a time: worker processes that share nothing but the suite's folder. */
#ifndef CLI_GEN_WORKERS_H
#define CLI_GEN_WORKERS_H

#include "cli/progress.h"
#include "cli/work.h"
#include "generator/suite/suite.h"

/* Makes every item's program and writes it, -j at a time; appends the entries to the index in the items'
 * order. The first failure ends it. */
enum status gen_programs(const struct work *work, struct suite_writer *writer, const struct options *options,
                         struct progress *progress, struct error *error);

#endif
