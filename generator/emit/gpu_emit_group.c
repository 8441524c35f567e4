/* Products of groups of warps: the descriptors of their factors in shared memory, fences and waits. */
#include "base/buffer.h"
#include "generator/emit/gpu_emission.h"
#include "generator/kernel/operations.h"
#include "generator/plan/gpu/gpu_tiles.h"

#include <inttypes.h>
#include <stdio.h>

/* Appends one factor of a set: its place, and the words of every 16 bytes. */
static enum status fill(struct gpu_emission *emission, unsigned index, const char *words,
                        struct buffer *start)
{
    bool second = index % 2 == 1;
    const struct gpu_tiles *tiles = &emission->plan->tiles;
    bindings_set(&emission->bindings, "index", "%u", index);
    bindings_set(&emission->bindings, "offset", "%" PRIu64,
                 tiles->offset + (uint64_t)(index / 2) * GPU_GROUP_BYTES + (second ? GPU_GROUP_FIRST : 0));
    bindings_set(&emission->bindings, "region", "%d",
                 second ? GPU_GROUP_BYTES - GPU_GROUP_FIRST : GPU_GROUP_FIRST);
    bindings_set(&emission->bindings, "copied", "%u", 16 * emission->plan->threads);
    bindings_set(&emission->bindings, "words", "%s", words);
    return bindings_section(&emission->bindings, "group.fill", start);
}

static enum status fill_set(struct gpu_emission *emission, unsigned set, struct buffer *start)
{
    char first[BINDINGS_VALUE], second[BINDINGS_VALUE];
    unsigned n = set * GPU_TILE_WORDS;
    snprintf(first, sizeof first, "{%%f%u, %%f%u, %%f%u, %%f%u}", n, n + 1, n, n + 1);
    snprintf(second, sizeof second, "{%%f%u, %%f%u, %%f%u, %%f%u}", n + 2, n + 3, n + 4, n + 5);
    bool own = emission->plan->tiles.sets > 0;
    enum status status = fill(emission, 2 * set, own ? first : "{%m0, %m1, %m2, %m3}", start);
    return status == STATUS_OK ? fill(emission, 2 * set + 1, own ? second : "{%m2, %m3, %m4, %m5}", start)
                               : status;
}

/* "{%c0, %c1, ...}". */
static void bind_sum(struct gpu_emission *emission)
{
    struct buffer text = {0};
    for (unsigned i = 0; i < GPU_GROUP_COLUMNS / 2; i++)
        buffer_printf(&text, "%s%%c%u", i == 0 ? "{" : ", ", i);
    buffer_text(&text, "}");
    emission->group_tile = text.data;
    bindings_text(&emission->bindings, "group_tile", emission->group_tile);
}

enum status gpu_emit_group(struct gpu_emission *emission, struct buffer *clear, struct buffer *start,
                           struct buffer *drain, struct buffer *finish)
{
    const struct gpu_tiles *tiles = &emission->plan->tiles;
    if (!tiles->group)
        return STATUS_OK;
    bind_sum(emission);
    bindings_set(&emission->bindings, "registers", "%d", GPU_GROUP_COLUMNS / 2);
    bindings_set(&emission->bindings, "descriptors", "%u", 2 * gpu_tiles_places(tiles));
    enum status status = bindings_section(&emission->bindings, "group.declare", clear);
    for (unsigned n = 0; status == STATUS_OK && n < GPU_GROUP_COLUMNS / 2; n++) {
        bindings_set(&emission->bindings, "n", "%u", n);
        status = bindings_section(&emission->bindings, "group.clear", clear);
        if (status == STATUS_OK)
            status = bindings_section(&emission->bindings, "group.finish", finish);
    }
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "group.start", start);
    for (unsigned set = 0; status == STATUS_OK && set < gpu_tiles_places(tiles); set++)
        status = fill_set(emission, set, start);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "group.ready", start);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "group.drain", drain) : status;
}

static enum status put(struct gpu_emission *emission, const char *name, struct buffer *output)
{
    return gpu_put_row(emission, operation_row(emission->templates, emission->plan->machine, name), output);
}

enum status gpu_group_begin(struct gpu_emission *emission, const struct behaviour *item,
                            struct buffer *output)
{
    const struct gpu_tiles *tiles = &emission->plan->tiles;
    unsigned number = emission->tiles++, set = item->has_data ? gpu_tiles_set(tiles, number) : 0;
    bool minus = !item->has_data && number % 2 == 1;
    bindings_set(&emission->bindings, "descriptor_a", "%%j%u", 2 * set);
    bindings_set(&emission->bindings, "descriptor_b", "%%j%u", 2 * set + 1);
    bindings_set(&emission->bindings, "sign", "%s", minus ? "-1" : "1");
    if (emission->multiplies)
        return STATUS_OK;
    emission->multiplies = true;
    return put(emission, "wgmma.fence", output);
}

enum status gpu_group_end(struct gpu_emission *emission, struct buffer *output)
{
    if (!emission->multiplies)
        return STATUS_OK;
    emission->multiplies = false;
    enum status status = put(emission, "wgmma.commit", output);
    return status == STATUS_OK ? put(emission, "wgmma.wait", output) : status;
}
