/* Bytes per second of loads and stores: the widest that the machine has, over a part of each level. */
#include "base/units.h"
#include "runner/probe/family.h"

#include <math.h>

enum { UNROLLED = 16, SLICE = 16 << 20, LEVELS = 4, STARTS = 8 };
static const double SAMPLE_S = 300e-6;

static const struct {
    const char *read, *write;
    const char *inner, *outer; /* sizes between which the walk lies; NULL: no bound */
} levels[LEVELS] = {
    {"bandwidth.read.L1D", "bandwidth.write.L1D", NULL, "l1d.size"},
    {"bandwidth.read.L2", "bandwidth.write.L2", "l1d.size", "l2.size"},
    {"bandwidth.read.L3", "bandwidth.write.L3", "l2.size", "l3.size"},
    {"bandwidth.read.MEM", "bandwidth.write.MEM", NULL, NULL},
};

/* Each iteration walks the number of bytes in the third word, starting at the first; the next walk begins
 * further on by the bytes in the second. */
static enum status make_walk(const struct probe *probe, const struct probe_access *access, bool store,
                             struct probe_code *code, struct error *error)
{
    return probe_code_make(&probe->texts,
                           &(struct probe_loop){.before = "walk.before",
                                                .text = store ? access->store : access->load,
                                                .repeat = UNROLLED,
                                                .step = access->bytes,
                                                .after = "walk.after"},
                           code, error);
}

/* The number of bytes to walk so that the level serves them: for L1D half of it, else the geometric mean of
 * the previous level's size and its own. 0 if a size is unknown. */
static uint64_t walk_bytes(const struct probe *probe, size_t level)
{
    if (levels[level].outer == NULL)
        return SLICE;
    const struct probe_value *outer = probe_find(probe, levels[level].outer);
    const struct probe_value *inner =
        levels[level].inner != NULL ? probe_find(probe, levels[level].inner) : NULL;
    if (outer == NULL || !outer->found || (levels[level].inner != NULL && (inner == NULL || !inner->found)))
        return 0;
    double bytes = inner == NULL
                       ? outer->interval.low / 2
                       : sqrt(inner->interval.high * fmax(outer->interval.low, inner->interval.high));
    return (uint64_t)bytes / PROBE_SMALL_PAGE * PROBE_SMALL_PAGE;
}

static void measure_one(struct probe *probe, const struct probe_code *walk, unsigned width, size_t level,
                        bool store)
{
    const char *name = store ? levels[level].write : levels[level].read;
    uint64_t bytes = walk_bytes(probe, level);
    if (bytes == 0 || bytes > probe->memory.size / 2) {
        probe_add_missing(probe, name, "GB/s", "the size of the level was not found");
        return;
    }
    bool memory = levels[level].outer == NULL;
    uint64_t start = memory ? probe->memory.size / STARTS * (store ? 1 : 4) : 0;
    struct probe_words words = {
        .first = (uintptr_t)probe->memory.bytes + start, .second = memory ? bytes : 0, .third = bytes};
    struct probe_timing timing = {.code = walk, .iterations = 1, .things = (double)bytes, .words = &words};
    if (memory) { /* a disturbed measurement is repeated, and would walk on */
        timing.begin = words.first;
        timing.end = (uintptr_t)probe->memory.bytes + probe->memory.size;
    } else {
        timing.iterations = probe_iterations(probe, &timing, SAMPLE_S);
    }
    struct interval ns;
    probe_time(probe, &timing, probe->samples, &ns);
    char text[32];
    struct interval rate = probe_inverse(ns);
    probe_add(probe, name, "GB/s", rate, "%s of %s, %u bytes each, in address order%s",
              store ? "stores" : "loads", units_show_size(bytes, text, sizeof text), width,
              memory ? ", others each time" : "");
}

enum status probe_bandwidth(struct probe *probe, struct error *error)
{
    struct probe_access access;
    if (!probe_access_find(probe, 0, &access))
        return error_set(error, STATUS_FAILED, "templates/%s/%s has no accesses", probe->texts.isa->name,
                         probe->texts.isa->probe);
    for (int store = 0; store < 2; store++) {
        struct probe_code walk = {0};
        enum status status = make_walk(probe, &access, store != 0, &walk, error);
        if (status != STATUS_OK)
            return status;
        for (size_t level = 0; level < LEVELS; level++)
            if (level != LEVEL_L3 || probe->request->machine->l3.size > 0)
                measure_one(probe, &walk, access.bytes, level, store != 0);
        probe_code_free(&walk);
    }
    return STATUS_OK;
}
