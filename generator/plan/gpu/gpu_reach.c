#include "generator/plan/gpu/gpu_reach.h"

#include "base/units.h"
#include "generator/plan/gpu/gpu_dispatch.h"
#include "generator/plan/gpu/gpu_sets.h"
#include "generator/plan/gpu/gpu_split.h"

#include <math.h>
#include <stdio.h>

/* Before measurement, memory delivers PAST_TIMES what L2 holds, in at most MOST_WARMUP instructions. */
enum { PAST_TIMES = 2, MOST_WARMUP = 1 << 22 };

/* The usable share of an L1 of unknown ways to which other streams bring lines. */
static const double BESIDE_OTHERS = 0.75;

bool gpu_stream_keeps(const struct template *templates, const struct gpu_stream *stream)
{
    char name[64];
    uint64_t keeps = 0;
    snprintf(name, sizeof name, "l1.%.40s", stream->cache);
    return template_word(templates, name, &keeps) && keeps != 0 && !stream->store;
}

uint64_t gpu_l1_room(const struct gpu_plan *plan)
{
    struct gpu_split split;
    uint64_t size = plan->machine->l1d.size;
    bool one_array = gpu_split_of(plan->machine->gpu.arch, plan->shared, plan->resident, &split);
    uint64_t taken = !one_array ? 0
                     : size > split.most
                         ? split.shared
                         : plan->shared * plan->resident; /* the architecture has no known steps */
    return size > taken ? size - taken : 0;
}

uint64_t gpu_l2_room(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    uint64_t room = plan->machine->l2.size / plan->machine->gpu.sides;
    return stream->dense > 0 ? room / plan->machine->gpu.l2_channels * plan->channels : room;
}

uint64_t gpu_block_transfers(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    uint64_t sector = plan->machine->l1d.sector;
    uint64_t count = 0, last = UINT64_MAX;
    for (unsigned t = 0; t < plan->threads; t++) {
        uint64_t first = gpu_thread_offset(stream, t) / sector;
        uint64_t end = (gpu_thread_offset(stream, t) + stream->width - 1) / sector;
        if (t % plan->machine->gpu.wave == 0) /* each wave makes its own request */
            last = UINT64_MAX;
        count += end - first + 1 - (first == last);
        last = end;
    }
    return count;
}

uint64_t gpu_link_transfers(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    unsigned wave = plan->machine->gpu.wave;
    unsigned waves = (plan->threads + wave - 1) / wave;
    bool apart = stream->rule.bus >= plan->machine->l1d.sector; /* odd threads read another sector */
    return (uint64_t)waves * (apart ? 2 : 1) - (apart && plan->threads % wave == 1);
}

/* Rows that one block ever reads: only those of one pass if each pass begins at the first row. */
static uint64_t rows_read(const struct gpu_stream *stream)
{
    bool again = !stream->chase && stream->side == NULL && stream->advance == 0;
    return again && stream->per_pass < stream->rows ? stream->per_pass : stream->rows;
}

static double footprint(const struct gpu_stream *stream, uint64_t rows)
{
    double sides = stream->side == NULL ? 1 : 2; /* both sides hold a cycle, each for some multiprocessors */
    uint64_t together = stream->dense > 0 ? stream->dense / stream->step : 1;
    uint64_t ahead = stream->ahead / (stream->dense > 0 ? stream->apart : stream->step) * together;
    return sides * (double)(rows + ahead) * (double)stream->row_bytes + (double)stream->tail;
}

/* The number of blocks that each have a separate part of the region. */
static double blocks_at(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    return stream->block > 0 || stream->side != NULL ? gpu_working_blocks(plan) : 1;
}

/* Bytes that another stream brings, in that many passes, to a cache that so many of its blocks share. Counts
 * whole passes, because a pass's accesses may be consecutive. */
static double brought(const struct gpu_stream *other, double passes, double blocks)
{
    passes = ceil(passes - 1e-9);
    double rows = other->per_pass < other->rows ? other->per_pass : (double)other->rows;
    double bytes = passes * rows * (double)other->brought * blocks;
    double all = footprint(other, other->rows);
    return bytes < all ? bytes : all;
}

static bool in_l1(const struct gpu_plan *plan, const struct template *templates,
                  const struct gpu_stream *stream)
{
    double reach = footprint(stream, rows_read(stream)) / (stream->side == NULL ? 1 : 2); /* one side's */
    double passes = (double)rows_read(stream) / stream->per_pass;
    if (!gpu_stream_keeps(templates, stream) || reach > (double)gpu_l1_room(plan))
        return false;
    double room = (double)gpu_l1_room(plan);
    if (gpu_sets_ways(plan, GPU_L1) ==
        UINT32_MAX) /* lines of other streams fall into some sets more often than into others */
        room *= BESIDE_OTHERS;
    unsigned lines = gpu_sets_fullest(plan, stream, GPU_L1, passes, false);
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *other = &plan->streams[i];
        unsigned blocks = other->block > 0 ? plan->resident : 1;
        if (other == stream || gpu_level_in_shared(other->level) || !gpu_stream_keeps(templates, other))
            continue;
        reach += brought(other, passes, blocks);
        if (reach > room)
            return false;
        lines += blocks * gpu_sets_fullest(plan, other, GPU_L1, passes, false);
    }
    return lines <= gpu_sets_ways(plan, GPU_L1);
}

/* Passes of all blocks in which they read the region once. */
static double passes_of_region(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    return (double)stream->rows / stream->per_pass / (stream->block > 0 ? blocks_at(plan, stream) : 1);
}

static bool in_l2(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    double reach = footprint(stream, stream->rows);
    double passes = passes_of_region(plan, stream);
    if (reach > (double)gpu_l2_room(plan, stream))
        return false;
    unsigned lines = gpu_sets_fullest(plan, stream, GPU_L2, (double)stream->rows, true);
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *other = &plan->streams[i];
        if (other == stream || other->predicted < GPU_L2)
            continue;
        reach += brought(other, passes, blocks_at(plan, other));
        if (reach > (double)gpu_l2_room(plan, stream))
            return false;
        lines += gpu_sets_fullest(plan, other, GPU_L2, passes, true);
    }
    return lines <= gpu_sets_ways(plan, GPU_L2);
}

/* L3 is indexed by physical addresses and an unpublished hash, so the bytes between two reads of a line must
 * be at most half of it. */
static bool in_l3(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    double reach = footprint(stream, stream->rows), room = (double)plan->machine->l3.size / 2;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *other = &plan->streams[i];
        if (other != stream && other->predicted > GPU_L2)
            reach += brought(other, passes_of_region(plan, stream), blocks_at(plan, other));
    }
    return reach <= room;
}

void gpu_streams_predict(struct gpu_plan *plan, const struct template *templates)
{
    for (size_t i = 0; i < plan->stream_count; i++) {
        struct gpu_stream *stream = &plan->streams[i];
        stream->predicted = gpu_level_in_shared(stream->level) ? stream->level
                            : in_l1(plan, templates, stream)   ? GPU_L1
                                                               : GPU_L2;
    }
    for (size_t i = 0; i < plan->stream_count; i++)
        if (plan->streams[i].predicted == GPU_L2 && !in_l2(plan, &plan->streams[i]))
            plan->streams[i].predicted = GPU_MEM;
    for (size_t i = 0; i < plan->stream_count; i++)
        if (plan->streams[i].predicted == GPU_MEM && in_l3(plan, &plan->streams[i]))
            plan->streams[i].predicted = GPU_L3;
}

/* Bytes that all blocks read in a pass, if each has a separate part of the region. */
static double pass_bytes(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    bool apart = stream->side != NULL || stream->block % stream->bytes != 0;
    return (double)stream->per_pass * (double)stream->brought * (apart ? gpu_working_blocks(plan) : 1);
}

uint64_t gpu_stream_past_l2(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    double pass = pass_bytes(plan, stream), all = 0, past = (double)plan->machine->l2.size * PAST_TIMES;
    for (size_t i = 0; i < plan->stream_count; i++)
        all += plan->streams[i].level == GPU_MEM ? pass_bytes(plan, &plan->streams[i]) : 0;
    if (plan->kernel->items[stream->item].working_set == 0 && all > pass) /* streams fill L2 together */
        past *= pass / all;
    double enough = fmin(past, (double)stream->rows * (double)stream->brought);
    /* If memory serves one load in thousands, this would take too long. */
    double most = MOST_WARMUP / fmax((double)plan->slot_count, 1);
    bool nvidia = plan->machine->gpu.arch[0] == 's'; /* sm_ */
    return nvidia && pass < enough ? (uint64_t)ceil(fmax(fmin(enough / pass, most), 1)) : 1;
}

/* ---- room ---- */

enum status gpu_shared_check(const struct gpu_plan *plan, const struct template *templates,
                             struct error *error)
{
    char has[32], needs[32];
    uint64_t reach = UINT64_MAX;
    if (template_word(templates, "reach.shared", &reach) && plan->shared > reach &&
        plan->shared <= plan->machine->gpu.shared)
        return error_set(error, STATUS_RECIPE,
                         "a block needs %s of shared memory, but instructions reach only %s: expected a "
                         "machine file with gpu.shared = \"%s\" at most",
                         units_format_size(plan->shared, needs, sizeof needs),
                         units_format_size(reach, has, sizeof has),
                         units_format_size(reach, has, sizeof has));
    if (plan->shared <= plan->machine->gpu.shared)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE,
                     "a block needs %s of shared memory: machine %s has %s; expected fewer threads%s",
                     units_format_size(plan->shared, needs, sizeof needs), plan->machine->name,
                     units_format_size(plan->machine->gpu.shared, has, sizeof has),
                     plan->rings != NULL ? ", or stages" : "");
}

enum status gpu_memory_check(const struct gpu_plan *plan, struct error *error)
{
    char has[32], needs[32];
    uint64_t memory = plan->machine->gpu.memory;
    if (memory == 0 || plan->bytes <= memory / 8 * 7)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE,
                     "the data needs %s: machine %s has %s of memory; expected a smaller stride, lane or "
                     "working_set, or fewer loads from memory",
                     units_format_size(plan->bytes, needs, sizeof needs), plan->machine->name,
                     units_format_size(memory, has, sizeof has));
}
