#include "generator/plan/memory/eviction_layout.h"

#include "base/random.h"
#include "base/rational.h"
#include "base/units.h"
#include "generator/plan/memory/capacity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096 };
static const uint64_t MOST_BYTES = UINT64_C(1)
                                   << 30; /* anchors (anchors.h) reach what displacements do not */

/* One attempt to place everything with a given depth and room in L2. */
struct eviction_attempt {
    const struct eviction_layout_request *request;
    struct eviction_layout *layout;
    struct arena *arena;
    uint64_t span; /* bytes between lines of one L1D set */
    unsigned sets; /* of L1D */
    unsigned l2_sets;
    unsigned l2_limit;  /* most lines per set of L2 */
    unsigned *l2_count; /* [l2_sets]: lines reserved so far */
    bool *used;         /* [sets]: the L1D set has a group or the hit line */
    unsigned first;     /* first column of the groups */
};

static unsigned *l2_room(const struct eviction_attempt *attempt, uint64_t offset)
{
    return &attempt->l2_count[offset / attempt->request->l2->line % attempt->l2_sets];
}

/* Number of lines of one set after which L2 set numbers repeat. */
static uint64_t column_cycle(const struct cache *l1, const struct cache *l2)
{
    uint64_t l2_span = l2->size / l2->ways;
    return l2_span / rational_gcd(l2_span, l1->size / l1->ways);
}

uint64_t eviction_layout_room(const struct cache *l1, const struct cache *l2)
{
    return column_cycle(l1, l2) * l2->ways;
}

/* Adds `change` to the count of each L2 set that the line and its rotations use. */
static void l2_take(const struct eviction_attempt *attempt, uint64_t offset, unsigned period, uint64_t step,
                    unsigned change)
{
    for (unsigned pass = 0; pass < period; pass++)
        *l2_room(attempt, offset + pass * step) += change;
}

/* Reserves room in L2 for the line and its rotations, or reserves nothing and returns false. */
static bool l2_reserve(const struct eviction_attempt *attempt, uint64_t offset, unsigned period,
                       uint64_t step)
{
    if (offset + (uint64_t)(period - 1) * step >= MOST_BYTES)
        return false;
    l2_take(attempt, offset, period, step, 1);
    for (unsigned pass = 0; pass < period; pass++) {
        if (*l2_room(attempt, offset + pass * step) > attempt->l2_limit) {
            l2_take(attempt, offset, period, step, -1U);
            return false;
        }
    }
    return true;
}

/* Finds `count` lines of the L1D set with room in L2 and writes their offsets. With a step the lines must be
 * side by side, since the rotations take the places after them. On failure nothing is taken. */
static bool take_columns(const struct eviction_attempt *attempt, unsigned set, unsigned count,
                         unsigned period, uint64_t step, uint32_t *offsets)
{
    uint64_t column = attempt->first + (attempt->sets == 1 ? 1 : 0); /* line 0 of set 0 is the hit line */
    uint64_t patience = step != 0 ? 1 : column_cycle(attempt->request->l1, attempt->request->l2);
    unsigned taken = 0;
    for (uint64_t refused = 0; taken < count && refused < patience; column++) {
        uint64_t offset = (uint64_t)set * attempt->request->l1->line + column * attempt->span;
        bool fits = l2_reserve(attempt, offset, period, step);
        refused = fits ? 0 : refused + 1;
        if (fits)
            offsets[taken++] = (uint32_t)offset;
    }
    if (taken == count)
        return true;
    while (taken > 0)
        l2_take(attempt, offsets[--taken], period, step, -1U);
    return false;
}

/* Takes an unused L1D set for the group: the requested one if suitable, else the next suitable one. */
static bool place_group(struct eviction_attempt *attempt, unsigned preferred, unsigned count, unsigned period,
                        uint64_t step, unsigned *set, uint32_t *offsets)
{
    if (count * attempt->span >= MOST_BYTES)
        return false;
    for (unsigned i = 0; i < attempt->sets; i++) {
        unsigned candidate = (preferred + i) % attempt->sets;
        if (attempt->used[candidate])
            continue;
        if (!take_columns(attempt, candidate, count, period, step, offsets))
            continue;
        attempt->used[candidate] = true;
        *set = candidate;
        return true;
    }
    return false;
}

/* Sets that groups may take: all but the hit line's, or the only one. */
static unsigned free_sets(const struct eviction_attempt *attempt)
{
    return attempt->sets == 1 ? 1 : attempt->sets - 1;
}

/* Spreads groups over the sets, so that a next-line prefetcher finds no run to follow; an odd number of sets
 * apart, so that the lines fall evenly on an L2's banks. (On a core with two banks, an even distance halved
 * the throughput of independent misses.) */
static unsigned wished_set(const struct eviction_attempt *attempt, unsigned group, unsigned groups)
{
    unsigned stride = free_sets(attempt) / groups;
    uint64_t window = attempt->request->windows.bytes;
    if (window > 0 &&
        window < attempt->span) /* side by side: each line of a group is in a window of its own */
        stride = 1;
    stride -= stride > 1 && stride % 2 == 0;
    return attempt->sets == 1 ? 0 : 1 + group * (stride == 0 ? 1 : stride);
}

/* Appends the group's lines of one pass to the pass's misses at *next. */
static void visit(struct eviction_layout *layout, unsigned group, const uint32_t *offsets, unsigned count,
                  unsigned *next)
{
    for (unsigned line = 0; line < count; line++)
        layout->misses[(*next)++] = (struct miss){offsets[line], group, line};
}

/* Pages over which groups of that many lines spread, as a multiple of these lines: few enough for the data
 * TLB. */
static unsigned page_sets(const struct eviction_attempt *attempt, unsigned lines)
{
    enum { MOST_PAGE_SETS = 3 };
    unsigned room = attempt->request->tlb_entries * 3 / 4;
    if (attempt->span < PAGE_BYTES || attempt->sets == 1 || room < 2 * lines ||
        attempt->request->windows.bytes > 0)
        return 1;
    return room / lines < MOST_PAGE_SETS ? room / lines : MOST_PAGE_SETS;
}

/* One round of all groups, which alternates among as many groups as there are pages: a set that misses again
 * at once stalls some cores (4.6 ns per miss instead of 3.8). A group's lines keep their order in every
 * round. */
static void visit_round(struct eviction_layout *layout, const uint32_t *offsets, const unsigned *first,
                        const unsigned *order, unsigned apart, unsigned *next)
{
    unsigned lines = layout->sets[layout->set_count - 1].lines; /* the others have as many, or one more */
    for (unsigned from = 0; from < layout->set_count; from += apart) {
        unsigned left = layout->set_count - from;
        unsigned count = left < apart ? left : apart;
        for (unsigned line = 0; line <= lines; line++)
            for (unsigned k = 0; k < count; k++) {
                unsigned group = order[from + k];
                if (line < layout->sets[group].lines)
                    layout->misses[(*next)++] = (struct miss){offsets[first[group] + line], group, line};
            }
    }
}

/* Places the line of the load that misses only sometimes: one more in group 0 or, with too few misses for a
 * group in one pass, one more in each pass of the rotation. */
static bool place_sometimes(struct eviction_attempt *attempt)
{
    struct eviction_layout *layout = attempt->layout;
    if (attempt->request->sometimes == 0 || attempt->request->rotating)
        return true;
    struct eviction_set *group = &layout->sets[0];
    uint64_t column = 0;
    for (unsigned i = 0; i < attempt->request->misses; i++) {
        uint64_t used = layout->misses[i].offset / attempt->span;
        if (layout->misses[i].group == 0 && used >= column)
            column = used + 1;
    }
    uint64_t offset = (uint64_t)group->l1d_set * attempt->request->l1->line + column * attempt->span;
    while (!l2_reserve(attempt, offset, 1, 0)) {
        offset += attempt->span;
        if (++column > attempt->request->misses + column_cycle(attempt->request->l1, attempt->request->l2))
            return false;
    }
    layout->sometimes = (struct miss){(uint32_t)offset, 0, group->lines};
    group->lines++;
    return true;
}

/* True if the lines of a pass lie in no more windows than there are registers for. */
static bool is_within_reach(const struct eviction_attempt *attempt)
{
    const struct eviction_layout_request *request = attempt->request;
    const struct eviction_layout *layout = attempt->layout;
    if (request->windows.bytes == 0)
        return true;
    uint64_t *offsets = arena_alloc(attempt->arena, request->misses + 1, sizeof *offsets);
    for (unsigned i = 0; i < request->misses; i++)
        offsets[i] = layout->misses[i].offset;
    offsets[request->misses] = layout->sometimes.offset;
    return windows_count(&request->windows, offsets, request->misses + 1) <= request->windows.most;
}

/* Static groups: every pass visits the same lines, each group `rounds` times, and finally the first `again`
 * lines of group 0 once more; so misses = rounds * lines + again, for any number of misses. `again` exceeds
 * the ways, or the next pass would find some of these lines. */
static bool place_static(struct eviction_attempt *attempt, unsigned depth, unsigned rounds, unsigned again)
{
    const struct eviction_layout_request *request = attempt->request;
    struct eviction_layout *layout = attempt->layout;
    unsigned lines = (request->misses - again) / rounds;
    unsigned groups = lines / depth == 0 ? 1 : lines / depth;
    groups = groups > free_sets(attempt) ? free_sets(attempt) : groups;
    unsigned largest = (lines + groups - 1) / groups;    /* group 0's */
    bool shallow = rounds > 1 && lines / groups < depth; /* lines that a smaller depth may still revisit */
    if (shallow || lines / groups <= request->l1->ways || again > largest)
        return false;
    uint32_t *offsets = arena_alloc(attempt->arena, lines, sizeof *offsets);
    layout->set_count = groups;
    unsigned *starts = arena_alloc(attempt->arena, groups, sizeof *starts);
    unsigned *order = arena_alloc(attempt->arena, groups, sizeof *order);
    struct random random = random_start(1, "groups");
    for (unsigned i = 0; i < groups; i++)
        order[i] = i;
    /* Group 0 stays first: the lines repeated at a pass's end are its own. */
    random_shuffle_numbers(&random, order + 1, groups - 1);
    unsigned apart = page_sets(attempt, largest);
    unsigned first = 0;
    for (unsigned i = 0; i < groups; i++) {
        layout->sets[i].lines = lines / groups + (i < lines % groups);
        layout->sets[i].rounds = rounds;
        starts[i] = first;
        first += layout->sets[i].lines;
    }
    for (unsigned k = 0; k < groups; k++) {
        unsigned i = order[k];
        struct eviction_set *group = &layout->sets[i];
        attempt->first = k % apart * largest;
        if (!place_group(attempt, wished_set(attempt, i, groups), group->lines, 1, 0, &group->l1d_set,
                         offsets + starts[i]))
            return false;
        /* The lines of every group have one random order. Prefetchers follow constant distances (such a chase
         * took 1.5 ns per load on a Zen 4, and 3.8 ns in random order, as through a plain working set). They
         * also follow lines of one page that the same instruction reads soon after one another. */
        struct random same = random_start(1, "lines");
        random_shuffle_numbers(&same, offsets + starts[i], group->lines);
    }
    attempt->first = 0;
    unsigned next = 0;
    for (unsigned round = 0; round < rounds; round++)
        visit_round(layout, offsets, starts, order, apart, &next);
    visit(layout, 0, offsets, again, &next);
    return place_sometimes(attempt) && is_within_reach(attempt);
}

/* Places the line of the load that misses only sometimes, rotating: after the group's lines of one pass. Only
 * the first passes of a period access it. */
static bool place_after(struct eviction_attempt *attempt, unsigned set, unsigned count)
{
    struct eviction_layout *layout = attempt->layout;
    unsigned passes = attempt->request->sometimes;
    uint64_t column = count + (attempt->sets == 1);
    uint64_t offset = (uint64_t)set * attempt->request->l1->line + column * attempt->span;
    layout->sometimes = (struct miss){(uint32_t)offset, 0, count};
    return l2_reserve(attempt, offset, passes < layout->turns ? passes : layout->turns, layout->step);
}

unsigned eviction_layout_turns(unsigned misses, unsigned sometimes, unsigned period, unsigned depth)
{
    unsigned turns = 1;
    while (turns < period) {
        bool enough = misses == 0 ? turns >= sometimes : misses * turns >= depth;
        if (enough && period % turns == 0)
            break;
        turns++;
    }
    return turns;
}

static unsigned rotating_groups(const struct eviction_attempt *attempt, unsigned depth)
{
    const struct eviction_layout_request *request = attempt->request;
    unsigned groups = request->misses * attempt->layout->turns / depth;
    if (groups > request->misses)
        groups = request->misses;
    if (groups > free_sets(attempt))
        groups = free_sets(attempt);
    return groups == 0 ? 1 : groups;
}

/* Rotating groups: every pass adds a step to all offsets, and returns to the first base after some turns. */
static bool place_turning(struct eviction_attempt *attempt, unsigned groups)
{
    const struct eviction_layout_request *request = attempt->request;
    struct eviction_layout *layout = attempt->layout;
    unsigned extra = request->sometimes > 0;
    layout->step = ((request->misses + groups - 1) / groups + extra) * attempt->span;
    layout->set_count = groups;
    unsigned next = 0;
    for (unsigned i = 0; i < groups; i++) {
        struct eviction_set *group = &layout->sets[i];
        unsigned count = request->misses / groups + (i < request->misses % groups);
        unsigned sometimes = i > 0                                ? 0
                             : request->sometimes < layout->turns ? request->sometimes
                                                                  : layout->turns;
        unsigned lines = count * layout->turns;
        bool once_a_period = layout->turns == request->period || request->misses == 0;
        bool deep = lines + (once_a_period ? sometimes : 0) > request->l1->ways;
        uint32_t *offsets = arena_alloc(attempt->arena, count + 1, sizeof *offsets);
        if (!deep || !place_group(attempt, wished_set(attempt, i, groups), count, layout->turns, layout->step,
                                  &group->l1d_set, offsets))
            return false;
        group->lines = lines + sometimes;
        group->rounds = 1;
        visit(layout, i, offsets, count, &next);
        if (i == 0 && extra && !place_after(attempt, group->l1d_set, count))
            return false;
    }
    return is_within_reach(attempt);
}

static void start_over(struct eviction_attempt *attempt)
{
    attempt->first = 0;
    memset(attempt->l2_count, 0, attempt->l2_sets * sizeof *attempt->l2_count);
    memset(attempt->used, 0, attempt->sets * sizeof *attempt->used);
    memset(&attempt->layout->sometimes, 0, sizeof attempt->layout->sometimes);
    attempt->layout->step = 0;
    attempt->layout->turns = 1;
    *l2_room(attempt, 0) = 1;
    attempt->used[0] = attempt->sets > 1;
}

/* The fewest lines of each group in a pass, so that these are near each other, and as many turns as the depth
 * needs; then more lines and fewer turns. */
static bool place_near(struct eviction_attempt *attempt, unsigned depth)
{
    const struct eviction_layout_request *request = attempt->request;
    unsigned most = request->windows.most + 1 < request->misses ? request->windows.most + 1 : request->misses;
    for (unsigned lines = 1; lines <= most || lines == 1; lines++) {
        unsigned groups = lines == 0 ? 0 : (request->misses + lines - 1) / lines;
        unsigned count = request->misses < lines ? request->misses : lines;
        if (groups > free_sets(attempt))
            continue;
        start_over(attempt);
        attempt->layout->turns = eviction_layout_turns(count, request->sometimes, request->period, depth);
        bool deep = request->misses == 0 || count * attempt->layout->turns + request->sometimes >= depth;
        if (deep && place_turning(attempt, groups == 0 ? 1 : groups))
            return true;
    }
    return false;
}

static bool place_rotating(struct eviction_attempt *attempt, unsigned depth)
{
    const struct eviction_layout_request *request = attempt->request;
    if (request->windows.bytes > 0)
        return place_near(attempt, depth);
    start_over(attempt);
    attempt->layout->turns =
        eviction_layout_turns(request->misses, request->sometimes, request->period, depth);
    return place_turning(attempt, rotating_groups(attempt, depth));
}

/* The fewest lines above the ways that leave a multiple of rounds; 0 if the misses already are one. */
static unsigned lines_again(const struct eviction_layout_request *request, unsigned rounds)
{
    unsigned again = 0;
    if (request->misses % rounds != 0)
        for (again = request->l1->ways + 1;
             again < request->misses && (request->misses - again) % rounds != 0;)
            again++;
    return again;
}

static bool is_crowded(const struct eviction_layout_request *request, unsigned rounds)
{
    static const double MOST_LOST = 0.002;
    return capacity_lost(request->l2, (double)request->misses / rounds, 0) > MOST_LOST;
}

static bool place_with_depth(struct eviction_attempt *attempt, unsigned depth)
{
    const struct eviction_layout_request *request = attempt->request;
    if (request->rotating)
        return place_rotating(attempt, depth);
    /* Prefers few lines visited several times to so many that L2, whose index is unknown, loses some. */
    for (unsigned crowded = 0; crowded < 2; crowded++)
        for (unsigned rounds = 1; request->misses / rounds > request->l1->ways; rounds++) {
            unsigned again = lines_again(request, rounds);
            start_over(attempt);
            if (again < request->misses &&
                (crowded || request->index_known || !is_crowded(request, rounds)) &&
                place_static(attempt, depth, rounds, again))
                return true;
        }
    return false;
}

/* Sets the layout's size, alignment and pages. */
static void measure(const struct eviction_attempt *attempt)
{
    const struct eviction_layout_request *request = attempt->request;
    struct eviction_layout *layout = attempt->layout;
    uint64_t l2_span = request->l2->size / request->l2->ways;
    uint64_t turn = (layout->turns - 1) * layout->step;
    uint64_t top = layout->sometimes.offset;
    for (unsigned i = 0; i < request->misses; i++)
        top = layout->misses[i].offset > top ? layout->misses[i].offset : top;
    layout->align = rational_lcm(rational_lcm(attempt->span, PAGE_BYTES), l2_span);
    layout->bytes = rational_lcm(request->l1->line, 64);
    layout->bytes = (top + turn + layout->bytes) / layout->bytes * layout->bytes;
    bool *touched = arena_alloc(attempt->arena, layout->bytes / PAGE_BYTES + 1, sizeof *touched);
    touched[0] = true;
    for (unsigned pass = 0; pass < layout->turns; pass++) {
        for (unsigned i = 0; i < request->misses; i++)
            touched[(layout->misses[i].offset + pass * layout->step) / PAGE_BYTES] = true;
        if (pass < request->sometimes)
            touched[(layout->sometimes.offset + pass * layout->step) / PAGE_BYTES] = true;
    }
    layout->pages = 0;
    for (uint64_t page = 0; page <= layout->bytes / PAGE_BYTES; page++)
        layout->pages += touched[page];
}

/* With short displacements and few registers, a pass cannot reach enough lines of one set. */
static enum status refuse_reach(const struct eviction_layout_request *request, struct error *error)
{
    error_set(
        error, STATUS_RECIPE,
        "L1D misses cannot be L2 hits here: at least %u lines must share one set of this L1D; a pass reaches "
        "lines within %" PRIu64 " bytes of an address in a register, and %u registers are left for addresses",
        request->depth, request->windows.bytes, request->windows.most);
    error_hint(
        error,
        "if the words stay the same, the lines may move from pass to pass, which takes fewer registers; a "
        "kernel with fewer other operands leaves more");
    return STATUS_RECIPE;
}

static enum status refuse(const struct eviction_layout_request *request, struct error *error)
{
    char l1[32];
    char l2[32];
    units_format_size(request->l1->size, l1, sizeof l1);
    units_format_size(request->l2->size, l2, sizeof l2);
    error_set(error, STATUS_RECIPE,
              "L1D misses cannot be L2 hits here: %u lines that share one set of L1D (%s, %u-way) do not "
              "stay in L2 "
              "(%s, %u-way) together",
              request->l1->ways + 1, l1, request->l1->ways, l2, request->l2->ways);
    error_hint(error, "the nearest reachable L1D miss rate on this machine is 0");
    return STATUS_RECIPE;
}

/* What the lines may use of L2 and of the TLB. First one way of each L2 set is left for code and other data,
 * and every page has a TLB entry; then no way is left; then neither holds. */
enum { CHOICES = 3 };

static bool place_so(struct eviction_attempt *attempt, unsigned choice, unsigned depth)
{
    const struct eviction_layout_request *request = attempt->request;
    attempt->l2_limit = request->l2->ways - (choice < 2 && request->l2->ways > 1);
    if (!place_with_depth(attempt, depth))
        return false;
    measure(attempt);
    return choice > 0 || request->tlb_entries == 0 || attempt->layout->pages <= request->tlb_entries;
}

/* The next depth to try, from the requested one down to the least that always misses; then 0. */
static unsigned next_depth(const struct eviction_layout_request *request, unsigned depth)
{
    unsigned least = request->l1->ways + 1;
    return depth <= least || request->depth_fixed ? 0 : least + (depth - least) / 2;
}

static bool search(struct eviction_attempt *attempt)
{
    const struct eviction_layout_request *request = attempt->request;
    if (request->depth_first) {
        for (unsigned depth = request->depth; depth != 0; depth = next_depth(request, depth))
            for (unsigned choice = 0; choice < CHOICES; choice++)
                if (place_so(attempt, choice, depth))
                    return true;
        return false;
    }
    for (unsigned choice = 0; choice < CHOICES; choice++)
        for (unsigned depth = request->depth; depth != 0; depth = next_depth(request, depth))
            if (place_so(attempt, choice, depth))
                return true;
    return false;
}

enum status eviction_layout_place(const struct eviction_layout_request *request, struct arena *arena,
                                  struct eviction_layout *layout, struct error *error)
{
    memset(layout, 0, sizeof *layout);
    struct eviction_attempt attempt = {.request = request,
                                       .layout = layout,
                                       .arena = arena,
                                       .span = request->l1->size / request->l1->ways,
                                       .sets = cache_sets(request->l1),
                                       .l2_sets = cache_sets(request->l2)};
    attempt.l2_count = arena_alloc(arena, attempt.l2_sets, sizeof *attempt.l2_count);
    attempt.used = arena_alloc(arena, attempt.sets, sizeof *attempt.used);
    layout->misses = arena_alloc(arena, request->misses, sizeof *layout->misses);
    layout->sets = arena_alloc(arena, attempt.sets + 1, sizeof *layout->sets);
    layout->hits_follow_misses = attempt.sets == 1 && request->misses > 0;
    if (request->misses == 0 && request->sometimes == 0) {
        layout->turns = 1;
        measure(&attempt);
        return STATUS_OK;
    }
    if (search(&attempt))
        return STATUS_OK;
    struct eviction_layout_request anywhere = *request;
    anywhere.windows = (struct windows){0};
    attempt.request = &anywhere;
    return request->windows.bytes > 0 && search(&attempt) ? refuse_reach(request, error)
                                                          : refuse(request, error);
}
