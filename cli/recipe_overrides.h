/* --set over several recipe files: each file gets the overrides that it knows; a name that no file knows is
 * refused. */
#ifndef CLI_RECIPE_OVERRIDES_H
#define CLI_RECIPE_OVERRIDES_H

#include "base/error.h"
#include "cli/options.h"
#include "generator/machine/machine.h"
#include "generator/recipe/recipe.h"

#include <jansson.h>
#include <stdbool.h>

/* Which of the options' overrides some file knew. Initialise to zeros. */
struct overrides_used {
    bool known[OPTIONS_MOST];
};

/* Loads the file as recipe_load does, with those overrides that name one of its parameters; marks them in
 * *used. STATUS_USAGE when the file has the parameter but not the value. */
enum status recipe_load_overridden(const char *path, const struct machine *machine, const json_t *ops,
                                   const struct options *options, struct overrides_used *used,
                                   struct recipe *recipe, struct error *error);

/* STATUS_USAGE when no file knew one of the overrides; path: a file for the suggestion. */
enum status overrides_check(const char *path, const struct machine *machine, const json_t *ops,
                            const struct options *options, const struct overrides_used *used,
                            struct error *error);

#endif
