/* A kernel in JSON, as a suite's manifest or a recipe's record has it, up to the program made of it. */
#include "generator/suite/program.h"
#include "tests/fuzz/fuzz.h"

static const char MACHINE[] = "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":32768,"
                              "\"ways\":4,\"line\":64},\"L1D\":{\"size\":"
                              "4096,\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,"
                              "\"ways\":8,\"line\":64,\"policy\":\"lru\"}},"
                              "\"features\":[\"sse2\",\"avx\",\"avx512f\"]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct code_generator code_generator;
    static struct machine machine;
    const struct plan_options options = {.seed = 1, .label = "fuzz"};
    struct error error = {0};
    if (machine.document == NULL) {
        json_t *description = fuzz_constant(MACHINE);
        FUZZ_REQUIRE(machine_from_json(description, "machine", &machine, &error) == STATUS_OK);
        FUZZ_REQUIRE(code_generator_open("x86_64", &code_generator, &error) == STATUS_OK);
        json_decref(description);
    }
    json_t *kernel = fuzz_json(data, size);
    if (kernel != NULL) {
        struct program program;
        fuzz_accepted(program_make_reference(&code_generator, kernel, &machine, &options, &program, &error),
                      &error);
        program_free(&program);
    }
    json_decref(kernel);
    return 0;
}
