/* Source "warp": executes the emitted PTX warp by warp on the described machine (sim/ptx/), and compares
 * every access with the manifest. The levels that the manifest expects are not used. */
#include "base/memory.h"
#include "generator/kernel/kernel.h"
#include "generator/plan/gpu/gpu_image_sides.h"
#include "generator/plan/gpu/gpu_tiles.h"
#include "runner/sources/gpu/grid_dealt.h"
#include "runner/sources/gpu/grid_manifest.h"
#include "runner/sources/gpu/grid_streams.h"
#include "runner/sources/gpu/grid_words.h"
#include "runner/sources/gpu/ptx_mix.h"
#include "runner/sources/identity.h"
#include "runner/sources/source.h"
#include "runner/sources/warp/warp_operations.h"
#include "sim/ptx/ptx_code.h"
#include "sim/ptx/ptx_flow.h"
#include "sim/ptx/warp_launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks that are not executed ---- */

/* Serves the L2 accesses of blocks that are not executed, where a grid is executed in part: before the timed
 * passes each block reads its part of a region, and then the parts of others. */

struct warp_others {
    const struct grid_manifest *manifest;
    const struct warp_chip *chip;
    const struct warp_launch *launch;
    const unsigned char *works, *chosen; /* [blocks] */
    uint64_t warmup;                     /* passes */
};

/* True if each block reads only its part of the stream's region. In random orders and on one side, each block
 * reads all of it. */
static bool in_parts(const struct warp_others *others, const struct grid_stream *stream)
{
    return !stream->shared && !stream->sided && stream->bytes <= others->chip->l2.size && stream->block > 0 &&
           (!stream->chase || stream->rule->multiplier == 1);
}

static uint64_t round_of(const struct grid_stream *stream)
{
    uint64_t rows = stream->bytes / stream->step;
    if (stream->dense > 0)
        rows = stream->bytes / stream->apart * (stream->dense / stream->step);
    return (rows + stream->per_pass - 1) / stream->per_pass;
}

/* Passes in which a block reaches the start of the next one, and one more. */
static uint64_t part_of(const struct grid_stream *stream)
{
    uint64_t each = stream->chase ? stream->per_pass * stream->step : stream->advance;
    uint64_t round = round_of(stream);
    uint64_t passes = each == 0 ? 1 : stream->block % stream->bytes / each + 2;
    return passes < round ? passes : round;
}

static void serve(struct warp_service *service, unsigned sm, struct warp_line *line)
{
    if (line->wanted != 0)
        warp_service_line(service, sm, true, line);
    line->wanted = 0;
}

/* Serves all threads' accesses to the row. */
static void read_row(const struct warp_others *others, const struct grid_stream *stream, unsigned sm,
                     uint64_t at, struct warp_service *service)
{
    unsigned sector = others->chip->l2.sector, per_line = others->chip->l2.line / sector;
    struct warp_line line = {0};
    for (unsigned t = 0; t < others->manifest->threads; t++) {
        uint64_t own = at + grid_stream_thread(stream, t);
        uint64_t address = stream->start + (stream->chase ? own % stream->bytes : own);
        for (uint64_t s = address / sector; s <= (address + stream->width - 1) / sector; s++) {
            if (line.wanted != 0 && line.number != s / per_line)
                serve(service, sm, &line);
            line.number = s / per_line;
            line.wanted |= 1U << s % per_line;
        }
    }
    serve(service, sm, &line);
}

static void read_pass(const struct warp_others *others, const struct grid_stream *stream, unsigned block,
                      uint64_t pass, struct warp_service *service)
{
    uint64_t each = stream->chase ? stream->per_pass * stream->step : stream->advance;
    uint64_t begin = grid_stream_begin(stream, block) + pass * each;
    for (unsigned k = 0; k < stream->per_pass; k++) {
        uint64_t at =
            stream->chase ? begin + k * stream->step : begin % stream->bytes + grid_stream_row(stream, k);
        read_row(others, stream, warp_launch_sm(others->chip, others->launch, block), at, service);
    }
}

/* Serves the reads of working blocks that are not executed, of regions that fit L2, in the last passes of the
 * warm-up. context: a struct warp_others. */
static void warp_others_read(struct warp_service *service, const void *context)
{
    const struct warp_others *others = context;
    for (size_t i = 0; i < others->manifest->stream_count; i++) {
        const struct grid_stream *stream = &others->manifest->streams[i];
        if (!in_parts(others, stream) || round_of(stream) <= others->warmup)
            continue;
        uint64_t last = others->warmup, part = part_of(stream);
        for (uint64_t pass = last > part ? last - part : 0; pass < last; pass++)
            for (unsigned block = 0; block < others->manifest->blocks; block++)
                if (others->works[block] != 0 && others->chosen[block] == 0)
                    read_pass(others, stream, block, pass, service);
    }
}

/* Passes after which a block has read all of every region that fits L2. */
static uint64_t warp_others_round(const struct warp_others *others)
{
    uint64_t most = 1;
    for (size_t i = 0; i < others->manifest->stream_count; i++) {
        const struct grid_stream *stream = &others->manifest->streams[i];
        uint64_t round = stream->sided || stream->bytes > others->chip->l2.size ? 1 : round_of(stream);
        most = round + 1 > most ? round + 1 : most;
    }
    return most;
}

/* ---- one grid ---- */

/* Timed passes, and the most instructions of all warps for a whole grid, and for a part of a larger one. */
enum { PASSES = 4, LEAST_PASSES = 2, LEAST_SMS = 2 };
enum { LEAST_ACCESSES = 128 };
enum { MATRIX_TIMES = 128, HALF_TIMES = 32, GROUP_TIMES = 8 };
#define MOST_WHOLE (UINT64_C(1) << 18)
#define MOST_PART (UINT64_C(1) << 17)
#define MOST_WRAP (UINT64_C(1) << 20) /* of one block, up to the wrap of a stream */
#define MOST_WARMUP (UINT64_C(1) << 24)
#define MOST_MEMORY_WARMUP (UINT64_C(1) << 16) /* if no line stays in L2 */
#define MOST_INSTRUCTIONS (UINT64_C(1) << 28)

struct warp_stage {
    const struct test_program *test_program;
    struct warp_chip chip;
    struct grid_manifest manifest;
    struct ptx_program program;
    struct warp_launch grid; /* members common to all launches */
    struct demand_memory data;
    unsigned char *record;
    unsigned char *works;  /* [blocks]: blocks that the program lets work */
    unsigned char *chosen; /* [blocks]: blocks that are executed */
    unsigned working;      /* blocks */
    unsigned sms;          /* multiprocessors that are simulated */
    unsigned all_sms;      /* multiprocessors with working blocks */
    uint64_t warmup;       /* passes */
    uint64_t passes;       /* timed ones */
    struct grid_streams *streams;
    struct grid_touched *touched;
    struct grid_words *words; /* of atomics; NULL: there are none */
    char part[OBSERVATION_PART_BYTES];
    struct warp_result result;
};

/* ---- launches ---- */

static enum status launch(struct warp_stage *stage, struct warp_launch *request, uint64_t passes,
                          struct warp_result *result, struct error *error)
{
    const struct grid_manifest *manifest = &stage->manifest;
    const uint64_t parameters[] = {passes, request->warmup, GRID_DATA_ADDRESS, GRID_RECORD_ADDRESS};
    const struct device_range ranges[] = {
        {"the data", GRID_DATA_ADDRESS, manifest->image.bytes, stage->data.bytes, true, true},
        {"the record", GRID_RECORD_ADDRESS, (uint64_t)manifest->blocks * GRID_RECORD_BYTES, stage->record,
         true, false},
    };
    struct demand_memory *const demands[] = {&stage->data, NULL};
    bool empty = manifest->image.bytes == 0;
    if (stage->program.parameter_count != sizeof parameters / sizeof parameters[0])
        return error_set(error, STATUS_FAILED, "the kernel has %zu parameters: expected %zu",
                         stage->program.parameter_count, sizeof parameters / sizeof parameters[0]);
    request->program = stage->grid.program;
    request->blocks = stage->grid.blocks;
    request->threads = stage->grid.threads;
    request->placed = stage->grid.placed;
    request->parameters = parameters;
    request->ranges = ranges + empty;
    request->demands = demands + empty;
    request->range_count = sizeof ranges / sizeof ranges[0] - empty;
    request->regions = manifest->regions;
    request->region_count = manifest->stream_count;
    request->most_instructions = MOST_INSTRUCTIONS;
    memset(stage->record, 0, (size_t)manifest->blocks * GRID_RECORD_BYTES);
    return warp_run(&stage->chip, request, result, error);
}

/* ---- the part of the grid ---- */

static unsigned sm_of(const struct warp_stage *stage, unsigned block)
{
    return warp_launch_sm(&stage->chip, &stage->grid, block);
}

/* Finds the working blocks by running each up to its first pass. */
static enum status scout(struct warp_stage *stage, struct error *error)
{
    struct warp_result result;
    struct warp_launch request = {.warmup = 1, .no_caches = true, .scout = true, .works = stage->works};
    enum status status = launch(stage, &request, 1, &result, error);
    unsigned char *seen = memory_zeroed(stage->chip.sms, 1);
    for (unsigned i = 0; i < stage->manifest.blocks; i++) {
        stage->working += stage->works[i];
        stage->all_sms += stage->works[i] != 0 && seen[sm_of(stage, i)] == 0;
        seen[sm_of(stage, i)] |= stage->works[i];
    }
    free(seen);
    warp_result_free(&result);
    if (status == STATUS_OK && stage->working == 0)
        return error_set(
            error, STATUS_FAILED,
            "none of the %u blocks on the %u multiprocessors works: the placement test passes nowhere",
            stage->manifest.blocks, stage->chip.sms);
    return status;
}

/* Instructions of the blocks' warps in that many passes, without those before and after. Products of groups
 * of warps take the time of many. */
static uint64_t cost_of(const struct warp_stage *stage, uint64_t blocks, uint64_t passes)
{
    const struct ptx_program *program = &stage->program;
    uint64_t warps = (stage->manifest.threads + PTX_LANES - 1) / PTX_LANES;
    uint64_t each = program->loop_end - program->loop + 1;
    for (size_t i = program->loop; i <= program->loop_end; i++)
        each += program->code[i].kind == PTX_GROUP_MATRIX ? GROUP_TIMES : 0;
    return blocks * warps * passes * each;
}

/* True if a warp's place depends on its multiprocessor's number, and so on its side of L2. */
static bool is_sided(const struct grid_manifest *manifest)
{
    bool any = false;
    for (size_t i = 0; i < manifest->stream_count; i++)
        any = any || manifest->streams[i].sided;
    return any;
}

/* Chooses multiprocessors at even distances among those with working blocks (never both the first and the
 * last): a block then reaches the start of another one after about as many bytes as in the whole grid. The
 * multiprocessors of a cluster are chosen together. */
static void choose_sms(struct warp_stage *stage, unsigned wanted)
{
    unsigned sms = stage->chip.sms, blocks = stage->manifest.blocks, size = stage->manifest.cluster;
    bool sided = is_sided(&stage->manifest);
    unsigned char *has = memory_zeroed(sms + size, 1), *takes = memory_zeroed(sms + size, 1);
    uint64_t seen = 0, groups = stage->all_sms / size;
    wanted = wanted / size > 0 ? wanted / size : 1;
    for (unsigned i = 0; i < blocks; i++)
        has[sm_of(stage, i)] |= stage->works[i];
    stage->sms = 0;
    for (unsigned i = 0; i < (sided ? sms : blocks); i += size) {
        unsigned sm = sided ? i : sm_of(stage, i);
        if (has[sm] == 0)
            continue;
        has[sm] = 0;
        takes[sm] = seen == stage->sms / size * groups / wanted;
        memset(takes + sm, takes[sm], size);
        stage->sms += takes[sm] != 0 ? size : 0;
        seen++;
    }
    for (unsigned i = 0; i < blocks; i++)
        stage->chosen[i] = takes[sm_of(stage, i)];
    free(has);
    free(takes);
}

/* The cost of one pass in the time of usual instructions: products of matrices and operations on numbers of
 * 16 bits are computed bit by bit. */
static uint64_t time_of(const struct warp_stage *stage, uint64_t blocks)
{
    const struct ptx_program *program = &stage->program;
    uint64_t more = 0;
    for (size_t i = program->loop; i <= program->loop_end; i++) {
        const struct ptx_instruction *it = &program->code[i];
        more += it->kind == PTX_MATRIX || it->kind == PTX_GROUP_MATRIX ? MATRIX_TIMES
                : strstr(it->name, "f16x2") != NULL                    ? HALF_TIMES
                                                                       : 0;
    }
    uint64_t instructions = program->loop_end - program->loop + 1;
    return cost_of(stage, blocks, 1) / instructions * (instructions + more);
}

static struct warp_others others_of(const struct warp_stage *stage)
{
    return (struct warp_others){.manifest = &stage->manifest,
                                .chip = &stage->chip,
                                .launch = &stage->grid,
                                .works = stage->works,
                                .chosen = stage->chosen,
                                .warmup = stage->warmup};
}

/* True if each region is so much larger than L2 that none of its lines remain until they are read again,
 * however full the cache was: lines are evicted in the order of their use or arrival. */
static bool is_of_memory(const struct warp_stage *stage)
{
    enum cache_policy policy = stage->chip.l2.policy;
    bool all = policy != POLICY_RANDOM && policy != POLICY_TREE_PLRU;
    for (size_t i = 0; i < stage->manifest.stream_count; i++) {
        const struct grid_stream *stream = &stage->manifest.streams[i];
        all = all && (stream->shared || stream->bytes >= 2 * (uint64_t)stage->chip.l2.size);
    }
    return all;
}

/* Chooses the passes of warm-up. Where lines of memory need so many passes to fill L2 that executing them
 * would take minutes, there are fewer: at least those in which blocks read everything that L2 and nearer
 * levels serve. */
static void choose_warmup(struct warp_stage *stage, uint64_t blocks)
{
    const struct warp_others others = others_of(stage);
    uint64_t least = warp_others_round(&others), one = time_of(stage, blocks);
    uint64_t most = (is_of_memory(stage) ? MOST_MEMORY_WARMUP : MOST_WARMUP) / (one > 0 ? one : 1);
    most = most > least ? most : least;
    stage->warmup = stage->manifest.warmup < most ? stage->manifest.warmup : most;
}

/* The whole grid, or as much of it as can be executed. */
static enum status choose(struct warp_stage *stage, struct error *error)
{
    uint64_t blocks = (stage->working + stage->all_sms - 1) / stage->all_sms; /* of a multiprocessor */
    unsigned least = stage->all_sms < LEAST_SMS ? stage->all_sms : LEAST_SMS;
    choose_warmup(stage, blocks * least);
    if (stage->passes == PASSES && cost_of(stage, blocks * least, PASSES) > MOST_PART / 2)
        stage->passes = LEAST_PASSES; /* for passes of thousands of instructions in many warps */
    uint64_t passes = stage->warmup + stage->passes;
    uint64_t each = cost_of(stage, blocks, passes);
    unsigned wanted = stage->all_sms;
    if (cost_of(stage, stage->working, passes) > MOST_WHOLE)
        wanted = each < MOST_PART / LEAST_SMS ? (unsigned)(MOST_PART / each) : LEAST_SMS;
    wanted = wanted < stage->all_sms ? wanted : stage->all_sms;
    if (each * wanted > MOST_INSTRUCTIONS)
        return error_set(error, STATUS_UNAVAILABLE,
                         "%u of its multiprocessors execute %" PRIu64 " instructions in %" PRIu64
                         " passes: expected at most %" PRIu64,
                         wanted, each * wanted, passes, MOST_INSTRUCTIONS);
    choose_sms(stage, wanted);
    if (stage->sms < stage->all_sms)
        snprintf(stage->part, sizeof stage->part, "%u of %u multiprocessors", stage->sms, stage->all_sms);
    if (stage->warmup < stage->manifest.warmup) {
        size_t used = strlen(stage->part);
        snprintf(stage->part + used, sizeof stage->part - used,
                 "%s%" PRIu64 " of %" PRIu64 " passes of warm-up", used > 0 ? ", " : "", stage->warmup,
                 stage->manifest.warmup);
    }
    return STATUS_OK;
}

/* ---- comparison with the manifest ---- */

static bool visit(const struct lane_access *access, void *context, struct error *error)
{
    struct warp_stage *stage = context;
    grid_touched_note(stage->touched, access);
    return grid_streams_visit(access, stage->streams, error);
}

/* Describes the clock reads. Between a clock and the loop are the other clock, the barrier, and tests for
 * passes and for the ends of chases. */
static struct grid_clocks clocks_of(const struct grid_manifest *manifest, uint64_t warmup)
{
    unsigned between = 4;
    for (size_t i = 0; i < manifest->stream_count; i++)
        between += manifest->streams[i].chase;
    return (struct grid_clocks){
        .read = true, .has_ns = true, .stops_meet = true, .between = between, .warmup = warmup};
}

/* Executes, for each stream that has not wrapped so far, the block that wraps first. */
static enum status check_wraps(struct warp_stage *stage, struct error *error)
{
    const struct grid_manifest *manifest = &stage->manifest;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < manifest->stream_count; i++) {
        const struct grid_stream *stream = &manifest->streams[i];
        unsigned best = 0;
        uint64_t passes = grid_manifest_first_to_wrap(manifest, i, stage->works, &best);
        bool seen = passes == 0;
        for (unsigned block = 0; block < manifest->blocks; block++)
            seen = seen || (stage->chosen[block] != 0 && stage->works[block] != 0 &&
                            grid_stream_passes_to_wrap(stream, block) <= stage->warmup + stage->passes);
        if (seen || cost_of(stage, 1, passes) > MOST_WRAP)
            continue;
        unsigned char *only = memory_zeroed(manifest->blocks, 1);
        memset(only + best / manifest->cluster * manifest->cluster, 1, manifest->cluster);
        struct warp_result result;
        const struct grid_clocks clocks = clocks_of(manifest, passes);
        struct grid_streams *streams = grid_streams_new(manifest, &clocks);
        struct warp_launch request = {.chosen = only,
                                      .warmup = passes,
                                      .no_caches = true,
                                      .visit = grid_streams_visit,
                                      .context = streams};
        status = launch(stage, &request, 1, &result, error);
        warp_result_free(&result);
        grid_streams_free(streams);
        free(only);
    }
    return status;
}

static bool visit_words(const struct lane_access *access, void *context, struct error *error)
{
    (void)error;
    grid_words_note(context, access);
    return true;
}

/* Counts the sharers of atomics' words, over all blocks of the grid: one pass, after one that is not
 * counted. */
static enum status count_words(struct warp_stage *stage, struct error *error)
{
    bool any = false;
    for (size_t i = 0; i < stage->manifest.stream_count; i++)
        any = any || stage->manifest.streams[i].atomic != NULL;
    if (!any || cost_of(stage, stage->working, 1) > MOST_INSTRUCTIONS)
        return STATUS_OK;
    struct warp_result result;
    unsigned warps = (stage->manifest.threads + PTX_LANES - 1) / PTX_LANES;
    stage->words = grid_words_new(stage->chip.l2.line, warps, (size_t)stage->manifest.blocks * warps,
                                  stage->manifest.stream_count);
    struct warp_launch request = {.no_caches = true, .visit = visit_words, .context = stage->words};
    enum status status = launch(stage, &request, 1, &result, error);
    warp_result_free(&result);
    return status;
}

/* Checks that every load's value is used: the compiler of the text removes other loads. */
static enum status check_uses(const struct warp_stage *stage, struct error *error)
{
    const struct ptx_program *program = &stage->program;
    size_t unused = ptx_flow_unused(program, !stage->manifest.has_asm);
    if (unused == program->count)
        return STATUS_OK;
    error_set(
        error, STATUS_FAILED,
        "nothing uses the result of %s here: the compiler of the text removes it; expected it to reach the "
        "block's record",
        program->code[unused].kind == PTX_LOAD ? "the load" : program->code[unused].name);
    error_at(error, "program.ptx", program->code[unused].line);
    return STATUS_FAILED;
}

static enum status check_record(const struct warp_stage *stage, struct error *error)
{
    const struct grid_manifest *manifest = &stage->manifest;
    for (unsigned i = 0; i < manifest->blocks; i++) {
        const unsigned char *entry = stage->record + (size_t)i * GRID_RECORD_BYTES;
        uint32_t place, worked;
        memcpy(&place, entry + GRID_RECORD_PLACE, sizeof place);
        memcpy(&worked, entry + GRID_RECORD_WORKED, sizeof worked);
        if (stage->chosen[i] == 0)
            continue;
        if (worked != stage->works[i])
            return error_set(error, STATUS_FAILED, "block %u recorded that it %s, and it %s", i,
                             worked != 0 ? "worked" : "did not work",
                             stage->works[i] != 0 ? "did" : "did not");
        if (place != sm_of(stage, i))
            return error_set(error, STATUS_FAILED, "block %u recorded multiprocessor %u, and it ran on %u", i,
                             place, sm_of(stage, i));
    }
    return STATUS_OK;
}

static uint64_t sum(const uint64_t counts[GPU_LEVELS])
{
    return counts[GPU_SHARED] + counts[GPU_DSMEM] + counts[GPU_L1] + counts[GPU_L2] + counts[GPU_MEM];
}

/* Checks that a pass ends only when its copies have arrived. */
static enum status check_carried(const struct warp_stage *stage, struct error *error)
{
    if (stage->result.unfinished == 0)
        return STATUS_OK;
    error_set(
        error, STATUS_FAILED,
        "asynchronous copies%s are under way here, where passes are over: expected cp.async.wait_all, or "
        "waits for the phases of bulk copies%s, before",
        stage->program.groups ? " or products" : "", stage->program.groups ? ", or wgmma.wait_group 0" : "");
    error_at(error, "program.ptx", stage->result.unfinished_line);
    return STATUS_FAILED;
}

/* Checks that products of groups of warps have factors of their own, which together fill the shared memory
 * for factors. */
static enum status check_factors(const struct warp_stage *stage, struct error *error)
{
    const struct warp_result *result = &stage->result;
    uint64_t all = result->all_factors, shared = stage->program.shared_bytes;
    bool alone = true;
    for (size_t i = 0; i < stage->manifest.stream_count; i++)
        alone = alone && !stage->manifest.streams[i].shared &&
                stage->test_program->manifest->streams[i].source[0] == '\0';
    if (!stage->program.groups ||
        (result->least_factors == GPU_GROUP_BYTES && result->most_factors == GPU_GROUP_BYTES &&
         all % GPU_GROUP_BYTES == 0 && (all == shared || (!alone && all < shared))))
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "the factors of a product take %" PRIu64 " to %" PRIu64
                     " bytes of shared memory, and all "
                     "together %" PRIu64 " of %" PRIu64 ": expected %d each, and all for them",
                     result->least_factors, result->most_factors, all, shared, GPU_GROUP_BYTES);
}

/* Compares the totals of the timed passes. */
static enum status check_totals(const struct warp_stage *stage, struct error *error)
{
    const struct grid_manifest *manifest = &stage->manifest;
    const struct warp_result *result = &stage->result;
    uint64_t passes = stage->warmup + stage->passes, blocks = 0;
    if (grid_manifest_check_working(manifest, stage->working, error) != STATUS_OK)
        return error->code;
    for (unsigned i = 0; i < manifest->blocks; i++)
        blocks += stage->chosen[i] != 0 && stage->works[i] != 0;
    if (result->least_passes != passes || result->most_passes != passes)
        return error_set(error, STATUS_FAILED,
                         "warps make %" PRIu64 " to %" PRIu64 " passes of the loop; expected %" PRIu64
                         " and %" PRIu64,
                         result->least_passes, result->most_passes, stage->warmup, stage->passes);
    if (result->predicated_off != NULL && !manifest->has_asm) {
        error_set(error, STATUS_FAILED,
                  "some threads leave out %s, whose predicate is false for them; by the manifest all threads "
                  "make all operations and accesses",
                  result->predicated_off->name);
        error_at(error, "program.ptx", result->predicated_off->line);
        return STATUS_FAILED;
    }
    const struct {
        const char *what;
        uint64_t seen, stated;
    } rows[] = {{"accesses", sum(result->loads), manifest->accesses},
                {"transfers",
                 sum(result->sectors) + grid_manifest_shared_sectors(manifest, stage->chip.l1.sector, false) *
                                            stage->passes * blocks,
                 manifest->transfers},
                {"stored",
                 sum(result->stored) + grid_manifest_shared_sectors(manifest, stage->chip.l1.sector, true) *
                                           stage->passes * blocks,
                 manifest->stored}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t wanted = rows[i].stated * stage->passes * blocks / stage->working;
        if (rows[i].seen * stage->working != rows[i].stated * stage->passes * blocks)
            return error_set(error, STATUS_FAILED,
                             "in %" PRIu64 " passes the %" PRIu64 " blocks that were executed make %" PRIu64
                             " %s; by the manifest it would be %" PRIu64,
                             stage->passes, blocks, rows[i].seen, rows[i].what, wanted);
    }
    return STATUS_OK;
}

/* ---- observations ---- */

/* Adds a share, with an interval to the share that the other model of L2 serves. */
static void add_between(struct observations *list, const char *metric, uint64_t part, uint64_t all,
                        double other)
{
    double share = all > 0 ? (double)part / (double)all : 0;
    if (all > 0)
        observations_add(list, metric, counter_warp.name, counter_warp.kind, share,
                         share < other ? share : other, share > other ? share : other, (double)all);
}

static void add_service(const struct warp_stage *stage, struct observations *list)
{
    const struct warp_result *result = &stage->result;
    uint64_t loads = sum(result->loads), sectors = sum(result->sectors);
    uint64_t past = result->sectors[GPU_L2] + result->sectors[GPU_MEM];
    for (int level = 0; level < GPU_LEVELS; level++) {
        char metric[METRIC_BYTES];
        if (level == GPU_L3 || (level == GPU_DSMEM && stage->manifest.cluster == 1))
            continue;
        snprintf(metric, sizeof metric, "served.%s", gpu_level_name(level));
        /* Where sides of L2 keep copies, the sectors move between levels, and their loads with them. */
        double moved = 0;
        if (stage->chip.sides > 1 && level >= GPU_L2 && sectors > 0)
            moved = ((double)result->copied[level] - (double)result->sectors[level]) / (double)sectors;
        add_between(list, metric, result->loads[level], loads,
                    loads == 0 ? 0 : (double)result->loads[level] / (double)loads + moved);
    }
    source_add_share(&counter_warp, list, "l1d.miss_rate", past, sectors);
    add_between(list, "l2.miss_rate", result->sectors[GPU_MEM], past,
                past == 0 ? 0
                          : (double)(stage->chip.sides > 1 ? result->copied : result->sectors)[GPU_MEM] /
                                (double)past);
}

/* Adds the multiprocessors' shares of the accesses; if only a part ran, or nothing accesses memory, of the
 * working blocks. */
static void add_place(const struct warp_stage *stage, struct observations *list)
{
    uint64_t *counts = memory_zeroed(stage->chip.sms, sizeof *counts);
    uint64_t all = 0;
    for (unsigned sm = 0; stage->sms == stage->all_sms && sm < stage->chip.sms; sm++)
        all += counts[sm] = stage->result.sm_accesses[sm];
    for (unsigned i = 0; i < stage->manifest.blocks && all == 0; i++)
        counts[sm_of(stage, i)] += stage->works[i];
    for (unsigned sm = 0; all == 0 && sm < stage->chip.sms; sm++)
        all = stage->working;
    for (unsigned sm = 0; sm < stage->chip.sms; sm++) {
        char metric[METRIC_BYTES];
        snprintf(metric, sizeof metric, "place.sm%u.share", sm);
        source_add_share(&counter_warp, list, metric, counts[sm], all);
    }
    free(counts);
}

/* True if operations have data, and not loads. */
static bool has_operands(const struct warp_stage *stage)
{
    const struct manifest *manifest = stage->test_program->manifest;
    for (size_t i = 0; i < manifest->unit_count; i++)
        if ((strncmp(manifest->unit[i].op, "mma", 3) == 0 ||
             strncmp(manifest->unit[i].op, "wgmma", 5) == 0) &&
            manifest->unit[i].data.given)
            return true;
    return false;
}

static void add_all(struct warp_stage *stage, struct observations *list)
{
    struct warp_result *result = &stage->result;
    size_t first = list->count;
    add_service(stage, list);
    if (stage->manifest.is_placed)
        add_place(stage, list);
    if (stage->chip.sides > 1)
        source_add_share(&counter_warp, list, "l2.far_share", result->far, result->near + result->far);
    source_add_share(&counter_warp, list, "branch.divergence", result->diverged, result->branches);
    struct grid_words_seen seen;
    grid_words_count(stage->words, &seen);
    grid_words_observe(&counter_warp, &seen, list);
    bool operands = has_operands(stage);
    if (!operands)
        grid_touched_count(stage->touched, &stage->data, &result->bus[BUS_ADDRESS]);
    const struct bus_count *orders = operands ? result->operands : result->bus;
    grid_dealt_observe(&counter_warp, stage->test_program->manifest, orders,
                       operands ? (unsigned)BUS_TURNS : (unsigned)BUS_ORDERS, list);
    for (; first < list->count; first++)
        snprintf(list->items[first].part, sizeof list->items[first].part, "%s", stage->part);
}

/* Adds the mix of the text's statements; which of them the compiler of the text merges or omits is unknown.
 * Also for a program without loads, which may have no other rate. */
static enum status add_mix(const struct warp_stage *stage, struct observations *list, struct error *error)
{
    const struct test_program *test_program = stage->test_program;
    struct ptx_lines lines = {0};
    if (!ptx_mix_is_requested(test_program->manifest) && sum(stage->result.loads) > 0)
        return STATUS_OK;
    enum status status =
        ptx_lines_read(test_program->executable, test_program->executable_size, &lines, error);
    if (status == STATUS_OK)
        ptx_mix_observe(test_program->manifest, &lines, NULL, NULL, &counter_warp, list);
    ptx_lines_free(&lines);
    return status;
}

/* ---- the source ---- */

static uint64_t global_bytes(const struct grid_manifest *manifest)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < manifest->stream_count; i++)
        bytes += manifest->streams[i].shared ? 0 : manifest->streams[i].length;
    return bytes;
}

static enum status execute(struct warp_stage *stage, struct error *error)
{
    const struct warp_others others = others_of(stage);
    struct warp_launch request = {.before = stage->sms < stage->all_sms ? warp_others_read : NULL,
                                  .before_context = &others,
                                  .chosen = stage->chosen,
                                  .warmup = stage->warmup,
                                  .no_copies = global_bytes(&stage->manifest) <=
                                               stage->chip.l2.size / stage->chip.sides / 2,
                                  .visit = visit,
                                  .context = stage};
    const struct grid_clocks clocks = clocks_of(&stage->manifest, stage->warmup);
    stage->streams = grid_streams_new(&stage->manifest, &clocks);
    stage->touched = grid_touched_new(&stage->manifest);
    enum status status = grid_manifest_open_data(&stage->manifest, &stage->data, error);
    if (status == STATUS_OK)
        status = launch(stage, &request, stage->passes, &stage->result, error);
    if (status == STATUS_OK)
        status = grid_streams_end(stage->streams, stage->warmup + stage->passes, error);
    grid_streams_free(stage->streams);
    return status;
}

/* Reads the text, and checks that it is a program of a suite. */
static enum status read_text(struct warp_stage *stage, struct error *error)
{
    const struct test_program *test_program = stage->test_program;
    enum status status =
        ptx_read(test_program->executable, test_program->executable_size,
                 manifest_text_or(test_program->manifest->entry, "trauma_kernel"), &stage->program, error);
    if (status != STATUS_OK)
        return status;
    if (stage->program.loop_end == 0)
        return error_set(error, STATUS_FAILED, "the text has no loop from TRAUMA_LOOP on");
    unsigned cluster = stage->program.cluster > 0 ? stage->program.cluster : 1;
    if (cluster != stage->manifest.cluster)
        return error_set(error, STATUS_FAILED,
                         "the text has clusters of %u block%s; by the manifest it would be %u", cluster,
                         cluster == 1 ? "" : "s", stage->manifest.cluster);
    return STATUS_OK;
}

/* Arranges the chunks of streams on one side of L2, by the sides of the simulated chip. */
static enum status learn_sides(struct grid_manifest *manifest, const struct warp_chip *chip,
                               struct error *error)
{
    enum status status = STATUS_OK;
    unsigned char *sms = arena_alloc(&manifest->arena, chip->sms, 1);
    for (unsigned sm = 0; sm < chip->sms; sm++)
        sms[sm] = (unsigned char)warp_chip_near(chip, sm);
    for (size_t i = 0; status == STATUS_OK && i < manifest->image.rule_count; i++) {
        struct gpu_rule *rule = &manifest->image.rules[i];
        if (rule->fill != GPU_FILL_SIDES)
            continue;
        if (chip->sides < 2)
            return error_set(error, STATUS_FAILED,
                             "the program is for an L2 of two sides: this machine's has one");
        size_t chunks = gpu_sides_chunks(rule);
        unsigned char *homes = arena_alloc(&manifest->arena, chunks, 1);
        for (size_t k = 0; k < chunks; k++)
            homes[k] = (unsigned char)warp_chip_home(chip, GRID_DATA_ADDRESS + gpu_sides_first(rule) +
                                                               k * rule->chunk);
        const struct gpu_homes known = {homes, chunks, sms, chip->sms};
        status = gpu_sides_learn(rule, &known, &manifest->arena, error);
    }
    return status;
}

/* The timed passes: more of short ones, so that a share of bits is not that of a few words. */
static uint64_t passes_of(const struct grid_manifest *manifest)
{
    uint64_t accesses = 0;
    for (size_t i = 0; i < manifest->stream_count; i++)
        accesses += manifest->streams[i].per_pass;
    return accesses == 0 || accesses * PASSES >= LEAST_ACCESSES ? PASSES
                                                                : (LEAST_ACCESSES - 1) / accesses + 1;
}

static enum status simulate(struct warp_stage *stage, struct error *error)
{
    const struct test_program *test_program = stage->test_program;
    if (test_program->executable == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "there is no text to execute");
    enum status status = warp_chip_from(test_program->machine, &stage->chip, error);
    if (status == STATUS_OK)
        status = grid_manifest_read(test_program->manifest, PTX_LANES, &stage->manifest, error);
    if (status == STATUS_OK)
        stage->passes = passes_of(&stage->manifest);
    if (status == STATUS_OK)
        status = learn_sides(&stage->manifest, &stage->chip, error);
    if (status == STATUS_OK)
        status = read_text(stage, error);
    if (status == STATUS_OK)
        status = check_uses(stage, error);
    if (status == STATUS_OK)
        status = warp_operations_check(test_program, &stage->program, error);
    if (status != STATUS_OK)
        return status;
    size_t blocks = stage->manifest.blocks;
    stage->grid = (struct warp_launch){.program = &stage->program,
                                       .blocks = stage->manifest.blocks,
                                       .threads = stage->manifest.threads,
                                       .placed = stage->manifest.is_placed};
    stage->record = memory_zeroed(blocks, GRID_RECORD_BYTES);
    stage->works = memory_zeroed(blocks, 1);
    stage->chosen = memory_zeroed(blocks, 1);
    status = grid_manifest_open_data(&stage->manifest, &stage->data, error);
    if (status == STATUS_OK)
        status = scout(stage, error);
    if (status == STATUS_OK)
        status = choose(stage, error);
    if (status == STATUS_OK)
        status = execute(stage, error);
    if (status == STATUS_OK)
        status = check_record(stage, error);
    if (status == STATUS_OK)
        status = check_carried(stage, error);
    if (status == STATUS_OK)
        status = check_factors(stage, error);
    if (status == STATUS_OK)
        status = check_totals(stage, error);
    if (status == STATUS_OK)
        status = check_wraps(stage, error);
    return status == STATUS_OK ? count_words(stage, error) : status;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    struct warp_stage stage = {.test_program = test_program};
    enum status status = simulate(&stage, error);
    if (status == STATUS_OK)
        status = add_mix(&stage, list, error);
    if (status == STATUS_OK)
        add_all(&stage, list);
    warp_result_free(&stage.result);
    ptx_free(&stage.program);
    grid_touched_free(stage.touched);
    grid_words_free(stage.words);
    grid_manifest_free(&stage.manifest);
    demand_memory_free(&stage.data);
    free(stage.record);
    free(stage.works);
    free(stage.chosen);
    return status == STATUS_USAGE ? STATUS_UNAVAILABLE : status;
}

const struct counter_source counter_warp = {.name = "warp",
                                            .kind = EVIDENCE_SIMULATED,
                                            .targets = "ptx",
                                            .observe = observe,
                                            .identify = identity_of_text};
