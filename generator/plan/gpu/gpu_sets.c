#include "generator/plan/gpu/gpu_sets.h"

#include "base/memory.h"
#include "base/rational.h"
#include "generator/plan/gpu/gpu_dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Multiples of the golden section divide a circle most evenly, for any number of them (Knuth, TAOCP 3, 6.4).
 */
#define GOLDEN 0.6180339887498949
enum { SPARE = 8, LEAST_TRIES = 4, TRIES = 4096 };

/* How a cache maps addresses to sets: each channel is a separate cache. */
struct map {
    uint64_t line, interleave;
    unsigned channels, sets;
    unsigned *lines;     /* [channels * sets]: count of the stream's lines */
    unsigned char *seen; /* [seen_bytes]: by line of the region */
    size_t seen_bytes;
};

static const struct cache *cache_of(const struct gpu_plan *plan, enum gpu_level cache)
{
    return cache == GPU_L1 ? &plan->machine->l1d : &plan->machine->l2;
}

unsigned gpu_sets_ways(const struct gpu_plan *plan, enum gpu_level cache)
{
    unsigned ways = cache_of(plan, cache)->ways;
    return ways == 0 || strcmp(plan->machine->isa, "gcn") != 0 ? UINT32_MAX : ways;
}

static bool open_map(const struct gpu_plan *plan, const struct gpu_stream *stream, enum gpu_level level,
                     struct map *map)
{
    const struct cache *cache = cache_of(plan, level);
    const struct gpu *gpu = &plan->machine->gpu;
    bool split = level == GPU_L2 && gpu->l2_channels > 0;
    *map =
        (struct map){.line = cache->sector > 0 && cache->sector < cache->line ? cache->sector : cache->line,
                     .channels = split ? gpu->l2_channels : 1,
                     .interleave = split ? gpu->interleave : cache->line};
    map->sets = (unsigned)(cache->size / map->channels / cache->ways / map->line);
    if (map->sets == 0)
        return false;
    map->lines = memory_zeroed((size_t)map->channels * map->sets, sizeof *map->lines);
    map->seen_bytes = gpu_stream_reach(stream) / map->line + 2;
    map->seen = memory_zeroed(map->seen_bytes, 1);
    return true;
}

static void take_line(struct map *map, uint64_t offset, uint64_t line)
{
    uint64_t address = offset + line * map->line;
    uint64_t turn = map->interleave * map->channels;
    uint64_t within = address / turn * map->interleave + address % map->interleave;
    if (!map->seen[line])
        map->lines[address / map->interleave % map->channels * map->sets + within / map->line % map->sets]++;
    map->seen[line] = 1;
}

/* Adds the lines of all threads' accesses to the row that begins there. */
static void take_row(const struct gpu_plan *plan, const struct gpu_stream *stream, uint64_t row,
                     struct map *map)
{
    for (unsigned t = 0; t < plan->threads; t++) {
        uint64_t first = (row + gpu_thread_offset(stream, t)) / map->line;
        uint64_t last = (row + gpu_thread_offset(stream, t) + stream->width - 1) / map->line;
        for (; first <= last && first * map->line < gpu_stream_reach(stream); first++)
            take_line(map, stream->offset, first);
    }
}

/* A chase advances one step per access. */
static void take_block(const struct gpu_plan *plan, const struct gpu_stream *stream, unsigned block,
                       uint64_t since, uint64_t passes, struct map *map)
{
    uint64_t begin =
        block * stream->block + since * (stream->chase ? stream->per_pass * stream->step : stream->advance);
    uint64_t all = stream->rows, taken = 0;
    for (uint64_t pass = 0; pass < passes && taken < all; pass++)
        for (unsigned k = 0; k < stream->per_pass && taken < all; k++, taken++) {
            uint64_t row = stream->chase ? (begin + taken * stream->step) % stream->bytes
                                         : (begin + pass * stream->advance) % stream->bytes +
                                               gpu_slot_displacement(stream, k);
            take_row(plan, stream, row, map);
        }
}

/* The fullest set if lines fall at random: four standard deviations above the mean. */
static unsigned by_chance(const struct map *map)
{
    size_t sets = (size_t)map->channels * map->sets;
    double sum = 0;
    for (size_t i = 0; i < sets; i++)
        sum += map->lines[i];
    double mean = sum / (double)sets;
    return (unsigned)ceil(mean + 4 * sqrt(mean) + 2);
}

/* The fullest set for a random order. At a time, its low bits are the same in all blocks, so blocks that
 * begin a multiple of a way apart read lines of the same sets. */
static unsigned in_step(const struct gpu_plan *plan, const struct gpu_stream *stream, const struct map *map,
                        uint64_t passes)
{
    uint64_t way = (uint64_t)map->channels * map->sets * map->line;
    uint64_t places = stream->block == 0 ? 1 : way / rational_gcd(stream->block, way);
    uint64_t working = stream->block == 0 ? 1 : gpu_blocks_in_turn(plan);
    uint64_t rows = way > stream->step ? way / stream->step : 1;
    uint64_t lines = (working + places - 1) / places * ((passes * stream->per_pass + rows - 1) / rows);
    return lines < UINT16_MAX ? (unsigned)lines : UINT16_MAX;
}

static uint64_t rounds_of(const struct gpu_stream *stream)
{
    return (stream->rows + stream->per_pass - 1) / stream->per_pass;
}

/* Adds the lines of the region that all blocks together read. */
static void take_region(const struct gpu_plan *plan, const struct gpu_stream *stream, struct map *map)
{
    for (uint64_t row = 0; row < stream->bytes + stream->ahead; row += stream->step)
        if (stream->dense == 0 || row % stream->apart < stream->dense)
            take_row(plan, stream, row, map);
}

/* The fullest set's lines over `passes` passes from `since` on, or over all passes if these cover a round. */
static unsigned fullest_since(const struct gpu_plan *plan, const struct gpu_stream *stream, struct map *map,
                              uint64_t since, uint64_t passes, bool all_blocks)
{
    size_t sets = (size_t)map->channels * map->sets;
    unsigned most = 0;
    memset(map->lines, 0, sets * sizeof *map->lines);
    memset(map->seen, 0, map->seen_bytes);
    bool all = all_blocks && passes >= rounds_of(stream);
    if (all)
        take_region(plan, stream, map);
    for (unsigned block = 0; !all && block < (all_blocks && stream->block > 0 ? plan->blocks : 1); block++)
        if (!all_blocks || stream->block == 0 || gpu_dispatch_works(plan, block))
            take_block(plan, stream, block, since, passes, map);
    for (size_t i = 0; i < sets; i++)
        most = map->lines[i] > most ? map->lines[i] : most;
    return most;
}

unsigned gpu_sets_fullest(const struct gpu_plan *plan, const struct gpu_stream *stream, enum gpu_level cache,
                          double passes, bool all_blocks)
{
    static const unsigned times[] = {0, 1, 2, 3, 5, 7}; /* blocks share other sets as they advance */
    struct map map;
    unsigned most = 0;
    uint64_t round = rounds_of(stream);
    uint64_t count = passes < (double)round ? (uint64_t)ceil(passes - 1e-9) : round;
    if (gpu_sets_ways(plan, cache) == UINT32_MAX || !open_map(plan, stream, cache, &map))
        return 0;
    for (size_t i = 0; i < (count < round ? sizeof times / sizeof times[0] : 1); i++) {
        unsigned now = fullest_since(plan, stream, &map, times[i] * count, count, all_blocks);
        most = now > most ? now : most;
    }
    if (plan->kernel->items[stream->item].random && count < round && most > 0) {
        unsigned together = all_blocks ? in_step(plan, stream, &map, count) : 0;
        most = by_chance(&map);
        most = together > most ? together : most;
    }
    free(map.lines);
    free(map.seen);
    return most;
}

/* Blocks start a whole number of units apart. Their positions in a way should be spread as evenly as
 * possible. */
uint64_t gpu_sets_apart(const struct gpu_plan *plan, uint64_t most, uint64_t unit)
{
    const struct cache *cache = &plan->machine->l2;
    uint64_t best = most > 2 ? most - 1 + most % 2 : most; /* an odd number of units: fewer meet */
    double nearest = 2;
    if (gpu_sets_ways(plan, GPU_L2) == UINT32_MAX || most < LEAST_TRIES)
        return best;
    uint64_t way = cache->size / cache->ways;
    uint64_t both = rational_gcd(unit, way), places = way / both;
    uint64_t tries = most / SPARE < LEAST_TRIES ? LEAST_TRIES : most / SPARE < TRIES ? most / SPARE : TRIES;
    for (uint64_t apart = most; apart > most - tries; apart--) {
        uint64_t place = apart % places * (unit / both % places) % places;
        double off = fabs((double)place / (double)places - GOLDEN);
        bool better = off < nearest && rational_gcd(place, places) == 1;
        best = better ? apart : best;
        nearest = better ? off : nearest;
    }
    return best;
}
