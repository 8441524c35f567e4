#include "runner/launch/image.h"

#include <stdlib.h>

enum { PIECE_BYTES = 16 << 20, GRAIN = 8 };

static uint64_t grains(uint64_t bytes)
{
    return bytes / GRAIN * GRAIN;
}

/* Begins and ends at whole grains: what of a neighbour is in them is handed over as it is. */
static enum status pour_rule(const struct gpu_image *image, const struct gpu_rule *rule, uint64_t address,
                             unsigned char *piece, image_sink *sink, void *context, struct error *error)
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

enum status image_pour(const struct gpu_image *image, uint64_t address, image_sink *sink, void *context,
                       struct error *error)
{
    enum status status = STATUS_OK;
    unsigned char *piece = malloc(PIECE_BYTES);
    if (piece == NULL)
        abort();
    for (size_t i = 0; status == STATUS_OK && i < image->rule_count; i++)
        if (image->rules[i].fill != GPU_FILL_ZEROS)
            status = pour_rule(image, &image->rules[i], address, piece, sink, context, error);
    free(piece);
    return status;
}
