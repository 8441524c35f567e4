#include "runner/simulators/simulator.h"

#include "base/memory.h"
#include "base/random.h"
#include "runner/tracing/program_trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3 };

/* A fault as data. Levels are 1 to 3; 0: none. */
struct fault {
    const char *words;
    unsigned level;                 /* that the following are of */
    double ways, sets;              /* times as many; 0: as the machine */
    enum cache_policy policy;       /* POLICY_UNKNOWN: as the machine's */
    bool next_on_miss, next_always; /* the next line is fetched with a missed one, or with each */
    bool misses_uncounted;          /* of stores that bring none in */
    bool passes_stores;             /* a store that misses brings no line in */
    bool starts_cold;               /* caches are emptied when the passes begin */
    bool counts_warmup;
    bool stores_as_loads, loads_alone; /* in the counts alone */
    unsigned shows;                    /* level whose misses stand for L1D's */
};

static const struct fault faults[SIMULATOR_FAULTS] = {
    {.words = "has no known fault"},
    {"empties its caches where the count begins", .starts_cold = true},
    {"counts the warm-up too", .counts_warmup = true},
    {"prefetches the next line into L1D with each miss", 1, .next_on_miss = true},
    {"prefetches the next line into L1D with each access", 1, .next_always = true},
    {"prefetches the next line into L2 with each miss", 2, .next_on_miss = true},
    {"prefetches the next line into L2 with each access", 2, .next_always = true},
    {"does not allocate lines of stores that miss L1D", 1, .passes_stores = true},
    {"neither allocates lines of stores that miss L1D nor counts these misses", 1, .passes_stores = true,
     .misses_uncounted = true},
    {"does not allocate lines of stores that miss L2", 2, .passes_stores = true},
    {"counts stores as loads", .stores_as_loads = true},
    {"counts loads alone", .loads_alone = true},
    {"reports L2's misses as L1D's", .shows = 2},
    {"reports L3's misses as L1D's", .shows = 3},
    {"replaces the oldest line in L1D (FIFO)", 1, .policy = POLICY_FIFO},
    {"replaces lines of L1D at random", 1, .policy = POLICY_RANDOM},
    {"replaces lines of L1D by LRU", 1, .policy = POLICY_LRU},
    {"replaces the oldest line in L2 (FIFO)", 2, .policy = POLICY_FIFO},
    {"replaces lines of L2 at random", 2, .policy = POLICY_RANDOM},
    {"replaces lines of L2 by LRU", 2, .policy = POLICY_LRU},
    {"has half the ways in L1D", 1, .ways = 0.5},
    {"has twice the ways in L1D", 1, .ways = 2},
    {"has half the sets in L1D", 1, .sets = 0.5},
    {"has twice the sets in L1D", 1, .sets = 2},
    {"has half the ways in L2", 2, .ways = 0.5},
    {"has twice the ways in L2", 2, .ways = 2},
    {"has half the sets in L2", 2, .sets = 0.5},
    {"has twice the sets in L2", 2, .sets = 2},
    {"has a single way less in L1D", 1, .ways = -1},
};

const char *simulator_fault_words(size_t fault)
{
    return faults[fault].words;
}

/* ---- a cache ---- */

struct tried_cache {
    uint64_t sets; /* 0: the machine lacks it */
    unsigned ways, line;
    enum cache_policy policy;
    uint64_t *tags;  /* [sets][ways]: 1 + line number; 0: empty */
    uint64_t *since; /* the time of a line's last use, or of its arrival */
    uint64_t time;
    struct random random;
};

static void cache_start(struct tried_cache *cache, const struct cache *from, const struct fault *fault,
                        bool concerned)
{
    if (from->size == 0)
        return;
    double ways = from->ways, sets = cache_sets(from);
    if (concerned && fault->ways != 0)
        ways = fault->ways < 0 ? ways + fault->ways : ways * fault->ways;
    if (concerned && fault->sets != 0)
        sets *= fault->sets;
    cache->ways = ways < 1 ? 1 : (unsigned)ways;
    cache->sets = sets < 1 ? 1 : (uint64_t)sets;
    cache->line = from->line;
    cache->policy = concerned && fault->policy != POLICY_UNKNOWN ? fault->policy : from->policy;
    cache->tags = memory_zeroed(cache->sets * cache->ways, sizeof *cache->tags);
    cache->since = memory_zeroed(cache->sets * cache->ways, sizeof *cache->since);
    cache->random = random_start(1, fault->words);
}

static void cache_empty(struct tried_cache *cache)
{
    if (cache->sets > 0)
        memset(cache->tags, 0, cache->sets * cache->ways * sizeof *cache->tags);
}

/* True on a hit. fill: a miss brings the line in. */
static bool cache_access(struct tried_cache *cache, uint64_t address, bool fill)
{
    uint64_t line = address / cache->line;
    uint64_t *tags = cache->tags + line % cache->sets * cache->ways;
    uint64_t *since = cache->since + line % cache->sets * cache->ways;
    unsigned victim = 0;
    bool empty = false;
    cache->time++;
    for (unsigned i = 0; i < cache->ways; i++) {
        if (tags[i] == line + 1) {
            if (cache->policy != POLICY_FIFO)
                since[i] = cache->time;
            return true;
        }
        if (!empty && (tags[i] == 0 || since[i] < since[victim]))
            victim = i, empty = tags[i] == 0;
    }
    if (!empty && cache->policy == POLICY_RANDOM)
        victim = random_below(&cache->random, cache->ways);
    if (fill) {
        tags[victim] = line + 1;
        since[victim] = cache->time;
    }
    return false;
}

/* ---- a simulator with the fault ---- */

struct faulty {
    const struct fault *fault;
    struct tried_cache caches[LEVELS];
    bool measures;
    uint64_t counted[2], misses[2][LEVELS]; /* of loads, of stores */
};

static void trial_access(struct faulty *trial, uint64_t address, bool store, bool counts)
{
    const struct fault *fault = trial->fault;
    trial->counted[store] += counts;
    for (unsigned level = 0; level < LEVELS && trial->caches[level].sets > 0; level++) {
        struct tried_cache *cache = &trial->caches[level];
        bool concerned = fault->level == level + 1;
        bool hit = cache_access(cache, address, !(concerned && fault->passes_stores && store));
        if (concerned && (fault->next_always || (fault->next_on_miss && !hit)))
            (void)cache_access(cache, address + cache->line, true);
        if (hit)
            break;
        trial->misses[store][level] += counts && !(concerned && store && fault->misses_uncounted);
    }
}

static void trial_take(struct faulty *trial, const struct traced *instruction, bool measured)
{
    if (measured && !trial->measures && trial->fault->starts_cold)
        for (unsigned level = 0; level < LEVELS; level++)
            cache_empty(&trial->caches[level]);
    trial->measures = measured;
    for (unsigned i = 0; i < instruction->access_count; i++)
        trial_access(trial, instruction->accesses[i].address, instruction->accesses[i].store,
                     measured || trial->fault->counts_warmup);
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static void trial_rates(const struct faulty *trial, double rates[SIMULATED_RATES])
{
    const struct fault *fault = trial->fault;
    double stores = fault->loads_alone ? 0 : (double)trial->counted[1];
    double accesses = (double)trial->counted[0] + stores, misses[LEVELS];
    for (unsigned level = 0; level < LEVELS; level++)
        misses[level] =
            (double)trial->misses[0][level] + (fault->loads_alone ? 0 : (double)trial->misses[1][level]);
    double first = fault->shows > 0 ? misses[fault->shows - 1] : misses[0];
    rates[RATE_L1D] = share(first, accesses);
    rates[RATE_L2] = trial->caches[1].sets > 0 ? share(misses[1], misses[0]) : NAN;
    rates[RATE_L3] = trial->caches[2].sets > 0 ? share(misses[2], misses[1]) : NAN;
    rates[RATE_STORES] = fault->stores_as_loads ? 0 : share(stores, accesses);
    rates[RATE_STORE_MISSES] =
        fault->stores_as_loads || fault->loads_alone ? 0 : share((double)trial->misses[1][0], misses[0]);
    rates[RATE_BRANCH] = rates[RATE_TLB] = NAN;
}

static void take_all(void *context, const struct traced *instruction, bool measured)
{
    struct faulty *trials = context;
    for (size_t i = 0; instruction->access_count > 0 && i < SIMULATOR_FAULTS; i++)
        trial_take(&trials[i], instruction, measured);
}

enum status simulator_fault_rates(const struct test_program *test_program, uint64_t passes,
                                  double rates[SIMULATOR_FAULTS][SIMULATED_RATES], struct error *error)
{
    const struct machine *machine = test_program->machine;
    const struct cache *const levels[LEVELS] = {&machine->l1d, &machine->l2, &machine->l3};
    struct faulty *trials = memory_zeroed(SIMULATOR_FAULTS, sizeof *trials);
    const struct trace_visitor visitor = {take_all, trials};
    for (size_t i = 0; i < SIMULATOR_FAULTS; i++) {
        trials[i].fault = &faults[i];
        for (unsigned level = 0; level < LEVELS; level++)
            cache_start(&trials[i].caches[level], levels[level], &faults[i], faults[i].level == level + 1);
    }
    enum status status = program_trace_follow(test_program, passes, &visitor, error);
    for (size_t i = 0; i < SIMULATOR_FAULTS; i++) {
        trial_rates(&trials[i], rates[i]);
        for (unsigned level = 0; level < LEVELS; level++) {
            free(trials[i].caches[level].tags);
            free(trials[i].caches[level].since);
        }
    }
    free(trials);
    return status;
}
