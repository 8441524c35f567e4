/* Line, ways and the size of a way, by lines that fall into one set. */
#include "runner/probe/family.h"

enum { LINES_MOST = 40, STRIDE_FIRST = 1024, STRIDES = 6, LINE_BLOCK = 512, LINE_BLOCKS = 512, ROUNDS = 5 };
static const double SAMPLE_S = 20e-6;

/* ---- line ---- */

/* Cycles per load in a chain that visits the place `offset` bytes into a block and then the block's
 * beginning: if both are in one line, every second load hits. The blocks do not fit into L1D. */
static double pair_cycles(struct probe *probe, size_t offset)
{
    size_t offsets[2 * LINE_BLOCKS];
    for (size_t i = 0; i < LINE_BLOCKS; i++) {
        size_t block = i * 167 % LINE_BLOCKS * LINE_BLOCK; /* 167: no adjacent blocks, and every block */
        offsets[2 * i] = block + offset;
        offsets[2 * i + 1] = block;
    }
    void *first = probe_chain_list(probe->memory.bytes, offsets, 2 * LINE_BLOCKS);
    return probe_chase(probe, first, (size_t)4 * LINE_BLOCKS, SAMPLE_S, probe->samples, NULL, NULL).value;
}

/* The smallest distance at which the time exceeds the midpoint between hit and miss; 0: none. */
static double find_line(struct probe *probe)
{
    double hit = pair_cycles(probe, 8);
    double miss = pair_cycles(probe, LINE_BLOCK / 2);
    if (miss < 1.3 * hit)
        return 0;
    for (size_t offset = 16; offset <= LINE_BLOCK / 2; offset *= 2)
        if (pair_cycles(probe, offset) > (hit + miss) / 2)
            return (double)offset;
    return 0;
}

/* ---- ways ---- */

static size_t ways_at(struct probe *probe, size_t stride, size_t most, double hit)
{
    double cycles[LINES_MOST];
    size_t offsets[LINES_MOST];
    for (size_t i = 0; i < most; i++)
        offsets[i] = i * stride;
    for (size_t lines = 1; lines <= most; lines++) {
        void *first = probe_chain_list(probe->memory.bytes, offsets, lines);
        cycles[lines - 1] = probe_chase(probe, first, 4 * lines, SAMPLE_S, 3, NULL, NULL).value;
    }
    return probe_ways(cycles, most, hit);
}

/* Adds a value from the whole numbers that the rounds of a measurement found; its interval shows differences.
 */
static void add_whole(struct probe *probe, const char *name, const char *unit, const double *rounds,
                      double reported, const char *how)
{
    size_t seen = 0;
    double good[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++)
        if (rounds[i] > 0)
            good[seen++] = rounds[i];
    if (2 * seen <= ROUNDS) {
        probe_add_missing(probe, name, unit, "no clear step in %zu of %d rounds", ROUNDS - seen, ROUNDS);
        probe_compare(&probe->values[probe->value_count - 1], reported, "sysfs", "");
        return;
    }
    struct probe_value *value = probe_add(probe, name, unit, stats_bootstrap(good, seen), "%s", how);
    probe_compare(value, reported, "sysfs",
                  "the loads show a different geometry from the one that the system reports");
}

static void measure_l1d(struct probe *probe)
{
    const struct cache *cache = &probe->request->machine->l1d;
    double ways[ROUNDS] = {0}, sizes[ROUNDS] = {0}, lines[ROUNDS] = {0};
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t by_stride[STRIDES], found, span;
        size_t one[1] = {0};
        double hit = probe_chase(probe, probe_chain_list(probe->memory.bytes, one, 1), 0, SAMPLE_S,
                                 probe->samples, NULL, NULL)
                         .value;
        for (size_t i = 0; i < STRIDES; i++)
            by_stride[i] = ways_at(probe, (size_t)STRIDE_FIRST << i, LINES_MOST, hit);
        lines[round] = find_line(probe);
        if (!probe_way_span(by_stride, STRIDES, STRIDE_FIRST, &found, &span))
            continue;
        ways[round] = (double)found;
        sizes[round] = (double)(found * span);
    }
    add_whole(probe, "l1d.size", "bytes", sizes, (double)cache->size,
              "ways times the shortest distance at which lines share a set");
    add_whole(probe, "l1d.ways", "lines", ways, cache->ways,
              "the largest number of lines at that distance that all hit");
    add_whole(probe, "l1d.line", "bytes", lines, cache->line, "the shortest distance to another line");
}

/* The largest number of lines at that distance that L2 serves. The time with two lines more than L1D's ways
 * is taken as a hit of L2, translation included. */
static size_t l2_ways_at(struct probe *probe, size_t stride, size_t l1d_ways)
{
    size_t offsets[LINES_MOST];
    for (size_t i = 0; i < LINES_MOST; i++)
        offsets[i] = i * stride;
    void *first = probe_chain_list(probe->memory.bytes, offsets, l1d_ways + 2);
    double hit = probe_chase(probe, first, LINES_MOST, SAMPLE_S, probe->samples, NULL, NULL).value;
    return ways_at(probe, stride, LINES_MOST, hit);
}

/* Adds L2's ways, if the same small number of lines fits at two large distances. L2 is indexed by physical
 * addresses, whose low bits equal the virtual ones on huge pages, unless a host maps its own small pages
 * below them. */
static void measure_l2(struct probe *probe)
{
    const struct probe_value *l1d = probe_find(probe, "l1d.ways");
    size_t near = 0, far = 0;
    bool huge = probe->huge_share > 0.99;
    if (huge && l1d->found && l1d->interval.value < LINES_MOST / 2.0) {
        near = l2_ways_at(probe, PROBE_HUGE_PAGE / 4, (size_t)l1d->interval.value);
        far = l2_ways_at(probe, PROBE_HUGE_PAGE / 2, (size_t)l1d->interval.value);
    }
    if (near > 0 && near == far)
        probe_add(probe, "l2.ways", "lines", (struct interval){(double)near, (double)near, (double)near, 2},
                  "the largest number of lines half a MiB apart that it serves");
    else if (!huge)
        probe_add_missing(probe, "l2.ways", "lines",
                          "needs huge pages: the system provided them for %.0f %% of the memory (see "
                          "/sys/kernel/mm/transparent_hugepage/enabled)",
                          100 * probe->huge_share);
    else
        probe_add_missing(probe, "l2.ways", "lines",
                          "up to %d lines %d KiB apart do not share a set of L2: a host maps its own small "
                          "pages under this machine's huge ones, or the cache hashes addresses",
                          LINES_MOST, PROBE_HUGE_PAGE / 4096);
    probe_compare(&probe->values[probe->value_count - 1], probe->request->machine->l2.ways, "sysfs",
                  "the loads show a different number of ways from the one that the system reports");
}

enum status probe_geometry(struct probe *probe, struct error *error)
{
    (void)error;
    measure_l1d(probe);
    measure_l2(probe);
    return STATUS_OK;
}
