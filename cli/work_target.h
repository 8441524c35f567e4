/* Recipes whose benchmarks are for several targets: which of them a command line means. */
#ifndef CLI_WORK_TARGET_H
#define CLI_WORK_TARGET_H

#include "cli/options.h"
#include "cli/work.h"
#include "cli/work_ground.h"
#include "generator/recipe/recipe.h"

/* The target to read the recipe for, which was read on the ground, in place of its own; "" where that was as
 * it should be. Only --target chooses among several. */
void work_target_wanted(const struct recipe *recipe, const struct options *options,
                        const struct work_ground *ground, char wants[RECIPE_TARGET_BYTES]);

/* Warns of benchmarks for other targets than the machine's, where others of their file are for it. */
void work_target_warn(const struct work_source *source, const struct options *options);

#endif
