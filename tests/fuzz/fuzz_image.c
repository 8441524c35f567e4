/* A manifest's "data": the rules that a device's memory is filled by, and what they fill. */
#include "generator/suite/gpu_regions.h"
#include "tests/fuzz/fuzz.h"

enum { PIECE = 512, MOST_FILLED = 1 << 15 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *document = fuzz_json(data, size);
    struct arena arena = {0};
    struct gpu_image image;
    struct error error = {0};
    unsigned char bytes[PIECE];
    if (document != NULL &&
        fuzz_accepted(gpu_regions_read(&(struct manifest_data){.document = document}, &arena, &image, &error),
                      &error))
        for (uint64_t from = 0; from < image.bytes && from < MOST_FILLED; from += PIECE)
            gpu_image_fill(&image, (uint64_t)1 << 40, from, PIECE, bytes);
    arena_free(&arena);
    json_decref(document);
    return 0;
}
