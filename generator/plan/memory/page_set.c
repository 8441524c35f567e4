#include "generator/plan/memory/page_set.h"

#include <string.h>

enum { PAGE_BYTES = 4096, WORD_BYTES = 8 };

/* The color, counted from the first, in which a position of the pass begins; each turn moves it to the next.
 */
static unsigned color_of(unsigned position, unsigned turns, unsigned colors)
{
    return position * turns % (colors - turns + 1);
}

/* How a pass visits the pages: `distinct` of them, repeatedly if it has more accesses. */
struct page_walk {
    unsigned distinct, turns;
};

/* True if no color gets more lines than its L1D ways. */
static bool is_kept(const struct page_set_request *request, const struct palette *palette,
                    struct page_walk walk, unsigned *counts)
{
    const struct cache *l1 = &request->machine->l1d;
    uint64_t room = l1->size / palette->row;
    if (walk.turns > request->colors)
        return false;
    memset(counts, 0, request->colors * sizeof *counts);
    for (unsigned i = 0; i < walk.distinct + request->extras; i++)
        for (unsigned turn = 0; turn < walk.turns; turn++)
            if (++counts[color_of(i, walk.turns, request->colors) + turn] > room)
                return false;
    return true;
}

static unsigned tlb_ways(const struct tlb *tlb)
{
    return tlb->ways == 0 || tlb->ways > tlb->entries ? tlb->entries : tlb->ways;
}

/* True if every TLB set that the pages use has more of them than ways. */
static bool is_lost(const struct page_set_request *request, struct page_walk walk, unsigned *counts)
{
    const struct tlb *tlb = &request->machine->data_tlb;
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

/* True if no page recurs before the TLB has lost it, also across the end of a pass with more accesses than
 * pages. */
static bool comes_round(const struct page_set_request *request, unsigned distinct)
{
    const struct tlb *tlb = &request->machine->data_tlb;
    unsigned left = request->lines % distinct;
    return left == 0 || left / (tlb->entries / tlb_ways(tlb)) > tlb_ways(tlb);
}

static enum status refuse(const struct page_set_request *request, struct error *error)
{
    unsigned entries = request->machine->data_tlb.entries;
    if (entries == 0) {
        error_set(error, STATUS_RECIPE, "tlb{}: the TLB of machine %s is unknown", request->machine->name);
        error_hint(error, "its file can state it: tlb = { data = { entries =, ways =, page = } }");
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
    error_hint(error, "a higher rate or more loop.units can");
    return STATUS_RECIPE;
}

/* The walk with the most pages whose lines L1D can keep; no distinct pages if there is none. */
static struct page_walk choose_walk(const struct page_set_request *request, const struct palette *palette,
                                    struct arena *arena)
{
    unsigned entries = request->machine->data_tlb.entries;
    unsigned *counts = arena_alloc(arena, request->colors + entries + 1, sizeof *counts);
    for (unsigned pages = 2 * entries; request->lines > 0 && pages > entries; pages--) {
        struct page_walk walk = {request->lines, (pages + request->lines - 1) / request->lines};
        if (request->lines >= pages)
            walk = (struct page_walk){pages, 1};
        if (request->own_words && request->lines > walk.distinct * (palette->unit / 2 / WORD_BYTES))
            continue;
        if (comes_round(request, walk.distinct) && is_kept(request, palette, walk, counts) &&
            is_lost(request, walk, counts))
            return walk;
    }
    return (struct page_walk){0, 1};
}

enum status page_set_place(const struct page_set_request *request, const struct palette *palette,
                           uint64_t row, struct arena *arena, struct rotating_set *set, struct error *error)
{
    struct page_walk walk = choose_walk(request, palette, arena);
    if (request->machine->data_tlb.entries == 0 || walk.distinct == 0)
        return refuse(request, error);
    unsigned pages = walk.distinct + request->extras;
    uint64_t step = walk.turns > 1 ? (uint64_t)pages * PAGE_BYTES + palette->unit : 0;
    set->at = rotation_by(row * palette->row, step, walk.turns);
    set->lines = (uint64_t)walk.turns * walk.distinct;
    set->offsets = arena_alloc(arena, request->lines + request->extras + 1, sizeof *set->offsets);
    for (unsigned i = 0; i < request->lines + request->extras; i++) {
        unsigned page = i < request->lines ? i % walk.distinct : i - request->lines + walk.distinct;
        unsigned visit = i < request->lines ? i / walk.distinct : 0;
        uint64_t word = visit % (palette->unit / 2 / WORD_BYTES) * WORD_BYTES;
        unsigned color = request->first_color + color_of(page, walk.turns, request->colors);
        set->offsets[i] = (uint32_t)(page * (uint64_t)PAGE_BYTES + color * palette->unit + word);
    }
    return STATUS_OK;
}
