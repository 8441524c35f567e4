/* One core's actual share of L2 and L3, which is smaller than the cache because of other cores, other
 * machines of a host and policies that are not LRU. The effective size is the largest random chase through
 * all lines of a working set in which the level still serves almost all loads: their time exceeds the level's
 * by less than DRIVEN_OUT of the difference to the next level's. Other load varies, so there are several
 * rounds some time apart, and the result is their lower quartile. The effective size of a private level is
 * smaller than its size too, because no full hashed cache keeps all lines of a rotating working set. */
#include "base/clock.h"
#include "runner/probe/family.h"

#include <math.h>

enum {
    LINE = 64,
    CHASE_LOADS = 32,
    ROUNDS = 40,
    ROUNDS_LEAST = 8,
    LEAST_LOADS = 8192,
    MEMORY_LOADS = 32768,
    PART_BITS = 2
};

static const double DRIVEN_OUT = 0.1;

/* After this many consecutive sizes that are too large, all larger ones are taken to be too. */
enum { TOO_LARGE = 2 };

/* The share of the probe's time for this. */
static const double TIME_SHARE = 0.4;

static const struct {
    const char *name, *latency, *latency_ns;
    size_t front, cache; /* in struct machine */
} levels[] = {
    {"l2.effective", "latency.L2", "latency_ns.L2", offsetof(struct machine, l1d),
     offsetof(struct machine, l2)},
    {"l3.effective", "latency.L3", "latency_ns.L3", offsetof(struct machine, l2),
     offsetof(struct machine, l3)},
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static const struct cache *cache_of(const struct probe *probe, size_t offset)
{
    return (const struct cache *)((const char *)probe->request->machine + offset);
}

/* Cycles per load of one round, after two untimed ones, in which other programs may evict lines. Of a working
 * set that fits nowhere, only a part is walked. */
static double chase_once(struct probe *probe, size_t size, double *ns)
{
    size_t loads = size / LINE;
    struct probe_words words = {.first = (uintptr_t)probe_chain_random(probe->memory.bytes, loads, LINE, 0)};
    struct interval found_ns;
    bool whole = loads < 8 * MEMORY_LOADS;
    size_t settle = whole ? 2 * loads : MEMORY_LOADS;
    size_t timed = !whole ? MEMORY_LOADS : loads < LEAST_LOADS ? LEAST_LOADS : loads;
    struct probe_timing timing = {
        .code = &probe->chase, .things = CHASE_LOADS, .words = &words, .iterations = timed / CHASE_LOADS};
    probe_code_run(timing.code, settle / CHASE_LOADS, &words);
    double cycles = probe_time(probe, &timing, 1, &found_ns).value;
    if (ns != NULL)
        *ns = found_ns.value;
    return cycles;
}

/* The level's undisturbed latency: the lower quartile of several samples. */
static double quiet_chase(struct probe *probe, size_t size, double *ns)
{
    enum { TRIES = 5 };
    double cycles[TRIES], times[TRIES];
    for (size_t i = 0; i < TRIES; i++)
        cycles[i] = chase_once(probe, size, &times[i]);
    *ns = stats_quantile(times, TRIES, 0.25);
    return stats_quantile(cycles, TRIES, 0.25);
}

/* The least size of which the nearer cache keeps almost nothing. */
static size_t least_size(const struct probe *probe, size_t level)
{
    size_t times = level == 0 ? 4 : 2;
    return times * (size_t)cache_of(probe, levels[level].front)->size;
}

/* Whether the level serves the size; tries again, because an interrupted chase takes longer too. */
static bool is_own(struct probe *probe, size_t size, double limit)
{
    enum { TRIES = 3 };
    for (int i = 0; i < TRIES; i++)
        if (chase_once(probe, size, NULL) <= limit)
            return true;
    return false;
}

/* The largest size that the level still serves, in this round; 0: none. */
static double largest_now(struct probe *probe, size_t level, double limit)
{
    size_t most = (size_t)cache_of(probe, levels[level].cache)->size;
    size_t step = least_size(probe, level) >> PART_BITS;
    size_t largest = 0;
    int failed = 0;
    most = most < probe->memory.size ? most : probe->memory.size;
    for (size_t size = 4 * step; size <= most && failed < TOO_LARGE; size += step) {
        bool own = is_own(probe, size, limit);
        failed = own ? 0 : failed + 1;
        largest = own ? size : largest;
        step = size >= 16 * step ? 2 * step : step;
    }
    return (double)largest;
}

static void add_size(struct probe *probe, size_t level, double limit)
{
    double sizes[ROUNDS];
    size_t rounds = 0;
    double start = clock_now_s();
    double most_s = TIME_SHARE / LEVELS * probe->request->time_s;
    while (rounds < ROUNDS && (rounds < ROUNDS_LEAST || clock_now_s() - start < most_s))
        sizes[rounds++] = largest_now(probe, level, limit);
    double found = stats_quantile(sizes, rounds, 0.25);
    if (found <= 0) {
        probe_add_missing(probe, levels[level].name, "bytes",
                          "in one round of four even %zu KiB take longer than this level does: others use it",
                          least_size(probe, level) >> 10);
        return;
    }
    struct interval size = {found, stats_quantile(sizes, rounds, 0), stats_quantile(sizes, rounds, 1),
                            rounds};
    probe_add(probe, levels[level].name, "bytes", size,
              "the largest random chase that the level still serves, in three rounds of four (interval: all "
              "%zu rounds)",
              rounds);
}

static void add_latency(struct probe *probe, const char *cycles_name, const char *ns_name, double cycles,
                        double ns)
{
    if (probe_find(probe, cycles_name) != NULL)
        return; /* the curve has shown it already */
    probe_add(probe, cycles_name, "cycles", (struct interval){cycles, cycles, cycles, 1}, "a random chase");
    probe_add(probe, ns_name, "ns", (struct interval){ns, ns, ns, 1}, "the same");
}

enum status probe_effective(struct probe *probe, struct error *error)
{
    (void)error;
    double cycles[LEVELS + 1], ns[LEVELS + 1], l1_ns;
    size_t count = 0;
    double l1 = quiet_chase(probe, (size_t)probe->request->machine->l1d.size / 2, &l1_ns);
    while (count < LEVELS && cache_of(probe, levels[count].cache)->size > 0) {
        cycles[count] = quiet_chase(probe, least_size(probe, count), &ns[count]);
        count++;
    }
    cycles[count] = quiet_chase(probe, probe->memory.size, &ns[count]);
    add_latency(probe, "latency.L1D", "latency_ns.L1D", l1, l1_ns);
    for (size_t i = 0; i < count; i++) {
        add_latency(probe, levels[i].latency, levels[i].latency_ns, cycles[i], ns[i]);
        add_size(probe, i, cycles[i] + DRIVEN_OUT * (cycles[i + 1] - cycles[i]));
    }
    add_latency(probe, "latency.MEM", "latency_ns.MEM", cycles[count], ns[count]);
    return STATUS_OK;
}
