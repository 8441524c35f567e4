#include "isa/gcn/patch/listing.h"

#include "base/memory.h"
#include "isa/gcn/patch/find.h"
#include "isa/gcn/patch/select.h"
#include "isa/gcn/walk/map.h"
#include "isa/gcn/walk/texts.h"

#include <stdlib.h>

/* The input of one listing. */
struct listing_job {
    const unsigned char *file;
    size_t size;
    struct gcn_code code;
    const struct gcn_target *target; /* that the walker is for */
    struct gcn_walker *walker;
    void (*take)(void *context, const struct gcn_listing *listing);
    void *context;
};

static size_t collect(const struct listing_job *all, const struct gcn_piece *piece, const struct gcn_map *map,
                      struct gcn_listed *list, size_t *offsets)
{
    size_t count = 0;
    for (size_t i = 0; i < map->words; i++) {
        enum gcn_place place = map->places[i];
        bool reached = place == GCN_PLACE_REACHED || place == GCN_PLACE_SHARED;
        size_t offset = piece->offset + 4 * i;
        if (!reached && (place != GCN_PLACE_UNREACHED || gcn_code_is_data(&all->code, offset)))
            continue;
        list[count] = (struct gcn_listed){.offset = offset, .length = map->lengths[i], .reached = reached};
        offsets[count++] = offset;
    }
    return count;
}

static enum status list_piece(const struct listing_job *all, const struct gcn_piece *piece,
                              struct error *error)
{
    struct gcn_map map;
    enum status status = gcn_map_read(all->walker, all->file, piece, &map, error);
    if (status != STATUS_OK)
        return status;
    struct gcn_listed *list = memory_zeroed(map.words, sizeof *list);
    size_t *offsets = memory_zeroed(map.words, sizeof *offsets);
    struct gcn_listing listing = {
        .code = &all->code, .piece = piece, .instructions = list, .other = piece->size};
    listing.count = collect(all, piece, &map, list, offsets);
    char(*texts)[GCN_TEXT_BYTES] = memory_zeroed(listing.count, sizeof *texts);
    status = gcn_texts(all->walker, piece->target, all->file, piece->offset + piece->size, offsets,
                       listing.count, texts, error);
    for (size_t i = 0; i < listing.count; i++) {
        list[i].text = texts[i];
        listing.other -= list[i].length < listing.other ? list[i].length : listing.other;
    }
    if (status == STATUS_OK)
        all->take(all->context, &listing);
    free(texts);
    free(offsets);
    free(list);
    gcn_map_free(&map);
    return status;
}

static enum status reader_for(struct listing_job *all, const struct gcn_target *target, struct error *error)
{
    if (all->target == target)
        return STATUS_OK;
    gcn_walker_close(all->walker);
    all->target = target;
    all->walker = gcn_walker_open(target, error);
    return all->walker == NULL ? STATUS_UNAVAILABLE : STATUS_OK;
}

enum status gcn_list(const void *file, size_t size, const char *kernel, const char *target,
                     void (*take)(void *context, const struct gcn_listing *listing), void *context,
                     struct error *error)
{
    struct listing_job all = {.file = file, .size = size, .take = take, .context = context};
    enum status status = gcn_code_find(file, size, &all.code, error);
    if (status == STATUS_OK)
        status = gcn_select_target(&all.code, kernel, target, error);
    if (status == STATUS_OK)
        status = gcn_select_kernel(&all.code, kernel, error);
    for (size_t i = 0; status == STATUS_OK && i < all.code.count; i++) {
        const struct gcn_piece *piece = &all.code.pieces[i];
        if (!gcn_piece_is(piece, kernel))
            continue;
        status = reader_for(&all, piece->target, error);
        if (status == STATUS_OK)
            status = list_piece(&all, piece, error);
    }
    if (status != STATUS_OK)
        gcn_code_hint_unread(&all.code, error);
    gcn_walker_close(all.walker);
    gcn_code_free(&all.code);
    return status;
}
