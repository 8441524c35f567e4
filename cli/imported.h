/* --import: counters that another tool recorded for one point become part of its evidence. */
#ifndef CLI_IMPORTED_H
#define CLI_IMPORTED_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/work.h"
#include "runner/results/evidence.h"

/* Checks before anything runs that the file is readable and contains a known counter, and that there is
 * exactly one point that it can belong to. STATUS_OK without --import. */
enum status imported_check(const struct options *options, const struct work *work, struct error *error);

/* Adds the file's counters to the evidence; does nothing without --import. */
enum status imported_add(const struct options *options, struct evidence *evidence, struct error *error);

#endif
