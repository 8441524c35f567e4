/* A GPU's point in JSON, up to the program made of it. */
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"
#include "tests/fuzz/fuzz.h"

static const char MACHINE[] = "{\"name\":\"toy\",\"isa\":\"ptx\",\"caches\":{\"L1\":{\"size\":16384},\"L2\":{"
                              "\"size\":131072}},\"gpu\":{\"arch\":"
                              "\"sm_90\",\"sm\":4,\"sides\":1,\"shared\":8192,\"memory\":68719476736,"
                              "\"bandwidth\":{\"SHARED\":128,\"L1\":128,"
                              "\"L2\":256,\"MEM\":64}}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct code_generator code_generator;
    static struct machine machine;
    struct error error = {0};
    if (machine.document == NULL) {
        json_t *description = fuzz_constant(MACHINE);
        FUZZ_REQUIRE(machine_from_json(description, "machine", &machine, &error) == STATUS_OK);
        FUZZ_REQUIRE(code_generator_open("ptx", &code_generator, &error) == STATUS_OK);
        json_decref(description);
    }
    json_t *point = fuzz_json(data, size);
    if (point != NULL) {
        struct program program;
        struct manifest *stated = point_from_json(point);
        fuzz_accepted(program_make(&code_generator, stated, &machine, 1, &program, &error), &error);
        program_free(&program);
        manifest_free(stated);
    }
    json_decref(point);
    return 0;
}
