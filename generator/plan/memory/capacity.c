#include "generator/plan/memory/capacity.h"

#include "base/rational.h"

#include <math.h>
#include <string.h>

/* Under random replacement a line survives n replacements in its set with probability (1 - 1/ways)^n, and
 * hits of other lines cause fewer: the share h that still hits solves h = exp(-depth * (1 - h)). It is 0.004
 * at the first depth and 0.001 at the second, which is for caches known to replace at random. */
static const double MAYBE_RANDOM_DEPTH = 5.5, RANDOM_DEPTH = 7;

/* Beside other lines, tree-PLRU may evict a line earlier than LRU. */
static const double SAFE_WAYS = 0.75;

/* The probability of at least `least` for that expected number. */
static double poisson_from(double expected, unsigned least)
{
    double term = exp(-expected);
    double below = 0;
    for (unsigned i = 0; i < least; i++) {
        below += term;
        term *= expected / (i + 1);
    }
    return below > 1 ? 0 : 1 - below;
}

/* With fewer lines than this accessed cyclically in a set, some line beyond the most recent ways may stay:
 * the ways under LRU; slightly more under a policy that only tracks recent use. Found by random sampling,
 * which tests/generator/test_capacity.c repeats. */
static unsigned staying(unsigned ways)
{
    static const struct {
        unsigned ways;
        double times;
    } found[] = {{32, 1.6}, {16, 1.35}, {8, 1.25}, {0, 1}};
    size_t i = 0;
    while (ways < found[i].ways)
        i++;
    return (unsigned)(found[i].times * ways);
}

double capacity_stays(const struct cache *cache, double depth)
{
    if (cache->policy != POLICY_RANDOM)
        return 1 - poisson_from(depth * cache->ways, staying(cache->ways) + 1);
    double stays = 0;
    for (unsigned i = 0; i < 64; i++)
        stays = exp(-depth * (1 - stays));
    return stays;
}

double capacity_random_depth(const struct cache *cache)
{
    return cache->policy == POLICY_RANDOM ? RANDOM_DEPTH : MAYBE_RANDOM_DEPTH;
}

double capacity_lost(const struct cache *cache, double own_lines, double other_lines)
{
    double sets = cache_sets(cache);
    double all = (own_lines + other_lines) / sets;
    if (cache->policy == POLICY_RANDOM)
        return 1 - pow(1 - 1.0 / cache->ways, other_lines / sets) *
                       (1 - poisson_from(own_lines / sets, cache->ways));
    return poisson_from(all, other_lines > 0 ? (unsigned)ceil(SAFE_WAYS * cache->ways) : cache->ways);
}

uint64_t capacity_room(const struct cache *cache)
{
    return cache->effective > 0 && cache->effective < cache->size ? cache->effective : cache->size;
}

/* ---- working sets ---- */

enum { MOST_PARTS = 32, MOST_GROUPS = 256 };

/* How a working set covers the places of a row. The row is divided into parts, and the base moves from part
 * to part. The accesses of a pass are at places in the first part, and so use the same places in all parts.
 * The i-th access has group i % groups of block i / groups. */
struct row_shape {
    unsigned parts, groups;
    unsigned place[MOST_GROUPS]; /* [groups]: colors within a part */
    double even;                 /* the used share of a row, weighted by evenness */
};

static bool is_free(const struct capacity_set *request, unsigned place, unsigned apart)
{
    for (unsigned color = place; color < request->color_count; color += apart)
        if (!request->free[color])
            return false;
    return true;
}

static struct row_shape make_shape(const struct capacity_set *request, unsigned parts, unsigned most)
{
    struct row_shape shape = {.parts = parts};
    unsigned apart = request->color_count / parts;
    for (unsigned place = 0; place < apart && shape.groups < most && shape.groups < MOST_GROUPS; place++)
        if (is_free(request, place, apart))
            shape.place[shape.groups++] = place;
    return shape;
}

static unsigned accesses_of(const struct capacity_set *request)
{
    return request->wanted->lines > 0 ? request->wanted->lines : request->wanted->extra_count;
}

static uint64_t positions_of(const struct capacity_set *request)
{
    return (request->lines + accesses_of(request) - 1) / accesses_of(request);
}

/* If accesses occur only in some passes of a period, the number of rows is odd, so that they reach all sets
 * of a cache evenly. If other accesses occur in every pass, whole periods cover all positions. */
static uint64_t choose_rows(const struct capacity_set *request, unsigned parts)
{
    const struct rotating_set_request *wanted = request->wanted;
    uint64_t rows = (positions_of(request) + parts - 1) / parts;
    if (wanted->extra_count == 0)
        return rows;
    rows |= 1;
    if (wanted->lines == 0)
        return rows;
    uint64_t step = request->period / rational_gcd(request->period, parts);
    rows = (rows + step - 1) / step * step;
    return step % 2 == 1 && rows % 2 == 0 ? rows + step : rows;
}

/* The number of places in a row if all were used as often as the most used ones. */
static double even_places(unsigned accesses, unsigned groups, unsigned parts)
{
    unsigned blocks = (accesses + groups - 1) / groups;
    return (double)accesses * parts / blocks;
}

/* The shape that uses most places, all equally often, with few lines beyond the request. */
static struct row_shape choose_shape(const struct capacity_set *request)
{
    struct row_shape best = {0};
    unsigned accesses = accesses_of(request);
    for (unsigned parts = 1; parts <= MOST_PARTS && request->color_count % (2 * parts) == 0; parts *= 2) {
        struct row_shape widest = make_shape(request, parts, accesses);
        uint64_t positions = choose_rows(request, parts) * parts;
        double scale = positions == 0 ? 1 : (double)positions_of(request) / (double)positions;
        for (unsigned most = widest.groups; most > 0; most--) {
            double even = even_places(accesses, most, parts) * scale;
            if (even < best.even)
                continue;
            best = widest;
            best.groups = most;
            best.even = even;
        }
    }
    return best;
}

/* Passes of a period with accesses to the working set; all if some accesses always occur. */
static void choose_passes(const struct capacity_set *request, struct rotation *rotation)
{
    const struct rotating_set_request *wanted = request->wanted;
    if (wanted->lines > 0)
        return;
    rotation->from = request->period;
    rotation->period = request->period;
    for (unsigned i = 0; i < wanted->extra_count; i++) {
        rotation->from = wanted->extras[i].from < rotation->from ? wanted->extras[i].from : rotation->from;
        rotation->until =
            wanted->extras[i].until > rotation->until ? wanted->extras[i].until : rotation->until;
    }
}

/* The golden section of the positions, so that consecutive ones are far apart, or, if `near`, a distance into
 * the next small page or the one behind it; increased until the jumps reach all positions. */
static unsigned choose_jump(const struct capacity_set *request, const struct rotation *rotation)
{
    static const double SECTION = 0.5309, NEAR_BYTES = 1.53 * 4096;
    unsigned positions = rotation->positions;
    unsigned wanted =
        (unsigned)fmin(SECTION * positions, request->near ? NEAR_BYTES / (double)rotation->step : INFINITY);
    for (unsigned away = 0; away < positions; away++) {
        if (wanted + away >= 1 && wanted + away <= positions && rational_gcd(wanted + away, positions) == 1)
            return wanted + away;
        if (wanted > away && rational_gcd(wanted - away, positions) == 1)
            return wanted - away;
    }
    return 1;
}

/* The groups of a block begin in random rows. With consecutive rows, each pass read a page at a constant
 * distance in lines from the previous pass's, and a Zen 4 prefetched half of the lines. A compact set begins
 * in one row, so that few base registers reach it. */
static void write_offsets(const struct capacity_set *request, const struct row_shape *shape, uint64_t rows,
                          struct random *random, struct rotating_set *set)
{
    unsigned lines = request->wanted->lines;
    uint64_t shift[MOST_GROUPS] = {0};
    for (unsigned group = 0; group < shape->groups; group++)
        shift[group] = request->compact ? 0 : random_below(random, (uint32_t)rows);
    for (unsigned i = 0; i < lines + request->wanted->extra_count; i++) {
        unsigned group = i % shape->groups;
        uint64_t row = shift[group] + i / shape->groups * rows;
        set->offsets[i] = (uint32_t)(row * request->row + shape->place[group] * request->unit);
    }
    random_shuffle_numbers(random, set->offsets, lines);
}

double capacity_cover(const struct capacity_set *request)
{
    struct row_shape shape = choose_shape(request);
    return shape.groups == 0
               ? 0
               : even_places(accesses_of(request), shape.groups, shape.parts) / request->color_count;
}

bool capacity_set_place(const struct capacity_set *request, uint64_t limit, struct random *random,
                        struct arena *arena, struct rotating_set *set)
{
    const struct rotating_set_request *wanted = request->wanted;
    struct row_shape shape = choose_shape(request);
    if (shape.groups == 0)
        return false;
    uint64_t rows = choose_rows(request, shape.parts);
    uint64_t blocks = (wanted->lines + wanted->extra_count + shape.groups - 1) / shape.groups;
    set->bytes = (blocks + 1) * rows * request->row;
    if (request->first_row * request->row + set->bytes >= limit)
        return false;
    set->at = rotation_by(request->first_row * request->row, request->row / shape.parts,
                          (unsigned)(rows * shape.parts));
    set->at.jump = choose_jump(request, &set->at);
    choose_passes(request, &set->at);
    set->offsets = arena_alloc(arena, wanted->lines + wanted->extra_count + 1, sizeof *set->offsets);
    set->lines = (uint64_t)accesses_of(request) * set->at.positions;
    write_offsets(request, &shape, rows, random, set);
    memset(request->free, false, request->color_count);
    for (unsigned i = 0; i < shape.groups; i++)
        for (unsigned color = shape.place[i]; color < request->color_count;
             color += request->color_count / shape.parts)
            request->free[color] = true;
    return true;
}
