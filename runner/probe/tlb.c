/* The reach of the data TLB: one line of each small page, compared with as many lines packed together. */
#include "runner/probe/family.h"

#include <math.h>

enum { LINE = 64, PARTS = 8, FEWEST = 16, MOST = 8192, LEVELS = 3 };
static const double SAMPLE_S = 30e-6;

/* The time of a load in pages, less the difference of the packed lines' time to `base`, so that only the time
 * that pages add remains. */
static struct interval added(struct probe *probe, const struct probe_memory *small, size_t pages, double base)
{
    void *spread = probe_chain_random(small->bytes, pages, PROBE_SMALL_PAGE, LINE);
    struct interval with = probe_chase(probe, spread, 2 * pages, SAMPLE_S, probe->samples, NULL, NULL);
    void *dense = probe_chain_random(probe->memory.bytes, pages, LINE, 0);
    struct interval without = probe_chase(probe, dense, 2 * pages, SAMPLE_S, probe->samples, NULL, NULL);
    double shift = base - without.value;
    return (struct interval){fmax(base, with.value + shift), fmax(base, with.low + shift),
                             fmax(base, with.high + shift), with.n};
}

static void add_level(struct probe *probe, const struct probe_curve *curve, const struct probe_plateau *a,
                      const struct probe_plateau *b, bool first, double exact)
{
    struct interval entries = probe_capacity(curve->points, a, b);
    if (first && exact >= entries.low && exact <= entries.high)
        entries.value = exact; /* the curve has only some sizes; sets times ways is exact */
    double more = b->cycles - curve->points[0].cycles.value;
    struct probe_value *value = probe_add(probe, first ? "dtlb.entries" : "stlb.entries", "pages", entries,
                                          "pages of 4 KiB; beyond them a load takes %.1f cycles more", more);
    if (first)
        probe_compare(value, probe->request->machine->data_tlb.entries, "cpuid",
                      "CPUID lists loads and stores or page sizes separately, or the hypervisor alters it");
}

/* Adds the ways, from pages that fall into one set, as lines do in a cache. Returns sets times ways; 0: not
 * found. */
static double add_ways(struct probe *probe, const struct probe_memory *small)
{
    enum { STRIDES = 7, PAGES_MOST = 40 };
    size_t ways[STRIDES], found, span;
    for (size_t i = 0; i < STRIDES; i++) {
        double cycles[PAGES_MOST];
        size_t offsets[PAGES_MOST];
        for (size_t page = 0; page < PAGES_MOST; page++) {
            offsets[page] = (page << i) * PROBE_SMALL_PAGE + page * LINE;
            void *first = probe_chain_list(small->bytes, offsets, page + 1);
            cycles[page] =
                probe_chase(probe, first, 4 * PAGES_MOST, SAMPLE_S, probe->samples / 2 + 1, NULL, NULL).value;
        }
        ways[i] = probe_ways(cycles, PAGES_MOST, cycles[0]);
    }
    if (!probe_way_span(ways, STRIDES, 1, &found, &span)) {
        probe_add_missing(probe, "dtlb.ways", "pages", "pages at equal distances do not share a set");
        return 0;
    }
    double value = (double)found, entries = (double)(found * span);
    probe_add(probe, "dtlb.ways", "pages", (struct interval){value, value, value, STRIDES},
              "the largest number of pages %zu apart that all hit; with %zu sets this makes %.0f entries",
              span, span, entries);
    return entries;
}

static void measure_curve(struct probe *probe, const struct probe_memory *small, struct probe_curve *curve)
{
    double base = 0;
    for (size_t octave = FEWEST; octave < MOST; octave *= 2) {
        for (size_t part = 0; part < PARTS && curve->count < PROBE_POINTS_MOST; part++) {
            size_t pages = octave / PARTS * (PARTS + part);
            struct probe_point *point = &curve->points[curve->count++];
            point->size = (double)pages;
            if (base == 0)
                base = probe_chase(probe, probe_chain_random(probe->memory.bytes, pages, LINE, 0), pages,
                                   SAMPLE_S, probe->samples, NULL, NULL)
                           .value;
            point->cycles = added(probe, small, pages, base);
        }
    }
}

enum status probe_tlb(struct probe *probe, struct error *error)
{
    struct probe_memory small;
    struct probe_curve curve = {0};
    enum status status = probe_memory_map((size_t)MOST * PROBE_SMALL_PAGE, false, &small, error);
    if (status != STATUS_OK)
        return status;
    measure_curve(probe, &small, &curve);
    struct probe_plateau plateaus[PLATEAUS_MOST];
    size_t found = probe_plateaus(curve.points, curve.count, LEVELS, plateaus);
    double entries = add_ways(probe, &small);
    if (found < 2)
        probe_add_missing(probe, "dtlb.entries", "pages", "no step up to %d pages", MOST);
    for (size_t i = 0; i + 1 < found; i++)
        add_level(probe, &curve, &plateaus[i], &plateaus[i + 1], i == 0, entries);
    if (found == 2)
        probe_add_missing(probe, "stlb.entries", "pages", "no second step up to %d pages", MOST);
    probe_memory_free(&small);
    return STATUS_OK;
}
