/* Rows of operations, templates/x86_64/ops.txt, on to a program that uses some. The skeletons are no user's
 * files: LLVM ends the process at some wrong directives of theirs. */
#include "base/files/paths.h"
#include "generator/suite/program.h"
#include "tests/fuzz/fuzz.h"

static const char MACHINE[] = "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":32768,"
                              "\"ways\":4,\"line\":64},\"L1D\":{\"size\":"
                              "4096,\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,"
                              "\"ways\":8,\"line\":64,\"policy\":\"lru\"}},"
                              "\"features\":[\"sse2\",\"avx\",\"avx512f\"]}";
static const char KERNEL[] = "{\"unit\":[{\"op\":\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"order\":"
                             "\"shuffled\",\"address\":\"chase\",\"width\":"
                             "8,\"count\":1},{\"op\":\"add\",\"count\":3,\"dependents\":1,\"chain\":0},{"
                             "\"op\":\"branch\",\"count\":1,\"accuracy\":"
                             "0.9,\"kind\":\"indirect\"},{\"op\":\"branch\",\"count\":1,\"accuracy\":0.75,"
                             "\"taken\":0.5}],\"loop\":{\"units\":8}}";

struct scene {
    struct code_generator code_generator;
    struct machine machine;
    json_t *kernel;
    char root[FUZZ_PATH_BYTES], folder[FILE_PATH_BYTES];
};

static void copy(const struct scene *scene, const char *name)
{
    char home[FILE_PATH_BYTES], from[FILE_PATH_BYTES], path[FILE_PATH_BYTES];
    struct buffer text = {0};
    struct error error;
    FUZZ_REQUIRE(paths_home(home, &error) == STATUS_OK);
    file_join(from, home, "templates/x86_64");
    FUZZ_REQUIRE(file_read(file_join(path, from, name), &text, &error) == STATUS_OK);
    FUZZ_REQUIRE(file_write(file_join(path, scene->folder, name), text.data, text.size, false, &error) ==
                 STATUS_OK);
    buffer_free(&text);
}

static const struct scene *scene_open(void)
{
    static struct scene scene;
    struct error error;
    if (scene.kernel != NULL)
        return &scene;
    json_t *machine = fuzz_constant(MACHINE);
    FUZZ_REQUIRE(machine_from_json(machine, "machine", &scene.machine, &error) == STATUS_OK);
    FUZZ_REQUIRE(code_generator_open("x86_64", &scene.code_generator, &error) == STATUS_OK);
    json_decref(machine);
    file_join(scene.folder, fuzz_make_folder(scene.root), "templates/x86_64");
    FUZZ_REQUIRE(file_make_folders(scene.folder, &error) == STATUS_OK);
    copy(&scene, "kernel.s");
    copy(&scene, "start.s");
    scene.kernel = fuzz_constant(KERNEL);
    return &scene;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct scene *scene = scene_open();
    const struct plan_options options = {.seed = 1, .label = "fuzz"};
    char path[FILE_PATH_BYTES];
    struct code_generator code_generator = {.start = scene->code_generator.start};
    struct error error = {0};
    FILE *file = fopen(file_join(path, scene->folder, "ops.txt"), "wb");
    FUZZ_REQUIRE(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    if (fuzz_accepted(template_load(scene->root, &isa_x86_64, &code_generator.templates, &error), &error)) {
        struct program program;
        enum status status = program_make_reference(&code_generator, scene->kernel, &scene->machine, &options,
                                                    &program, &error);
        fuzz_accepted(status, &error);
        program_free(&program);
    }
    template_free(&code_generator.templates);
    return 0;
}
