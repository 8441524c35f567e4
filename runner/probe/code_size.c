/* The instruction cache: a chain of jumps, one in each line, in an order that no prefetcher can follow. */
#include "base/memory.h"
#include "runner/probe/family.h"
#include "runner/probe/jumps.h"

#include <stdlib.h>

enum {
    LINE = 64,
    SMALLEST = 8192,
    LARGEST = 512 * 1024,
    PARTS = 4,
    ROUNDS = 3,
};
static const double SAMPLE_S = 60e-6;

/* The places of a chain of jumps: `each` in every line. All lines are visited in order, `each` times. */
struct jumps {
    size_t lines;
    size_t each;
};

/* The lines' order: that of a chain of pointers through as many words. The first entry is the first line. */
static size_t *make_order(size_t lines)
{
    unsigned char **words = memory_zeroed(lines, sizeof *words);
    size_t *order = memory_zeroed(lines, sizeof *order);
    unsigned char **at = probe_chain_random((unsigned char *)words, lines, sizeof *words, 0);
    for (size_t i = 0; i < lines; i++) {
        order[i] = (size_t)(at - words);
        at = (unsigned char **)(void *)*at;
    }
    free(words);
    return order;
}

static enum status lay_lines(const struct jump_links *links, struct jumps jumps, struct probe_code *code,
                             size_t *entry, struct error *error)
{
    size_t count = jumps.lines * jumps.each;
    size_t *order = make_order(jumps.lines);
    size_t *places = memory_resized(NULL, count, sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = order[i % jumps.lines] * LINE + i / jumps.lines * (LINE / jumps.each);
    *entry = places[0];
    enum status status = jump_links_lay(links, places, count, jumps.lines * LINE, code, error);
    free(places);
    free(order);
    return status;
}

static enum status measure_point(struct probe *probe, const struct jump_links *links, struct jumps jumps,
                                 struct probe_point *point, struct error *error)
{
    size_t entry;
    struct probe_code code = {0};
    enum status status = lay_lines(links, jumps, &code, &entry, error);
    if (status != STATUS_OK)
        return status;
    struct probe_words words = {.first = (uintptr_t)code.bytes + entry};
    struct probe_timing timing = {
        .code = &links->caller, .things = (double)(jumps.lines * jumps.each), .words = &words};
    timing.iterations = probe_iterations(probe, &timing, SAMPLE_S);
    struct interval cycles = probe_time(probe, &timing, probe->samples, NULL);
    bool first = point->size == 0;
    if (first || cycles.value < point->cycles.value)
        point->cycles = cycles;
    point->size = (double)(jumps.lines * LINE);
    probe_code_free(&code);
    return STATUS_OK;
}

/* Measures the curve in several rounds, and keeps the fastest for each size, as in the latency curve. */
static enum status measure_curve(struct probe *probe, const struct jump_links *links, size_t each,
                                 struct probe_curve *curve, struct error *error)
{
    for (size_t round = 0; round < ROUNDS; round++) {
        curve->count = 0;
        for (size_t octave = SMALLEST; octave < LARGEST; octave *= 2) {
            for (size_t part = 0; part < PARTS; part++) {
                struct jumps jumps = {octave / LINE / PARTS * (PARTS + part), each};
                enum status status =
                    measure_point(probe, links, jumps, &curve->points[curve->count++], error);
                if (status != STATUS_OK)
                    return status;
            }
        }
    }
    return STATUS_OK;
}

/* Adds the cache's size: its step is at the same number of lines, however many jumps are in each. Branch
 * predictors have steps too, but at the same number of jumps. */
static void add_size(struct probe *probe, const struct probe_curve curves[2])
{
    struct probe_plateau plateaus[2][PLATEAUS_MOST];
    size_t found[2];
    for (size_t i = 0; i < 2; i++)
        found[i] = probe_plateaus(curves[i].points, curves[i].count, PLATEAUS_MOST, plateaus[i]);
    int step =
        probe_common_step(curves[0].points, plateaus[0], found[0], curves[1].points, plateaus[1], found[1]);
    if (step < 0) {
        probe_add_missing(
            probe, "l1i.size", "bytes",
            "no step is at the same size with one jump per line and with two: all steps belong to the "
            "branch predictor");
        probe_compare(&probe->values[probe->value_count - 1], (double)probe->request->machine->l1i.size,
                      "sysfs", "");
        return;
    }
    struct probe_plateau *at = &plateaus[0][step];
    struct probe_value *value =
        probe_add(probe, "l1i.size", "bytes", probe_capacity(curves[0].points, &at[0], &at[1]),
                  "where jumps in random order take longer, with one jump per line and with two");
    probe_compare(value, (double)probe->request->machine->l1i.size, "sysfs",
                  "the front end fetches ahead, which hides some of the misses");
}

enum status probe_code_size(struct probe *probe, struct error *error)
{
    struct jump_links links;
    struct probe_curve curves[2] = {0};
    enum status status = jump_links_learn(&probe->texts, LARGEST, &links, error);
    for (size_t i = 0; status == STATUS_OK && i < 2; i++)
        status = measure_curve(probe, &links, i + 1, &curves[i], error);
    jump_links_free(&links);
    if (status == STATUS_OK)
        add_size(probe, curves);
    return status;
}
