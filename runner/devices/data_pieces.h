/* A device's initial data (generator/suite/gpu_regions.h), delivered in pieces because it may exceed this
 * machine's memory. */
#ifndef RUNNER_DEVICES_DATA_PIECES_H
#define RUNNER_DEVICES_DATA_PIECES_H

#include "base/error.h"
#include "generator/suite/gpu_regions.h"
#include "generator/suite/manifest_read.h"

#include <stddef.h>
#include <stdint.h>

/* Receives one piece: `size` bytes, a multiple of 8, at `offset` of the data. */
typedef enum status data_pieces_sink(void *context, uint64_t offset, const void *bytes, size_t size,
                                     struct error *error);

/* Memory of a device. */
struct data_pieces_memory {
    /* Allocates memory for the image's bytes (a minimum if there are none), aligned as the image requires (a
     * power of two), and clears it; *address: on the device. */
    enum status (*take)(void *context, const struct gpu_image *image, uint64_t *address, struct error *error);
    data_pieces_sink *write;
    /* Determines the properties of the memory on which the image depends; the arena owns the result. NULL:
     * the device cannot. */
    enum status (*learn)(void *context, struct gpu_image *image, uint64_t address, struct arena *arena,
                         struct error *error);
    void *context;
};

/* Allocates memory for a manifest's "data" and fills it; the rest is zero. STATUS_FAILED for invalid data,
 * and the errors of the memory's functions. */
enum status data_pieces_load(const struct manifest_data *data, const struct data_pieces_memory *memory,
                             struct error *error);

#endif
