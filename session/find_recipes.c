#include "session/find_recipes.h"

#include "base/file.h"
#include "base/files/paths.h"
#include "base/text/suggest.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 512 };
static const char MACHINES[] = "machines";

static void add_path(struct arena *arena, struct recipe_paths *found, const char *path)
{
    if (found->count == found->capacity) {
        size_t capacity = found->capacity == 0 ? 16 : 2 * found->capacity;
        const char **paths = arena_alloc(arena, capacity, sizeof *paths);
        if (found->count > 0)
            memcpy(paths, found->paths, found->count * sizeof *paths);
        found->paths = paths;
        found->capacity = capacity;
    }
    found->paths[found->count++] = arena_strdup(arena, path);
}

/* Adds the folder's recipe files; true when there is one. */
static bool add_folder(struct arena *arena, struct recipe_paths *found, const char *folder)
{
    char **names = file_list(folder, ".lua");
    size_t before = found->count;
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        char path[FILE_PATH_BYTES];
        add_path(arena, found, file_join(path, folder, names[i]));
    }
    file_free_names(names);
    return found->count > before;
}

static enum status shipped(char home[FILE_PATH_BYTES], struct error *error)
{
    char root[FILE_PATH_BYTES];
    enum status status = paths_home(root, error);
    if (status == STATUS_OK)
        file_join(home, root, "recipes");
    return status;
}

/* All names under recipes/: "folder" and "folder/recipe". */
static size_t shipped_names(const char *home, struct arena *arena, const char **names, size_t most)
{
    size_t count = 0;
    char **folders = file_list(home, "");
    for (size_t i = 0; folders != NULL && folders[i] != NULL; i++) {
        char folder[FILE_PATH_BYTES];
        char **files =
            strcmp(folders[i], MACHINES) == 0 ? NULL : file_list(file_join(folder, home, folders[i]), ".lua");
        if (files != NULL && count < most)
            names[count++] = arena_strdup(arena, folders[i]);
        for (size_t j = 0; files != NULL && files[j] != NULL && count < most; j++) {
            char name[FILE_PATH_BYTES];
            file_join(name, folders[i], files[j]);
            name[strlen(name) - strlen(".lua")] = '\0';
            names[count++] = arena_strdup(arena, name);
        }
        file_free_names(files);
    }
    file_free_names(folders);
    return count;
}

size_t recipe_names(struct arena *arena, const char **names, size_t most, struct error *error)
{
    char home[FILE_PATH_BYTES];
    return shipped(home, error) == STATUS_OK ? shipped_names(home, arena, names, most) : 0;
}

/* The input with ".lua" added, if there is such a file, or the recipe in its folder with the nearest name;
 * NULL: none. From the arena. */
static const char *own_recipe(const char *input, struct arena *arena)
{
    char folder[FILE_PATH_BYTES], path[FILE_PATH_BYTES];
    const char *base = file_base_name(input);
    snprintf(path, sizeof path, "%s.lua", input);
    if (file_is_regular(path))
        return arena_strdup(arena, path);
    snprintf(folder, sizeof folder, "%.*s", (int)(base - input), input);
    char **files = file_list(folder[0] == '\0' ? "." : folder, ".lua");
    size_t count = 0;
    while (files != NULL && files[count] != NULL)
        count++;
    const char *meant = files == NULL ? NULL : suggest(base, (const char *const *)files, count);
    if (meant != NULL) {
        snprintf(path, sizeof path, "%s%s", folder, meant);
        meant = arena_strdup(arena, path);
    }
    if (files != NULL)
        file_free_names(files);
    return meant;
}

static enum status unknown(const char *input, const char *home, struct arena *arena, struct error *error)
{
    const char *names[MOST_NAMES];
    size_t count = shipped_names(home, arena, names, MOST_NAMES);
    const char *meant = own_recipe(input, arena);
    if (meant == NULL)
        meant = suggest(input, names, count);
    for (size_t i = 0; meant == NULL && i < count; i++)
        if (strcmp(file_base_name(names[i]), input) == 0)
            meant = names[i];
    error_set(error, STATUS_USAGE, "'%.300s' is not a file, folder, suite or shipped recipe", input);
    if (meant != NULL)
        error_hint(error, "did you mean '%s'?", meant);
    else
        error_hint(error, "trauma list names the shipped recipes");
    return STATUS_USAGE;
}

enum status find_recipes(const char *input, struct arena *arena, struct recipe_paths *found,
                         struct error *error)
{
    char home[FILE_PATH_BYTES];
    char named[FILE_PATH_BYTES];
    char file[FILE_PATH_BYTES + 8];
    if (file_is_regular(input)) {
        add_path(arena, found, input);
        return STATUS_OK;
    }
    enum status status = shipped(home, error);
    if (status != STATUS_OK)
        return status;
    bool is_folder = file_is_folder(input);
    if (is_folder && add_folder(arena, found, input))
        return STATUS_OK;
    file_join(named, home, input);
    snprintf(file, sizeof file, "%s.lua", named);
    if (file_is_regular(file)) {
        add_path(arena, found, file);
        return STATUS_OK;
    }
    if (file_is_folder(named) && strcmp(file_base_name(named), MACHINES) != 0 &&
        add_folder(arena, found, named))
        return STATUS_OK;
    if (is_folder)
        return error_set(error, STATUS_USAGE, "the folder %s has no recipe (*.lua) and is not a suite",
                         input);
    return unknown(input, home, arena, error);
}

const char *recipe_shown(const char *path, struct arena *arena)
{
    char home[FILE_PATH_BYTES];
    char resolved_home[PATH_MAX];
    char resolved[PATH_MAX];
    if (shipped(home, NULL) != STATUS_OK || realpath(home, resolved_home) == NULL ||
        realpath(path, resolved) == NULL)
        return path;
    size_t prefix = strlen(resolved_home);
    size_t length = strlen(resolved);
    size_t suffix = strlen(".lua");
    if (strncmp(resolved, resolved_home, prefix) != 0 || resolved[prefix] != '/' ||
        length < prefix + 1 + suffix || strcmp(resolved + length - suffix, ".lua") != 0)
        return path;
    resolved[length - suffix] = '\0';
    return arena_strdup(arena, resolved + prefix + 1);
}

enum status find_all_recipes(struct arena *arena, struct recipe_paths *found, struct error *error)
{
    char home[FILE_PATH_BYTES];
    enum status status = shipped(home, error);
    char **folders = status == STATUS_OK ? file_list(home, "") : NULL;
    for (size_t i = 0; folders != NULL && folders[i] != NULL; i++) {
        char folder[FILE_PATH_BYTES];
        if (strcmp(folders[i], MACHINES) != 0)
            add_folder(arena, found, file_join(folder, home, folders[i]));
    }
    file_free_names(folders);
    return status;
}
