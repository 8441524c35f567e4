/* The first line of results: what a run was made with (DESIGN.md section 7). */
#ifndef CLI_RUN_CONTEXT_H
#define CLI_RUN_CONTEXT_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/work.h"
#include "runner/measure.h"

#include <jansson.h>

/* The context of a run. New reference. */
json_t *run_context(const struct work *work, const struct options *options, const struct meters *meters,
                    int cpu);

/* STATUS_USAGE when a file's context is of another machine or seed than this run's: its points are not
 * comparable. */
enum status run_context_agrees(const json_t *recorded, const json_t *now, const char *path,
                               struct error *error);

#endif
