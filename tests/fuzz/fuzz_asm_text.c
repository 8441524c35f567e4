/* The text of an asm{}: cut, filled in, assembled by LLVM MC and looked at as bytes. */
#include "generator/suite/code_generator.h"
#include "generator/suite/manifest_read.h"
#include "generator/suite/program.h"
#include "tests/fuzz/fuzz.h"

static const char MACHINE[] = "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":32768,"
                              "\"ways\":4,\"line\":64},\"L1D\":{\"size\":"
                              "4096,\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,"
                              "\"ways\":8,\"line\":64,\"policy\":\"lru\"}},"
                              "\"features\":[\"sse2\",\"avx\",\"avx512f\"]}";
static const char POINT[] = "{\"benchmark\":\"fuzz\",\"point\":\"default\",\"target\":\"x86_64\",\"kernel\":{"
                            "\"unit\":[{\"op\":\"asm\",\"count\":1,"
                            "\"text\":\"\",\"registers\":[\"r9\",\"r10\",\"rax\",\"xmm1\",\"xmm2\",\"xmm3\"],"
                            "\"memory\":64}],\"loop\":{\"units\":2}}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct code_generator code_generator;
    static struct machine machine;
    static json_t *point;
    struct error error = {0};
    if (point == NULL) {
        json_t *description = fuzz_constant(MACHINE);
        FUZZ_REQUIRE(machine_from_json(description, "machine", &machine, &error) == STATUS_OK);
        FUZZ_REQUIRE(code_generator_open("x86_64", &code_generator, &error) == STATUS_OK);
        json_decref(description);
        point = fuzz_constant(POINT);
    }
    json_t *kernel = json_object_get(point, "kernel");
    json_t *item = json_array_get(json_object_get(kernel, "unit"), 0);
    if (json_object_set_new(item, "text", json_stringn((const char *)data, size)) == 0) {
        struct manifest *stated = point_from_json(point);
        fuzz_accepted(program_check_texts(&code_generator.templates, stated, &machine, &error), &error);
        manifest_free(stated);
    }
    return 0;
}
