/* A recipe: Lua in the sandbox, and what of its points goes on to a program. */
#include "tests/fuzz/inside.h"

#include "generator/recipe/recipe.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"

static const char MACHINE[] = "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":32768,"
                              "\"ways\":4,\"line\":64},\"L1D\":{\"size\":"
                              "4096,\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,"
                              "\"ways\":8,\"line\":64,\"policy\":\"lru\"}},"
                              "\"features\":[\"sse2\",\"avx\"]}";

enum { POINTS_LOOKED_AT = 4 };

struct scene {
    struct code_generator code_generator;
    struct machine machine;
    bool open;
};

static const struct scene *scene_open(void)
{
    static struct scene scene;
    struct error error;
    if (scene.open)
        return &scene;
    json_t *machine = fuzz_constant(MACHINE);
    FUZZ_REQUIRE(machine_from_json(machine, "machine", &scene.machine, &error) == STATUS_OK);
    FUZZ_REQUIRE(code_generator_open("x86_64", &scene.code_generator, &error) == STATUS_OK);
    scene.open = true;
    json_decref(machine);
    return &scene;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct scene *scene = scene_open();
    char path[FUZZ_PATH_BYTES];
    struct recipe recipe;
    struct error error = {0};
    int fd = fuzz_file(data, size, path);
    enum status status =
        recipe_load(path, &scene->machine, &scene->code_generator.templates, NULL, 0, &recipe, &error);
    if (fuzz_accepted(status, &error))
        for (size_t i = 0; i < recipe.count && i < POINTS_LOOKED_AT; i++) {
            struct buffer text = {0};
            FUZZ_REQUIRE(recipe_text(&recipe, &recipe.points[i], &text, &error) == STATUS_OK);
            struct manifest *point = point_read(&text, "recipe", &error);
            FUZZ_REQUIRE(point != NULL);
            status = program_check_texts(&scene->code_generator.templates, point, &scene->machine, &error);
            fuzz_accepted(status, &error);
            manifest_free(point);
            buffer_free(&text);
        }
    recipe_free(&recipe);
    close(fd);
    return 0;
}
