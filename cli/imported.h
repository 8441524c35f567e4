/* --import: counters that another tool took of one point enter its evidence. */
#ifndef CLI_IMPORTED_H
#define CLI_IMPORTED_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/work.h"
#include "runner/results/evidence.h"

/* Before anything is run: the file can be read and something in it is known, and there is one point that it
 * can be of. STATUS_OK without --import. */
enum status imported_check(const struct options *options, const struct work *work, struct error *error);

/* Adds what the file says to the evidence; nothing without --import. */
enum status imported_add(const struct options *options, struct evidence *evidence, struct error *error);

#endif
