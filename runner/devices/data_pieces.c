#include "runner/devices/data_pieces.h"

#include "base/arena.h"
#include "base/memory.h"
#include "generator/suite/gpu_regions.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PIECE_BYTES = 16 << 20, GRAIN = 8 };

static uint64_t grains(uint64_t bytes)
{
    return bytes / GRAIN * GRAIN;
}

/* Delivers the rule's bytes in pieces of whole grains, with the neighbouring bytes in the first and last
 * grain.
 */
static enum status pour_rule(const struct gpu_image *image, const struct gpu_rule *rule, uint64_t address,
                             unsigned char *piece, data_pieces_sink *sink, void *context, struct error *error)
{
    uint64_t end = grains(rule->offset + rule->bytes + GRAIN - 1);
    enum status status = STATUS_OK;
    end = end < grains(image->bytes) ? end : grains(image->bytes);
    for (uint64_t at = grains(rule->offset); status == STATUS_OK && at < end; at += PIECE_BYTES) {
        size_t size = end - at < PIECE_BYTES ? (size_t)(end - at) : PIECE_BYTES;
        gpu_image_fill(image, address, at, size, piece);
        status = sink(context, at, piece, size, error);
    }
    return status;
}

static enum status fill(struct gpu_image *image, const struct data_pieces_memory *memory, struct arena *arena,
                        struct error *error)
{
    uint64_t address;
    if (image->align == 0 || (image->align & (image->align - 1)) != 0)
        return error_set(error, STATUS_FAILED,
                         "the manifest's data is aligned to %" PRIu64 ", which is not a power of two",
                         image->align);
    enum status status = memory->take(memory->context, image, &address, error);
    if (status == STATUS_OK && memory->learn != NULL)
        status = memory->learn(memory->context, image, address, arena, error);
    unsigned char *piece = memory_resized(NULL, PIECE_BYTES, 1);
    for (size_t i = 0; status == STATUS_OK && i < image->rule_count; i++)
        if (image->rules[i].fill != GPU_FILL_ZEROS)
            status =
                pour_rule(image, &image->rules[i], address, piece, memory->write, memory->context, error);
    free(piece);
    return status;
}

enum status data_pieces_load(const struct manifest_data *data, const struct data_pieces_memory *memory,
                             struct error *error)
{
    struct arena arena = {0};
    struct gpu_image image;
    enum status status = gpu_regions_read(data, &arena, &image, error);
    if (status == STATUS_OK)
        status = fill(&image, memory, &arena, error);
    arena_free(&arena);
    return status;
}
