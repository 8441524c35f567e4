/* A machine file: Lua in the sandbox, the description that comes of it, and its text, which reads back. */
#include "tests/fuzz/inside.h"

#include "base/buffer.h"
#include "generator/recipe/recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_BYTES];
    struct machine machine;
    struct error error = {0};
    int fd = fuzz_file(data, size, path);
    if (fuzz_accepted(recipe_load_machine(path, &machine, &error), &error)) {
        struct buffer text = {0};
        struct machine again;
        machine_write_lua(&machine, &text);
        int copy = fuzz_file((const uint8_t *)text.data, text.size, path);
        FUZZ_REQUIRE(recipe_load_machine(path, &again, &error) == STATUS_OK);
        FUZZ_REQUIRE(json_equal(machine.document, again.document));
        machine_free(&again);
        buffer_free(&text);
        close(copy);
    }
    machine_free(&machine);
    close(fd);
    return 0;
}
