/* Finds the recipe files that a command-line argument names. */
#ifndef SESSION_FIND_RECIPES_H
#define SESSION_FIND_RECIPES_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Paths of recipe files, in the order found. */
struct recipe_paths {
    const char **paths; /* from the arena */
    size_t count;
    size_t capacity;
};

/* Adds the recipes that the input names: a file, a folder (all recipes in it), or the name of a file or
 * folder under recipes/ of the installation. STATUS_USAGE, with the nearest name, when there is none. */
enum status find_recipes(const char *input, struct arena *arena, struct recipe_paths *found,
                         struct error *error);

/* The recipe's name in lists and results, which find_recipes also accepts: of a shipped recipe
 * "traumagen-2001/dcache", else the path. From the arena. */
const char *recipe_shown(const char *path, struct arena *arena);

/* The names of all shipped recipes and their folders, "folder" and "folder/recipe", from the arena. Returns
 * how many there are, at most `most`; 0 with *error if the installation is not found. */
size_t recipe_names(struct arena *arena, const char **names, size_t most, struct error *error);

/* Adds all shipped recipes. */
enum status find_all_recipes(struct arena *arena, struct recipe_paths *found, struct error *error);

#endif
