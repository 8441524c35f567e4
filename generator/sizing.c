#include "generator/sizing.h"

#include "base/rational.h"
#include "base/units.h"
#include "generator/branches.h"
#include "generator/layout.h"

#include <math.h>
#include <string.h>

/* A period divides 100, so that rates hold over every hundred passes (DESIGN.md section 3). */
static const unsigned periods[] = {1, 2, 4, 5, 10, 20, 25, 50, 100};
enum { PERIOD_COUNT = sizeof periods / sizeof periods[0], MOST_INSTRUCTIONS = 20000 };

static const double EXACT = 1e-9;

/* A rate that no loop reaches exactly may be off by this much, and by this share of itself (of its
 * complement, above one half). */
static const double OFF_BY = 1e-4;
static const double OFF_BY_SHARE = 0.01;

/* A share of mispredicted branches may be off by this much: the outcomes of the random ones are chance in any
 * case, and the back edge is never one of them. */
static const double BRANCHES_OFF_BY = 0.015;

/* Branches of a pass, each of which stands in both ways through the loop: few enough for a branch target
 * buffer of 512 entries, the Pentium Pro's (2001 paper, section 4.1), to hold them twice over. Some 50 keep
 * nearly all apart in the seven address bits of a small predictor, and are enough for a rate in steps of a
 * hundredth. */
enum { MOST_BRANCHES = 128, WISHED_BRANCHES = 50 };

/* One way to size the loop, and how far it is from the wish. */
struct candidate {
    unsigned units, period;
    unsigned total, sometimes;
    int sometimes_stream;
    bool rotating;
    bool possible;  /* the misses can be made: their conflict groups are deep enough */
    double off;     /* worst distance of a stream's rate from the recipe's */
    double reached; /* that stream's rate */
    bool near;      /* off is small enough to be taken */
    double cost;
};

static double miss_rate(const struct behaviour *item)
{
    struct rational rate = rational_of(behaviour_miss_rate(item));
    return (double)rate.numerator / (double)rate.denominator;
}

/* Misses of the stream over a whole period, to the nearest. */
static uint64_t period_misses(const struct behaviour *item, uint64_t loads)
{
    return (uint64_t)llround(miss_rate(item) * (double)loads);
}

static void judge_stream(struct candidate *candidate, const struct kernel *kernel, size_t index,
                         unsigned *streams_between)
{
    const struct behaviour *item = &kernel->items[index];
    uint64_t loads = (uint64_t)candidate->units * item->count * candidate->period;
    double wanted = miss_rate(item);
    uint64_t misses = period_misses(item, loads);
    double reached = (double)misses / (double)loads;
    double off = fabs(reached - wanted);
    double allowed = fmin(OFF_BY, OFF_BY_SHARE * fmin(wanted, 1 - wanted));
    if (off > EXACT && off > allowed)
        candidate->near = false;
    if (off > candidate->off || candidate->off == 0) {
        candidate->off = off;
        candidate->reached = reached;
    }
    candidate->total += (unsigned)(misses / candidate->period);
    if (misses % candidate->period != 0) {
        candidate->sometimes = (unsigned)(misses % candidate->period);
        candidate->sometimes_stream = (int)index;
        ++*streams_between;
    }
}

/* Lines between two uses of a line in the shallowest conflict group; decides whether the base must rotate. */
static unsigned group_depth(struct candidate *candidate, unsigned ways, unsigned wished)
{
    bool enough = candidate->total >= wished || (candidate->period == 1 && candidate->total > ways);
    candidate->rotating = !enough && (candidate->total > 0 || candidate->sometimes > 0);
    if (!candidate->rotating)
        return candidate->total;
    return candidate->total * candidate->period + candidate->sometimes;
}

/* Branches are the same in every pass, so that only the units decide how near their share comes. */
static void judge_branches(struct candidate *candidate, const struct kernel *kernel)
{
    struct branch_counts counts = branches_all(kernel, candidate->units);
    double off = fabs(branches_miss_rate(&counts) - branches_wanted(kernel));
    if (off > EXACT)
        candidate->cost += 1 + off / BRANCHES_OFF_BY;
    bool few = counts.total <= MOST_BRANCHES || candidate->units == 1 || kernel->loop_units != 0;
    candidate->near = candidate->near && few && off <= BRANCHES_OFF_BY;
}

/* Words that change belong to lines that are the same in every pass; their bits flip in pairs. */
static void judge_data(struct candidate *candidate, const struct kernel *kernel)
{
    const struct behaviour *data = kernel_data(kernel);
    if (data == NULL || !data->changes)
        return;
    double loads = (double)candidate->units * data->count;
    double pairs = data->toggle * 8 * data->width * loads / 2;
    candidate->possible = candidate->possible && !candidate->rotating;
    if (data->word_count == 0 && (fabs(pairs - round(pairs)) > 1e-6 || fmod(loads, 2) != 0))
        candidate->cost += 0.3;
    if (data->word_count > 0 && fmod(loads, (double)data->word_count) != 0)
        candidate->cost += 0.3;
}

/* True when L2 holds the lines of all the rotation's turns, spread over as many groups as there may be. */
static bool rotation_fits(const struct sizing_request *request, const struct candidate *candidate)
{
    unsigned least = request->machine->l1d.ways + 1;
    unsigned turns = layout_turns(candidate->total, candidate->sometimes, candidate->period, least);
    unsigned lines = candidate->total * turns;
    unsigned sets = cache_sets(&request->machine->l1d);
    unsigned groups = lines / least;
    if (groups > candidate->total)
        groups = candidate->total;
    if (groups >= sets)
        groups = sets - 1;
    if (groups == 0)
        groups = 1;
    unsigned extra = candidate->sometimes < turns ? candidate->sometimes : turns;
    return (lines + groups - 1) / groups + extra <= request->room;
}

/* The recipe's own wish, or the paper's size; loops with branches are sized by these. */
static double wished_instructions(const struct sizing_request *request)
{
    unsigned branches = branches_in_unit(request->kernel);
    if (request->kernel->loop_instructions != 0)
        return request->kernel->loop_instructions;
    return branches == 0 ? SIZING_INSTRUCTIONS
                         : (double)WISHED_BRANCHES / branches * request->unit_instructions;
}

static struct candidate judge(const struct sizing_request *request, unsigned units, unsigned period)
{
    const struct kernel *kernel = request->kernel;
    struct candidate candidate = {.units = units, .period = period, .sometimes_stream = SIZING_NO_STREAM};
    candidate.near = true;
    unsigned streams_between = 0;
    bool wants_misses = false;
    for (size_t i = 0; i < kernel->count; i++) {
        if (!kernel->items[i].is_load)
            continue;
        judge_stream(&candidate, kernel, i, &streams_between);
        wants_misses = wants_misses || behaviour_miss_rate(&kernel->items[i]) > 0;
    }
    unsigned ways = request->machine->l1d.ways;
    unsigned depth = group_depth(&candidate, ways, request->depth);
    bool fits = !candidate.rotating || rotation_fits(request, &candidate);
    candidate.possible = streams_between <= 1 && fits && (!wants_misses || depth > ways);
    double target = wished_instructions(request);
    candidate.cost = fabs(log((double)units * request->unit_instructions / target));
    if (period > 1)
        candidate.cost += 0.5 + 0.05 * log(period);
    if (candidate.sometimes > 0)
        candidate.cost += 0.15;
    if (candidate.off > EXACT)
        candidate.cost += 5 + candidate.off / OFF_BY;
    judge_branches(&candidate, kernel);
    judge_data(&candidate, kernel);
    if (wants_misses && depth < request->depth && request->depth > ways)
        candidate.cost += 0.6 * (request->depth - depth) / (double)(request->depth - ways);
    return candidate;
}

/* The range of units that fit in L1I with the loop's close, a sixteenth left free. */
static enum status unit_range(const struct sizing_request *request, unsigned *low, unsigned *high,
                              struct error *error)
{
    const struct kernel *kernel = request->kernel;
    uint64_t room = request->machine->l1i.size - request->machine->l1i.size / 16;
    uint64_t most = room > request->loop_bytes ? (room - request->loop_bytes) / request->unit_bytes : 0;
    if (most * request->unit_instructions > MOST_INSTRUCTIONS)
        most = MOST_INSTRUCTIONS / request->unit_instructions;
    char size[32];
    units_format_size(request->machine->l1i.size, size, sizeof size);
    if (most == 0 || kernel->loop_units > most) {
        error_set(error, STATUS_RECIPE, "the loop does not fit in L1I (%s): %u units of up to %u bytes each",
                  size, kernel->loop_units == 0 ? 1 : kernel->loop_units, request->unit_bytes);
        error_hint(error, "at most %llu units fit; make the unit or loop.units smaller",
                   (unsigned long long)most);
        return STATUS_RECIPE;
    }
    *low = kernel->loop_units != 0 ? kernel->loop_units : 1;
    *high = kernel->loop_units != 0 ? kernel->loop_units : (unsigned)most;
    return STATUS_OK;
}

/* Loads in one unit, of all streams that miss at all. */
static unsigned missing_loads(const struct kernel *kernel)
{
    unsigned loads = 0;
    for (size_t i = 0; i < kernel->count; i++)
        loads += kernel->items[i].is_load && behaviour_miss_rate(&kernel->items[i]) > 0
                     ? kernel->items[i].count
                     : 0;
    return loads;
}

static enum status refuse(const struct sizing_request *request, const struct candidate *nearest,
                          unsigned most_units, struct error *error)
{
    double reachable = nearest->reached;
    if (nearest->possible && nearest->off <= EXACT) {
        struct branch_counts counts = branches_all(request->kernel, most_units);
        error_set(error, STATUS_RECIPE,
                  "too few branches: %u a pass do not come near enough to the accuracy asked for",
                  counts.total);
        error_hint(error, "the nearest reachable accuracy is %.6g; more loop.units reach more",
                   1 - branches_miss_rate(&counts));
        return STATUS_RECIPE;
    }
    if (nearest->possible) {
        error_set(error, STATUS_RECIPE, "a miss rate cannot be reached with up to %u units a pass",
                  most_units);
    } else {
        unsigned lines = request->machine->l1d.ways + 1;
        reachable = lines / (100.0 * most_units * missing_loads(request->kernel));
        error_set(
            error, STATUS_RECIPE,
            "too few misses: a conflict group of this L1D has %u lines, and %u units over a period of 100 "
            "passes have fewer misses at this rate",
            lines, most_units);
    }
    error_hint(error, "the nearest reachable miss rate is %.6g%s", reachable,
               request->kernel->loop_units != 0 ? "; more loop.units reach more rates" : "");
    return STATUS_RECIPE;
}

static void take(const struct candidate *chosen, const struct kernel *kernel, struct arena *arena,
                 struct sizing *sizing)
{
    *sizing = (struct sizing){.units = chosen->units,
                              .period = chosen->period,
                              .total = chosen->total,
                              .sometimes = chosen->sometimes,
                              .sometimes_stream = chosen->sometimes_stream,
                              .cost = chosen->cost,
                              .rotating = chosen->rotating};
    sizing->misses = arena_alloc(arena, kernel->count, sizeof *sizing->misses);
    for (size_t i = 0; i < kernel->count; i++) {
        if (!kernel->items[i].is_load)
            continue;
        uint64_t loads = (uint64_t)chosen->units * kernel->items[i].count * chosen->period;
        sizing->misses[i] = (unsigned)(period_misses(&kernel->items[i], loads) / chosen->period);
    }
}

enum status sizing_choose(const struct sizing_request *request, struct arena *arena, struct sizing *sizing,
                          struct error *error)
{
    unsigned low;
    unsigned high;
    enum status status = unit_range(request, &low, &high, error);
    if (status != STATUS_OK)
        return status;
    struct candidate best = {.cost = INFINITY};
    struct candidate nearest = {.off = INFINITY};
    for (size_t i = 0; i < PERIOD_COUNT; i++) {
        for (unsigned units = low; units <= high; units++) {
            struct candidate candidate = judge(request, units, periods[i]);
            if (candidate.possible && candidate.off < nearest.off)
                nearest = candidate;
            if (candidate.possible && candidate.near && candidate.cost < best.cost &&
                candidate.cost > request->cost_above)
                best = candidate;
        }
    }
    if (!isfinite(best.cost))
        return refuse(request, &nearest, high, error);
    take(&best, request->kernel, arena, sizing);
    return STATUS_OK;
}
