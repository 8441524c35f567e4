/* A program's manifest.json, and what is judged by it. */
#include "tests/fuzz/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scene_try("b/default/manifest.json", data, size);
    return 0;
}
