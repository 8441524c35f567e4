#include "generator/plan/gpu/gpu_streams.h"

#include "base/rational.h"
#include "base/units.h"
#include "generator/plan/gpu/gpu_async.h"
#include "generator/plan/gpu/gpu_channels.h"
#include "generator/plan/gpu/gpu_data.h"
#include "generator/plan/gpu/gpu_dispatch.h"
#include "generator/plan/gpu/gpu_reach.h"
#include "generator/plan/gpu/gpu_sets.h"
#include "generator/plan/gpu/gpu_shared_words.h"
#include "generator/plan/gpu/gpu_sides.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The part of a cache that a region of its level uses, and the size of a region that must not fit, in
 * multiples of the cache's. An L2 of two sides may hold a line in both. */
enum {
    L1_PART = 4,
    L2_PART = 8,
    SHARED_PART = 2,
    FAR_TIMES = 8,
    LEAST_TIMES = 4,
    L3_PART = 4,
    L1_TIMES = 4,
    SIDE_TIMES = 2,
    PAGE_BYTES = 4096,
    SPAN = 8,
    FEW_PASSES = 256,
    ROOM_FOR_SETS = 12,
    OFF_BY_PARTS = 100
};

static const char usual_past_l1[] = "l2"; /* on the ISAs that have an operator for early eviction */

/* The number of streams that share the level; a block's shared memory holds the regions of SHARED and of
 * DSMEM. */
static unsigned sharing(const struct gpu_plan *plan, enum gpu_level level)
{
    unsigned count = 0;
    for (size_t i = 0; i < plan->stream_count; i++)
        count += plan->streams[i].level == level ||
                 (gpu_level_in_shared(level) && gpu_level_in_shared(plan->streams[i].level));
    return count > 0 ? count : 1;
}

/* Bytes that streams from behind L2 bring per byte of L2's streams. */
static double flood(const struct gpu_plan *plan)
{
    double behind = 0, second = 0;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        double bytes = (double)stream->per_pass * (double)stream->brought;
        behind += stream->level > GPU_L2 ? bytes : 0;
        second += stream->level == GPU_L2 ? bytes : 0;
    }
    return second > 0 ? behind / second : 0;
}

/* Bytes that other streams bring to L1 per byte of L1's streams. */
static double flood_l1(const struct gpu_plan *plan, const struct template *templates)
{
    double others = 0, first = 0;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        double bytes = (double)stream->per_pass * (double)stream->brought;
        bool walks = plan->kernel->items[stream->item].working_set > 0;
        others += stream->level >= GPU_L2 && gpu_stream_keeps(templates, stream) ? bytes : 0;
        first += stream->level == GPU_L1 && !walks ? bytes : 0;
    }
    return first > 0 ? others / first : 0;
}

/* True if each block begins at a separate row of the region, not only where a pass may begin: in L2, where
 * blocks that read the same lines at the same time would share transfers (Ampere and later merge such
 * requests). The last rows are then read less often than others: too rarely to stay if memory's lines pass
 * through, so not beside streams from memory. */
static bool begins_anywhere(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    bool walks = false;
    for (size_t i = 0; i < plan->stream_count; i++)
        walks = walks || plan->kernel->items[plan->streams[i].item].working_set > 0;
    return stream->level == GPU_L2 && !stream->chase && !walks && flood(plan) <= 0;
}

/* So many rows that L1 keeps none of them until it is read again. */
static uint64_t rows_past_l1(const struct gpu_plan *plan, const struct template *templates,
                             const struct gpu_stream *stream)
{
    return gpu_stream_keeps(templates, stream) ? L1_TIMES * plan->machine->l1d.size / stream->row_bytes : 0;
}

/* Rows of a side's cycle, in which waves begin at even distances: so many that L2 has evicted a wave's lines
 * when the wave behind reaches them, though only working blocks bring lines. */
static uint64_t rows_of_side(const struct gpu_plan *plan, const struct template *templates,
                             const struct gpu_stream *stream)
{
    double working = gpu_working_blocks(plan), all = plan->machine->gpu.sm;
    if (stream->level != GPU_MEM || working <= 0)
        return rows_past_l1(plan, templates, stream);
    return (uint64_t)((double)(SIDE_TIMES * plan->machine->l2.size / stream->row_bytes) *
                      (working < all ? all / working : 1));
}

/* Rows of a region of L2: a part of L2, and more than L1 holds if L1 caches the reads. */
static uint64_t second_rows(const struct gpu_plan *plan, const struct template *templates,
                            const struct gpu_stream *stream)
{
    double part = (double)(gpu_l2_room(plan, stream) / L2_PART) / sharing(plan, GPU_L2);
    uint64_t rows = (uint64_t)(part / (1 + flood(plan))) / stream->step;
    uint64_t least = rows_past_l1(plan, templates, stream);
    if (begins_anywhere(plan, stream) &&
        rows >= 2 * stream->per_pass) /* leaves room for the reads beyond the region */
        rows -= stream->per_pass;
    return rows < least ? least : rows;
}

/* Adjacent rows in the chosen channels; a region is a whole number of such groups. */
static uint64_t rows_together(const struct gpu_stream *stream)
{
    return stream->dense > 0 && !stream->chase ? stream->dense / stream->step : 1;
}

/* The least number of rows, from `rows` on, that holds the data's words a whole number of times. */
static uint64_t with_whole_words(const struct gpu_plan *plan, const struct gpu_stream *stream, uint64_t rows)
{
    uint64_t words = rows_together(stream) * gpu_stream_word_rows(plan, stream);
    uint64_t whole = rows;
    while (whole % words != 0)
        whole += rows;
    return whole;
}

/* Rows of one pass of all blocks in sequence. */
static uint64_t rows_of_turn(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    return with_whole_words(plan, stream, (uint64_t)plan->blocks * (stream->chase ? 1 : stream->per_pass));
}

static bool in_random_order(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    return stream->chase && plan->kernel->items[stream->item].random;
}

/* Bytes that other streams bring past L2 per byte of this one. */
static double beside(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    double others = 0;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *other = &plan->streams[i];
        others +=
            other != stream && other->level > GPU_L2 ? (double)other->per_pass * (double)other->brought : 0;
    }
    return others / ((double)stream->per_pass * (double)stream->brought);
}

static bool has_level(const struct gpu_plan *plan, enum gpu_level level)
{
    bool has = false;
    for (size_t i = 0; i < plan->stream_count; i++)
        has = has || plan->streams[i].level == level;
    return has;
}

/* Rows of a region of L3 or memory: so many that no block reaches the rows that another has just read while
 * the cache in front still holds them. Only working blocks count; those of one compute unit are as far apart
 * as its turns. */
static uint64_t far_rows(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    bool past_l3 = stream->level == GPU_MEM && plan->machine->l3.size > 0;
    uint64_t front = past_l3 ? plan->machine->l3.size : plan->machine->l2.size;
    double working = gpu_working_blocks(plan);
    double gap = (double)gpu_dispatch_gap(plan, in_random_order(plan, stream));
    double apart = working > 1 ? 2 * (double)front * plan->blocks / working / gap : 0;
    uint64_t bytes = FAR_TIMES * front;
    if (stream->level == GPU_L3 &&
        bytes > plan->machine->l3.size / L3_PART) /* other streams need room there, too */
        bytes = LEAST_TIMES * front;
    bytes = apart > (double)bytes ? (uint64_t)apart : bytes;
    if (stream->level == GPU_L3)
        bytes = (uint64_t)((double)bytes / (1 + beside(plan, stream)));
    uint64_t rows = (bytes + stream->row_bytes - 1) / stream->row_bytes, turn = rows_of_turn(plan, stream);
    uint64_t turns = (rows + turn - 1) / turn;
    if (stream->level == GPU_L3 && has_level(plan, GPU_L2) && !in_random_order(plan, stream)) {
        uint64_t most = turns + turns / ROOM_FOR_SETS;
        uint64_t spread = gpu_sets_apart(plan, most, turn / plan->blocks * stream->step);
        turns = spread > turns ? spread
                               : turns; /* blocks that begin in other sets do not evict L2's lines there */
    }
    return turns * turn;
}

static uint64_t wanted_rows(const struct gpu_plan *plan, const struct template *templates,
                            const struct gpu_stream *stream)
{
    uint64_t requested = plan->kernel->items[stream->item].working_set;
    uint64_t rows = 1;
    if (requested > 0)
        rows = requested / stream->step;
    else if (gpu_level_in_shared(stream->level))
        rows = (plan->machine->gpu.shared - gpu_tiles_bytes(&plan->tiles)) / SHARED_PART /
               sharing(plan, stream->level) / stream->step;
    else if (stream->level == GPU_L1)
        rows = (uint64_t)((double)(gpu_l1_room(plan) / L1_PART / sharing(plan, GPU_L1)) /
                          (1 + flood_l1(plan, templates))) /
               stream->step;
    else if (stream->level == GPU_L2)
        rows = second_rows(plan, templates, stream);
    else
        rows = far_rows(plan, stream);
    return rows > 0 ? rows : 1;
}

/* Threads whose accesses form one row: a block's or, if waves move independently, a wave's. */
static unsigned threads_of_row(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    bool own = gpu_side_of(plan, stream) != NULL && plan->threads > plan->machine->gpu.wave;
    return own ? plan->machine->gpu.wave : plan->threads;
}

/* Bytes of the lines that an access of these threads touches. */
static uint64_t touched(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    uint64_t line = plan->machine->l1d.line;
    uint64_t next = 0, count = 0; /* next: the first line that no thread has touched yet */
    for (unsigned t = 0; t < threads_of_row(plan, stream); t++) {
        uint64_t first = t * stream->lane / line;
        uint64_t end = (t * stream->lane + stream->width - 1) / line;
        first = first < next ? next : first;
        count += end + 1 - first;
        next = end + 1;
    }
    return count * line;
}

static uint64_t power_below(uint64_t number)
{
    while ((number & (number - 1)) != 0)
        number &= number - 1;
    return number;
}

/* Bytes from one group to the next. */
static uint64_t group_bytes(const struct gpu_stream *stream)
{
    return stream->dense > 0 ? stream->apart : stream->step;
}

/* Bytes beyond the region that a pass from its last row on reads. */
static uint64_t bytes_ahead(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    uint64_t rows = stream->rows < stream->per_pass ? stream->rows : stream->per_pass;
    uint64_t together = rows_together(stream);
    bool any = begins_anywhere(plan, stream) && plan->blocks > 1;
    return any ? ((rows + together - 1) / together - 1) * group_bytes(stream) : 0;
}

/* Chooses the blocks' starts: as far apart as the region allows. */
static void part_blocks(const struct gpu_plan *plan, struct gpu_stream *stream)
{
    uint64_t unit = stream->chase                   ? stream->step
                    : begins_anywhere(plan, stream) ? group_bytes(stream)
                                                    : stream->advance;
    stream->block = 0;
    if (stream->level < GPU_L2 || unit == 0)
        return;
    uint64_t apart = stream->bytes / unit / plan->blocks;
    /* In the linear congruential order of a power-of-two number of rows, rows a power of two apart are at
     * least as many hops apart: its low bits have exactly that period. */
    if (in_random_order(plan, stream))
        apart = power_below(apart);
    else if (stream->level ==
             GPU_MEM) /* in L3, blocks are evenly apart: behind a larger gap a line would be evicted */
        apart = gpu_sets_apart(plan, apart, unit);
    stream->block = (apart > 0 ? apart : 1) * unit;
}

/* A number of which a region's rows are a multiple, so that passes cover it evenly and its words repeat a
 * whole number of times. *goes_on: false if all passes must begin at the same row. */
static uint64_t rows_of_round(const struct gpu_plan *plan, const struct gpu_stream *stream, uint64_t rows,
                              bool *goes_on)
{
    uint64_t words = rows_together(stream) * gpu_stream_word_rows(plan, stream);
    uint64_t pass = words;
    while (*goes_on && pass % stream->per_pass != 0)
        pass += words;
    if (!*goes_on || rows >= pass)
        return pass;
    *goes_on = rows < words; /* false: the words need more rows than passes can divide evenly */
    return *goes_on ? stream->per_pass : words;
}

/* The rows, rounded to a multiple of `round` and, if there are enough, to one that blocks share evenly, too.
 */
static uint64_t whole_rounds(const struct gpu_plan *plan, const struct gpu_stream *stream, uint64_t rows,
                             uint64_t round)
{
    bool requested = plan->kernel->items[stream->item].working_set > 0;
    uint64_t turn = (uint64_t)plan->blocks * (stream->chase ? 1 : stream->per_pass);
    uint64_t both = turn;
    if (stream->level > GPU_L2 && !requested)
        return rational_round_up(rows, round);
    if (stream->level == GPU_L2 && !requested && !in_random_order(plan, stream)) {
        while (both <= rows && both % round != 0)
            both += turn;
        round = both <= rows ? both : round;
    }
    return rows < round ? rows : rows - rows % round;
}

/* Sets the region's rows, so that passes cover them and blocks share them evenly. */
static void lay_rows(const struct gpu_plan *plan, struct gpu_stream *stream, uint64_t rows)
{
    bool requested = plan->kernel->items[stream->item].working_set > 0;
    if (in_random_order(plan, stream)) /* a random order needs a power of two */
        rows = power_below(stream->level > GPU_L2 && !requested ? 2 * rows - 1 : rows);
    uint64_t together = rows_together(stream);
    rows = rows < together ? together : rows - rows % together;
    bool goes_on = !stream->chase && rows >= stream->per_pass && stream->per_pass % together == 0;
    uint64_t round = rows_of_round(plan, stream, rows, &goes_on);
    if (!in_random_order(plan, stream))
        rows = whole_rounds(plan, stream, rows, round);
    stream->rows = rows;
    stream->bytes = rows / together * group_bytes(stream);
    stream->advance =
        goes_on && rows > stream->per_pass ? stream->per_pass / together * group_bytes(stream) : 0;
    part_blocks(plan, stream);
    stream->ahead = bytes_ahead(plan, stream);
    uint64_t span = stream->lane * (plan->threads - 1) + stream->width;
    stream->tail = span > stream->step ? rational_round_up(span - stream->step, SPAN) : 0;
}

/* ---- checks ---- */

/* True if rows overlap: overlapping bytes are read again at once, from whichever cache holds them. */
static bool overlaps(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    uint64_t span = stream->lane * (plan->threads - 1) + stream->width;
    return stream->rows > 1 && rational_round_up(span, plan->machine->l1d.sector) > stream->step;
}

/* Refuses a walk whose length differs from the stated one by more than a hundredth. */
static enum status check_walk(const struct gpu_plan *plan, const struct gpu_stream *stream,
                              struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    uint64_t made = stream->rows * stream->step;
    uint64_t off = made > item->working_set ? made - item->working_set : item->working_set - made;
    if (item->working_set == 0 || off * OFF_BY_PARTS <= item->working_set)
        return STATUS_OK;
    error_set(error, STATUS_RECIPE,
              "%s.working_set is %" PRIu64 " bytes, and a walk of rows of %" PRIu64
              " bytes, %u in each pass, goes through %" PRIu64 " of them",
              item->op, item->working_set, stream->step, stream->per_pass, made);
    if (in_random_order(plan, stream))
        error_hint(error, "expected %" PRIu64 " or %" PRIu64 " bytes", made, 2 * made);
    else
        error_hint(error, "expected %" PRIu64 " bytes, or another loop = { units = }", made);
    return STATUS_RECIPE;
}

static enum status check_sharing(const struct gpu_plan *plan, const struct template *templates,
                                 const struct gpu_stream *stream, struct error *error)
{
    const char *op = plan->kernel->items[stream->item].op;
    bool kept = stream->level > GPU_L2 || (stream->level == GPU_L2 && gpu_stream_keeps(templates, stream));
    if (stream->level == GPU_L2 && gpu_stream_keeps(templates, stream) &&
        plan->blocks > plan->machine->gpu.sm)
        return error_set(error, STATUS_RECIPE,
                         "%s.cache is \"%s\", so L1 keeps the lines, and the grid has %u blocks: a block "
                         "would hit lines in L1 that another block of its multiprocessor read; expected at "
                         "most %u blocks, or an operator that bypasses L1",
                         op, stream->cache, plan->blocks, plan->machine->gpu.sm);
    if (stream->side != NULL) /* waves are apart in their chunk cycles */
        return STATUS_OK;
    if (kept && !stream->store && overlaps(plan, stream))
        return error_set(
            error, STATUS_RECIPE,
            "%s.stride is %llu bytes, but a block's %u threads span %llu bytes: rows overlap, and a thread "
            "would "
            "hit lines in %s that its neighbours have just read; expected a stride of at least %llu bytes",
            op, (unsigned long long)stream->step, plan->threads,
            (unsigned long long)(stream->lane * (plan->threads - 1) + stream->width),
            stream->level > GPU_L2 ? "L2" : "L1",
            (unsigned long long)rational_round_up(stream->lane * (plan->threads - 1) + stream->width,
                                                  plan->machine->l1d.sector));
    if (kept && !stream->store && stream->block == 0 && plan->blocks > 1 && stream->level > GPU_L2)
        return error_set(
            error, STATUS_RECIPE,
            "%s: the loop's %u accesses are not a multiple of the %llu for which neighbouring channels have "
            "room, so all blocks would read the same lines at the same time; expected such a multiple",
            op, stream->per_pass, (unsigned long long)rows_together(stream));
    uint64_t turn = stream->chase ? 1 : stream->per_pass;
    if (stream->level > GPU_L2 && stream->rows / turn < plan->blocks)
        return error_set(
            error, STATUS_RECIPE,
            "%s.working_set is %llu passes of one block long, and the grid has %u blocks: some would read "
            "the same lines at the same time; expected fewer blocks, or a shorter loop",
            op, (unsigned long long)(stream->rows / turn), plan->blocks);
    return STATUS_OK;
}

/* True if the operator marks lines for early eviction. It is not published whether such lines enter L2 as any
 * others, or are the first to be evicted. */
static bool leaves_early(const struct template *templates, const struct gpu_stream *stream)
{
    char name[64];
    uint64_t leaves = 0;
    snprintf(name, sizeof name, "early.%.40s", stream->cache);
    return template_word(templates, name, &leaves) && leaves != 0;
}

/* Refuses streams that are served as stated only if such lines enter L2 as any others. */
static enum status check_early(const struct gpu_plan *plan, const struct template *templates,
                               const struct gpu_stream *stream, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    double reach = 0;
    if (stream->store || item->working_set > 0 || !leaves_early(templates, stream))
        return STATUS_OK;
    if (stream->level > GPU_L2)
        return error_set(error, STATUS_RECIPE,
                         "%s.served_by.%s with cache = \"%s\": if L2 evicts such lines first, earlier ones "
                         "stay and L2 serves some of the loads; expected cache = \"%s\"",
                         item->op, gpu_level_name((int)stream->level), stream->cache, usual_past_l1);
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *other = &plan->streams[i];
        reach += other->predicted >= GPU_L2 ? (double)other->rows * (double)other->row_bytes : 0;
    }
    if (stream->level == GPU_L2 && reach > (double)gpu_l2_room(plan, stream))
        return error_set(
            error, STATUS_RECIPE,
            "%s.served_by.L2 with cache = \"%s\": other accesses fill L2, which may evict these lines "
            "first; expected cache = \"%s\"",
            item->op, stream->cache, usual_past_l1);
    return STATUS_OK;
}

/* Advice that brings the stream's lines to the stated level. */
static const char *advice(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    if (stream->predicted < stream->level)
        return stream->predicted == GPU_L1 ? "an operator that bypasses L1, or more threads or wider lanes"
                                           : "more threads or wider lanes";
    if (stream->level == GPU_L3)
        return "fewer loads from L3 and memory, or a machine file with a larger L3";
    for (size_t i = 0; i < plan->stream_count; i++)
        if (in_random_order(plan, &plan->streams[i]))
            return "fewer blocks or threads, closer lanes, or no stride = \"random\"";
    return "fewer threads, closer lanes or fewer accesses to other levels";
}

static enum status check_level(const struct gpu_plan *plan, const struct template *templates,
                               const struct gpu_stream *stream, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    char bytes[32], row[32];
    units_format_size(gpu_stream_reach(stream), bytes, sizeof bytes);
    units_format_size(stream->step, row, sizeof row);
    if (check_early(plan, templates, stream, error) != STATUS_OK)
        return STATUS_RECIPE;
    if (stream->side != NULL && stream->predicted == stream->level)
        return STATUS_OK;
    if (check_walk(plan, stream, error) != STATUS_OK)
        return STATUS_RECIPE;
    if (item->working_set > 0 || stream->predicted == stream->level)
        return check_sharing(plan, templates, stream, error);
    if (stream->level == GPU_L1 && !gpu_stream_keeps(templates, stream))
        return error_set(error, STATUS_RECIPE,
                         "%s.served_by.L1 with cache = \"%s\": this operator bypasses L1; expected cache = "
                         "\"%s\"",
                         item->op, stream->cache, strcmp(plan->machine->isa, "gcn") == 0 ? "l1" : "ca");
    return error_set(
        error, STATUS_RECIPE,
        "%s.served_by.%s: a region of %s (rows of %s, one access of a block of %u threads each), beside the "
        "lines that other accesses bring meanwhile, is served by %s; expected %s",
        item->op, gpu_level_name((int)stream->level), bytes, row, plan->threads,
        gpu_level_name((int)stream->predicted), advice(plan, stream));
}

/* Refuses displacements of 2 GiB and more from the stream's register. */
static enum status check_displacement(const struct gpu_plan *plan, const struct gpu_stream *stream,
                                      struct error *error)
{
    uint64_t rows = stream->per_pass < stream->rows ? stream->per_pass : stream->rows;
    uint64_t most = gpu_slot_displacement(stream, (unsigned)rows - 1);
    char reach[32];
    if (stream->chase || most < (uint64_t)1 << 31)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE,
                     "%s.stride: the loop's %u accesses span %s; expected less than 2GiB: use a smaller "
                     "stride or a shorter loop",
                     plan->kernel->items[stream->item].op, stream->per_pass,
                     units_format_size(most, reach, sizeof reach));
}

static enum status measure_row(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    uint64_t sector = plan->machine->l1d.sector;
    uint64_t unit = gpu_level_in_shared(stream->level) ? stream->width : sector;
    unsigned wave = plan->machine->gpu.wave;
    unsigned threads = gpu_side_of(plan, stream) != NULL && wave < plan->threads ? wave : plan->threads;
    if (stream->atomic != NULL)
        return gpu_words_lay(plan, stream, error);
    stream->step = item->stride > 0 ? item->stride : rational_round_up(stream->lane * threads, sector);
    if (stream->lane % stream->width != 0)
        return error_set(error, STATUS_RECIPE, "%s.lane is not a multiple of its width, %u bytes", item->op,
                         stream->width);
    if (stream->step % unit != 0 || stream->step % stream->width != 0)
        return error_set(error, STATUS_RECIPE, "%s.stride is %llu: expected a multiple of %u bytes, %s",
                         item->op, (unsigned long long)stream->step,
                         (unsigned)(unit > stream->width ? unit : stream->width),
                         unit > stream->width ? "a sector" : "its width");
    if (gpu_channels_spread(plan, stream, error) != STATUS_OK)
        return STATUS_RECIPE;
    uint64_t lines = touched(plan, stream);
    stream->row_bytes = lines < stream->step ? lines : stream->step;
    stream->brought = in_random_order(plan, stream) ? lines : stream->row_bytes;
    return STATUS_OK;
}

static enum status measure_rows(struct gpu_plan *plan, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->stream_count; i++)
        status = measure_row(plan, &plan->streams[i], error);
    return status;
}

/* Passes after which the blocks have read the stream's whole region. */
static uint64_t passes_round(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    uint64_t rows = stream->rows;
    bool every = gpu_working_blocks(plan) >= plan->blocks && !in_random_order(plan, stream);
    if (stream->level == GPU_MEM)
        return gpu_stream_past_l2(plan, stream);
    bool few = /* each block separately, because blocks do not wait for each other */
        stream->level == GPU_L2 && rows / stream->per_pass <= FEW_PASSES;
    if (stream->level >= GPU_L2 && stream->block > 0 && every && !few) {
        uint64_t apart = stream->block / group_bytes(stream) * rows_together(stream);
        uint64_t before = apart * (plan->blocks - 1); /* rows where the other blocks begin */
        rows = before < rows && rows - before > apart ? rows - before : apart;
    }
    uint64_t passes = (rows + stream->per_pass - 1) / stream->per_pass;
    return stream->level == GPU_L3 ? 2 * passes : passes; /* some blocks are ahead of others */
}

/* Sets the warm-up: passes after which every cache holds the lines that it serves, plus one. */
static void count_warmup(struct gpu_plan *plan)
{
    plan->warmup = 1;
    for (size_t i = 0; i < plan->stream_count; i++) {
        uint64_t passes = passes_round(plan, &plan->streams[i]) + 1;
        if (passes > plan->warmup)
            plan->warmup = passes;
    }
}

static enum status lay_stream(const struct gpu_plan *plan, const struct template *templates,
                              struct gpu_stream *stream, struct error *error)
{
    if (stream->atomic != NULL)
        return STATUS_OK; /* gpu_words_lay has placed it */
    uint64_t rows = wanted_rows(plan, templates, stream);
    if (gpu_side_of(plan, stream) != NULL)
        return gpu_sides_lay(plan, stream, rows * stream->step, rows_of_side(plan, templates, stream), error);
    lay_rows(plan, stream, rows);
    return check_displacement(plan, stream, error);
}

static enum status lay_streams(struct gpu_plan *plan, const struct template *templates, bool shared,
                               struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->stream_count; i++) {
        struct gpu_stream *stream = &plan->streams[i];
        if (gpu_level_in_shared(stream->level) != shared)
            continue;
        status = lay_stream(plan, templates, stream, error);
        uint64_t bytes = rational_round_up(gpu_stream_reach(stream), 16);
        plan->shared += shared ? rational_round_up(bytes, GPU_SHARED_ALIGN) : 0;
        uint64_t first = plan->first_channel * plan->machine->gpu.interleave;
        bool chosen = stream->dense > 0;
        stream->offset =
            chosen ? rational_round_up(plan->bytes, gpu_channels_period(plan)) + first : plan->bytes;
        plan->bytes = rational_round_up(stream->offset + bytes, PAGE_BYTES);
    }
    return status;
}

/* Sets the levels of working sets to the predicted ones. */
static enum status settle_levels(struct gpu_plan *plan, const struct template *templates, struct error *error)
{
    enum status status = STATUS_OK;
    gpu_streams_predict(plan, templates);
    for (size_t i = 0; i < plan->stream_count; i++) {
        struct gpu_stream *stream = &plan->streams[i];
        if (plan->kernel->items[stream->item].working_set == 0)
            continue;
        stream->level = stream->predicted;
        part_blocks(plan, stream);
    }
    for (size_t i = 0; status == STATUS_OK && i < plan->stream_count; i++)
        status = check_level(plan, templates, &plan->streams[i], error);
    return status;
}

enum status gpu_streams_size(struct gpu_plan *plan, const struct template *templates, struct error *error)
{
    plan->shared = 0;
    plan->bytes = 0;
    plan->align = gpu_channels_period(plan) > PAGE_BYTES ? gpu_channels_period(plan) : PAGE_BYTES;
    enum status status = measure_rows(plan, error);
    if (status == STATUS_OK) /* last, because shared memory reduces L1 */
        status = lay_streams(plan, templates, true, error);
    if (status == STATUS_OK)
        status = gpu_async_lay(plan, error);
    if (status == STATUS_OK)
        status = gpu_shared_check(plan, templates, error);
    if (status == STATUS_OK)
        status = lay_streams(plan, templates, false, error);
    if (status == STATUS_OK)
        status = gpu_sides_check(plan, error);
    if (status == STATUS_OK)
        status = settle_levels(plan, templates, error);
    if (status == STATUS_OK)
        status = gpu_channels_check(plan, error);
    if (status == STATUS_OK)
        status = gpu_memory_check(plan, error);
    if (status == STATUS_OK)
        count_warmup(plan);
    return status;
}
