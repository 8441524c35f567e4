#include "runner/devices/grid.h"

enum { MOST_BLOCKS = 1 << 24, MOST_THREADS = 1024 };
static const double MOST_WARMUP = 1e18;

enum status device_grid_read(const struct manifest *manifest, struct device_grid *grid, struct error *error)
{
    double blocks = manifest->blocks, threads = manifest->block_threads, warmup = manifest->warmup;
    if (!(blocks >= 1 && blocks <= MOST_BLOCKS && threads >= 1 && threads <= MOST_THREADS && warmup >= 0 &&
          warmup < MOST_WARMUP))
        return error_set(error, STATUS_FAILED,
                         "the manifest has a grid of %g blocks with %g threads and a warm-up of %g passes",
                         blocks, threads, warmup);
    *grid = (struct device_grid){(unsigned)blocks, (unsigned)threads, (uint64_t)warmup};
    return STATUS_OK;
}
