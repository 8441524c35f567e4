/* Recipes on a toy machine, for tests of the recipe host. */
#ifndef TESTS_GENERATOR_TOY_H
#define TESTS_GENERATOR_TOY_H

#include "base/file.h"
#include "base/json.h"
#include "generator/recipe/recipe.h"

#include <string.h>

static const char machine_text[] = "{\"name\": \"toy\", \"isa\": \"x86_64\", \"caches\": {\"L1I\": "
                                   "{\"size\": 8192, \"ways\": 4, \"line\": 32},"
                                   " \"L1D\": {\"size\": 8192, \"ways\": 2, \"line\": 32}, \"L2\": "
                                   "{\"size\": 262144, \"ways\": 4, \"line\": 32}}}";

/* Loads the file on the toy machine, with at most one override. */
static inline enum status load(const char *path, const char *set, const char *values, struct recipe *recipe,
                               struct error *error)
{
    struct machine machine;
    struct error problem;
    json_t *description = json_parse(machine_text, strlen(machine_text), "machine", &problem);
    assert_int_equal(machine_from_json(description, "machine", &machine, &problem), STATUS_OK);
    struct template templates;
    assert_int_equal(template_load(TRAUMA_SOURCE_DIR, &isa_x86_64, &templates, &problem), STATUS_OK);
    const struct override override = {.name = set, .values = values};
    memset(error, 0, sizeof *error);
    enum status status = recipe_load(path, &machine, &templates, &override, set != NULL, recipe, error);
    template_free(&templates);
    json_decref(description);
    machine_free(&machine);
    return status;
}

#endif
