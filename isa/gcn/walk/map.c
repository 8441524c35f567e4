#include "isa/gcn/walk/map.h"

#include "base/memory.h"
#include "isa/gcn/binary/elf.h"
#include "isa/gcn/walk/flow.h"

#include <stdlib.h>
#include <string.h>

enum {
    WALKS_MOST = 64,   /* further walks, from branch targets at which the first walk found no instruction */
    FOLLOWED_MOST = 16 /* instructions between s_getpc_b64 and the jump that uses it */
};

/* One traversal of the code. */
struct traversal {
    struct gcn_walker *walker;
    const unsigned char *bytes;
    unsigned generation;
    struct gcn_map *map;
    size_t *waiting; /* offsets in bytes, each entered once: [words] */
    size_t waiting_count;
    bool *known; /* [words]: waiting or visited */
    unsigned walks;
};

static void wait_at(struct traversal *traversal, int64_t at)
{
    if (at < 0 || at % 4 != 0 || (size_t)at / 4 >= traversal->map->words || traversal->known[at / 4])
        return; /* in another function, or outside the code */
    traversal->known[at / 4] = true;
    traversal->waiting[traversal->waiting_count++] = (size_t)at;
}

/* The length of the instruction there, which earlier walks may have skipped; 0: unknown. */
static enum status length_at(struct traversal *traversal, size_t at, size_t *length, struct error *error)
{
    struct gcn_map *map = traversal->map;
    enum status status = STATUS_OK;
    if (map->lengths[at / 4] == 0 && traversal->walks < WALKS_MOST) {
        traversal->walks++;
        status = gcn_lengths(traversal->walker, traversal->bytes, map->words * 4, at, map->lengths, error);
    }
    *length = map->lengths[at / 4] == GCN_NO_INSTRUCTION ? 0 : map->lengths[at / 4];
    return status;
}

/* The target of a jump by register, if the straight-line code before it determines it. */
static void follow(struct traversal *traversal, const size_t *line, size_t count, unsigned pair)
{
    bool known = false;
    uint32_t low = 0;
    for (size_t i = count > FOLLOWED_MOST ? count - FOLLOWED_MOST : 0; i < count; i++) {
        size_t at = line[i % FOLLOWED_MOST];
        gcn_flow_follow(traversal->generation, traversal->bytes + at, traversal->map->lengths[at / 4], at,
                        pair, &known, &low);
    }
    if (known)
        wait_at(traversal, (int32_t)low);
}

/* Visits instructions in a straight line from there, up to the end or to a visited one. */
static enum status visit(struct traversal *traversal, size_t at, struct error *error)
{
    struct gcn_map *map = traversal->map;
    size_t line[FOLLOWED_MOST];
    size_t count = 0;
    for (;;) {
        size_t length;
        enum status status = length_at(traversal, at, &length, error);
        if (status != STATUS_OK)
            return status;
        if (length == 0) {
            map->lost_at = !map->lost || at < map->lost_at ? at : map->lost_at;
            map->lost = true;
            return STATUS_OK;
        }
        map->places[at / 4] = GCN_PLACE_REACHED;
        struct gcn_flow flow = gcn_flow_of(traversal->generation, gcn_read32(traversal->bytes + at));
        if (flow.jumps)
            wait_at(traversal, (int64_t)(at + length) + flow.distance);
        if (flow.by_register)
            follow(traversal, line, count, flow.pair);
        line[count++ % FOLLOWED_MOST] = at;
        at += length;
        if (!flow.goes_on || at / 4 >= map->words || traversal->known[at / 4])
            return STATUS_OK;
        traversal->known[at / 4] = true;
    }
}

/* Marks the later words of reached instructions. */
static void mark_within(struct gcn_map *map)
{
    for (size_t i = 0; i < map->words; i++) {
        if (map->places[i] != GCN_PLACE_REACHED && map->places[i] != GCN_PLACE_SHARED)
            continue;
        for (size_t k = i + 1; k < map->words && k < i + map->lengths[i] / 4; k++)
            map->places[k] = map->places[k] == GCN_PLACE_NONE || map->places[k] == GCN_PLACE_WITHIN
                                 ? GCN_PLACE_WITHIN
                                 : GCN_PLACE_SHARED;
    }
}

/* Zeros are padding between functions. */
static bool is_filling(const unsigned char *at)
{
    return gcn_read32(at) == 0;
}

/* True if no reached instruction overlaps an instruction of that length there. */
static bool is_free(const struct gcn_map *map, size_t word, size_t length)
{
    for (size_t k = word; k < word + length / 4; k++)
        if (k >= map->words || map->places[k] != GCN_PLACE_NONE)
            return false;
    return true;
}

/* Marks the unreached instructions, read linearly from the end of reached ones. */
static void mark_unreached(struct gcn_map *map, const unsigned char *bytes)
{
    bool lost = false;
    for (size_t i = 0; i < map->words;) {
        size_t length = map->lengths[i] == GCN_NO_INSTRUCTION ? 0 : map->lengths[i];
        if (map->places[i] != GCN_PLACE_NONE) {
            lost = false;
            i++;
        } else if (length == 0 || !is_free(map, i, length)) {
            lost = lost || !is_filling(bytes + 4 * i);
            i++;
        } else {
            map->places[i] = lost ? GCN_PLACE_UNCLEAR : GCN_PLACE_UNREACHED;
            for (size_t k = i + 1; k < i + length / 4; k++)
                map->places[k] = GCN_PLACE_NONE;
            i += length / 4;
        }
    }
}

enum status gcn_map_read(struct gcn_walker *walker, const unsigned char *file, const struct gcn_piece *piece,
                         struct gcn_map *map, struct error *error)
{
    size_t words = piece->size / 4;
    *map = (struct gcn_map){.words = words,
                            .lengths = memory_zeroed(words, 1),
                            .places = memory_zeroed(words, sizeof *map->places)};
    struct traversal traversal = {.walker = walker,
                                  .bytes = file + piece->offset,
                                  .generation = piece->target->generation,
                                  .map = map,
                                  .waiting = memory_zeroed(words, sizeof(size_t)),
                                  .known = memory_zeroed(words, sizeof(bool))};
    enum status status =
        words == 0 ? STATUS_OK : gcn_lengths(walker, traversal.bytes, words * 4, 0, map->lengths, error);
    wait_at(&traversal, 0);
    while (status == STATUS_OK && traversal.waiting_count > 0)
        status = visit(&traversal, traversal.waiting[--traversal.waiting_count], error);
    mark_within(map);
    mark_unreached(map, traversal.bytes);
    free(traversal.waiting);
    free(traversal.known);
    if (status != STATUS_OK)
        gcn_map_free(map);
    return status;
}

void gcn_map_free(struct gcn_map *map)
{
    free(map->lengths);
    free(map->places);
    *map = (struct gcn_map){0};
}
