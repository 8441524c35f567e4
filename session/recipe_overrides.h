/* --set over several recipe files: each file gets the overrides that it knows; a name that no file knows is
 * refused. */
#ifndef SESSION_RECIPE_OVERRIDES_H
#define SESSION_RECIPE_OVERRIDES_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/recipe/recipe.h"

#include <stdbool.h>
#include <stddef.h>

struct override_list {
    const struct override *items;
    size_t count;
};

/* Which of the overrides some file knew. */
struct overrides_used {
    bool *known; /* [count of the overrides], all false at first */
};

/* Loads the file as recipe_load does, with those overrides that name one of its parameters; marks them in
 * *used. STATUS_USAGE when the file has the parameter but not the value. */
enum status recipe_load_overridden(const char *path, const struct machine *machine,
                                   const struct template *templates, const struct override_list *overrides,
                                   struct overrides_used *used, struct recipe *recipe, struct error *error);

/* STATUS_USAGE when no file knew one of the overrides; path: a file for the suggestion. */
enum status overrides_check(const char *path, const struct machine *machine, const struct template *templates,
                            const struct override_list *overrides, const struct overrides_used *used,
                            struct error *error);

#endif
