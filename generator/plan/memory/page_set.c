#include "generator/plan/memory/page_set.h"

#include "base/rational.h"

#include <math.h>
#include <string.h>

static const struct tlb *tlb_of(const struct page_set_request *request)
{
    return &request->machine->data_tlb;
}

/* How a pass visits the pages: `distinct` of them, repeatedly if it has more accesses. */
struct page_walk {
    unsigned distinct, turns;
};

/* The index of the color in which a position of the pass begins; each turn moves it to the next color. If a
 * way of L1D is longer than a row, every round through the colors begins one color later, because lines of
 * one color in different rows then have different sets. */
static unsigned color_of(const struct page_set_request *request, const struct palette *palette,
                         unsigned position, unsigned turns)
{
    const struct cache *l1 = &request->machine->l1d;
    unsigned span = request->color_count - turns + 1;
    unsigned at = position * turns;
    bool long_ways = l1->size / l1->ways > palette->row;
    return (long_ways ? at + at / span : at) % span;
}

/* Bytes from the working set's start, in the first turn and without the word. */
static uint64_t offset_of(const struct page_set_request *request, const struct palette *palette,
                          unsigned position, unsigned turns)
{
    unsigned color = request->colors[color_of(request, palette, position, turns)];
    return position * tlb_of(request)->page + color * palette->unit;
}

/* Colors from each of the request's to the next; 0: they are not equally far apart. */
static unsigned spacing_of(const struct page_set_request *request)
{
    const unsigned *colors = request->colors;
    unsigned spacing = request->color_count > 1 ? colors[1] - colors[0] : 1;
    for (unsigned i = 1; i < request->color_count; i++)
        spacing = colors[i] - colors[i - 1] == spacing ? spacing : 0;
    return spacing;
}

/* Bytes from one turn to the next. */
static uint64_t step_of(const struct page_set_request *request, const struct palette *palette,
                        struct page_walk walk)
{
    return (walk.distinct + request->extras) * tlb_of(request)->page + spacing_of(request) * palette->unit;
}

/* True if no set of the cache gets more lines than it has ways; counts: for every set. */
static bool fits_in(const struct page_set_request *request, const struct palette *palette,
                    struct page_walk walk, const struct cache *cache, unsigned *counts)
{
    unsigned sets = cache_sets(cache);
    memset(counts, 0, sets * sizeof *counts);
    for (unsigned i = 0; i < walk.distinct + request->extras; i++)
        for (unsigned turn = 0; turn < walk.turns; turn++) {
            uint64_t at = offset_of(request, palette, i, walk.turns) + turn * step_of(request, palette, walk);
            if (++counts[at / cache->line % sets] > cache->ways)
                return false;
        }
    return true;
}

/* True if L1D and the caches behind it keep the lines; an inclusive cache must hold all that L1 holds. */
static bool is_kept(const struct page_set_request *request, const struct palette *palette,
                    struct page_walk walk, unsigned *counts)
{
    if (walk.turns > request->color_count || (walk.turns > 1 && spacing_of(request) == 0))
        return false;
    bool kept = true;
    for (int level = 0; kept && level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(request->machine, level);
        kept = cache == NULL || fits_in(request, palette, walk, cache, counts);
    }
    return kept;
}

static unsigned tlb_ways(const struct tlb *tlb)
{
    return tlb->ways == 0 || tlb->ways > tlb->entries ? tlb->entries : tlb->ways;
}

/* True if every TLB set that the pages use has more of them than ways. */
static bool is_lost(const struct page_set_request *request, struct page_walk walk, unsigned *counts)
{
    const struct tlb *tlb = tlb_of(request);
    unsigned ways = tlb_ways(tlb);
    unsigned sets = tlb->entries / ways;
    memset(counts, 0, sets * sizeof *counts);
    for (unsigned turn = 0; turn < walk.turns; turn++)
        for (unsigned i = 0; i < walk.distinct; i++)
            counts[(turn * (walk.distinct + request->extras) + i) % sets]++;
    for (unsigned i = 0; i < sets; i++)
        if (counts[i] > 0 && counts[i] <= ways)
            return false;
    return true;
}

/* True if no page recurs before the TLB has evicted it, even across the end of a pass with more accesses than
 * pages. */
static bool comes_round(const struct page_set_request *request, unsigned distinct)
{
    const struct tlb *tlb = tlb_of(request);
    unsigned left = request->lines % distinct;
    return left == 0 || left / (tlb->entries / tlb_ways(tlb)) > tlb_ways(tlb);
}

static bool is_good(const struct page_set_request *request, const struct palette *palette,
                    struct page_walk walk, unsigned *counts)
{
    if (request->own_words && request->lines > walk.distinct * (palette_words(palette, request->block)))
        return false;
    return comes_round(request, walk.distinct) && is_kept(request, palette, walk, counts) &&
           is_lost(request, walk, counts);
}

/* The walk with the most pages, up to twice the TLB's entries, whose lines L1D can keep; otherwise the one
 * with the fewest pages above that. `distinct` is 0 if there is none. counts: room for every set of a cache
 * or of the TLB. */
static struct page_walk choose_walk(const struct page_set_request *request, const struct palette *palette,
                                    unsigned *counts)
{
    unsigned entries = tlb_of(request)->entries;
    for (unsigned pages = 2 * entries; request->lines > 0 && pages > entries; pages--) {
        struct page_walk walk = {request->lines, (pages + request->lines - 1) / request->lines};
        if (request->lines >= pages)
            walk = (struct page_walk){pages, 1};
        if (is_good(request, palette, walk, counts))
            return walk;
    }
    const struct cache *l1 = &request->machine->l1d;
    for (unsigned pages = 2 * entries + 1; pages <= request->lines && pages <= l1->size / l1->line; pages++)
        if (is_good(request, palette, (struct page_walk){pages, 1}, counts))
            return (struct page_walk){pages, 1};
    return (struct page_walk){0, 1};
}

/* The nearest number of accesses per pass, in that direction, for which there is a walk; 0: none. */
static unsigned find_lines(const struct page_set_request *request, const struct palette *palette,
                           int direction, unsigned *counts)
{
    struct page_set_request other = *request;
    other.extras = 0;
    for (long lines = (long)request->lines + direction; lines > 0 && lines <= request->accesses;
         lines += direction) {
        other.lines = (unsigned)lines;
        if (choose_walk(&other, palette, counts).distinct > 0)
            return other.lines;
    }
    return 0;
}

/* The most lines in separate pages that every cache keeps in the colors. Pages begin in only some of the rows
 * with different sets. */
static uint64_t most_kept(const struct page_set_request *request, const struct palette *palette)
{
    uint64_t most = UINT64_MAX;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(request->machine, level);
        if (cache == NULL)
            continue;
        uint64_t rows = cache->size / cache->ways / palette->row;
        uint64_t apart = tlb_of(request)->page / palette->row;
        uint64_t reached = apart == 0 ? rows : rows / rational_gcd(rows, apart);
        uint64_t kept = request->color_count * reached * cache->ways;
        most = kept < most ? kept : most;
    }
    return most;
}

static enum status refuse(const struct page_set_request *request, const struct palette *palette,
                          unsigned *counts, struct error *error)
{
    unsigned entries = tlb_of(request)->entries;
    if (entries == 0) {
        error_set(error, STATUS_RECIPE, "tlb{}: the TLB of machine %s is unknown", request->machine->name);
        error_hint(error, "its file can state it: tlb = { data = { entries =, ways =, page = } }");
        return STATUS_RECIPE;
    }
    if (most_kept(request, palette) <= entries) {
        error_set(
            error, STATUS_RECIPE,
            "tlb.miss_rate: the caches keep at most %llu lines in separate pages beside the rest, and more "
            "than the data TLB's %u entries are needed to miss it",
            (unsigned long long)most_kept(request, palette), entries);
        error_hint(error, "on this machine only tlb.miss_rate = 0 can be met");
        return STATUS_RECIPE;
    }
    if (request->lines == 0)
        error_set(error, STATUS_RECIPE,
                  "tlb.miss_rate: it amounts to less than one access per pass, and at least one must miss");
    else
        error_set(error, STATUS_RECIPE,
                  "tlb.miss_rate: %u access%s of a pass cannot come to more pages than the data TLB's %u, in "
                  "lines that L1D keeps",
                  request->lines, request->lines == 1 ? "" : "es", entries);
    unsigned below = find_lines(request, palette, -1, counts);
    unsigned above = find_lines(request, palette, 1, counts);
    double all = request->accesses;
    if (below > 0 && above > 0)
        error_hint(error, "the nearest rates of such a loop are %.4g and %.4g; more loop.units reach more",
                   below / all, above / all);
    else if (above > 0)
        error_hint(error, "the nearest rate of such a loop is %.4g; more loop.units reach lower ones",
                   above / all);
    else
        error_hint(error, "a higher rate or more loop.units can");
    return STATUS_RECIPE;
}

enum status page_set_place(const struct page_set_request *request, const struct palette *palette,
                           uint64_t row, struct arena *arena, struct rotating_set *set, struct error *error)
{
    unsigned sets = tlb_of(request)->entries;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(request->machine, level);
        sets = cache != NULL && cache_sets(cache) > sets ? cache_sets(cache) : sets;
    }
    unsigned *counts = arena_alloc(arena, (size_t)sets + 1, sizeof *counts);
    struct page_walk walk = choose_walk(request, palette, counts);
    if (tlb_of(request)->entries == 0 || walk.distinct == 0)
        return refuse(request, palette, counts, error);
    uint64_t step = walk.turns > 1 ? step_of(request, palette, walk) : 0;
    set->at = rotation_by(row * palette->row, step, walk.turns);
    set->lines = (uint64_t)walk.turns * walk.distinct;
    set->offsets = arena_alloc(arena, request->lines + request->extras + 1, sizeof *set->offsets);
    for (unsigned i = 0; i < request->lines + request->extras; i++) {
        unsigned page = i < request->lines ? i % walk.distinct : i - request->lines + walk.distinct;
        unsigned visit = i < request->lines ? i / walk.distinct : 0;
        uint64_t word = visit % palette_words(palette, request->block) * request->block;
        set->offsets[i] = (uint32_t)(offset_of(request, palette, page, walk.turns) + word);
    }
    return STATUS_OK;
}
