/* suite.json. */
#include "tests/fuzz/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scene_try("suite.json", data, size);
    return 0;
}
