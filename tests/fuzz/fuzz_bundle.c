/* AMD GPU binaries: code objects, bundles of them, host programs, Catalyst's files within files. Their code
 * is found, and a patch changes what it tells and nothing else. */
#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/patch/patcher.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void patch(const uint8_t *data, size_t size, const struct gcn_patch_request *request)
{
    struct buffer result = {0};
    struct gcn_patch made;
    struct error error = {0};
    if (fuzz_accepted(gcn_patch(data, size, request, &result, &made, &error), &error)) {
        FUZZ_REQUIRE(result.size == size && made.count > 0);
        for (size_t i = 0; i < made.count; i++)
            memcpy(result.data + made.changes[i].offset, made.changes[i].before, made.changes[i].size);
        FUZZ_REQUIRE(memcmp(result.data, data, size) == 0);
    }
    gcn_patch_free(&made);
    buffer_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct gcn_patch_request requests[] = {
        {.field = "simd", .occurrence = GCN_ALL},
        {.replace = "b0077a5a", .with = "s_nop 0", .occurrence = GCN_ALL, .unreached = true},
    };
    struct gcn_code code;
    struct error error = {0};
    if (!fuzz_accepted(gcn_code_find(data, size, &code, &error), &error))
        return 0;
    for (size_t i = 0; i < code.count; i++)
        FUZZ_REQUIRE(code.pieces[i].offset <= size && code.pieces[i].size <= size - code.pieces[i].offset &&
                     code.pieces[i].target != NULL);
    gcn_code_free(&code);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        patch(data, size, &requests[i]);
    return 0;
}
