/* ncu --page raw, rocprof and CodeXL: metrics as columns. */
#include "tests/fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_try(data, size);
    return 0;
}
