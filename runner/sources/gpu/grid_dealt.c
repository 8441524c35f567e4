#include "runner/sources/gpu/grid_dealt.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { WORD_BITS = 64 };

struct grid_touched {
    const struct grid_manifest *manifest;
    uint64_t *words[GRID_STREAMS]; /* a bit for each word of a region's bus; NULL: none is counted */
};

static uint64_t words_of(const struct lane_region *region)
{
    return region->size / region->bus;
}

struct grid_touched *grid_touched_new(const struct grid_manifest *manifest)
{
    struct grid_touched *touched = memory_zeroed(1, sizeof *touched);
    touched->manifest = manifest;
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct lane_region *region = &manifest->regions[i];
        if (!region->shared && region->bus > 0)
            touched->words[i] = memory_zeroed(words_of(region) / WORD_BITS + 1, sizeof *touched->words[i]);
    }
    return touched;
}

void grid_touched_free(struct grid_touched *touched)
{
    for (size_t i = 0; touched != NULL && i < GRID_STREAMS; i++)
        free(touched->words[i]);
    free(touched);
}

void grid_touched_note(struct grid_touched *touched, const struct lane_access *access)
{
    if (access->kind != LANE_LOAD || !access->timed || access->region < 0 ||
        touched->words[access->region] == NULL)
        return;
    const struct lane_region *region = &touched->manifest->regions[access->region];
    for (unsigned i = 0; i < access->count; i++) {
        uint64_t from = access->addresses[i] - region->address, last = from + access->bytes - 1;
        for (uint64_t word = from / region->bus; word <= last / region->bus && word < words_of(region);
             word++)
            touched->words[access->region][word / WORD_BITS] |= UINT64_C(1) << word % WORD_BITS;
    }
}

void grid_touched_count(const struct grid_touched *touched, struct demand_memory *data,
                        struct bus_count *count)
{
    for (size_t i = 0; i < touched->manifest->stream_count; i++) {
        const struct lane_region *region = &touched->manifest->regions[i];
        struct bus bus = {0};
        for (uint64_t word = 0; touched->words[i] != NULL && word < words_of(region); word++) {
            uint64_t among = touched->words[i][word / WORD_BITS] >> word % WORD_BITS;
            uint64_t at = region->address - GRID_DATA_ADDRESS + word * region->bus;
            if (among == 0)
                word |= WORD_BITS - 1;
            if ((among & 1) == 0 || at + region->bus > touched->manifest->image.bytes)
                continue;
            demand_memory_need(data, at, region->bus);
            bus_send(&bus, count, data->bytes + at, region->bus, region->bus);
        }
    }
}

static double rate_of(const struct bus_count *count)
{
    return (double)count->toggles / (double)count->compared;
}

/* The order whose rate differs most from the manifest's target, or else from that of program order; NULL:
 * only program order was observed. */
static const struct bus_count *farthest_of(const struct manifest *manifest, const struct bus_count *orders,
                                           unsigned count)
{
    const struct bus_count *farthest = NULL;
    double seen = orders[BUS_PROGRAM].compared > 0 ? rate_of(&orders[BUS_PROGRAM]) : 0;
    double target = rates_get(&manifest->targets, "data.toggle_rate", seen);
    target = rates_get(&manifest->targets, "data.toggle_rate.dealt", target);
    for (unsigned i = BUS_EVERY_2; i < count; i++)
        if (orders[i].compared > 0 &&
            (farthest == NULL || fabs(rate_of(&orders[i]) - target) > fabs(rate_of(farthest) - target)))
            farthest = &orders[i];
    return farthest;
}

void grid_dealt_observe(const struct counter_source *source, const struct manifest *manifest,
                        const struct bus_count *orders, unsigned count, struct observations *list)
{
    const struct bus_count *program = &orders[BUS_PROGRAM];
    const struct bus_count *dealt = farthest_of(manifest, orders, count);
    source_add_share(source, list, "data.toggle_rate", (double)program->toggles, (double)program->compared);
    source_add_share(source, list, "data.ones_rate", (double)program->ones, (double)program->bits);
    if (dealt != NULL)
        source_add_share(source, list, "data.toggle_rate.dealt", (double)dealt->toggles,
                         (double)dealt->compared);
}
