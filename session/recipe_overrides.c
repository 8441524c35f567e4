#include "session/recipe_overrides.h"

#include "base/memory.h"
#include "generator/suite/manifest_read.h"

#include <stdlib.h>
#include <string.h>

static bool has_parameter(const char *path, const struct machine *machine, const struct template *templates,
                          const char *name)
{
    struct recipe plain;
    struct error ignored; /* errors without the override do not matter here */
    bool found = false;
    if (recipe_load(path, machine, templates, NULL, 0, &plain, &ignored) == STATUS_OK)
        for (size_t i = 0; !found && i < plain.count; i++) {
            struct buffer text = {0};
            struct manifest *point = recipe_text(&plain, &plain.points[i], &text, NULL) == STATUS_OK
                                         ? point_read(&text, path, NULL)
                                         : NULL;
            found = point != NULL && json_object_get(point->parameters, name) != NULL;
            manifest_free(point);
            buffer_free(&text);
        }
    recipe_free(&plain);
    return found;
}

/* *takes: the file accepts the override. STATUS_USAGE if it has the parameter and refuses the value. */
static enum status try_one(const char *path, const struct machine *machine, const struct template *templates,
                           const struct override *override, bool *takes, struct error *error)
{
    struct recipe trial;
    enum status status = recipe_load(path, machine, templates, override, 1, &trial, error);
    recipe_free(&trial);
    *takes = status != STATUS_USAGE;
    return status == STATUS_USAGE && has_parameter(path, machine, templates, override->name) ? status
                                                                                             : STATUS_OK;
}

/* The overrides that the file accepts, each tried alone. */
static enum status choose(const char *path, const struct machine *machine, const struct template *templates,
                          const struct override_list *overrides, struct overrides_used *used,
                          struct override *chosen, size_t *count, struct error *error)
{
    enum status status = STATUS_OK;
    *count = 0;
    for (size_t i = 0; status == STATUS_OK && i < overrides->count; i++) {
        bool takes = false;
        status = try_one(path, machine, templates, &overrides->items[i], &takes, error);
        if (!takes)
            continue;
        used->known[i] = true;
        chosen[(*count)++] = overrides->items[i];
    }
    return status;
}

enum status recipe_load_overridden(const char *path, const struct machine *machine,
                                   const struct template *templates, const struct override_list *overrides,
                                   struct overrides_used *used, struct recipe *recipe, struct error *error)
{
    size_t count = overrides->count;
    enum status status = recipe_load(path, machine, templates, overrides->items, count, recipe, error);
    if (status == STATUS_OK)
        memset(used->known, true, count * sizeof used->known[0]);
    if (status != STATUS_USAGE || count == 0)
        return status;
    struct override *chosen = memory_zeroed(count, sizeof *chosen);
    recipe_free(recipe);
    status = choose(path, machine, templates, overrides, used, chosen, &count, error);
    if (status == STATUS_OK)
        status = recipe_load(path, machine, templates, chosen, count, recipe, error);
    free(chosen);
    return status;
}

enum status overrides_check(const char *path, const struct machine *machine, const struct template *templates,
                            const struct override_list *overrides, const struct overrides_used *used,
                            struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < overrides->count; i++) {
        struct recipe trial;
        if (used->known[i])
            continue;
        status = recipe_load(path, machine, templates, &overrides->items[i], 1, &trial, error);
        recipe_free(&trial);
    }
    return status;
}
