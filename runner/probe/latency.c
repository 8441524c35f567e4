/* The latency curve: a chase in random order through growing working sets. Its plateaus are the latencies of
 * the levels, and the steps between them the levels' capacities. */
#include "base/clock.h"
#include "runner/probe/family.h"

enum { LINE = 64, SMALLEST = 4096, PARTS = 4, LEVELS = 4, SETTLE_LOADS = 100000 };

static const char WHY[] =
    "a virtual machine may have only part of the cache, neighbours use it too, and the host "
    "chooses where pages lie";

static const struct probe_level levels[LEVELS] = {
    {"latency.L1D", "latency_ns.L1D", "l1d.size.curve", offsetof(struct machine, l1d), "sysfs", WHY},
    {"latency.L2", "latency_ns.L2", "l2.size", offsetof(struct machine, l2), "sysfs", WHY},
    {"latency.L3", "latency_ns.L3", "l3.size", offsetof(struct machine, l3), "sysfs", WHY},
    {"latency.MEM", "latency_ns.MEM", NULL, 0, NULL, NULL},
};

/* Each size is measured in several rounds some time apart: a disturbance rarely affects all. */
enum { ROUNDS = 3 };

static size_t sizes_of(const struct probe *probe, size_t sizes[PROBE_POINTS_MOST])
{
    size_t count = 0;
    for (size_t octave = SMALLEST; octave <= probe->memory.size; octave *= 2)
        for (size_t part = 0; part < PARTS; part++) {
            size_t size = octave / PARTS * (PARTS + part);
            if (size <= probe->memory.size && count < PROBE_POINTS_MOST)
                sizes[count++] = size;
        }
    return count;
}

/* Measures a working set. One that may fit a cache is walked twice before it is timed, as far as time allows;
 * of a larger one only a part is walked, until translations have settled. */
static struct probe_point measure_point(struct probe *probe, size_t size, double seconds)
{
    size_t settle = size <= probe->settle_most ? 2 * size / LINE : SETTLE_LOADS;
    void *first = probe_chain_random(probe->memory.bytes, size / LINE, LINE, 0);
    struct probe_point point = {.size = (double)size};
    point.cycles = probe_chase(probe, first, settle, seconds, probe->samples, &point.ns, &point.disturbed);
    return point;
}

/* Measures the curve in several rounds, and keeps for each size the fastest one that was not disturbed. Other
 * programs only make loads slower, but a disturbed clock makes them appear faster. */
static void measure_curve(struct probe *probe, double seconds)
{
    size_t sizes[PROBE_POINTS_MOST];
    struct probe_curve *curve = &probe->latency;
    curve->count = sizes_of(probe, sizes);
    double start = clock_now_s();
    for (size_t round = 0; round < ROUNDS; round++) {
        if (round > 0 && clock_now_s() - start > probe->request->time_s / ROUNDS)
            break;
        for (size_t i = 0; i < curve->count; i++) {
            struct probe_point point = measure_point(probe, sizes[i], seconds);
            const struct probe_point *best = &curve->points[i];
            bool better = point.disturbed != best->disturbed ? best->disturbed
                                                             : point.cycles.value < best->cycles.value;
            if (round == 0 || better)
                curve->points[i] = point;
        }
    }
}

static void add_missing(struct probe *probe, size_t level, size_t found)
{
    static const char why[] = "the curve has %zu plateaus up to %zu MiB, none of which is this level's";
    probe_add_missing(probe, levels[level].cycles, "cycles", why, found, probe->memory.size >> 20);
    if (levels[level].size != NULL)
        probe_add_missing(probe, levels[level].size, "bytes", why, found, probe->memory.size >> 20);
}

enum status probe_latency(struct probe *probe, struct error *error)
{
    (void)error;
    measure_curve(probe, 40e-6);
    bool has_l3 = probe->request->machine->l3.size > 0;
    const struct probe_curve *curve = &probe->latency;
    struct probe_plateau plateaus[PLATEAUS_MOST];
    size_t found = probe_plateaus(curve->points, curve->count, has_l3 ? LEVELS : LEVELS - 1, plateaus);
    for (size_t level = 0; level < LEVELS; level++) {
        bool is_memory = level == LEVELS - 1;
        if (level == LEVELS - 2 && !has_l3)
            continue;
        size_t at = is_memory ? found - 1 : level; /* the last plateau is memory's */
        if (is_memory ? found < LEVELS - 1 : at + 1 >= found) {
            add_missing(probe, level, found);
            continue;
        }
        probe_add_latency(probe, &levels[level], &plateaus[at], "random chase",
                          is_memory || probe->huge_share < 0.99 ? ", translation included" : "");
        if (!is_memory)
            probe_add_size(probe, &levels[level], &plateaus[at], &plateaus[at + 1]);
    }
    return STATUS_OK;
}
