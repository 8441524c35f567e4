#include "generator/plan/sizing.h"

#include "base/rational.h"
#include "base/units.h"
#include "generator/plan/code/branches.h"
#include "generator/plan/data/word_sequence.h"
#include "generator/plan/memory/eviction_layout.h"

#include <math.h>
#include <string.h>

/* A period divides 100, so that rates hold over every hundred passes (DESIGN.md section 3). */
static const unsigned periods[] = {1, 2, 4, 5, 10, 20, 25, 50, 100};
enum { PERIOD_COUNT = sizeof periods / sizeof periods[0], MOST_INSTRUCTIONS = 20000 };

static const double EXACT = 1e-9;

/* Cost of a loop in which some share is not exact: chosen only if there is no other. */
static const double INEXACT = 5;

/* Cost of lines that move from pass to pass if the request prefers that they stay. */
static const double MOVES = 3;

/* Cost of an eviction set that has hardly more lines than ways. Under random replacement a share of these
 * lines survives, which is worse than lines that move. */
static const double SHALLOW = 0.6;
static const double SHALLOW_RANDOM = 2.5;

/* Tolerance of a rate that no loop reaches exactly: absolute, and relative to itself (or its complement,
 * above one half). */
static const double OFF_BY = 1e-4;
static const double OFF_BY_SHARE = 0.01;

/* Tolerance of a share of mispredicted branches: the outcomes of the random ones are chance anyway, and the
 * back edge is never one of them. */
static const double BRANCHES_OFF_BY = 0.015;

/* The same if branches reach over only a few tens of units. */
static const double FEW_BRANCHES_OFF_BY = 0.02;

/* Branches of a pass, each of which is in both copies of the loop: few enough for a branch target buffer of
 * 512 entries, the Pentium Pro's (2001 paper, section 4.1), to hold them twice over. With about 50, nearly
 * all differ in the seven address bits that a small predictor uses, and rates are possible in steps of a
 * hundredth. */
enum { MOST_BRANCHES = 128, WISHED_BRANCHES = 50 };

/* One way to size the loop, and its distance from the request. */
struct size_candidate {
    unsigned units, period;
    unsigned total, sometimes;
    unsigned schedules; /* accesses whose level changes from pass to pass */
    bool rotating;
    bool possible;  /* the misses can be made: their eviction sets are deep enough */
    double off;     /* worst distance of a share from the recipe's */
    double reached; /* that share, or the miss rate for L1's */
    bool of_pages;  /* that share is tlb{}'s */
    bool near;      /* off is within tolerance */
    double cost;
};

/* Values shared by all candidates. */
struct size_search {
    const struct sizing_request *request;
    double (*shares)[SERVICE_COUNT]; /* [kernel->count] */
    double wanted;                   /* instructions */
    bool exact;                      /* consider only loops in which every share is exact */
};

/* The recipe's share; a walk has none. */
static double find_share(const struct behaviour *item, int level)
{
    if (item->working_set > 0)
        return level == LEVEL_MEM;
    double exact = level == LEVEL_PAGE ? item->page_misses : item->served[level];
    if (level == LEVEL_L1)
        exact -= item->page_misses;
    struct rational share = rational_of(exact);
    return (double)share.numerator / (double)share.denominator;
}

/* Accesses per period that each level serves: rounded, with the remainder going to those that lost most by
 * rounding. */
static void divide(const double shares[SERVICE_COUNT], uint64_t accesses, uint64_t served[SERVICE_COUNT])
{
    double rest[SERVICE_COUNT];
    uint64_t given = 0;
    for (int level = 0; level < SERVICE_COUNT; level++) {
        double exact = shares[level] * (double)accesses;
        served[level] = (uint64_t)(exact + 1e-6);
        rest[level] = exact - (double)served[level];
        given += served[level];
    }
    for (; given < accesses; given++) {
        int most = 0;
        for (int level = 1; level < SERVICE_COUNT; level++)
            if (rest[level] > rest[most])
                most = level;
        served[most]++;
        rest[most] -= 1;
    }
}

static void judge_share(struct size_candidate *candidate, double wanted, double reached, int level)
{
    double off = fabs(reached - wanted);
    double allowed = fmin(OFF_BY, OFF_BY_SHARE * fmin(wanted, 1 - wanted));
    if (off > EXACT && off > allowed)
        candidate->near = false;
    if (off > candidate->off || candidate->off == 0) {
        candidate->off = off;
        candidate->reached = level == LEVEL_L1 ? 1 - reached : reached;
        candidate->of_pages = level == LEVEL_PAGE;
    }
}

static void judge_stream(struct size_candidate *candidate, const struct size_search *search, size_t index)
{
    const struct behaviour *item = &search->request->kernel->items[index];
    const double *shares = search->shares[index];
    uint64_t accesses = (uint64_t)candidate->units * item->count * candidate->period;
    uint64_t served[SERVICE_COUNT];
    divide(shares, accesses, served);
    uint64_t left = 0;
    for (int level = 0; level < SERVICE_COUNT; level++) {
        bool also_pages = level == LEVEL_L1; /* L1 serves accesses that miss the TLB, too */
        judge_share(candidate, shares[level] + (also_pages ? shares[LEVEL_PAGE] : 0),
                    (double)(served[level] + (also_pages ? served[LEVEL_PAGE] : 0)) / (double)accesses,
                    level);
        left += served[level] % candidate->period;
        if (level != LEVEL_L1)
            candidate->total += (unsigned)(served[level] / candidate->period);
    }
    if (left > 0)
        candidate->sometimes = (unsigned)((accesses - served[LEVEL_L1]) % candidate->period);
    candidate->schedules += (unsigned)(left / candidate->period);
}

/* Lines between two uses of a line in the shallowest eviction set, which decide whether the base must rotate.
 */
static unsigned group_depth(struct size_candidate *candidate, const struct sizing_request *request)
{
    enum { MOST_COLUMNS = 4 };
    unsigned ways = request->machine->l1d.ways;
    unsigned wished = request->depth;
    if (request->rotates) {
        unsigned columns = candidate->total < MOST_COLUMNS ? candidate->total : MOST_COLUMNS;
        candidate->rotating = candidate->total > 0 || candidate->sometimes > 0;
        return columns * candidate->period + candidate->sometimes;
    }
    bool enough = candidate->total >= wished || (candidate->period == 1 && candidate->total > ways);
    candidate->rotating = !enough && (candidate->total > 0 || candidate->sometimes > 0);
    if (!candidate->rotating)
        return candidate->total;
    return candidate->total * candidate->period + candidate->sometimes;
}

/* How far the share taken is above the recipe's; 0 if that states none. */
static double off_taken(const struct kernel *kernel, const struct branch_counts *counts)
{
    double wanted = branches_wanted_taken(kernel);
    return wanted < 0 ? 0 : branches_taken_rate(counts) - wanted;
}

/* Judges branches, which are the same in every pass, so that the number of units alone decides how exact
 * their share is. */
static void judge_branches(struct size_candidate *candidate, const struct sizing_request *request)
{
    const struct kernel *kernel = request->kernel;
    double tolerated = request->copy_bytes > 0 ? FEW_BRANCHES_OFF_BY : BRANCHES_OFF_BY;
    struct branch_counts counts = branches_all(kernel, candidate->units);
    double off = fabs(branches_miss_rate(&counts) - branches_wanted(kernel));
    if (off > EXACT)
        candidate->cost += 1 + off / tolerated;
    bool few = counts.total <= MOST_BRANCHES || candidate->units == 1 || kernel->loop_units != 0;
    candidate->near =
        candidate->near && few && off <= tolerated && fabs(off_taken(kernel, &counts)) <= tolerated;
}

/* Cost of half as many words as the rate needs to hold over several ports. */
static const double FEW_WORDS = 2;

/* Share of L1D's words that hits may use. */
static const double HIT_WORDS_SHARE = 0.7;
enum { WORD_BYTES = 8 };

/* The cost of words with a toggle rate if they are too few for the rate to hold over every fourth word, too.
 * Two registers with a word each need twice as many instances. */
static double few_words_cost(const struct behaviour *item, double words)
{
    double least = item->kind == BEHAVIOUR_LOAD ? 2 * WORD_SEQUENCE_LEAST : 4 * WORD_SEQUENCE_LEAST;
    return behaviour_toggles(item) && !item->program_order && words < least ? FEW_WORDS * least / words : 0;
}

/* Judges changing words, which need lines that are the same in every pass, and whose bits flip in pairs. */
static void judge_data(struct size_candidate *candidate, const struct sizing_request *request)
{
    const struct kernel *kernel = request->kernel;
    const struct cache *l1 = &request->machine->l1d;
    const struct behaviour *data = kernel_data(kernel);
    if (data == NULL || !data->changes)
        return;
    double loads = (double)candidate->units * data->count;
    /* Each hit has its own word, outside the L1D sets of eviction sets. */
    double hits = loads * data->served[LEVEL_L1];
    bool fits =
        request->by_rotation || hits <= HIT_WORDS_SHARE * (double)(l1->size / kernel_data_block(kernel));
    candidate->possible = candidate->possible && (fits || kernel->loop_units != 0);
    double pairs = data->toggle * 8 * behaviour_lane(data) * loads / 2;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        bool moves = candidate->rotating && item->kind == BEHAVIOUR_LOAD && item->changes &&
                     behaviour_miss_rate(item) > 0;
        candidate->possible = candidate->possible && !moves;
    }
    candidate->cost += few_words_cost(data, loads);
    if (data->word_count == 0 && (fabs(pairs - round(pairs)) > 1e-6 || fmod(loads, 2) != 0))
        candidate->cost += 0.3;
    if (data->word_count > 0 && fmod(loads, (double)data->word_count) != 0)
        candidate->cost += 0.3;
}

/* True if two words, between which half of the instances change, also change at half of the instances at each
 * of two to four ports: every port gets all instances in turn, or a multiple of four of them. */
static bool turns_evenly(unsigned instances)
{
    return instances % 4 == 3 || instances % 16 == 0;
}

/* Judges changing operands, which have two words, or cycle through a list, in whole turns if possible. */
static void judge_operands(struct size_candidate *candidate, const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind == BEHAVIOUR_LOAD || item->kind == BEHAVIOUR_BRANCH || !item->changes)
            continue;
        double instances = (double)candidate->units * item->count;
        double pairs = item->toggle * 8 * behaviour_lane(item) * instances / 2;
        bool returns = !item->program_order ||
                       fmod(instances, 2) == 0; /* the last instance leads back to the first word */
        bool whole = item->word_count > 0 ? fmod(instances, (double)item->word_count) == 0
                                          : fabs(pairs - round(pairs)) <= 1e-6 && returns;
        candidate->cost += (whole ? 0 : 0.3) + few_words_cost(item, instances);
        if (item->word_count == 0 && !item->program_order && !turns_evenly(candidate->units * item->count))
            candidate->cost += 0.1;
    }
}

/* Judges walks, which repeat evenly if their lines are a multiple of a pass's accesses, or vice versa. */
static void judge_walks(struct size_candidate *candidate, const struct sizing_request *request)
{
    for (size_t i = 0; i < request->kernel->count; i++) {
        const struct behaviour *item = &request->kernel->items[i];
        if (!behaviour_walks(item))
            continue;
        uint64_t spacing = item->stride > 0 ? item->stride : request->machine->l1d.line;
        uint64_t lines = item->working_set / spacing;
        uint64_t accesses = (uint64_t)candidate->units * item->count;
        if (lines == 0 || (lines % accesses != 0 && accesses % lines != 0))
            candidate->cost += 0.6;
    }
}

/* True if L2 holds the lines of all the rotation's turns, spread over as many groups as allowed. */
static bool rotation_fits(const struct sizing_request *request, const struct size_candidate *candidate)
{
    unsigned least = request->machine->l1d.ways + 1;
    unsigned turns = eviction_layout_turns(candidate->total, candidate->sometimes, candidate->period, least);
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

/* The recipe's request, or the paper's size; with branches, the size depends on their number. */
static double wanted_instructions(const struct sizing_request *request)
{
    unsigned branches = branches_in_unit(request->kernel);
    if (request->kernel->loop_fill)
        return MOST_INSTRUCTIONS;
    if (request->kernel->loop_instructions != 0)
        return request->kernel->loop_instructions;
    return branches == 0 ? SIZING_INSTRUCTIONS
                         : (double)WISHED_BRANCHES / branches * request->unit_instructions;
}

/* True if L1D has room for all words that change and always hit. */
static bool hot_words_fit(const struct size_search *search, unsigned units)
{
    double words = 0;
    const struct sizing_request *request = search->request;
    for (size_t i = 0; i < request->kernel->count; i++) {
        const struct behaviour *item = &request->kernel->items[i];
        bool linked = request->linked && behaviour_chases(item);
        if (item->kind == BEHAVIOUR_LOAD && (item->changes || linked))
            words += ceil((double)units * item->count * search->shares[i][LEVEL_L1]);
    }
    return request->hot_room == 0 || words <= request->hot_room;
}

/* The least cost of that many units in such a period. */
static double least_cost(const struct size_search *search, unsigned units, unsigned period)
{
    double cost = fabs(log((double)units * search->request->unit_instructions / search->wanted));
    return period > 1 ? cost + 0.5 + 0.05 * log(period) : cost;
}

static struct size_candidate judge(const struct size_search *search, unsigned units, unsigned period)
{
    const struct sizing_request *request = search->request;
    const struct kernel *kernel = request->kernel;
    struct size_candidate candidate = {.units = units, .period = period, .near = true};
    bool wants_misses = false;
    for (size_t i = 0; i < kernel->count; i++) {
        if (!behaviour_accesses(&kernel->items[i]))
            continue;
        judge_stream(&candidate, search, i);
        wants_misses = wants_misses || behaviour_miss_rate(&kernel->items[i]) > 0;
    }
    unsigned ways = request->machine->l1d.ways;
    unsigned depth = group_depth(&candidate, request);
    bool fits = !candidate.rotating || rotation_fits(request, &candidate);
    candidate.possible = request->by_rotation
                             ? hot_words_fit(search, units)
                             : candidate.schedules <= 1 && fits && (!wants_misses || depth > ways);
    candidate.cost = least_cost(search, units, period);
    candidate.cost += 0.15 * candidate.schedules;
    if (candidate.off > EXACT)
        candidate.cost += INEXACT + candidate.off / OFF_BY;
    bool shallow = wants_misses && candidate.total < request->depth;
    if (request->stays && (candidate.rotating || period > 1 || shallow))
        candidate.cost += MOVES;
    judge_walks(&candidate, request);
    judge_branches(&candidate, request);
    judge_data(&candidate, request);
    judge_operands(&candidate, kernel);
    double shallow_cost = request->machine->l1d.policy == POLICY_RANDOM ? SHALLOW_RANDOM : SHALLOW;
    if (!request->by_rotation && wants_misses && depth < request->depth && request->depth > ways)
        candidate.cost += shallow_cost * (request->depth - depth) / (double)(request->depth - ways);
    return candidate;
}

/* The range of units that fit in L1I with the loop's close, leaving a sixteenth free. */
static enum status unit_range(const struct sizing_request *request, unsigned *low, unsigned *high,
                              struct error *error)
{
    const struct kernel *kernel = request->kernel;
    uint64_t room = request->machine->l1i.size - request->machine->l1i.size / 16;
    if (kernel_code(kernel) != NULL) /* with code{}, the code's layout decides what may exceed L1I */
        room = UINT32_MAX;
    uint64_t most = room > request->loop_bytes ? (room - request->loop_bytes) / request->unit_bytes : 0;
    uint64_t reached = 2 * (uint64_t)request->copy_bytes / request->unit_bytes; /* half are the twin's */
    bool far = request->copy_bytes > 0 && reached < most;
    most = far ? reached : most;
    if (most * request->unit_instructions > MOST_INSTRUCTIONS)
        most = MOST_INSTRUCTIONS / request->unit_instructions;
    char size[32];
    units_format_size(request->machine->l1i.size, size, sizeof size);
    if (most == 0 || kernel->loop_units > most) {
        unsigned units = kernel->loop_units == 0 ? 1 : kernel->loop_units;
        if (far)
            error_set(error, STATUS_RECIPE,
                      "conditional branches do not reach from the loop to its other copy: %u units have up "
                      "to %u bytes each, "
                      "and branches reach %u bytes",
                      units, request->unit_bytes / 2, request->copy_bytes);
        else
            error_set(error, STATUS_RECIPE,
                      "the loop does not fit in L1I (%s): %u units of up to %u bytes each", size, units,
                      request->unit_bytes);
        error_hint(error, "at most %llu units fit; make the unit or loop.units smaller",
                   (unsigned long long)most);
        return STATUS_RECIPE;
    }
    *low = kernel->loop_units != 0 ? kernel->loop_units : 1;
    *high = kernel->loop_units != 0 ? kernel->loop_units : (unsigned)most;
    return STATUS_OK;
}

/* Loads in one unit, of all streams with misses. */
static unsigned missing_loads(const struct kernel *kernel)
{
    unsigned loads = 0;
    for (size_t i = 0; i < kernel->count; i++)
        loads += behaviour_accesses(&kernel->items[i]) && behaviour_miss_rate(&kernel->items[i]) > 0
                     ? kernel->items[i].count
                     : 0;
    return loads;
}

static enum status refuse(const struct sizing_request *request, const struct size_candidate *nearest,
                          unsigned most_units, struct error *error)
{
    double reachable = nearest->reached;
    if (nearest->possible && nearest->off <= EXACT) {
        struct branch_counts counts = branches_all(request->kernel, most_units);
        if (fabs(off_taken(request->kernel, &counts)) > BRANCHES_OFF_BY) {
            error_set(error, STATUS_RECIPE,
                      "too few branches: %u per pass do not come close enough to the requested share taken",
                      counts.total);
            error_hint(error, "the nearest reachable branch.taken is %.6g; more loop.units reach more",
                       branches_taken_rate(&counts));
            return STATUS_RECIPE;
        }
        if (fabs(branches_miss_rate(&counts) - branches_wanted(request->kernel)) <= BRANCHES_OFF_BY) {
            error_set(
                error, STATUS_RECIPE,
                "the shares need a pass of %u units, whose %u branches are more than the %d that a small "
                "predictor keeps apart",
                nearest->units, branches_all(request->kernel, nearest->units).total, MOST_BRANCHES);
            error_hint(error,
                       "expected fewer branches in the unit, whole misses in each unit, or one word in the "
                       "loads that miss");
            return STATUS_RECIPE;
        }
        error_set(error, STATUS_RECIPE,
                  "too few branches: %u per pass do not come close enough to the requested accuracy",
                  counts.total);
        error_hint(error, "the nearest reachable accuracy is %.6g; more loop.units reach more",
                   1 - branches_miss_rate(&counts));
        return STATUS_RECIPE;
    }
    if (nearest->possible) {
        error_set(error, STATUS_RECIPE, "%s cannot be reached with up to %u units per pass",
                  nearest->of_pages ? "tlb.miss_rate" : "a miss rate", most_units);
    } else {
        unsigned lines = request->machine->l1d.ways + 1;
        const struct behaviour *data = kernel_data(request->kernel);
        bool stay = data != NULL && data->changes;
        reachable = lines / ((stay ? 1.0 : 100.0) * most_units * missing_loads(request->kernel));
        error_set(error, STATUS_RECIPE,
                  "too few misses: an eviction set of this L1D has %u lines, and %u units %s have fewer "
                  "misses at this rate",
                  lines, most_units,
                  stay ? "of one pass, in which changing words have their places,"
                       : "over a period of 100 passes");
    }
    error_hint(error, "the nearest reachable miss rate is %.6g%s", reachable,
               request->kernel->loop_units != 0 ? "; more loop.units reach more rates" : "");
    return STATUS_RECIPE;
}

/* Assigns the accesses that do not occur in every pass to schedules, the deepest level's passes first. */
static void deal(const uint64_t served[SERVICE_COUNT], unsigned item, struct sizing *sizing)
{
    unsigned filled = 0;
    struct schedule *schedule = &sizing->schedules[sizing->schedule_count];
    for (int level = SERVICE_COUNT - 1; level >= 0; level--) {
        unsigned left = (unsigned)(served[level] % sizing->period);
        while (left > 0) {
            unsigned taken = left < sizing->period - filled ? left : sizing->period - filled;
            filled += taken;
            left -= taken;
            schedule->item = item;
            schedule->step[schedule->steps].level = (enum memory_level)level;
            schedule->step[schedule->steps++].until = filled;
            if (filled < sizing->period)
                continue;
            filled = 0;
            schedule = &sizing->schedules[++sizing->schedule_count];
        }
    }
}

static void take(const struct size_candidate *chosen, const struct size_search *search, struct arena *arena,
                 struct sizing *sizing)
{
    const struct kernel *kernel = search->request->kernel;
    *sizing = (struct sizing){.units = chosen->units,
                              .period = chosen->period,
                              .total = chosen->total,
                              .sometimes = chosen->sometimes,
                              .cost = chosen->cost,
                              .rotating = chosen->rotating};
    sizing->served = arena_alloc(arena, kernel->count, sizeof *sizing->served);
    sizing->schedules = arena_alloc(arena, chosen->schedules + 1, sizeof *sizing->schedules);
    for (size_t i = 0; i < kernel->count; i++) {
        if (!behaviour_accesses(&kernel->items[i]))
            continue;
        uint64_t served[SERVICE_COUNT];
        divide(search->shares[i], (uint64_t)chosen->units * kernel->items[i].count * chosen->period, served);
        for (int level = 0; level < SERVICE_COUNT; level++)
            sizing->served[i][level] = (unsigned)(served[level] / chosen->period);
        deal(served, (unsigned)i, sizing);
    }
}

/* The best candidate so far, and the nearest, which a refusal names. */
struct sizing_choice {
    struct size_candidate best, nearest;
};

/* True if a period has a whole number of accesses for each share; a loop without this costs at least INEXACT
 * more. */
static bool comes_out(const struct size_search *search, unsigned units, unsigned period)
{
    const struct kernel *kernel = search->request->kernel;
    for (size_t i = 0; i < kernel->count; i++) {
        if (!behaviour_accesses(&kernel->items[i]))
            continue;
        double accesses = (double)units * kernel->items[i].count * period;
        for (int level = 0; level < SERVICE_COUNT; level++) {
            double exact = search->shares[i][level] * accesses;
            if (fabs(exact - nearbyint(exact)) > 2 * EXACT * accesses)
                return false;
        }
    }
    return true;
}

static void consider(const struct size_search *search, unsigned units, unsigned period,
                     struct sizing_choice *choice)
{
    if ((search->exact || choice->best.cost < INEXACT) && !comes_out(search, units, period))
        return;
    struct size_candidate candidate = judge(search, units, period);
    struct size_candidate *best = &choice->best;
    if (candidate.possible && candidate.off < choice->nearest.off)
        choice->nearest = candidate;
    bool better = candidate.cost < best->cost ||
                  (candidate.cost <= best->cost && period == best->period && units < best->units);
    if (candidate.possible && candidate.near && better && candidate.cost > search->request->cost_above)
        *best = candidate;
}

/* Upper bound, as a factor, on the distance from the requested size of a loop that costs no more than the
 * best. */
static double farthest(const struct size_search *search, unsigned period, const struct sizing_choice *choice)
{
    double least = least_cost(search, 1, period) - least_cost(search, 1, 1); /* the period's own */
    return exp(choice->best.cost - least) * (1 + EXACT);
}

/* Goes from the requested number of units outwards until no other can cost less than the best: of two with
 * equal cost, prefers the shorter period, then fewer units. */
static void consider_period(const struct size_search *search, unsigned low, unsigned high, unsigned period,
                            struct sizing_choice *choice)
{
    double wanted = search->wanted / search->request->unit_instructions;
    double limit = farthest(search, period, choice);
    unsigned up = wanted >= high ? high + 1 : wanted < low ? low : (unsigned)wanted;
    unsigned down = up; /* units below it remain */
    while (down > low || up <= high) {
        double below = down > low ? fmax(wanted / (down - 1), (down - 1) / wanted) : INFINITY;
        double above = up <= high ? fmax(up / wanted, wanted / up) : INFINITY;
        double best = choice->best.cost;
        if (fmin(below, above) > limit)
            return;
        consider(search, below <= above ? --down : up++, period, choice);
        if (choice->best.cost < best)
            limit = farthest(search, period, choice);
    }
}

/* Inexact loops cost more than nearly all exact ones: they are considered only if no exact one exists. */
static struct sizing_choice search_all(struct size_search *search, unsigned low, unsigned high)
{
    struct sizing_choice choice = {.best = {.cost = INFINITY}, .nearest = {.off = INFINITY}};
    for (search->exact = true;; search->exact = false) {
        for (size_t i = 0; i < PERIOD_COUNT; i++)
            consider_period(search, low, high, periods[i], &choice);
        if (choice.best.cost < INEXACT || !search->exact)
            return choice;
        choice = (struct sizing_choice){.best = {.cost = INFINITY}, .nearest = {.off = INFINITY}};
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
    struct size_search search = {.request = request, .wanted = wanted_instructions(request)};
    search.shares = arena_alloc(arena, request->kernel->count, sizeof *search.shares);
    for (size_t i = 0; i < request->kernel->count; i++)
        for (int level = 0; behaviour_accesses(&request->kernel->items[i]) && level < SERVICE_COUNT; level++)
            search.shares[i][level] = find_share(&request->kernel->items[i], level);
    struct sizing_choice choice = search_all(&search, low, high);
    if (!isfinite(choice.best.cost))
        return refuse(request, &choice.nearest, high, error);
    take(&choice.best, &search, arena, sizing);
    return STATUS_OK;
}
