/* A device's data as it begins (generator/plan/gpu/image.h), handed over in pieces: it may be larger than
 * this machine's memory. */
#ifndef RUNNER_LAUNCH_IMAGE_H
#define RUNNER_LAUNCH_IMAGE_H

#include "base/error.h"
#include "generator/plan/gpu/image.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Takes one piece: `size` bytes, a multiple of 8, from `offset` of the data on. */
typedef enum status image_sink(void *context, uint64_t offset, const void *bytes, size_t size,
                               struct error *error);

/* Memory of a device. */
struct image_memory {
    /* Takes memory for the image's bytes (none: for as good as nothing), aligned as it says (a power of two),
     * and clears it; *address is the device's. */
    enum status (*take)(void *context, const struct gpu_image *image, uint64_t *address, struct error *error);
    image_sink *write;
    /* Finds out what of the memory the image depends on; what it learned is the arena's. NULL: nothing can
     * be. */
    enum status (*learn)(void *context, struct gpu_image *image, uint64_t address, struct arena *arena,
                         struct error *error);
    void *context;
};

/* Takes memory for a manifest's "data" and fills it. What is not written is zero. STATUS_FAILED for data that
 * is wrong, else as the memory says. */
enum status image_load(const json_t *data, const struct image_memory *memory, struct error *error);

#endif
