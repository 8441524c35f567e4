#include "generator/gpu/gpu_streams.h"

#include "generator/gpu/gpu_channels.h"

#include "base/units.h"
#include "generator/gpu/gpu_sides.h"

#include <stdio.h>
#include <string.h>

/* Of a cache: the part that a region of its level has, and how many times over one must be too large for it.
 * An L2 of two sides may hold a line in both. */
enum { L1_PART = 4, L2_PART = 8, SHARED_PART = 2, MEM_TIMES = 8, L1_TIMES = 4, PAGE_BYTES = 4096, SPAN = 8 };

static uint64_t round_up(uint64_t number, uint64_t unit)
{
    return (number + unit - 1) / unit * unit;
}

static bool keeps_in_l1(const struct template *templates, const struct gpu_stream *stream)
{
    char name[64];
    uint64_t keeps = 0;
    snprintf(name, sizeof name, "l1.%.40s", stream->cache);
    return template_word(templates, name, &keeps) && keeps != 0 && !stream->store;
}

/* Bytes of L1 that a block's shared memory leaves. */
static uint64_t l1_room(const struct gpu_plan *plan)
{
    uint64_t size = plan->machine->l1d.size;
    bool one_array = strcmp(plan->machine->isa, "ptx") == 0; /* L1 and shared memory share it */
    uint64_t taken = one_array ? plan->shared : 0;
    return size > taken ? size - taken : 0;
}

/* How often the streams that memory serves bring a line for each access of this one's level. */
static double flood(const struct gpu_plan *plan)
{
    double memory = 0, second = 0;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        double bytes = (double)stream->per_pass * (double)stream->width;
        memory += stream->level == GPU_MEM ? bytes : 0;
        second += stream->level == GPU_L2 ? bytes : 0;
    }
    return second > 0 ? memory / second : 0;
}

/* times: how many blocks bring what memory serves until one is where another was. */
static uint64_t wanted_bytes(const struct gpu_plan *plan, const struct template *templates,
                             const struct gpu_stream *stream, double times)
{
    const struct machine *machine = plan->machine;
    uint64_t wish = plan->kernel->items[stream->item].base.working_set;
    uint64_t second =
        (uint64_t)((double)(machine->l2.size / L2_PART / machine->gpu.sides) / (1 + times * flood(plan)));
    if (stream->dense > 0) /* only the chosen channels keep it */
        second = second / machine->gpu.l2_channels * plan->channels;
    if (wish > 0)
        return wish;
    switch (stream->level) {
    case GPU_SHARED:
        return machine->gpu.shared / SHARED_PART;
    case GPU_L1:
        return l1_room(plan) / L1_PART;
    case GPU_L2:
        return keeps_in_l1(templates, stream) && second < L1_TIMES * machine->l1d.size
                   ? L1_TIMES * machine->l1d.size
                   : second;
    default:
        return MEM_TIMES * machine->l2.size;
    }
}

/* The region's rows, so that passes go round it evenly; the next block's start. */
static void lay_rows(const struct gpu_plan *plan, struct gpu_stream *stream, uint64_t wanted)
{
    uint64_t rows = wanted / stream->step;
    if (rows < 1)
        rows = 1;
    if (stream->chase && plan->kernel->items[stream->item].random)
        while ((rows & (rows - 1)) != 0) /* an order of all of a power of two is quickly told */
            rows &= rows - 1;
    uint64_t together = stream->dense > 0 && !stream->chase ? stream->dense / stream->step : 1;
    if (rows < together)
        rows = together;
    rows -= rows % together; /* a whole number of what neighbouring channels have */
    bool goes_on = !stream->chase && rows >= stream->per_pass && stream->per_pass % together == 0;
    uint64_t words = together * gpu_stream_word_rows(plan, stream);
    uint64_t pass = words; /* rows that are whole passes, and have whole words */
    while (goes_on && pass % stream->per_pass != 0)
        pass += words;
    if (goes_on && rows < pass) { /* the words are more than passes that leave nothing over */
        goes_on = rows < words;
        pass = goes_on ? stream->per_pass : words;
    }
    if (rows >= pass)
        rows -= rows % pass;
    uint64_t group = stream->dense > 0 ? stream->apart : stream->step; /* bytes of so many rows together */
    stream->rows = (unsigned)rows;
    stream->bytes = rows / together * group;
    stream->advance = goes_on && rows > stream->per_pass ? stream->per_pass / together * group : 0;
    uint64_t unit = stream->chase ? stream->step : stream->advance;
    stream->block = 0;
    if (stream->level >= GPU_L2 && unit > 0) {
        uint64_t apart = stream->bytes / unit / plan->blocks * unit;
        stream->block = apart > 0 ? apart : unit;
    }
    uint64_t span = stream->lane * (plan->threads - 1) + stream->width;
    stream->tail = span > stream->step ? round_up(span - stream->step, SPAN) : 0;
}

/* Blocks that start at one place flood L2 each for itself, and come back to a line only together. */
static double flood_times(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    uint64_t starts = stream->block > 0 ? (stream->bytes + stream->block - 1) / stream->block : 1;
    return starts < plan->blocks ? (double)plan->blocks / (double)starts : 1;
}

/* By what comes by until a line is read again. */
static enum gpu_level predict(const struct gpu_plan *plan, const struct template *templates,
                              const struct gpu_stream *stream)
{
    uint64_t bytes = stream->bytes + stream->tail;
    uint64_t second = plan->machine->l2.size / plan->machine->gpu.sides;
    if (stream->dense > 0) {
        second = second / plan->machine->gpu.l2_channels * plan->channels;
        bytes = stream->bytes / stream->apart * stream->dense;
    }
    if (stream->level == GPU_SHARED)
        return GPU_SHARED;
    if (keeps_in_l1(templates, stream) && bytes <= l1_room(plan))
        return GPU_L1;
    double flooded = stream->level == GPU_L2 ? flood(plan) * flood_times(plan, stream) : 0;
    double reach = (double)bytes * (1 + flooded);
    return reach <= (double)second ? GPU_L2 : GPU_MEM;
}

static enum status check_level(const struct gpu_plan *plan, const struct template *templates,
                               const struct gpu_stream *stream, struct error *error)
{
    const struct gpu_behaviour *item = &plan->kernel->items[stream->item];
    char bytes[32], row[32];
    units_format_size(stream->bytes + stream->tail, bytes, sizeof bytes);
    units_format_size(stream->step, row, sizeof row);
    if (stream->level == GPU_L2 && keeps_in_l1(templates, stream) && plan->blocks > plan->machine->gpu.sm)
        return error_set(
            error, STATUS_RECIPE,
            "%s.cache is \"%s\", which L1 keeps, and the grid has %u blocks: of two on one "
            "multiprocessor one would find in L1 what the other read; expected at most %u blocks, "
            "or an operator that goes past L1",
            item->base.op, stream->cache, plan->blocks, plan->machine->gpu.sm);
    if (item->base.working_set > 0 || stream->predicted == stream->level)
        return STATUS_OK;
    if (stream->level == GPU_L1 && !keeps_in_l1(templates, stream))
        return error_set(error, STATUS_RECIPE, "%s.served_by.L1 with cache = \"%s\": that goes past L1",
                         item->base.op, stream->cache);
    return error_set(
        error, STATUS_RECIPE,
        "%s.served_by.%s: a region of %s (rows of %s, one access of a block of %u threads each) is "
        "served by %s; expected fewer threads or closer lanes",
        item->base.op, gpu_level_name((int)stream->level), bytes, row, plan->threads,
        gpu_level_name((int)stream->predicted));
}

static enum status size_stream(struct gpu_plan *plan, const struct template *templates,
                               struct gpu_stream *stream, struct error *error)
{
    const struct gpu_behaviour *item = &plan->kernel->items[stream->item];
    uint64_t sector = plan->machine->l1d.sector;
    unsigned threads = gpu_side_of(plan, stream) == NULL || plan->threads < plan->machine->gpu.wave
                           ? plan->threads
                           : plan->machine->gpu.wave;
    stream->step = item->base.stride > 0 ? item->base.stride : round_up(stream->lane * threads, sector);
    if (stream->step % stream->width != 0 || stream->lane % stream->width != 0)
        return error_set(error, STATUS_RECIPE, "%s.%s is no multiple of its width, %u bytes", item->base.op,
                         stream->step % stream->width != 0 ? "stride" : "lane", stream->width);
    if (gpu_channels_spread(plan, stream, error) != STATUS_OK)
        return STATUS_RECIPE;
    if (gpu_side_of(plan, stream) != NULL) {
        if (gpu_sides_lay(plan, stream, wanted_bytes(plan, templates, stream, 1), error) != STATUS_OK)
            return STATUS_RECIPE;
    } else {
        lay_rows(plan, stream, wanted_bytes(plan, templates, stream, 1));
        if (stream->level == GPU_L2 && flood(plan) > 0 && flood_times(plan, stream) > 1)
            lay_rows(plan, stream, wanted_bytes(plan, templates, stream, plan->blocks));
    }
    stream->predicted = predict(plan, templates, stream);
    if (item->base.working_set > 0 && stream->level != GPU_SHARED)
        stream->level = stream->predicted;
    return check_level(plan, templates, stream, error);
}

static enum status check_shared(const struct gpu_plan *plan, struct error *error)
{
    char has[32], needs[32];
    if (plan->shared <= plan->machine->gpu.shared)
        return STATUS_OK;
    return error_set(
        error, STATUS_RECIPE,
        "a block needs %s of shared memory: the machine %s has %s for it; expected fewer threads",
        units_format_size(plan->shared, needs, sizeof needs), plan->machine->name,
        units_format_size(plan->machine->gpu.shared, has, sizeof has));
}

static enum status check_memory(const struct gpu_plan *plan, struct error *error)
{
    char has[32], needs[32];
    uint64_t memory = plan->machine->gpu.memory;
    if (memory == 0 || plan->bytes <= memory / 8 * 7)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE, "the data has %s: the machine %s has %s of memory",
                     units_format_size(plan->bytes, needs, sizeof needs), plan->machine->name,
                     units_format_size(memory, has, sizeof has));
}

/* True where not all blocks take part. */
static bool is_placed(const struct gpu_plan *plan)
{
    static const char *const kinds[] = {"se", "sh", "cu", "sm"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (json_array_size(json_object_get(plan->kernel->place, kinds[i])) > 0)
            return true;
    return false;
}

/* Passes in which the blocks that start in it together have been everywhere in the region. */
static uint64_t passes_round(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    uint64_t whole = (stream->rows + stream->per_pass - 1) / stream->per_pass;
    bool random = stream->chase && plan->kernel->items[stream->item].random;
    if (stream->level <= GPU_L1 || stream->block == 0 || stream->side != NULL || random || is_placed(plan))
        return whole;
    uint64_t unit = stream->chase ? stream->step : stream->advance;
    uint64_t total = stream->bytes / unit;
    uint64_t apart = stream->block / unit;
    /* What the last block has before it is longest, as starts are apart by whole units. */
    uint64_t longest = total > apart * plan->blocks ? total - apart * (plan->blocks - 1) : apart;
    return stream->chase ? (longest + stream->per_pass - 1) / stream->per_pass : longest;
}

/* Passes after which every cache holds what it is to hold. */
static void count_warmup(struct gpu_plan *plan)
{
    plan->warmup = 1;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        uint64_t round = stream->level == GPU_MEM ? 1 : passes_round(plan, stream);
        if (round + 1 > plan->warmup)
            plan->warmup = round + 1;
    }
}

enum status gpu_streams_size(struct gpu_plan *plan, const struct template *templates, struct error *error)
{
    enum status status = STATUS_OK;
    plan->shared = 0;
    plan->bytes = 0;
    plan->align = gpu_channels_period(plan) > PAGE_BYTES ? gpu_channels_period(plan) : PAGE_BYTES;
    for (int shared = 1; shared >= 0; shared--) { /* what shared memory takes, L1 has not */
        for (size_t i = 0; status == STATUS_OK && i < plan->stream_count; i++) {
            struct gpu_stream *stream = &plan->streams[i];
            if ((stream->level == GPU_SHARED) != (shared == 1))
                continue;
            status = size_stream(plan, templates, stream, error);
            uint64_t bytes = round_up(stream->bytes + stream->tail, 16);
            plan->shared += shared == 1 ? bytes : 0;
            uint64_t first = plan->first_channel * plan->machine->gpu.interleave;
            bool chosen = stream->dense > 0;
            stream->offset = chosen ? round_up(plan->bytes, gpu_channels_period(plan)) + first : plan->bytes;
            plan->bytes = round_up(stream->offset + bytes, PAGE_BYTES);
        }
    }
    if (status == STATUS_OK)
        status = gpu_sides_check(plan, error);
    if (status == STATUS_OK)
        status = check_shared(plan, error);
    if (status == STATUS_OK)
        status = check_memory(plan, error);
    count_warmup(plan);
    return status;
}

unsigned gpu_stream_transfers(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    unsigned threads = plan->machine->gpu.wave < plan->threads ? plan->machine->gpu.wave : plan->threads;
    uint64_t sector = plan->machine->l1d.sector;
    uint64_t last = UINT64_MAX;
    unsigned count = 0;
    for (unsigned t = 0; t < threads; t++) {
        uint64_t first = t * stream->lane / sector;
        uint64_t end = (t * stream->lane + stream->width - 1) / sector;
        count += (unsigned)(end - first + 1) - (first == last);
        last = end;
    }
    return count;
}
