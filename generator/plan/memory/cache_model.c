#include "generator/plan/memory/cache_model.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t EMPTY = UINT64_MAX;

/* Sets are stored in order of first use: a program touches few sets of a large cache. */
struct cache_model {
    unsigned sets;
    unsigned ways;
    unsigned line;
    unsigned leaves;    /* ways rounded up to a power of two: the tree's leaves */
    bool by_bits;       /* the number of sets and the line are powers of two */
    unsigned line_bits; /* log2 of the line */
    enum cache_policy policy;
    unsigned *places; /* [1 << places_log2]: 1 + the set's place, indexed by the set's hash, or by the set if
                         there are few; 0: free */
    bool few;
    unsigned places_log2;
    unsigned used, room;
    unsigned *numbers; /* [room]: the set at each place */
    uint64_t
        *tags; /* [room][ways]; under LRU the most recently used first, under FIFO the most recently filled */
    uint8_t *direction; /* [room][leaves], tree-PLRU: node n's victim is in its left (0) or right (1) half;
                           node 1 is the root */
    bool in_place;      /* lines stay in their ways: the policy is neither LRU nor FIFO */
    struct random random;
};

enum {
    FIRST_ROOM = 256,
    FIRST_PLACES_LOG2 = 7,
    FEW_SETS = 2048,
    SECTOR_BITS = CACHE_MODEL_SECTORS,
    HOST_LINE = 64
};

static void make_room(struct cache_model *model, unsigned room)
{
    model->room = room;
    model->numbers = memory_resized(model->numbers, room, sizeof *model->numbers);
    model->tags = memory_resized(model->tags, (size_t)room * model->ways, sizeof *model->tags);
    if (model->policy == POLICY_TREE_PLRU)
        model->direction = memory_resized(model->direction, room, model->leaves);
}

static unsigned *place_of(const struct cache_model *model, unsigned set)
{
    if (model->few)
        return &model->places[set];
    unsigned mask = (1U << model->places_log2) - 1;
    unsigned at = set * 2654435769U >> (32 - model->places_log2);
    while (model->places[at] != 0 && model->numbers[model->places[at] - 1] != set)
        at = (at + 1) & mask;
    return &model->places[at];
}

static void make_places(struct cache_model *model, unsigned log2)
{
    free(model->places);
    model->places_log2 = log2;
    model->places = memory_zeroed((size_t)1 << log2, sizeof *model->places);
    for (unsigned i = 0; i < model->used; i++)
        *place_of(model, model->numbers[i]) = i + 1;
}

struct cache_model *cache_model_new(const struct cache *geometry)
{
    struct cache_model *model = memory_zeroed(1, sizeof *model);
    model->sets = cache_sets(geometry);
    model->ways = geometry->ways;
    model->line = geometry->line;
    model->policy = geometry->policy;
    model->in_place = model->policy == POLICY_TREE_PLRU || model->policy == POLICY_RANDOM;
    model->by_bits = (model->sets & (model->sets - 1)) == 0 && (model->line & (model->line - 1)) == 0;
    model->line_bits = (unsigned)__builtin_ctz(model->line);
    model->leaves = 1;
    while (model->leaves < model->ways)
        model->leaves *= 2;
    model->random = random_start(1, "replacement");
    make_room(model, FIRST_ROOM);
    model->few = model->sets <= FEW_SETS;
    unsigned log2 = FIRST_PLACES_LOG2;
    while (model->few && model->sets > 1U << log2)
        log2++;
    make_places(model, log2);
    return model;
}

/* The place of the set, which is empty at its first use. */
static unsigned touch(struct cache_model *model, unsigned set)
{
    unsigned *place = place_of(model, set);
    if (*place != 0)
        return *place - 1;
    if (model->used == model->room)
        make_room(model, 2 * model->room);
    unsigned index = model->used++;
    model->numbers[index] = set;
    *place = index + 1;
    for (unsigned i = 0; i < model->ways; i++)
        model->tags[(size_t)index * model->ways + i] = EMPTY;
    if (model->direction != NULL)
        memset(model->direction + (size_t)index * model->leaves, 0, model->leaves);
    if (!model->few && 2 * model->used > 1U << model->places_log2)
        make_places(model, model->places_log2 + 2);
    return index;
}

static unsigned find(const uint64_t *tags, unsigned ways, uint64_t tag)
{
    unsigned way = 0;
    while (way < ways && tags[way] != tag)
        way++;
    return way;
}

/* Moves each tag one way on until the requested, an empty or the last way is reached. All ways after an empty
 * one are empty. */
static bool access_lru(struct cache_model *model, unsigned set, uint64_t tag)
{
    uint64_t *tags = model->tags + (size_t)set * model->ways;
    uint64_t held = tags[0];
    tags[0] = tag;
    for (unsigned way = 1; way < model->ways && held != tag && held != EMPTY; way++) {
        uint64_t next = tags[way];
        tags[way] = held;
        held = next;
    }
    return held == tag;
}

/* A hit moves nothing. */
static bool access_fifo(struct cache_model *model, unsigned set, uint64_t tag)
{
    uint64_t *tags = model->tags + (size_t)set * model->ways;
    bool hit = find(tags, model->ways, tag) < model->ways;
    return hit || access_lru(model, set, tag);
}

/* Points every node on the way's path at the other half. */
static void tree_touch(struct cache_model *model, unsigned set, unsigned way)
{
    uint8_t *direction = model->direction + (size_t)set * model->leaves;
    unsigned node = 1;
    for (unsigned half = model->leaves / 2; half > 0; half /= 2) {
        unsigned right = (way / half) % 2;
        direction[node] = !right;
        node = 2 * node + right;
    }
}

/* Follows the nodes to the victim. If the ways are not a power of two, halves without any way are skipped. */
static unsigned tree_victim(const struct cache_model *model, unsigned set)
{
    const uint8_t *direction = model->direction + (size_t)set * model->leaves;
    unsigned node = 1;
    unsigned way = 0;
    for (unsigned half = model->leaves / 2; half > 0; half /= 2) {
        unsigned right = direction[node] && way + half < model->ways;
        way += right * half;
        node = 2 * node + right;
    }
    return way;
}

static bool access_in_place(struct cache_model *model, unsigned set, uint64_t tag)
{
    uint64_t *tags = model->tags + (size_t)set * model->ways;
    unsigned way = find(tags, model->ways, tag);
    bool hit = way < model->ways;
    if (!hit)
        way = find(tags, model->ways, EMPTY);
    if (way == model->ways)
        way = model->policy == POLICY_RANDOM ? random_below(&model->random, model->ways)
                                             : tree_victim(model, set);
    tags[way] = tag;
    if (model->policy == POLICY_TREE_PLRU)
        tree_touch(model, set, way);
    return hit;
}

/* The place of the address's set, and its line's tag. */
static inline unsigned find_set(struct cache_model *model, uint64_t address, uint64_t *tag)
{
    *tag = model->by_bits ? address >> model->line_bits : address / model->line;
    unsigned set = (unsigned)(model->by_bits ? *tag & (model->sets - 1) : *tag % model->sets);
    unsigned known = model->few ? model->places[set] : 0;
    return known != 0 ? known - 1 : touch(model, set);
}

static inline bool access_line(struct cache_model *model, uint64_t address)
{
    uint64_t tag;
    unsigned place = find_set(model, address, &tag);
    return model->in_place                ? access_in_place(model, place, tag)
           : model->policy == POLICY_FIFO ? access_fifo(model, place, tag)
                                          : access_lru(model, place, tag);
}

bool cache_model_access(struct cache_model *model, uint64_t address)
{
    return access_line(model, address);
}

bool cache_model_access_leaving(struct cache_model *model, uint64_t address)
{
    uint64_t tag;
    if (model->in_place)
        return access_line(model, address);
    const unsigned place = find_set(model, address, &tag); /* may move the tags */
    uint64_t *tags = model->tags + (size_t)place * model->ways;
    bool hit = find(tags, model->ways, tag) < model->ways;
    unsigned way = find(tags, model->ways, EMPTY);
    if (!hit)
        tags[way < model->ways ? way : model->ways - 1] = tag;
    return hit;
}

/* Indexes places by set, however many there are: an executor uses most of the sets many times. */
static void make_few(struct cache_model *model)
{
    unsigned log2 = FIRST_PLACES_LOG2;
    while (model->sets > 1U << log2)
        log2++;
    model->few = true;
    make_places(model, log2);
}

/* The first way with that line, or the first empty way; compares four at a time. */
static inline unsigned find_sectors(const uint64_t *tags, unsigned ways, uint64_t line)
{
    unsigned way = 0;
    for (; way + 4 <= ways; way += 4) {
        const uint64_t *four = tags + way;
        if (four[0] >> SECTOR_BITS == line || four[1] >> SECTOR_BITS == line ||
            four[2] >> SECTOR_BITS == line || four[3] >> SECTOR_BITS == line || four[3] == EMPTY ||
            four[2] == EMPTY || four[1] == EMPTY || four[0] == EMPTY)
            break;
    }
    while (way < ways && tags[way] >> SECTOR_BITS != line && tags[way] != EMPTY)
        way++;
    return way;
}

void cache_model_sectors_soon(const struct cache_model *model, uint64_t line)
{
    unsigned index = (unsigned)(model->by_bits ? line & (model->sets - 1) : line % model->sets);
    unsigned known = model->few ? model->places[index] : 0;
    const uint64_t *tags = model->tags + (size_t)(known - 1) * model->ways;
    for (unsigned way = 0; known != 0 && way < model->ways; way += HOST_LINE / sizeof *tags)
        __builtin_prefetch(tags + way, 1);
}

/* A tag holds the line's number and, in the lowest bits, the sectors that are present. */
unsigned cache_model_sectors(struct cache_model *model, uint64_t line, unsigned wanted)
{
    unsigned index = (unsigned)(model->by_bits ? line & (model->sets - 1) : line % model->sets);
    if (!model->few)
        make_few(model);
    unsigned known = model->places[index];
    unsigned set = known != 0 ? known - 1 : touch(model, index);
    uint64_t *tags = model->tags + (size_t)set * model->ways;
    uint64_t held = line << SECTOR_BITS;
    bool hit = false;
    unsigned way = find_sectors(tags, model->ways, line);
    if (way < model->ways && tags[way] != EMPTY) {
        held = tags[way];
        hit = true;
    } else if (way == model->ways)
        way = model->policy == POLICY_RANDOM      ? random_below(&model->random, model->ways)
              : model->policy == POLICY_TREE_PLRU ? tree_victim(model, set)
                                                  : model->ways - 1;
    if (!model->in_place && !(hit && model->policy == POLICY_FIFO)) {
        memmove(tags + 1, tags, way * sizeof *tags);
        way = 0;
    } else if (model->policy == POLICY_TREE_PLRU) {
        tree_touch(model, set, way);
    }
    tags[way] = held | wanted;
    return (unsigned)held & wanted;
}

size_t cache_model_run(struct cache_model *model, const uint64_t *addresses, size_t count, uint32_t *missed)
{
    size_t misses = 0;
    for (size_t i = 0; i < count; i++) {
        missed[misses] = (uint32_t)i;
        misses += !access_line(model, addresses[i]);
    }
    return misses;
}

void cache_model_free(struct cache_model *model)
{
    if (model == NULL)
        return;
    free(model->places);
    free(model->numbers);
    free(model->tags);
    free(model->direction);
    free(model);
}
