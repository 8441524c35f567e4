#include "generator/plan/gpu/gpu_sides.h"

#include "base/units.h"
#include "generator/plan/gpu/gpu_data.h"

#include <string.h>

/* A chunk is a page unless the machine file states less, because virtual and physical addresses agree only
 * within a page. About half of the device's chunks belong to each side; a quarter more are reserved in case
 * it is not exactly half. */
enum { CHUNK_BYTES = 4096, LEAST_CHUNKS = 8, MOST_CHUNKS = 1 << 20, WORD_BYTES = 8 };

static uint64_t pool_chunks(uint64_t count)
{
    return 2 * count + count / 2;
}

const char *gpu_side_of(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    const char *side = plan->kernel->place.side;
    return stream->level >= GPU_L2 ? side : NULL;
}

/* Chooses the accesses of a pass to each chunk: about equally many for all chunks, and a whole number of
 * rounds of the words, because every chunk begins with the first word. */
static enum status choose_hop(const struct gpu_plan *plan, struct gpu_stream *stream, uint64_t room,
                              uint64_t span, struct error *error)
{
    uint64_t most = (room - span) / stream->step + 1;
    uint64_t words = gpu_stream_word_rows(plan, stream);
    if (words > most || stream->per_pass % words != 0)
        return error_set(
            error, STATUS_RECIPE,
            "%s.data needs %llu accesses of a wave for its toggle rate, and every chunk of a side of L2 "
            "begins with the first word: a chunk has room for %llu accesses, and a pass makes %u; expected a "
            "rate of at most 0.5, or loop.units for which a pass has whole words",
            plan->kernel->items[stream->item].op, (unsigned long long)words, (unsigned long long)most,
            stream->per_pass);
    most -= most % words;
    uint64_t chunks = (stream->per_pass + most - 1) / most;
    stream->hop = (unsigned)((stream->per_pass / words + chunks - 1) / chunks * words);
    return STATUS_OK;
}

enum status gpu_sides_lay(const struct gpu_plan *plan, struct gpu_stream *stream, uint64_t wanted,
                          uint64_t least, struct error *error)
{
    const struct gpu *gpu = &plan->machine->gpu;
    unsigned wave = plan->threads < gpu->wave ? plan->threads : gpu->wave;
    struct gpu_rule *rule = &stream->rule;
    uint64_t span = stream->lane * (wave - 1) + stream->width;
    rule->chunk = gpu->side_bytes > 0 ? gpu->side_bytes : CHUNK_BYTES;
    rule->bus = stream->chase ? 0 : gpu_stream_bus(plan, stream);
    rule->header = stream->chase ? 0 : plan->machine->l2.line;
    rule->header = rule->header < 2 * rule->bus ? 2 * rule->bus : rule->header;
    uint64_t room = rule->chunk - rule->header;
    char has[32], needs[32];
    if (!stream->chase && rule->bus < WORD_BYTES)
        return error_set(
            error, STATUS_RECIPE,
            "%s.data with bus = %u and place.side: the words that lead from chunk to chunk have %d "
            "bits; expected a bus of at least %d bits",
            plan->kernel->items[stream->item].op, 8 * rule->bus, 8 * WORD_BYTES, 8 * WORD_BYTES);
    if (stream->level == GPU_MEM && plan->blocks > gpu->sm)
        return error_set(
            error, STATUS_RECIPE,
            "%s.served_by.MEM with place.side, and the grid has %u blocks: all blocks of a multiprocessor "
            "walk the same lines, and L2 would serve the later ones; expected at most %u blocks",
            plan->kernel->items[stream->item].op, plan->blocks, gpu->sm);
    if (span > room)
        return error_set(
            error, STATUS_RECIPE,
            "%s.lane is %s: an access of %u threads spans %s, but a chunk of one side of L2 has %s; expected "
            "smaller lanes",
            plan->kernel->items[stream->item].op, units_format_size(stream->lane, has, sizeof has), wave,
            units_format_size(span, needs, sizeof needs), units_format_size(room, has, sizeof has));
    stream->side = gpu_side_of(plan, stream);
    stream->hop = 1;
    if (!stream->chase && choose_hop(plan, stream, room, span, error) != STATUS_OK)
        return STATUS_RECIPE;
    rule->count = wanted / rule->chunk > LEAST_CHUNKS ? wanted / rule->chunk : LEAST_CHUNKS;
    if (rule->count < (least + stream->hop - 1) / stream->hop)
        rule->count = (least + stream->hop - 1) / stream->hop;
    if (rule->count > MOST_CHUNKS)
        return error_set(
            error, STATUS_RECIPE,
            "%s.served_by.%s with place.side: a warp reads %llu bytes of each chunk of a side, and others "
            "come to "
            "the same lines while L2 still has them unless there are %llu chunks; expected grid.blocks = %u, "
            "one "
            "for each multiprocessor, more threads, wider lanes or more loads, for which %d chunks do",
            plan->kernel->items[stream->item].op, gpu_level_name((int)stream->level),
            (unsigned long long)(stream->hop * stream->row_bytes), (unsigned long long)rule->count, gpu->sm,
            MOST_CHUNKS);
    rule->sm = gpu->sm;
    rule->starts = (plan->threads + gpu->wave - 1) / gpu->wave;
    rule->far = strcmp(stream->side, "far") == 0;
    uint64_t table = (uint64_t)rule->sm * rule->starts * WORD_BYTES;
    table = (table + rule->chunk - 1) / rule->chunk * rule->chunk;
    stream->rows = rule->count * stream->hop;
    stream->bytes = table + pool_chunks(rule->count) * rule->chunk;
    stream->tail = stream->ahead = stream->block = stream->advance = 0;
    return STATUS_OK;
}

enum status gpu_sides_check(const struct gpu_plan *plan, struct error *error)
{
    const char *side = plan->kernel->place.side;
    bool any = false;
    if (side == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        const struct behaviour *item = &plan->kernel->items[stream->item];
        any = any || stream->side != NULL;
        if (item->working_set > 0)
            return error_set(error, STATUS_RECIPE,
                             "%s.working_set with place.side: expected served_by, because the chunks of a "
                             "side must be known before the level that serves them",
                             item->op);
    }
    if (any)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE,
                     "place.side is \"%s\", but nothing in the kernel reaches L2: expected a load or store "
                     "that L2 or MEM serves",
                     side);
}

void gpu_sides_add_rates(struct gpu_plan *plan)
{
    static const char metric[] = "l2.far_share";
    const char *side = NULL;
    for (size_t i = 0; i < plan->stream_count; i++)
        side = plan->streams[i].side != NULL ? plan->streams[i].side : side;
    if (side == NULL)
        return;
    double share = strcmp(side, "far") == 0;
    rates_add(&plan->arena, &plan->rates.expected, metric, share);
    rates_add(&plan->arena, &plan->rates.targets, metric, share);
}
