#include "base/memory.h"
#include "base/rational.h"
#include "sim/ptx/ptx_flow.h"
#include "sim/ptx/warp_bulk.h"
#include "sim/ptx/warp_clusters.h"
#include "sim/ptx/warp_copies.h"
#include "sim/ptx/warp_group.h"
#include "sim/ptx/warp_matrix.h"
#include "sim/ptx/warp_service.h"
#include "sim/ptx/warp_state.h"
#include "sim/shared_races.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits on the memory accesses and instructions of a warp's turn, on blocks, and on threads per block. */
enum { TURN_ACCESSES = 4, TURN_INSTRUCTIONS = 4096, MOST_BLOCKS = 1 << 20, MOST_THREADS = 1024 };

bool warp_fault(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_set(core->error, STATUS_FAILED, "block %u, warp %u %s", warp->block->number, warp->number, what);
    error_at(core->error, "program.ptx", it->line);
    return false;
}

bool warp_unsupported(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                      const char *message)
{
    warp_fault(core, warp, it, "%s", message);
    core->error->code = STATUS_UNAVAILABLE;
    return false;
}

void warp_blend(void *to, const void *from, unsigned bytes, uint32_t lanes)
{
    if (lanes == UINT32_MAX) {
        memcpy(to, from, (size_t)bytes * PTX_LANES);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        size_t at = (size_t)__builtin_ctz(lanes) * bytes;
        memcpy((unsigned char *)to + at, (const unsigned char *)from + at, bytes);
    }
}

/* ---- operations ---- */

static uint64_t special_value(const struct warp_core *core, const struct warp *warp, enum ptx_special special,
                              unsigned lane)
{
    const struct warp_launch *launch = core->launch;
    uint32_t own = UINT32_C(1) << lane;
    switch (special) {
    case PTX_TID_X:
        return (uint64_t)warp->number * PTX_LANES + lane;
    case PTX_NTID_X:
        return launch->threads;
    case PTX_CTAID_X:
        return warp->block->number;
    case PTX_NCTAID_X:
        return launch->blocks;
    case PTX_LANEID:
        return lane;
    case PTX_WARPID:
        return warp->number;
    case PTX_NWARPID:
        return (launch->threads + PTX_LANES - 1) / PTX_LANES;
    case PTX_SMID:
        return warp->block->sm;
    case PTX_NSMID:
        return core->chip->sms;
    case PTX_LANEMASK_EQ:
        return own;
    case PTX_LANEMASK_LE:
        return own | (own - 1);
    case PTX_LANEMASK_LT:
        return own - 1;
    case PTX_LANEMASK_GE:
        return ~(own - 1);
    case PTX_LANEMASK_GT:
        return ~(own | (own - 1));
    case PTX_CLOCK:
        return (uint32_t)(CLOCK_TICKS_FIRST + core->clock);
    case PTX_CLOCK64:
        return CLOCK_TICKS_FIRST + core->clock;
    case PTX_GLOBALTIMER:
        return CLOCK_NS_FIRST + core->clock;
    case PTX_CLUSTER_RANK:
        return warp_cluster_rank(warp->block);
    case PTX_CLUSTER_BLOCKS:
        return warp->block->cluster->count;
    case PTX_CLUSTER_NUMBER:
        return warp->block->number / warp->block->cluster->count;
    case PTX_CLUSTERS:
        return launch->blocks / warp->block->cluster->count;
    case PTX_ONE:
        return 1;
    case PTX_ZERO:
    case PTX_SPECIALS:
        break;
    }
    return 0;
}

/* Records the read, of a block's first warp only, whose time the program records. */
static void record_clock(const struct warp_core *core, struct warp *warp, const struct ptx_instruction *it)
{
    enum clock_kind clock = it->special == PTX_CLOCK64 ? CLOCK_TICKS
                            : it->special == PTX_CLOCK ? CLOCK_OTHER
                                                       : CLOCK_NS;
    unsigned number = warp->clocks.count++;
    uint64_t barriers = warp->block->barriers;
    if (number >= CLOCK_READS || warp->number > 0 || core->launch->scout)
        return;
    warp->clocks.items[number] =
        (struct clock_read){.clock = clock,
                            .value = special_value(core, warp, it->special, 0),
                            .passes = warp->pass,
                            .synchronised = clock == CLOCK_OTHER || barriers > warp->barriers[clock],
                            .underway = ptx_flow_underway(core->program, (size_t)(it - core->program->code)),
                            .before = warp->outside,
                            .after = CLOCK_UNKNOWN,
                            .slow_before = warp->slow,
                            .line = it->line};
    if (clock != CLOCK_OTHER)
        warp->barriers[clock] = barriers;
}

/* Counts instructions outside the loop, anew from the loop's end on. */
static void count_outside(const struct ptx_program *program, struct warp *warp,
                          const struct ptx_instruction *it)
{
    size_t at = (size_t)(it - program->code);
    if (at == program->loop_end) {
        warp->outside = warp->slow_at = 0;
        warp->slow = 0;
        warp->barriers[CLOCK_TICKS] = warp->barriers[CLOCK_NS] = warp->block->barriers;
    }
    if (it->kind == PTX_BRANCH || it->kind == PTX_MBARRIER_TEST || it->kind == PTX_WAIT ||
        it->kind == PTX_PUT_WAIT || it->kind == PTX_GROUP_WAIT)
        return;
    bool accesses = it->kind == PTX_LOAD || it->kind == PTX_STORE || it->kind == PTX_ATOMIC ||
                    it->kind == PTX_COPY || it->kind == PTX_BULK || it->kind == PTX_PUT;
    warp->outside++;
    if (it->sleeps || (accesses && it->space != PTX_CONST && it->space != PTX_PARAM)) {
        warp->slow_at = warp->outside;
        warp->slow = it->line;
    }
}

/* At the start of the loop: completes the records of the clocks read before it. */
static void close_clocks(struct warp *warp)
{
    for (unsigned i = 0; i < warp->clocks.count && i < CLOCK_READS; i++) {
        struct clock_read *read = &warp->clocks.items[i];
        if (read->after != CLOCK_UNKNOWN)
            continue;
        read->after = warp->outside - read->before;
        read->slow_after = warp->slow_at > read->before ? warp->slow : 0;
    }
}

static void read_special(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it)
{
    unsigned char *to = warp->registers + it->result[0];
    if (it->special == PTX_CLOCK || it->special == PTX_CLOCK64 || it->special == PTX_GLOBALTIMER) {
        core->clock++; /* no two reads are the same */
        record_clock(core, warp, it);
    }
    for (unsigned i = 0; i < PTX_LANES; i++) {
        uint64_t value = special_value(core, warp, it->special, i);
        memcpy(to + (size_t)i * it->result_bytes, &value, it->result_bytes);
    }
}

static bool divisors_are_good(struct warp_core *core, const struct warp *warp,
                              const struct ptx_instruction *it, uint32_t lanes)
{
    const unsigned char *divisors = warp_source(core, warp, it->source[1]);
    static const unsigned char zeros[8] = {0};
    for (; lanes != 0; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        if (memcmp(divisors + (size_t)lane * it->source_bytes, zeros, it->source_bytes) == 0)
            return warp_fault(core, warp, it, "divides by 0 in thread %u (%s), which PTX leaves undefined",
                              warp->number * PTX_LANES + lane, it->name);
    }
    return true;
}

static bool operate(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                    uint32_t lanes)
{
    uint64_t room[PTX_LANES];
    const void *in[PTX_SOURCES + 1];
    for (unsigned i = 0; i < PTX_SOURCES; i++)
        in[i] = warp_source(core, warp, it->source[i]);
    in[PTX_SOURCES] = &lanes;
    if (it->divides && !divisors_are_good(core, warp, it, lanes))
        return false;
    it->run(room, in);
    unsigned char *to = warp->registers + it->result[0];
    if (it->type.letter == 'p') {
        uint32_t old, own;
        memcpy(&old, to, sizeof old);
        memcpy(&own, room, sizeof own);
        old = (old & ~lanes) | (own & lanes);
        memcpy(to, &old, sizeof old);
    } else if (lanes == UINT32_MAX && it->result_bytes == 4) {
        memcpy(to, room, (size_t)4 * PTX_LANES);
    } else {
        warp_blend(to, room, it->result_bytes, lanes);
    }
    return true;
}

static void convert(const struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                    uint32_t lanes)
{
    uint64_t room[PTX_LANES] = {0};
    warp_convert(it, warp_source(core, warp, it->source[0]), room);
    warp_blend(warp->registers + it->result[0], room, it->result_bytes, lanes);
}

static void pack(const struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                 uint32_t lanes)
{
    unsigned char room[8 * PTX_LANES] = {0};
    for (unsigned part = 0; part < it->count; part++) {
        const unsigned char *from = warp_source(core, warp, it->source[part]);
        for (unsigned i = 0; i < PTX_LANES; i++)
            memcpy(room + (size_t)i * it->result_bytes + (size_t)part * it->source_bytes,
                   from + (size_t)i * it->source_bytes, it->source_bytes);
    }
    warp_blend(warp->registers + it->result[0], room, it->result_bytes, lanes);
}

static void unpack(const struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                   uint32_t lanes)
{
    unsigned char whole[8 * PTX_LANES] = {0}, room[8 * PTX_LANES] = {0};
    memcpy(whole, warp_source(core, warp, it->source[0]), (size_t)it->source_bytes * PTX_LANES);
    for (unsigned part = 0; part < it->count; part++) {
        for (unsigned i = 0; i < PTX_LANES; i++)
            memcpy(room + (size_t)i * it->result_bytes,
                   whole + (size_t)i * it->source_bytes + (size_t)part * it->result_bytes, it->result_bytes);
        warp_blend(warp->registers + it->result[part], room, it->result_bytes, lanes);
    }
}

/* ---- control ---- */

/* Pops parts that have reached their join, or whose lanes have all ended. */
static void reconverge(struct warp *warp)
{
    while (warp->depth > 0) {
        struct warp_part *part = &warp->parts[warp->depth - 1];
        part->lanes &= warp->lanes;
        if (part->lanes != 0 && (part->pc != part->join || warp->depth == 1))
            return;
        warp->depth--;
    }
    warp->done = true;
}

static bool diverge(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                    uint32_t taken)
{
    struct warp_part *part = &warp->parts[warp->depth - 1];
    struct warp_part own = *part;
    if (warp->depth + 2 > WARP_DEPTH)
        return warp_fault(core, warp, it, "has diverged more than %d times", WARP_DEPTH);
    if (own.join == it->join && warp->depth > 1)
        warp->depth--; /* the part below continues from there with these lanes */
    else
        part->pc = it->join;
    warp->parts[warp->depth++] = (struct warp_part){own.pc + 1, it->join, own.lanes & ~taken};
    warp->parts[warp->depth++] = (struct warp_part){it->target, it->join, taken};
    reconverge(warp);
    return true;
}

static bool branch(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                   uint32_t lanes, bool counts)
{
    struct warp_part *part = &warp->parts[warp->depth - 1];
    bool diverges = lanes != 0 && lanes != part->lanes;
    if (counts) {
        core->result->branches++;
        core->result->diverged += diverges;
    }
    if (diverges)
        return diverge(core, warp, it, lanes);
    part->pc = lanes != 0 ? it->target : part->pc + 1;
    reconverge(warp);
    return true;
}

static void begin_pass(struct warp_core *core, struct warp *warp)
{
    core->result->working += !warp->started;
    warp->started = true;
    warp->pass++;
    warp->timed = warp->pass > core->launch->warmup;
    close_clocks(warp);
    if (core->launch->works != NULL)
        core->launch->works[warp->block->number] = 1;
    if (core->launch->scout)
        warp->done = true;
}

/* Marks the block as working, which ends a scout. */
static void mark_working(const struct warp_core *core, struct warp *warp)
{
    if (core->launch->works != NULL)
        core->launch->works[warp->block->number] = 1;
    warp->done = core->launch->scout;
}

static bool wait_for_all(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it)
{
    if (warp->parts[warp->depth - 1].lanes != warp->lanes)
        return warp_fault(core, warp, it, "has diverged, and waits with only some of its threads");
    mark_working(core, warp);
    warp->waiting = !warp->done;
    return true;
}

/* PTX groups copies per thread. The executor groups them per warp, so all its threads must take part. */
static bool is_whole(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                     uint32_t lanes)
{
    return lanes == warp->lanes ||
           warp_unsupported(core, warp, it,
                            "has diverged: the executor supports groups of copies of whole warps only");
}

/* Counts the copies and products of the warp or its block that are under way where a time may be taken. */
static void count_unfinished(const struct warp_core *core, const struct warp *warp,
                             const struct ptx_instruction *it)
{
    size_t pending = warp_copies_pending(warp) + warp_bulk_pending(warp->block) + warp->put +
                     warp->put_groups + warp->multiplies;
    if (pending > 0 && core->result->unfinished == 0)
        core->result->unfinished_line = it->line;
    core->result->unfinished += pending;
}

/* Executes an instruction of an mbarrier; a failed test ends the warp's turn. */
static bool step_phase(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                       uint32_t lanes, unsigned *accesses)
{
    bool over = true;
    if (lanes == 0)
        return true;
    if (it->kind == PTX_MBARRIER_INIT)
        return warp_bulk_init(core, warp, it, lanes);
    if (it->kind == PTX_MBARRIER_ARRIVE)
        return warp_bulk_arrive(core, warp, it, lanes);
    if (!warp_bulk_test(core, warp, it, lanes, &over))
        return false;
    *accesses = over ? *accesses : TURN_ACCESSES;
    return true;
}

/* True for an instruction that one thread executes for its block, so that its predicate is false in all
 * others. */
static bool is_of_one(const struct ptx_instruction *it)
{
    return it->kind == PTX_BULK || it->kind == PTX_MBARRIER_ARRIVE || it->kind == PTX_PUT ||
           it->kind == PTX_PUT_COMMIT;
}

/* Executes one instruction; *accesses counts memory accesses. */
static inline bool step(struct warp_core *core, struct warp *warp, unsigned *accesses)
{
    const struct ptx_program *program = core->program;
    struct warp_part *part = &warp->parts[warp->depth - 1];
    const struct ptx_instruction *it = &program->code[part->pc];
    uint32_t lanes = part->lanes;
    if (it->guard != PTX_NO_GUARD) {
        uint32_t guard;
        memcpy(&guard, warp->registers + it->guard, sizeof guard);
        lanes &= it->guard_not ? ~guard : guard;
        if (lanes != part->lanes && it->kind != PTX_BRANCH && !is_of_one(it) && part->pc >= program->loop &&
            part->pc < program->units_end)
            core->result->predicated_off = it;
    }
    core->result->instructions += warp->timed;
    if (part->pc < program->loop || part->pc >= program->loop_end)
        count_outside(program, warp, it);
    if (it->in_group && lanes != 0 && !warp_group_uses(core, warp, it))
        return false;
    switch (it->kind) {
    case PTX_OPERATE:
        if (lanes != 0 && !operate(core, warp, it, lanes))
            return false;
        break;
    case PTX_LOAD:
    case PTX_STORE:
    case PTX_ATOMIC:
    case PTX_COPY:
    case PTX_BULK:
    case PTX_PUT:
        ++*accesses;
        warp->polls = 0;
        if (!warp_access_memory(core, warp, it, lanes))
            return false;
        break;
    case PTX_BRANCH:
        return branch(core, warp, it, lanes,
                      warp->timed && it->guard != PTX_NO_GUARD && it->forward && part->pc >= program->loop &&
                          part->pc < program->loop_end);
    case PTX_COMMIT:
        if (!is_whole(core, warp, it, lanes))
            return false;
        warp_copies_commit(warp);
        break;
    case PTX_WAIT:
        if (!is_whole(core, warp, it, lanes))
            return false;
        warp_copies_wait(warp, it->pending);
        break;
    case PTX_PUT_COMMIT: /* by the lane that stores */
        warp->put_groups += lanes != 0 && warp->put > 0;
        warp->put = lanes != 0 ? 0 : warp->put;
        break;
    case PTX_PUT_WAIT:
        warp->put_groups = it->pending < warp->put_groups ? it->pending : warp->put_groups;
        break;
    case PTX_MBARRIER_INIT:
    case PTX_MBARRIER_ARRIVE:
    case PTX_MBARRIER_TEST:
        if (!step_phase(core, warp, it, lanes, accesses))
            return false;
        break;
    case PTX_PROXY:
        if (warp->block->bulk != NULL && lanes != 0)
            warp_bulk_fence(warp, it);
        break;
    case PTX_EXIT:
        if (lanes != 0)
            count_unfinished(core, warp, it);
        warp->lanes &= ~lanes;
        break;
    case PTX_BARRIER: /* no time is taken at those in the loop, which order copies */
        warp->polls = 0;
        if (part->pc < program->loop || part->pc >= program->loop_end)
            count_unfinished(core, warp, it);
        if (!wait_for_all(core, warp, it))
            return false;
        break;
    case PTX_CLUSTER_ARRIVE:
        mark_working(core, warp);
        if (!warp->done && !warp_cluster_arrive(core, warp, it, lanes))
            return false;
        break;
    case PTX_CLUSTER_WAIT:
        if (!warp_cluster_wait(core, warp, it, lanes))
            return false;
        break;
    case PTX_MAP:
        if (lanes != 0 && !warp_cluster_map(core, warp, it, lanes))
            return false;
        break;
    case PTX_WARP_BARRIER:
        if (part->lanes != warp->lanes)
            return warp_fault(core, warp, it, "waits for all its threads after it has diverged");
        if (warp->block->races != NULL)
            shared_races_group_barrier(warp->block->races, warp->number);
        break;
    case PTX_CONVERT:
        convert(core, warp, it, lanes);
        break;
    case PTX_PACK:
        pack(core, warp, it, lanes);
        break;
    case PTX_UNPACK:
        unpack(core, warp, it, lanes);
        break;
    case PTX_SPECIAL:
        read_special(core, warp, it);
        break;
    case PTX_MATRIX:
        if (lanes != UINT32_MAX)
            return warp_fault(core, warp, it, "multiplies matrices with only some of its threads");
        warp_matrix(core, warp, it);
        break;
    case PTX_GROUP_FENCE:
    case PTX_GROUP_MATRIX:
    case PTX_GROUP_COMMIT:
    case PTX_GROUP_WAIT:
        if (!warp_group_step(core, warp, it, lanes))
            return false;
        break;
    case PTX_PASS:
        begin_pass(core, warp);
        core->result->instructions -= warp->timed;
        break;
    case PTX_NOTHING:
        break;
    }
    part->pc++;
    if (part->pc == part->join || it->kind == PTX_EXIT)
        reconverge(warp);
    return true;
}

/* Runs the warp until it has accessed memory a few times, waits or ends. */
static bool turn(struct warp_core *core, struct warp *warp)
{
    unsigned accesses = 0, count = 0;
    bool good = true;
    while (good && !warp->done && !warp->waiting && !warp->at_cluster && accesses < TURN_ACCESSES &&
           count < TURN_INSTRUCTIONS) {
        good = step(core, warp, &accesses);
        count++;
    }
    core->clock += count;
    core->result->executed += count;
    if (good && core->left < count) {
        error_set(core->error, STATUS_UNAVAILABLE,
                  "the program is still running after %" PRIu64 " instructions of all warps",
                  core->launch->most_instructions);
        return false;
    }
    core->left -= good ? count : 0;
    return good;
}

/* ---- blocks ---- */

/* The blocks on the chip. Clusters begin and end as a whole, on a group of neighbouring multiprocessors; each
 * group runs its clusters in the order of their numbers. Without clusters each block is a cluster of one. */
struct grid {
    struct warp_core *core;
    struct warp_block **running; /* [sms * resident]; NULL: vacant */
    unsigned resident, warps;    /* blocks per multiprocessor; warps per block */
    unsigned size, groups;       /* blocks of a cluster, multiprocessors of a group; groups */
    unsigned *next;              /* [groups]: the first block of each group's next cluster */
    unsigned *after; /* [clusters]: the first block of the cluster that follows each in its group */
    size_t shared_bytes;
    unsigned live; /* clusters */
};

static void begin_warp(const struct warp_core *core, struct warp_block *block, struct warp *warp)
{
    unsigned before = warp->number * PTX_LANES;
    unsigned lanes = core->launch->threads - before;
    warp->block = block;
    warp->registers = memory_zeroed(core->program->register_bytes + 8, 1);
    warp->lanes = lanes >= PTX_LANES ? UINT32_MAX : (1U << lanes) - 1;
    warp->depth = 1;
    warp->parts[0] = (struct warp_part){0, core->program->count, warp->lanes};
}

static struct warp_block *begin_block(const struct grid *grid, struct warp_cluster *cluster, unsigned rank,
                                      unsigned sm)
{
    const struct warp_core *core = grid->core;
    struct warp_block *block = memory_zeroed(1, sizeof *block);
    unsigned warps = cluster->warps;
    *block =
        (struct warp_block){.number = cluster->first + rank, .sm = sm, .live = warps, .cluster = cluster};
    block->shared = memory_zeroed(grid->shared_bytes + 16, 1);
    if (grid->shared_bytes > 0 && !core->launch->scout)
        block->races = shared_races_new(grid->shared_bytes, PTX_LANES);
    if (core->program->copies)
        block->busy = memory_zeroed(grid->shared_bytes + 16, 1);
    if (core->program->reads_cluster)
        block->written = memory_zeroed(grid->shared_bytes + 16, sizeof *block->written);
    block->unwritten = grid->shared_bytes;
    if (core->program->bulk)
        block->bulk = warp_bulk_new(grid->shared_bytes);
    block->warps = memory_zeroed(warps, sizeof *block->warps);
    for (unsigned i = 0; i < warps; i++) {
        block->warps[i].number = i;
        begin_warp(core, block, &block->warps[i]);
    }
    return block;
}

static void end_block(struct warp_block *block)
{
    for (unsigned i = 0; i < block->cluster->warps; i++) {
        free(block->warps[i].registers);
        warp_copies_free(&block->warps[i]);
        warp_group_free(&block->warps[i]);
        free(block->warps[i].factors);
    }
    free(block->warps);
    free(block->busy);
    free(block->written);
    warp_bulk_free(block->bulk);
    shared_races_free(block->races);
    free(block->shared);
    free(block);
}

/* The place of the first block of the group's cluster in `running`. */
static struct warp_block **place_of(const struct grid *grid, unsigned group, unsigned slot)
{
    return grid->running + (size_t)slot * grid->core->chip->sms + (size_t)group * grid->size;
}

static void end_cluster(const struct grid *grid, unsigned group, unsigned slot)
{
    struct warp_block **place = place_of(grid, group, slot);
    struct warp_cluster *cluster = place[0] == NULL ? NULL : place[0]->cluster;
    for (unsigned i = 0; cluster != NULL && i < cluster->count; i++) {
        end_block(place[i]);
        place[i] = NULL;
    }
    free(cluster);
}

static bool is_chosen(const struct grid *grid, unsigned first)
{
    const unsigned char *chosen = grid->core->launch->chosen;
    bool any = chosen == NULL;
    for (unsigned i = 0; !any && i < grid->size; i++)
        any = chosen[first + i] != 0;
    return any;
}

/* Starts the group's next chosen cluster, if there is one. */
static void fill(struct grid *grid, unsigned group, unsigned slot)
{
    unsigned first = grid->next[group];
    while (first < grid->core->launch->blocks && !is_chosen(grid, first))
        first = grid->after[first / grid->size];
    grid->next[group] = first;
    if (first >= grid->core->launch->blocks)
        return;
    grid->next[group] = grid->after[first / grid->size];
    struct warp_cluster *cluster = memory_zeroed(1, sizeof *cluster);
    *cluster = (struct warp_cluster){.first = first,
                                     .count = grid->size,
                                     .live = grid->size,
                                     .warps = grid->core->launch->scout ? 1 : grid->warps};
    for (unsigned i = 0; i < grid->size; i++)
        cluster->blocks[i] = place_of(grid, group, slot)[i] =
            begin_block(grid, cluster, i, group * grid->size + i);
    grid->live++;
}

static void count_passes(struct warp_core *core, const struct warp *warp)
{
    struct warp_result *result = core->result;
    if (!warp->started)
        return;
    result->least_passes = warp->pass < result->least_passes ? warp->pass : result->least_passes;
    result->most_passes = warp->pass > result->most_passes ? warp->pass : result->most_passes;
}

static void release(struct warp_block *block)
{
    if (block->live == 0 || block->waiting < block->live)
        return;
    block->waiting = 0;
    block->barriers++;
    if (block->bulk != NULL)
        warp_bulk_barrier(block);
    if (block->races != NULL)
        shared_races_barrier(block->races);
    for (unsigned i = 0; i < block->cluster->warps; i++)
        block->warps[i].waiting = false;
}

/* The block's warp has ended. */
static bool leave(struct grid *grid, struct warp_block *block, const struct warp *warp)
{
    count_passes(grid->core, warp);
    block->live--;
    warp_cluster_release(block->cluster);
    if (block->live > 0)
        return true;
    uint64_t factors = warp_bulk_multiplied(block), *least = &grid->core->result->all_factors;
    *least = factors > 0 && (*least == 0 || factors < *least) ? factors : *least;
    block->cluster->live--;
    return warp_cluster_leave(grid->core, block);
}

/* One turn of the block's warp. */
static bool turn_of(struct grid *grid, struct warp_block *block, unsigned number)
{
    struct warp *warp = &block->warps[number];
    if (warp->done || warp->waiting || warp->at_cluster)
        return true;
    if (!turn(grid->core, warp))
        return false;
    if (warp->done && !leave(grid, block, warp))
        return false;
    block->waiting += warp->waiting;
    if (grid->core->program->groups && (warp->waiting || warp->done) && !grid->core->launch->scout &&
        !warp_group_agree(grid->core, block, grid->warps))
        return false;
    release(block);
    return true;
}

/* Gives every warp a turn, multiprocessor by multiprocessor, so that warps that share caches run in sequence:
 * there the first warp of each block, then the second. */
static bool round_of(struct grid *grid)
{
    const unsigned sms = grid->core->chip->sms, warps = grid->core->launch->scout ? 1 : grid->warps;
    for (unsigned sm = 0; sm < sms; sm++)
        for (unsigned turn = 0; turn < warps * grid->resident; turn++) {
            unsigned number = turn / grid->resident, slot = turn % grid->resident;
            struct warp_block *block = grid->running[(size_t)slot * sms + sm];
            if (block == NULL)
                continue;
            if (!turn_of(grid, block, number))
                return false;
            if (block->cluster->live > 0)
                continue;
            end_cluster(grid, sm / grid->size, slot);
            grid->live--;
            fill(grid, sm / grid->size, slot);
        }
    return true;
}

static bool run(struct grid *grid)
{
    struct warp_core *core = grid->core;
    bool good = true;
    for (unsigned slot = 0; slot < grid->resident; slot++)
        for (unsigned group = 0; group < grid->groups; group++)
            fill(grid, group, slot);
    while (good && grid->live > 0) {
        uint64_t before = core->result->executed;
        good = round_of(grid);
        if (good && grid->live > 0 && core->result->executed == before) {
            error_set(
                core->error, STATUS_FAILED,
                "the warps wait for each other for ever: some at a block's barrier, some at a cluster's");
            good = false;
        }
    }
    return good;
}

/* ---- the launch ---- */

static enum status check(const struct warp_core *core)
{
    const struct warp_launch *launch = core->launch;
    if (launch->threads == 0 || launch->threads > MOST_THREADS || launch->blocks == 0 ||
        launch->blocks > MOST_BLOCKS)
        return error_set(core->error, STATUS_USAGE,
                         "a launch of %u blocks of %u threads: expected 1 to %d, of 1 to %d", launch->blocks,
                         launch->threads, MOST_BLOCKS, MOST_THREADS);
    unsigned cluster = core->program->cluster;
    if (cluster > WARP_CLUSTER_BLOCKS || cluster > core->chip->sms)
        return error_set(
            core->error, STATUS_FAILED,
            "the program has clusters of %u blocks: expected at most %d, and no more than the chip has "
            "multiprocessors, %u",
            cluster, WARP_CLUSTER_BLOCKS, core->chip->sms);
    if (cluster > 0 && launch->blocks % cluster != 0)
        return error_set(
            core->error, STATUS_FAILED,
            "the launch has %u blocks, and the program clusters of %u blocks: expected a multiple",
            launch->blocks, cluster);
    if (core->program->most_threads > 0 && launch->threads > core->program->most_threads)
        return error_set(core->error, STATUS_FAILED,
                         "the launch has blocks of %u threads, and the program is for at most %u",
                         launch->threads, core->program->most_threads);
    return STATUS_OK;
}

static void lay_parameters(struct warp_core *core)
{
    const struct ptx_program *program = core->program;
    core->parameters = memory_zeroed(program->parameter_count + 1, 8);
    for (size_t i = 0; i < program->parameter_count; i++) {
        unsigned bytes = program->parameters[i].bytes;
        core->parameter_bytes = (core->parameter_bytes + bytes - 1) / bytes * bytes;
        memcpy(core->parameters + core->parameter_bytes, &core->launch->parameters[i], bytes);
        core->parameter_bytes += bytes;
    }
}

/* Collects the different widths of the regions' buses. */
static enum status find_widths(struct warp_core *core)
{
    for (size_t i = 0; i < core->launch->region_count; i++) {
        unsigned width = core->launch->regions[i].bus, at = 0;
        while (at < WARP_BUSES && core->bus_widths[at] != 0 && core->bus_widths[at] != width)
            at++;
        if (width > 0 && (at == WARP_BUSES || width % 4 != 0 || width > BUS_MOST_BYTES))
            return error_set(
                core->error, STATUS_UNAVAILABLE,
                "a bus of %u bytes: the executor supports up to %d widths, multiples of 4 up to %d", width,
                WARP_BUSES, BUS_MOST_BYTES);
        if (width > 0)
            core->bus_widths[at] = width;
    }
    return STATUS_OK;
}

static unsigned resident_blocks(const struct warp_core *core)
{
    unsigned cluster = core->program->cluster > 1 ? core->program->cluster : 1;
    unsigned places = core->chip->sms / cluster * cluster;
    unsigned needed = (core->launch->blocks + places - 1) / places;
    unsigned stated = core->program->resident > 0 ? core->program->resident : 1;
    return needed < stated ? needed : stated;
}

/* Maps numbers to `count` places such that consecutive ones are far apart; differently in each round. */
static unsigned scattered(unsigned number, unsigned round, unsigned count)
{
    unsigned step = count * 5 / 8 + 1;
    while (rational_gcd(step, count) != 1)
        step++;
    return (unsigned)(((uint64_t)number * step + 3 * (uint64_t)round + 1) % count);
}

unsigned warp_launch_sm(const struct warp_chip *chip, const struct warp_launch *launch, unsigned block)
{
    unsigned stated = launch->program->cluster;
    unsigned size = stated > 1 && stated <= chip->sms ? stated : 1;
    unsigned groups = chip->sms / size, clusters = launch->blocks / size;
    unsigned number = block / size, round = number / groups, left = clusters - round * groups;
    number %= groups;
    unsigned count = launch->placed && left < groups ? left : groups;
    return scattered(number, round, count > 0 ? count : 1) * size + block % size;
}

/* Assigns the clusters to the groups of multiprocessors. */
static void deal(struct grid *grid)
{
    const struct warp_core *core = grid->core;
    unsigned blocks = core->launch->blocks;
    grid->next = memory_zeroed(grid->groups, sizeof *grid->next);
    grid->after = memory_zeroed(blocks / grid->size + 1, sizeof *grid->after);
    for (unsigned group = 0; group < grid->groups; group++)
        grid->next[group] = blocks;
    for (unsigned cluster = blocks / grid->size; cluster-- > 0;) {
        unsigned first = cluster * grid->size;
        unsigned group = warp_launch_sm(core->chip, core->launch, first) / grid->size;
        grid->after[cluster] = grid->next[group];
        grid->next[group] = first;
    }
}

static enum status launch_on(struct warp_core *core)
{
    const struct warp_launch *launch = core->launch;
    enum status status = find_widths(core);
    unsigned resident = resident_blocks(core);
    for (size_t i = 0; status == STATUS_OK && i < launch->range_count; i++)
        status = device_memory_add(&core->memory, &launch->ranges[i], core->error);
    if (status == STATUS_OK && !launch->no_caches)
        status = warp_service_new(core->chip, (uint64_t)resident * core->program->shared_bytes,
                                  core->chip->sides > 1 && !launch->no_copies, &core->service, core->error);
    if (status != STATUS_OK)
        return status;
    unsigned size = core->program->cluster > 1 ? core->program->cluster : 1;
    struct grid grid = {.core = core,
                        .resident = resident,
                        .size = size,
                        .groups = core->chip->sms / size,
                        .warps = (launch->threads + PTX_LANES - 1) / PTX_LANES,
                        .shared_bytes = core->program->shared_bytes};
    grid.running = memory_zeroed((size_t)core->chip->sms * resident, sizeof(struct warp_block *));
    deal(&grid);
    core->units = memory_zeroed((size_t)core->chip->sms * WARP_BUSES, sizeof *core->units);
    core->channels = memory_zeroed((size_t)WARP_CHANNELS * WARP_BUSES, sizeof *core->channels);
    lay_parameters(core);
    if (core->service != NULL && launch->before != NULL)
        launch->before(core->service, launch->before_context);
    error_set(core->error, STATUS_FAILED, "the launch failed");
    bool good = run(&grid);
    for (unsigned slot = 0; slot < resident; slot++)
        for (unsigned group = 0; group < grid.groups; group++)
            end_cluster(&grid, group, slot);
    free(grid.running);
    free(grid.next);
    free(grid.after);
    free(core->units);
    free(core->channels);
    free(core->parameters);
    if (core->result->working == 0)
        core->result->least_passes = 0;
    return good ? STATUS_OK : core->error->code;
}

enum status warp_run(const struct warp_chip *chip, const struct warp_launch *launch,
                     struct warp_result *result, struct error *error)
{
    struct warp_core core = {.chip = chip,
                             .launch = launch,
                             .program = launch->program,
                             .result = result,
                             .error = error,
                             .left = launch->most_instructions};
    *result = (struct warp_result){.least_passes = UINT64_MAX};
    result->sm_accesses = memory_zeroed(chip->sms, sizeof *result->sm_accesses);
    enum status status = check(&core);
    if (status == STATUS_OK)
        status = launch_on(&core);
    warp_service_free(core.service);
    warp_products_free(core.products);
    free(core.matrix_products);
    return status;
}

void warp_result_free(struct warp_result *result)
{
    free(result->sm_accesses);
    *result = (struct warp_result){0};
}
