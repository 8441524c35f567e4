#include "runner/simulators/simulator.h"

#include "base/memory.h"
#include "base/random.h"
#include "runner/tracing/program_trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3, OF_TLB = LEVELS + 1, BRANCHES = 4093 };

enum predictor { PREDICTS_BY_COUNTERS, PREDICTS_TAKEN, PREDICTS_UNTAKEN, PREDICTS_OPPOSITE };

/* A fault as data. level: 1 to 3, or OF_TLB for the data TLB; 0: none. */
struct fault {
    const char *words;
    unsigned level;                 /* to which the following fields apply */
    double ways, sets;              /* factor; negative ways are added; 0: as the machine */
    enum cache_policy policy;       /* POLICY_UNKNOWN: as the machine's */
    bool newest;                    /* the line that was used last is replaced */
    bool next_on_miss, next_always; /* the next line is fetched with a missed one, or with each */
    bool misses_uncounted;          /* of stores */
    bool passes_stores;             /* a store that misses does not allocate its line */
    bool starts_cold;               /* caches are emptied when the passes begin */
    bool counts_warmup;
    bool stores_as_loads, loads_alone; /* only the counts differ */
    unsigned shows;                    /* level whose misses are reported as L1D's */
    unsigned skipped_bits;             /* of the line's number, below those that select the set */
    unsigned page_bits;                /* added to those of a page's offset */
    enum predictor predictor;
    bool shares_counter;    /* a single one for all branches */
    bool targets_unknown;   /* each indirect branch counts as mispredicted */
    bool conditional_alone; /* other branches are not counted */
    unsigned counts_again;  /* extra counts per miss of the level or, without one, per misprediction */
    bool as_accesses;       /* the level's accesses are its hits and misses, so that they grow too */
};

#define OF_ANY(of, name, one, many)                                                                          \
    {"replaces the oldest " one " in " name " (FIFO)", of, .policy = POLICY_FIFO},                           \
        {"replaces the " one " used last in " name, of, .newest = true},                                     \
        {"replaces " many " at random", of, .policy = POLICY_RANDOM},                                        \
        {"replaces " many " by LRU", of, .policy = POLICY_LRU},                                              \
        {"replaces " many " by tree-PLRU", of, .policy = POLICY_TREE_PLRU},                                  \
        {"has half the ways in " name, of, .ways = 0.5}, {"has twice the ways in " name, of, .ways = 2},     \
        {"has half the sets in " name, of, .sets = 0.5}, {"has twice the sets in " name, of, .sets = 2},     \
        {"has a single way less in " name, of, .ways = -1},                                                  \
    {                                                                                                        \
        "counts each miss of " name " twice", of, .counts_again = 1                                          \
    }

#define OF_CACHE(of, name)                                                                                   \
    {"prefetches the next line into " name " with each miss", of, .next_on_miss = true},                     \
        {"prefetches the next line into " name " with each access", of, .next_always = true},                \
        {"does not allocate lines of stores that miss " name, of, .passes_stores = true},                    \
        {"neither allocates lines of stores that miss " name " nor counts these misses", of,                 \
         .passes_stores = true, .misses_uncounted = true},                                                   \
        OF_ANY(of, name, "line", "lines of " name),                                                          \
        {"counts each access that misses " name " twice", of, .counts_again = 1, .as_accesses = true},       \
    {                                                                                                        \
        "finds " name "'s set by address bits that are one too high", of, .skipped_bits = 1                  \
    }

static const struct fault faults[] = {
    {.words = "has no known fault"},
    {"empties its caches where the count begins", .starts_cold = true},
    {"counts the warm-up too", .counts_warmup = true},
    {"counts stores as loads", .stores_as_loads = true},
    {"counts loads alone", .loads_alone = true},
    {"reports L2's misses as L1D's", .shows = 2},
    {"reports L3's misses as L1D's", .shows = 3},
    OF_CACHE(1, "L1D"),
    OF_CACHE(2, "L2"),
    OF_CACHE(3, "L3"),
    OF_ANY(OF_TLB, "the TLB", "entry", "entries of the TLB"),
    {"counts no misses of stores in the TLB", OF_TLB, .misses_uncounted = true},
    {"has pages of twice the size", OF_TLB, .page_bits = 1},
    {"has huge pages alone", OF_TLB, .page_bits = 9},
    {"predicts each conditional branch as taken", .predictor = PREDICTS_TAKEN},
    {"predicts no conditional branch as taken", .predictor = PREDICTS_UNTAKEN},
    {"reports correct predictions as wrong ones", .predictor = PREDICTS_OPPOSITE},
    {"has one counter for all branches", .shares_counter = true},
    {"never knows where an indirect branch leads", .targets_unknown = true},
    {"counts conditional branches alone", .conditional_alone = true},
    {"counts each misprediction twice", .counts_again = 1},
};
_Static_assert(sizeof faults / sizeof faults[0] == SIMULATOR_FAULTS, "simulator.h states their number");

/* A fault of one part does not change the other parts: only the part that it concerns is simulated. */
static bool concerns_all(const struct fault *fault)
{
    return fault == faults || fault->starts_cold || fault->counts_warmup;
}

static bool concerns_branches(const struct fault *fault)
{
    return concerns_all(fault) || fault->predictor != PREDICTS_BY_COUNTERS || fault->shares_counter ||
           fault->targets_unknown || fault->conditional_alone ||
           (fault->level == 0 && fault->counts_again > 0);
}

static bool concerns_tlb(const struct fault *fault)
{
    return concerns_all(fault) || fault->level == OF_TLB || fault->loads_alone || fault->as_accesses;
}

static bool concerns_caches(const struct fault *fault)
{
    return concerns_all(fault) || (fault->level != OF_TLB && !concerns_branches(fault));
}

const char *simulator_fault_words(size_t fault)
{
    return faults[fault].words;
}

/* ---- a cache ---- */

struct tried_cache {
    uint64_t sets; /* 0: the machine lacks it */
    unsigned ways, skipped_bits;
    bool newest;
    uint64_t line;
    enum cache_policy policy;
    uint64_t *tags;  /* [sets][ways]: 1 + line number; 0: empty */
    uint64_t *since; /* the time of a line's last use, or of its arrival */
    unsigned leaves; /* of a tree over the ways: a power of two */
    uint8_t *nodes;  /* [sets][leaves], of tree-PLRU: the victim is in the right half; node 1 is the root */
    uint64_t time;
    struct random random;
};

/* The shape of a cache without faults. */
struct tried_shape {
    double sets, ways;
    uint64_t line;
    enum cache_policy policy;
};

static void cache_start(struct tried_cache *cache, const struct tried_shape *from, const struct fault *fault,
                        bool concerned)
{
    if (!(from->sets > 0))
        return;
    double ways = from->ways, sets = from->sets;
    if (concerned && fault->ways != 0)
        ways = fault->ways < 0 ? ways + fault->ways : ways * fault->ways;
    if (concerned && fault->sets != 0)
        sets *= fault->sets;
    cache->ways = ways < 1 ? 1 : (unsigned)ways;
    cache->sets = sets < 1 ? 1 : (uint64_t)sets;
    cache->line = concerned ? from->line << fault->page_bits : from->line;
    cache->skipped_bits = concerned ? fault->skipped_bits : 0;
    cache->newest = concerned && fault->newest;
    cache->policy = concerned && fault->policy != POLICY_UNKNOWN ? fault->policy : from->policy;
    cache->tags = memory_zeroed(cache->sets * cache->ways, sizeof *cache->tags);
    cache->since = memory_zeroed(cache->sets * cache->ways, sizeof *cache->since);
    for (cache->leaves = 1; cache->leaves < cache->ways; cache->leaves *= 2) {
    }
    cache->nodes = memory_zeroed(cache->policy == POLICY_TREE_PLRU ? cache->sets * cache->leaves : 0, 1);
    cache->random = random_start(1, fault->words);
}

static void cache_free(struct tried_cache *cache)
{
    free(cache->tags);
    free(cache->since);
    free(cache->nodes);
}

static void cache_empty(struct tried_cache *cache)
{
    if (cache->sets > 0)
        memset(cache->tags, 0, cache->sets * cache->ways * sizeof *cache->tags);
}

/* Points every node on the way's path at the other half. */
static void tree_touch(const struct tried_cache *cache, uint64_t set, unsigned way)
{
    uint8_t *nodes = cache->nodes + set * cache->leaves;
    unsigned node = 1;
    for (unsigned half = cache->leaves / 2; half > 0; half /= 2) {
        bool right = way / half % 2 != 0;
        nodes[node] = !right;
        node = 2 * node + right;
    }
}

/* Halves without ways are skipped. */
static unsigned tree_victim(const struct tried_cache *cache, uint64_t set)
{
    const uint8_t *nodes = cache->nodes + set * cache->leaves;
    unsigned node = 1, way = 0;
    for (unsigned half = cache->leaves / 2; half > 0; half /= 2) {
        bool right = nodes[node] && way + half < cache->ways;
        way += right ? half : 0;
        node = 2 * node + right;
    }
    return way;
}

/* True on a hit. fill: a miss allocates the line. */
static bool cache_access(struct tried_cache *cache, uint64_t address, bool fill)
{
    uint64_t line = address / cache->line;
    uint64_t set = (line >> cache->skipped_bits) % cache->sets;
    uint64_t *tags = cache->tags + set * cache->ways;
    uint64_t *since = cache->since + set * cache->ways;
    unsigned victim = 0;
    bool empty = false;
    cache->time++;
    for (unsigned i = 0; i < cache->ways; i++) {
        if (tags[i] == line + 1) {
            if (cache->policy != POLICY_FIFO)
                since[i] = cache->time;
            if (cache->policy == POLICY_TREE_PLRU)
                tree_touch(cache, set, i);
            return true;
        }
        bool goes_before = cache->newest ? since[i] > since[victim] : since[i] < since[victim];
        if (!empty && (tags[i] == 0 || goes_before))
            victim = i, empty = tags[i] == 0;
    }
    if (!empty && cache->policy == POLICY_RANDOM)
        victim = random_below(&cache->random, cache->ways);
    if (!empty && cache->policy == POLICY_TREE_PLRU && !cache->newest)
        victim = tree_victim(cache, set);
    if (fill) {
        tags[victim] = line + 1;
        since[victim] = cache->time;
        if (cache->policy == POLICY_TREE_PLRU)
            tree_touch(cache, set, victim);
    }
    return false;
}

/* ---- a predictor: the one that plans assume, with a counter of two bits and the last target for each branch
 * ---- */

struct tried_branches {
    uint8_t counters[BRANCHES]; /* 0 to 3: from 2 on, taken */
    uint64_t targets[BRANCHES];
    uint64_t counted, missed;
};

static void branch_take(struct tried_branches *branches, const struct traced *instruction,
                        const struct fault *fault, bool counts)
{
    bool indirect = instruction->role.branch == ROLE_INDIRECT;
    bool taken = instruction->next != instruction->address + instruction->bytes;
    size_t place = fault->shares_counter ? 0 : instruction->address % BRANCHES;
    uint8_t *counter = &branches->counters[place];
    bool predicted =
        fault->predictor == PREDICTS_TAKEN ||
        (fault->predictor != PREDICTS_UNTAKEN && (*counter >= 2) != (fault->predictor == PREDICTS_OPPOSITE));
    bool missed = indirect ? fault->targets_unknown || (branches->targets[place] != instruction->next) !=
                                                           (fault->predictor == PREDICTS_OPPOSITE)
                           : predicted != taken;
    if (indirect)
        branches->targets[place] = instruction->next;
    else if (taken ? *counter < 3 : *counter > 0)
        *counter = (uint8_t)(*counter + (taken ? 1 : -1));
    if (!counts || (indirect && fault->conditional_alone))
        return;
    branches->counted++;
    branches->missed += missed ? 1 + fault->counts_again : 0;
}

/* ---- a simulator with the fault ---- */

struct faulty {
    const struct fault *fault;
    struct tried_cache caches[LEVELS], tlb;
    struct tried_branches branches;
    bool measures;
    double most; /* limit of the counted accesses if the warm-up counts: the simulator's own number */
    uint64_t counted[2], misses[2][LEVELS], tlb_misses[2]; /* of loads, of stores */
};

static void trial_access(struct faulty *trial, uint64_t address, bool store, bool counts)
{
    const struct fault *fault = trial->fault;
    trial->counted[store] += counts;
    bool uncounted = store && fault->misses_uncounted;
    if (trial->tlb.sets > 0 && concerns_tlb(fault))
        trial->tlb_misses[store] += !cache_access(&trial->tlb, address, true) && counts && !uncounted;
    for (unsigned level = 0; concerns_caches(fault) && level < LEVELS && trial->caches[level].sets > 0;
         level++) {
        struct tried_cache *cache = &trial->caches[level];
        bool concerned = fault->level == level + 1;
        bool hit = cache_access(cache, address, !(concerned && fault->passes_stores && store));
        if (concerned && (fault->next_always || (fault->next_on_miss && !hit)))
            (void)cache_access(cache, address + cache->line, true);
        if (hit)
            break;
        trial->misses[store][level] += counts && !(concerned && uncounted);
    }
}

static bool is_judged_branch(const struct traced *instruction)
{
    return instruction->role.branch == ROLE_CONDITIONAL || instruction->role.branch == ROLE_INDIRECT;
}

static void trial_take(struct faulty *trial, const struct traced *instruction, bool measured)
{
    bool counts = measured;
    if (trial->fault->counts_warmup)
        counts = !(trial->most > 0) || (double)(trial->counted[0] + trial->counted[1]) < trial->most;
    if (measured && !trial->measures && trial->fault->starts_cold) {
        for (unsigned level = 0; level < LEVELS; level++)
            cache_empty(&trial->caches[level]);
        cache_empty(&trial->tlb);
        trial->branches = (struct tried_branches){0};
    }
    trial->measures = measured;
    if (is_judged_branch(instruction) && concerns_branches(trial->fault))
        branch_take(&trial->branches, instruction, trial->fault, counts);
    bool accesses = concerns_caches(trial->fault) || concerns_tlb(trial->fault);
    for (unsigned i = 0; accesses && i < instruction->access_count; i++)
        trial_access(trial, instruction->accesses[i].address, instruction->accesses[i].store, counts);
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* How often a miss of the level counts. */
static double times(const struct fault *fault, unsigned level)
{
    return fault->level == level ? 1 + fault->counts_again : 1;
}

/* Additional accesses of the level, from misses that count again. */
static double grown(const struct fault *fault, unsigned level, double misses)
{
    return fault->as_accesses && fault->level == level ? misses * fault->counts_again : 0;
}

static void trial_rates(const struct faulty *trial, double rates[SIMULATED_RATES])
{
    const struct fault *fault = trial->fault;
    double loads = (double)trial->counted[0] + grown(fault, 1, (double)trial->misses[0][0]);
    double stores = (double)trial->counted[1] + grown(fault, 1, (double)trial->misses[1][0]);
    stores = fault->loads_alone ? 0 : stores;
    double accesses = loads + stores, misses[LEVELS];
    for (unsigned level = 0; level < LEVELS; level++)
        misses[level] =
            (double)trial->misses[0][level] + (fault->loads_alone ? 0 : (double)trial->misses[1][level]);
    double first = fault->shows > 0 ? misses[fault->shows - 1] : misses[0];
    rates[RATE_L1D] = share(first, accesses) * times(fault, 1);
    rates[RATE_L2] = trial->caches[1].sets > 0
                         ? share(misses[1], misses[0] + grown(fault, 2, misses[1])) * times(fault, 2)
                         : NAN;
    rates[RATE_L3] = trial->caches[2].sets > 0
                         ? share(misses[2], misses[1] + grown(fault, 3, misses[2])) * times(fault, 3)
                         : NAN;
    rates[RATE_STORES] = fault->stores_as_loads ? 0 : share(stores, accesses);
    rates[RATE_STORE_MISSES] =
        fault->stores_as_loads || fault->loads_alone ? 0 : share((double)trial->misses[1][0], misses[0]);
    rates[RATE_BRANCH] = share((double)trial->branches.missed, (double)trial->branches.counted);
    double tlb_misses =
        (double)trial->tlb_misses[0] + (fault->loads_alone ? 0 : (double)trial->tlb_misses[1]);
    rates[RATE_TLB] = trial->tlb.sets > 0 ? share(tlb_misses, accesses) * times(fault, OF_TLB) : NAN;
}

static void take_all(void *context, const struct traced *instruction, bool measured)
{
    struct faulty *trials = context;
    bool shows = instruction->access_count > 0 || is_judged_branch(instruction);
    for (size_t i = 0; shows && i < SIMULATOR_FAULTS; i++)
        trial_take(&trials[i], instruction, measured);
}

enum status simulator_fault_rates(const struct test_program *test_program, uint64_t passes,
                                  double rates[SIMULATOR_FAULTS][SIMULATED_RATES], struct error *error)
{
    const struct machine *machine = test_program->machine;
    const struct cache *const levels[LEVELS] = {&machine->l1d, &machine->l2, &machine->l3};
    const struct tlb *tlb = &machine->data_tlb;
    const double tlb_ways = tlb->ways == 0 ? tlb->entries : tlb->ways;
    const struct tried_shape tlb_shape = {tlb->entries > 0 ? tlb->entries / tlb_ways : 0, tlb_ways, tlb->page,
                                          tlb->policy};
    struct faulty *trials = memory_zeroed(SIMULATOR_FAULTS, sizeof *trials);
    const struct trace_visitor visitor = {take_all, trials};
    for (size_t i = 0; i < SIMULATOR_FAULTS; i++) {
        trials[i].fault = &faults[i];
        trials[i].most = (double)passes * (test_program->manifest->loads + test_program->manifest->stores);
        for (unsigned level = 0; level < LEVELS; level++) {
            const struct cache *from = levels[level];
            const struct tried_shape shape = {from->size > 0 ? cache_sets(from) : 0, from->ways, from->line,
                                              from->policy};
            cache_start(&trials[i].caches[level], &shape, &faults[i], faults[i].level == level + 1);
        }
        cache_start(&trials[i].tlb, &tlb_shape, &faults[i], faults[i].level == OF_TLB);
    }
    enum status status = program_trace_follow(test_program, passes, &visitor, error);
    for (size_t i = 0; i < SIMULATOR_FAULTS; i++) {
        trial_rates(&trials[i], rates[i]);
        for (size_t rate = 0; rate < SIMULATED_RATES; rate++)
            if (!(rate == RATE_BRANCH ? concerns_branches
                  : rate == RATE_TLB  ? concerns_tlb
                                      : concerns_caches)(&faults[i]))
                rates[i][rate] = rates[0][rate];
        for (unsigned level = 0; level < LEVELS; level++)
            cache_free(&trials[i].caches[level]);
        cache_free(&trials[i].tlb);
    }
    free(trials);
    return status;
}
