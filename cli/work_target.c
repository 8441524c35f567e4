#include "cli/work_target.h"

#include "base/json.h"
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

static bool any_targets(const json_t *benchmarks, const char *target)
{
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        const json_t *targets = json_object_get(json_array_get(benchmarks, i), "targets");
        for (size_t j = 0; j < json_array_size(targets); j++)
            if (strcmp(json_string_value(json_array_get(targets, j)), target) == 0)
                return true;
    }
    return false;
}

void work_target_wanted(const struct recipe *recipe, const struct options *options,
                        const struct work_ground *ground, char wants[RECIPE_TARGET_BYTES])
{
    snprintf(wants, RECIPE_TARGET_BYTES, "%s", recipe->wants);
    if (options->target != NULL && strcmp(options->target, ground->machine.isa) != 0 &&
        (any_targets(recipe->benchmarks, options->target) || any_targets(recipe->left_out, options->target)))
        snprintf(wants, RECIPE_TARGET_BYTES, "%s", options->target);
}

void work_target_warn(const struct work_source *source, const struct options *options)
{
    size_t out = json_array_size(source->recipe.left_out), in = json_array_size(source->recipe.benchmarks);
    if (out > 0 && in > 0 && options->target == NULL)
        command_warn(options,
                     "%zu of %zu benchmarks of %s are left out, as %s does not run what they are for", out,
                     out + in, source->shown, source->ground->machine.name);
}
