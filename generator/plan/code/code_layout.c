#include "generator/plan/code/code_layout.h"

#include "base/arena.h"
#include "base/rational.h"
#include "base/units.h"
#include "generator/plan/memory/cache_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- which lines miss ---- */

/* A period divides 100, so that rates hold over every hundred passes (DESIGN.md section 3). */
static const unsigned periods[] = {1, 2, 4, 5, 10, 20, 25, 50, 100};
enum { PERIOD_COUNT = sizeof periods / sizeof periods[0], MOST_RUN = 64, MOST_CLASSES = 64 };

static const double EXACT = 1e-9;

/* Chunks of one length. */
struct class
{
    unsigned lines;
    unsigned count;
};

/* The numbers of lines that chunks outside a run can sum to. */
struct share_sums {
    struct class classes[MOST_CLASSES];
    size_t class_count;
    unsigned total;
    unsigned least; /* the fewest lines, in whole chunks, that can overflow a set */
    int *needed;    /* [class_count][total + 1]: chunks of the class in the sum; -1: the sum is impossible */
};

static void add_class(struct share_sums *sums, unsigned lines)
{
    size_t i = 0;
    sums->total += lines;
    while (i < sums->class_count && sums->classes[i].lines != lines)
        i++;
    if (i == MOST_CLASSES)
        return;
    if (i == sums->class_count)
        sums->classes[sums->class_count++] = (struct class){lines, 0};
    sums->classes[i].count++;
}

/* Sums of this class and all earlier ones. */
static void fill_class(struct share_sums *sums, size_t index)
{
    const struct class *class = &sums->classes[index];
    size_t width = (size_t)sums->total + 1;
    int *row = sums->needed + index * width;
    const int *before = index == 0 ? NULL : row - width;
    for (size_t sum = 0; sum < width; sum++) {
        row[sum] = -1;
        if (index == 0 ? sum == 0 : before[sum] >= 0)
            row[sum] = 0;
        else if (sum >= class->lines && row[sum - class->lines] >= 0 &&
                 row[sum - class->lines] < (int)class->count)
            row[sum] = row[sum - class->lines] + 1;
    }
}

/* Sorts the longest chunks first; shorter ones fill the remaining room. */
static int by_lines(const void *a, const void *b)
{
    unsigned x = ((const struct class *)a)->lines;
    unsigned y = ((const struct class *)b)->lines;
    return (x < y) - (x > y);
}

/* Whether the chunk may miss in every pass. */
static bool may_miss(const struct code_rate_request *request, size_t run, size_t chunk)
{
    return (chunk == 0 || chunk > run) && (request->stays == NULL || !request->stays[chunk]);
}

static void find_sums(const struct code_rate_request *request, size_t run, struct arena *arena,
                      struct share_sums *sums)
{
    unsigned ways = request->ways;
    memset(sums, 0, sizeof *sums);
    for (size_t i = 0; i < request->count; i++)
        if (may_miss(request, run, i))
            add_class(sums, request->lines[i]);
    qsort(sums->classes, sums->class_count, sizeof *sums->classes, by_lines);
    sums->least = sums->total + 1;
    for (size_t i = 0; i < sums->class_count; i++) {
        unsigned lines_needed = sums->classes[i].lines * (ways + 1);
        if (sums->classes[i].count > ways && lines_needed < sums->least)
            sums->least = lines_needed;
    }
    sums->needed = arena_alloc(arena, sums->class_count * ((size_t)sums->total + 1), sizeof *sums->needed);
    for (size_t i = 0; i < sums->class_count; i++)
        fill_class(sums, i);
}

static bool reaches(const struct share_sums *sums, double misses)
{
    if (misses == 0)
        return true;
    if (misses < sums->least || misses > sums->total)
        return false;
    size_t width = (size_t)sums->total + 1;
    return sums->needed[(sums->class_count - 1) * width + (size_t)misses] >= 0;
}

/* The list so far. */
struct share_list {
    struct code_share *shares;
    size_t count, most;
    unsigned lines; /* of a pass */
    double rate;
    double off_by; /* shares further from the rate are not listed */
    double *nearest;
};

static double reached(const struct share_list *list, const struct code_share *share)
{
    return ((double)share->misses * share->period + (double)share->run_lines * share->moves) /
           ((double)list->lines * share->period);
}

/* Keeps the list sorted by cost; drops the most expensive when full. */
static void insert(struct share_list *list, const struct code_share *share)
{
    size_t place = list->count;
    while (place > 0 && list->shares[place - 1].cost > share->cost)
        place--;
    if (place == list->most)
        return;
    size_t moved = (list->count < list->most ? list->count : list->most - 1) - place;
    memmove(&list->shares[place + 1], &list->shares[place], moved * sizeof *list->shares);
    list->shares[place] = *share;
    list->count += list->count < list->most;
}

/* Judges a share; true if it should be listed. */
static bool judge(struct share_list *list, struct code_share *share)
{
    double rate = reached(list, share);
    share->off = fabs(rate - list->rate);
    if (share->off < fabs(*list->nearest - list->rate))
        *list->nearest = rate;
    share->cost = share->run == 0 ? 0 : 1 + 0.1 * log(share->period) + 0.02 * (double)share->run;
    share->cost += share->off <= EXACT ? 0 : 10;
    return share->off <= list->off_by;
}

/* Judges the share with each plausible number of lines that always miss: the number that the rate leaves for
 * them, none, and the fewest possible. Keeps the best without such lines in best[0], and the best with them
 * in best[1]. */
static void judge_misses(struct share_list *list, const struct share_sums *sums, struct code_share share,
                         double rest, struct code_share best[2])
{
    const unsigned choices[] = {rest < 0.5 ? 0 : (unsigned)lround(rest), 0, sums->least};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        struct code_share *better = &best[choices[i] > 0];
        share.misses = choices[i];
        if (reaches(sums, share.misses) && judge(list, &share) && share.cost < better->cost)
            *better = share;
    }
}

/* Lists, for a run and a period, the best share with lines that always miss and the best without. */
static void list_run(struct share_list *list, const struct share_sums *sums, size_t run, unsigned run_lines,
                     unsigned period)
{
    struct code_share best[2] = {{.cost = INFINITY}, {.cost = INFINITY}};
    double wanted = list->rate * list->lines * period;
    for (unsigned moves = run == 0 ? 0 : 1; moves <= (run == 0 ? 0 : period); moves++) {
        const struct code_share share = {
            .run = run, .run_lines = run_lines, .moves = moves, .period = period};
        if (rational_gcd(moves, period) == 1)
            judge_misses(list, sums, share, (wanted - (double)run_lines * moves) / period, best);
    }
    for (size_t i = 0; i < 2; i++)
        if (isfinite(best[i].cost))
            insert(list, &best[i]);
}

/* Lists at most request->most suitable shares, the simplest first. *nearest is the possible rate nearest to
 * the requested one. */
static size_t code_shares_list(const struct code_rate_request *request, struct code_share shares[CODE_SHARES],
                               double *nearest)
{
    struct rational meant = rational_of(request->rate);
    struct share_list list = {.shares = shares, .most = request->most, .nearest = nearest};
    list.rate = (double)meant.numerator / (double)meant.denominator;
    list.off_by = request->within;
    list.lines = request->entered;
    *nearest = 0; /* no line misses */
    struct arena arena = {0};
    size_t most = !request->copies || request->count < 2 ? 0 : request->count - 2;
    most = most > MOST_RUN ? MOST_RUN : most;
    unsigned run_lines = 0;
    for (size_t run = request->copies; run <= most; run++) {
        struct share_sums sums;
        if (run > 0 && request->stays != NULL && request->stays[run])
            break;
        run_lines += run > 0 ? request->lines[run] : 0;
        find_sums(request, run, &arena, &sums);
        for (size_t i = 0; i < (run == 0 ? 1 : PERIOD_COUNT); i++)
            list_run(&list, &sums, run, run_lines, periods[i]);
        arena_free(&arena);
    }
    return list.count;
}

/* Chooses chunks outside the share's run whose lines sum to share->misses: chosen[i] for the i-th of `order`,
 * preferring earlier ones. False if there are no such chunks. */
static bool code_share_choose(const struct code_rate_request *request, const struct code_share *share,
                              const size_t *order, bool *chosen, struct arena *arena)
{
    const unsigned *lines = request->lines;
    struct share_sums sums;
    find_sums(request, share->run, arena, &sums);
    memset(chosen, 0, request->count * sizeof *chosen);
    if (share->misses > sums.total)
        return false;
    size_t width = (size_t)sums.total + 1;
    unsigned left = share->misses;
    for (size_t class = sums.class_count; class -- > 0;) {
        int needed = sums.needed[class * width + left];
        if (needed < 0)
            return false;
        left -= (unsigned)needed * sums.classes[class].lines;
        for (size_t i = 0; i < request->count && needed > 0; i++) {
            size_t chunk = order[i];
            bool taken = lines[chunk] == sums.classes[class].lines && may_miss(request, share->run, chunk);
            chosen[chunk] = chosen[chunk] || taken;
            needed -= taken;
        }
    }
    return left == 0;
}

enum { PAGE_BYTES = 4096, MOST_BYTES = 16 << 20, MOST_STEPS = 4, MOST_TRIES = 100, MOST_ALIGN = 1 << 30 };

/* What the code may use of L2. First one way of each set stays free, and lines that hit L1I count; then no
 * way stays free; then hits do not count either, and copies are the fewest. */
static const struct care {
    unsigned ways_left;
    bool counts_hits;
    bool few_copies;
} cares[] = {{1, true, false}, {1, false, false}, {0, false, false}, {0, false, true}};
enum { CARES = sizeof cares / sizeof cares[0] };

/* One attempt to place everything. A column is the span of an L1I way: line `set` of column c is at c * span
 * + set * line. */
struct code_attempt {
    const struct code_request *request;
    struct code_layout *layout;
    struct arena *arena;
    struct care care;
    const size_t *order; /* [count]: chunks, the longest first, those of one length in random order */
    uint64_t span;
    unsigned sets, ways; /* of L1I */
    unsigned l2_sets;
    unsigned *l2_count; /* [l2_sets]: lines that each set of L2 holds */
    uint8_t *l2_lines;  /* [MOST_BYTES / L2's line]: L1I lines within each line of L2 */
    uint64_t l2_end;    /* no lines at or after this L2 line */
    unsigned columns;   /* columns that fit in MOST_BYTES, or fewer if further ones offer no new room in L2 */
    unsigned *cursors;  /* [columns]: sets used in each column of the area being filled */
    unsigned tries; /* areas tried for the current share; limited, because a share that does not fit soon does
                       not fit */
    unsigned *fill; /* [sets]: lines that miss */
};

/* Adds one L1I line to L2, or removes it. */
static void l2_change(struct code_attempt *attempt, uint64_t offset, int change)
{
    unsigned line = attempt->request->l2->line;
    uint64_t last = (offset + attempt->request->l1i->line - 1) / line;
    attempt->l2_end = last >= attempt->l2_end ? last + 1 : attempt->l2_end;
    for (uint64_t index = offset / line; index <= last; index++) {
        uint8_t before = attempt->l2_lines[index];
        attempt->l2_lines[index] = (uint8_t)(before + change);
        if (before == 0 || attempt->l2_lines[index] == 0)
            attempt->l2_count[index % attempt->l2_sets] += (unsigned)change;
    }
}

static bool l2_holds(const struct code_attempt *attempt, uint64_t offset)
{
    unsigned line = attempt->request->l2->line;
    unsigned ways = attempt->request->l2->ways;
    unsigned limit = ways > attempt->care.ways_left ? ways - attempt->care.ways_left : ways;
    uint64_t last = (offset + attempt->request->l1i->line - 1) / line;
    for (uint64_t index = offset / line; index <= last; index++)
        if (attempt->l2_count[index % attempt->l2_sets] > limit)
            return false;
    return true;
}

/* Reserves room in L2 for the chunk's lines at the offset, in `copies` places a step apart; on failure
 * reserves nothing and returns false. */
static bool l2_reserve(struct code_attempt *attempt, uint64_t offset, unsigned lines, unsigned copies,
                       uint64_t step)
{
    uint64_t size = attempt->request->l1i->line;
    unsigned all = copies * lines, done = 0;
    bool fits = true;
    if (offset + (copies - 1) * step + lines * size > MOST_BYTES)
        return false;
    for (; fits && done < all; done++) {
        uint64_t line = offset + done / lines * step + done % lines * size;
        l2_change(attempt, line, 1);
        fits = l2_holds(attempt, line);
    }
    while (!fits && done-- > 0)
        l2_change(attempt, offset + done / lines * step + done % lines * size, -1);
    return fits;
}

/* A range of L1I sets, and the columns of it that may be filled. */
struct area {
    unsigned first_set, sets;
    unsigned first_column, end_column;
    unsigned copies; /* of each chunk */
    uint64_t step;   /* bytes from one copy to the next */
    bool in_l2;      /* the lines must have room in L2 */
};

static void clear_area(const struct code_attempt *attempt, const struct area *area)
{
    for (unsigned column = area->first_column; column < area->end_column; column++)
        attempt->cursors[column] = 0;
}

/* Puts the chunk behind the last one. In an area of all sets each column continues in the next, so chunks
 * longer than a column fit, too. */
static bool place_behind(struct code_attempt *attempt, const struct area *area, size_t chunk)
{
    unsigned lines = attempt->request->lines[chunk];
    unsigned *given = &attempt->cursors[area->first_column];
    unsigned end = (area->end_column - area->first_column) * area->sets;
    unsigned patience = area->copies > 1 && !attempt->request->thorough ? MOST_STEPS : end;
    for (; *given + lines <= end && patience > 0; ++*given, patience--) {
        uint64_t offset = area->first_column * attempt->span + (uint64_t)*given * attempt->request->l1i->line;
        if (area->in_l2 && !l2_reserve(attempt, offset, lines, area->copies, area->step))
            continue;
        attempt->layout->offsets[chunk] = offset;
        *given += lines;
        return true;
    }
    return false;
}

/* Puts the chunk into the area's first column with room for it. */
static bool place_chunk(struct code_attempt *attempt, const struct area *area, size_t chunk, unsigned *full)
{
    unsigned lines = attempt->request->lines[chunk];
    unsigned size = attempt->request->l1i->line;
    if (area->sets == attempt->sets)
        return place_behind(attempt, area, chunk);
    for (unsigned column = *full; lines <= area->sets && column < area->end_column; column++) {
        unsigned *cursor = &attempt->cursors[column];
        if (column == *full && *cursor == area->sets)
            ++*full;
        if (*cursor + lines > area->sets)
            continue;
        uint64_t offset = column * attempt->span + (uint64_t)(area->first_set + *cursor) * size;
        if (area->in_l2 && !l2_reserve(attempt, offset, lines, area->copies, area->step))
            continue;
        attempt->layout->offsets[chunk] = offset;
        *cursor += lines;
        return true;
    }
    return false;
}

/* Puts all chunks of the service into the area. */
static bool place_service(struct code_attempt *attempt, const struct area *area, enum code_service service)
{
    unsigned full = area->first_column;
    if (attempt->tries++ >= MOST_TRIES)
        return false;
    clear_area(attempt, area);
    for (size_t i = 0; i < attempt->request->count; i++) {
        size_t chunk = attempt->order[i];
        if (attempt->layout->services[chunk] == service && !place_chunk(attempt, area, chunk, &full))
            return false;
    }
    return true;
}

static unsigned lines_of(const struct code_attempt *attempt, enum code_service service, unsigned *longest)
{
    unsigned lines = 0;
    *longest = 0;
    for (size_t i = 0; i < attempt->request->count; i++) {
        if (attempt->layout->services[i] != service)
            continue;
        lines += attempt->request->lines[i];
        if (attempt->request->lines[i] > *longest)
            *longest = attempt->request->lines[i];
    }
    return lines;
}

/* Lines of L1I for which the data leave room in L2. */
static uint64_t l2_room(const struct code_request *request)
{
    uint64_t free = 0;
    for (unsigned set = 0; set < cache_sets(request->l2); set++) {
        unsigned data = request->data == NULL ? 0 : request->data[set];
        free += data < request->l2->ways ? request->l2->ways - data : 0;
    }
    return free * (request->l2->line < request->l1i->line ? 1 : request->l2->line / request->l1i->line);
}

/* False if L2 has too little room for the lines that it serves, wherever they lie; saves trying each place.
 */
static bool fits_l2(const struct code_attempt *attempt, uint64_t room)
{
    unsigned ignored;
    return lines_of(attempt, CODE_MISS, &ignored) + (uint64_t)lines_of(attempt, CODE_ROTATES, &ignored) <=
           room;
}

/* True if each set has either no lines that miss, or more than its ways. */
static bool overflows(struct code_attempt *attempt)
{
    memset(attempt->fill, 0, attempt->sets * sizeof *attempt->fill);
    for (size_t i = 0; i < attempt->request->count; i++) {
        uint64_t first = attempt->layout->offsets[i] / attempt->request->l1i->line;
        for (unsigned j = 0; attempt->layout->services[i] == CODE_MISS && j < attempt->request->lines[i]; j++)
            attempt->fill[(first + j) % attempt->sets]++;
    }
    for (unsigned set = 0; set < attempt->sets; set++)
        if (attempt->fill[set] > 0 && attempt->fill[set] <= attempt->ways)
            return false;
    return true;
}

/* Places the chunks that rotate in columns [first_column, first_column + columns) of the first sets of L1I,
 * and their copies in the columns after these. */
static bool place_run(struct code_attempt *attempt, unsigned sets, unsigned first_column, unsigned columns)
{
    struct code_layout *layout = attempt->layout;
    unsigned copies = attempt->care.few_copies ? attempt->ways + 1 : attempt->request->depth;
    struct area area = {
        .sets = sets, .first_column = first_column, .end_column = first_column + columns, .in_l2 = true};
    area.copies = copies > attempt->ways ? copies : attempt->ways + 1;
    uint64_t l2_lines = attempt->request->l2->size / attempt->request->l1i->line;
    if ((uint64_t)area.copies * attempt->layout->share.run_lines > l2_lines)
        return false;
    for (unsigned steps = 1; steps <= MOST_STEPS; steps++) {
        area.step = (uint64_t)steps * columns * attempt->span;
        layout->copies = area.copies;
        layout->step = area.step;
        if (place_service(attempt, &area, CODE_ROTATES))
            return true;
    }
    return false;
}

static bool place_hits(struct code_attempt *attempt, unsigned first_set, unsigned end_set, unsigned columns)
{
    struct area area = {.first_set = first_set,
                        .sets = end_set - first_set,
                        .end_column = columns,
                        .copies = 1,
                        .in_l2 = attempt->care.counts_hits};
    return place_service(attempt, &area, CODE_HIT);
}

static void start_over(struct code_attempt *attempt)
{
    const struct code_request *request = attempt->request;
    memset(attempt->l2_lines, 0, attempt->l2_end);
    attempt->l2_end = 0;
    for (unsigned set = 0; set < attempt->l2_sets; set++)
        attempt->l2_count[set] = request->data == NULL ? 0 : request->data[set];
}

/* Places chunks that hit and chunks that rotate in the first sets of L1I. Rotating chunks get sets of their
 * own or, if there are too few, the ways that hits leave free, which suffice for one copy of each. */
static bool place_resident(struct code_attempt *attempt, unsigned sets)
{
    unsigned longest;
    unsigned hits = lines_of(attempt, CODE_HIT, &longest);
    unsigned run = lines_of(attempt, CODE_ROTATES, &longest);
    if (hits + run > (uint64_t)sets * attempt->ways)
        return false;
    if (run == 0)
        return place_hits(attempt, 0, sets, attempt->ways);
    for (unsigned columns = 1; columns <= attempt->ways; columns++) {
        unsigned own = (run + columns - 1) / columns;
        own = own < longest ? longest : own;
        if (own > sets || (own == sets && hits > 0))
            continue;
        start_over(attempt);
        if (place_hits(attempt, own, sets, attempt->ways) && place_run(attempt, own, 0, columns))
            return true;
    }
    for (unsigned columns = (run + sets - 1) / sets; columns < attempt->ways; columns++) {
        unsigned left = attempt->ways - columns;
        start_over(attempt);
        if (hits > (uint64_t)left * sets)
            break;
        if (place_hits(attempt, 0, sets, left) && place_run(attempt, sets, left, columns))
            return true;
    }
    return false;
}

/* The chunks that miss get the last sets of L1I, few enough that each has the requested depth. */
static bool place_all(struct code_attempt *attempt)
{
    const struct code_request *request = attempt->request;
    unsigned longest;
    unsigned ignored;
    unsigned misses = lines_of(attempt, CODE_MISS, &longest);
    unsigned width = misses / request->depth;
    width = width > attempt->sets ? attempt->sets : width;
    if (misses == 0) {
        start_over(attempt);
        return place_resident(attempt, attempt->sets);
    }
    if (lines_of(attempt, CODE_HIT, &ignored) > (uint64_t)attempt->sets * attempt->ways)
        return false;
    unsigned least = longest < attempt->sets ? longest : attempt->sets;
    for (width = width > least ? width : least; width >= least; width -= 1 + width / 16) {
        unsigned sets = attempt->sets - width;
        struct area area = {
            .first_set = sets, .sets = width, .end_column = attempt->columns, .copies = 1, .in_l2 = true};
        start_over(attempt);
        if (place_resident(attempt, sets) && place_service(attempt, &area, CODE_MISS) && overflows(attempt)) {
            attempt->layout->miss_sets = width;
            attempt->layout->first_miss_set = sets;
            return true;
        }
    }
    return false;
}

/* Assigns each chunk its service according to the share. */
static bool choose_services(struct code_attempt *attempt, const struct code_rate_request *rate,
                            const struct code_share *share)
{
    const struct code_request *request = attempt->request;
    bool *misses = arena_alloc(attempt->arena, request->count, sizeof *misses);
    if (!code_share_choose(rate, share, attempt->order, misses, attempt->arena))
        return false;
    for (size_t i = 0; i < request->count; i++)
        attempt->layout->services[i] = i > 0 && i <= share->run ? CODE_ROTATES
                                       : misses[i]              ? CODE_MISS
                                                                : CODE_HIT;
    return true;
}

static size_t *random_order(const struct code_request *request, struct arena *arena)
{
    struct random random = request->random;
    size_t *order = arena_alloc(arena, request->count, sizeof *order);
    for (size_t i = 0; i < request->count; i++) {
        size_t other = random_below(&random, (uint32_t)i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 1; i < request->count; i++) { /* insertion sort: chunks have few distinct lengths */
        size_t chunk = order[i];
        size_t place = i;
        for (; place > 0 && request->lines[order[place - 1]] < request->lines[chunk]; place--)
            order[place] = order[place - 1];
        order[place] = chunk;
    }
    return order;
}

static void measure(const struct code_attempt *attempt)
{
    const struct code_request *request = attempt->request;
    struct code_layout *layout = attempt->layout;
    uint64_t l2_span = request->l2->size / request->l2->ways;
    layout->align = rational_lcm(rational_lcm(attempt->span, l2_span), PAGE_BYTES);
    if (layout->align > MOST_ALIGN) /* the spans have hardly a common divisor: use L1I's alone */
        layout->align = rational_lcm(attempt->span, PAGE_BYTES);
    layout->bytes = 0;
    for (size_t i = 0; i < request->count; i++) {
        uint64_t copies = layout->services[i] == CODE_ROTATES ? layout->copies - 1 : 0;
        uint64_t end =
            layout->offsets[i] + copies * layout->step + (uint64_t)request->lines[i] * request->l1i->line;
        layout->bytes = end > layout->bytes ? end : layout->bytes;
    }
}

static enum status refuse(const struct code_request *request, const struct code_layout *layout, size_t count,
                          double nearest, uint64_t room, struct error *error)
{
    char l1[32];
    char l2[32];
    units_format_size(request->l1i->size, l1, sizeof l1);
    units_format_size(request->l2->size, l2, sizeof l2);
    if (count == 0) {
        error_set(error, STATUS_RECIPE,
                  "an L1I miss rate of %.6g cannot be reached with the %u code lines of a pass (L1I: %s, "
                  "%u-way, lines of %u B)",
                  request->miss_rate, layout->lines, l1, request->l1i->ways, request->l1i->line);
        error_hint(error, "the nearest reachable L1I miss rate is %.6g", nearest);
        return STATUS_RECIPE;
    }
    if ((double)room < request->miss_rate * layout->lines) {
        error_set(error, STATUS_RECIPE,
                  "the %u code lines of a pass cannot have an L1I miss rate of %.6g: L2 (%s, %u-way) must "
                  "serve the "
                  "lines that miss, and has room for %" PRIu64 " of them beside the kernel's data",
                  layout->lines, request->miss_rate, l2, request->l2->ways, room);
        error_hint(error, "data that leave room in L2, a smaller unit or fewer loop.units may fit");
        return STATUS_RECIPE;
    }
    error_set(
        error, STATUS_RECIPE,
        "the %u code lines of a pass cannot have an L1I miss rate of %.6g: those that hit do not fit in L1I "
        "(%s, %u-way) beside those that miss, or these do not stay in L2 (%s, %u-way)",
        layout->lines, request->miss_rate, l1, request->l1i->ways, l2, request->l2->ways);
    error_hint(error, "a smaller unit or fewer loop.units, or a higher miss rate, may fit");
    return STATUS_RECIPE;
}

static void prepare(struct code_attempt *attempt)
{
    const struct code_request *request = attempt->request;
    struct arena *arena = attempt->arena;
    attempt->sets = cache_sets(request->l1i);
    attempt->ways = request->l1i->ways;
    attempt->span = request->l1i->size / request->l1i->ways;
    attempt->l2_sets = cache_sets(request->l2);
    uint64_t l2_span = request->l2->size / request->l2->ways;
    uint64_t cycle = l2_span / rational_gcd(l2_span, attempt->span);
    attempt->columns = (unsigned)(MOST_BYTES / attempt->span);
    if (cycle * (request->l2->ways + 1) < attempt->columns)
        attempt->columns = (unsigned)(cycle * (request->l2->ways + 1));
    attempt->order = random_order(request, arena);
    attempt->l2_count = arena_alloc(arena, attempt->l2_sets, sizeof *attempt->l2_count);
    attempt->l2_lines = arena_alloc(arena, MOST_BYTES / request->l2->line + 1, 1);
    attempt->cursors = arena_alloc(arena, attempt->columns + 2 * attempt->ways, sizeof *attempt->cursors);
    attempt->fill = arena_alloc(arena, attempt->sets, sizeof *attempt->fill);
}

enum status code_layout_place(const struct code_request *request, struct arena *arena,
                              struct code_layout *layout, struct error *error)
{
    memset(layout, 0, sizeof *layout);
    layout->services = arena_alloc(arena, request->count, sizeof *layout->services);
    layout->offsets = arena_alloc(arena, request->count, sizeof *layout->offsets);
    layout->count = request->count;
    for (size_t i = 0; i < request->count; i++)
        layout->lines += request->lines[i];
    layout->lines -= request->unentered;
    struct code_share shares[CODE_SHARES];
    double nearest;
    /* Under random replacement, lines that are only a few more than the ways often hit. */
    bool random = request->l1i->policy == POLICY_RANDOM && request->unentered > 0;
    const struct code_rate_request rate_request = {.lines = request->lines,
                                                   .count = request->count,
                                                   .ways = random ? request->depth - 1 : request->l1i->ways,
                                                   .rate = request->miss_rate,
                                                   .within = request->within,
                                                   .copies = request->copies,
                                                   .most = request->thorough ? CODE_SHARES : USUAL_SHARES,
                                                   .stays = request->stays,
                                                   .entered = layout->lines};
    size_t count = code_shares_list(&rate_request, shares, &nearest);
    struct arena scratch = {0};
    struct code_attempt attempt = {.request = request, .layout = layout, .arena = &scratch};
    prepare(&attempt);
    bool placed = false;
    uint64_t room = l2_room(request);
    for (size_t i = 0; !placed && i < count; i++) {
        layout->share = shares[i];
        layout->copies = layout->miss_sets = 0;
        bool chosen = choose_services(&attempt, &rate_request, &shares[i]) && fits_l2(&attempt, room);
        for (size_t j = 0; !placed && chosen && j < CARES; j++) {
            attempt.care = cares[j];
            attempt.tries = 0;
            placed = place_all(&attempt);
        }
    }
    if (placed)
        measure(&attempt);
    arena_free(&scratch);
    return placed ? STATUS_OK : refuse(request, layout, count, nearest, room, error);
}

uint64_t code_layout_offset(const struct code_layout *layout, size_t chunk, unsigned pass)
{
    if (layout->services[chunk] != CODE_ROTATES)
        return layout->offsets[chunk];
    uint64_t moves = (uint64_t)pass * layout->share.moves / layout->share.period;
    return layout->offsets[chunk] + moves % layout->copies * layout->step;
}

unsigned code_layout_cycle(const struct code_layout *layout)
{
    return layout->copies == 0 ? 1 : layout->share.period * layout->copies;
}

static unsigned simulate_pass(const struct code_request *request, const struct code_layout *layout,
                              unsigned pass, struct cache_model *model)
{
    unsigned misses = 0;
    for (size_t i = 0; i < layout->count; i++) {
        uint64_t offset = code_layout_offset(layout, i, pass);
        for (unsigned j = 0; j < request->lines[i]; j++)
            misses += !cache_model_access(model, offset + (uint64_t)j * request->l1i->line);
    }
    return misses;
}

/* Least passes that are counted. Under random replacement the rate is a mean: at least CHANCE_LINES lines are
 * counted, in at most CHANCE_PASSES passes, after CHANCE_SETTLES passes. */
enum { LEAST_PASSES = 20, CHANCE_LINES = 1 << 20, CHANCE_PASSES = 1 << 13, CHANCE_SETTLES = 200 };

static unsigned count_passes(const struct code_request *request, const struct code_layout *layout)
{
    if (request->l1i->policy != POLICY_RANDOM || layout->lines == 0)
        return LEAST_PASSES;
    unsigned passes = CHANCE_LINES / layout->lines;
    return passes < LEAST_PASSES ? LEAST_PASSES : passes > CHANCE_PASSES ? CHANCE_PASSES : passes;
}

double code_layout_simulate(const struct code_request *request, const struct code_layout *layout)
{
    struct cache_model *model = cache_model_new(request->l1i);
    unsigned cycle = code_layout_cycle(layout);
    unsigned period = layout->share.period;
    unsigned passes = (count_passes(request, layout) + period - 1) / period * period;
    unsigned cycles = 2;
    if (request->l1i->policy == POLICY_RANDOM && cycles * cycle < CHANCE_SETTLES)
        cycles = (CHANCE_SETTLES + cycle - 1) / cycle;
    uint64_t misses = 0;
    for (unsigned pass = 0; pass < cycles * cycle; pass++)
        simulate_pass(request, layout, pass, model);
    for (unsigned pass = 0; pass < passes; pass++)
        misses += simulate_pass(request, layout, cycles * cycle + pass, model);
    cache_model_free(model);
    return (double)misses / ((double)layout->lines * passes);
}
