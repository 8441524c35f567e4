#include "sim/ptx/warp_bulk.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* GRAIN: copies consist of units of this many bytes. MOST_POLLS: failed tests after which a warp counts as
 * stuck; the first one completes copies. */
enum { GRAIN = 16, PHASE_BYTES = 8, MOST_POLLS = 3 };

/* An mbarrier. */
struct warp_phase {
    uint64_t at; /* in shared memory */
    unsigned expected, pending;
    int64_t bytes;   /* still expected */
    uint64_t number; /* of the current phase */
    unsigned by;     /* the warp that initialised it, */
    uint64_t since;  /* after this many barriers of the block */
    bool is_fenced;  /* visible to copies */
};

struct warp_copied_bulk {
    uint64_t to, bytes;
    const unsigned char *from;
    size_t phase;    /* its mbarrier */
    uint64_t number; /* of the phase in which it completed */
    bool is_complete;
    uint32_t visible; /* warps to which it is visible, a bit each */
    size_t grains;    /* whose last copy it is; 0: the slot is free */
};

/* Sets of warps have a bit per warp. */
struct warp_grain {
    uint32_t copy;     /* 1 + index of the last copy to it; 0: none */
    uint32_t unfenced; /* warps that have written it since their last fence */
    uint32_t accessed; /* warps that have accessed it since `since` barriers */
    uint32_t factor;   /* warps with products that have read it */
    uint64_t since;
};

struct warp_bulk {
    struct warp_phase *phases;
    size_t phase_count;
    struct warp_copied_bulk *copies;
    size_t copy_count;
    struct warp_grain *grains;
    size_t grain_count;
    uint64_t barriers;    /* of the block so far */
    uint32_t has_written; /* warps that have written since their last fence */
    size_t under_way;
};

struct warp_bulk *warp_bulk_new(size_t shared_bytes)
{
    struct warp_bulk *bulk = memory_zeroed(1, sizeof *bulk);
    bulk->grain_count = shared_bytes / GRAIN + 2;
    bulk->grains = memory_zeroed(bulk->grain_count, sizeof *bulk->grains);
    return bulk;
}

void warp_bulk_free(struct warp_bulk *bulk)
{
    if (bulk != NULL) {
        free(bulk->phases);
        free(bulk->copies);
        free(bulk->grains);
    }
    free(bulk);
}

static uint32_t bit_of(const struct warp *warp)
{
    return UINT32_C(1) << warp->number;
}

static uint64_t phase_place(const struct warp *warp, const struct ptx_instruction *it, unsigned lane)
{
    return warp_address(warp, it->kind == PTX_BULK ? &it->barrier : &it->address, lane);
}

/* ---- mbarriers ---- */

bool warp_bulk_init(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                    uint32_t lanes)
{
    struct warp_bulk *bulk = warp->block->bulk;
    for (; lanes != 0; lanes &= lanes - 1) {
        uint64_t at = phase_place(warp, it, (unsigned)__builtin_ctz(lanes));
        size_t size = core->program->shared_bytes, i = 0;
        if (at % PHASE_BYTES != 0 || at > size || PHASE_BYTES > size - at)
            return warp_fault(core, warp, it,
                              "initialises an mbarrier at 0x%" PRIx64
                              ": expected a multiple of %d in shared memory",
                              at, PHASE_BYTES);
        while (i < bulk->phase_count && bulk->phases[i].at != at)
            i++;
        if (i < bulk->phase_count)
            return warp_fault(core, warp, it, "initialises the mbarrier at 0x%" PRIx64 " twice", at);
        bulk->phases = memory_next(bulk->phases, bulk->phase_count, sizeof *bulk->phases);
        bulk->phases[bulk->phase_count++] = (struct warp_phase){.at = at,
                                                                .expected = it->expected,
                                                                .pending = it->expected,
                                                                .by = warp->number,
                                                                .since = bulk->barriers};
    }
    return true;
}

/* The lane's mbarrier; NULL, with the error set, if there is none or it is not visible to the warp. */
static struct warp_phase *phase_of(struct warp_core *core, const struct warp *warp,
                                   const struct ptx_instruction *it, unsigned lane)
{
    const struct warp_bulk *bulk = warp->block->bulk;
    uint64_t at = phase_place(warp, it, lane);
    for (size_t i = 0; i < bulk->phase_count; i++) {
        struct warp_phase *phase = &bulk->phases[i];
        if (phase->at != at)
            continue;
        if (phase->by == warp->number || phase->since != bulk->barriers)
            return phase;
        warp_fault(
            core, warp, it,
            "uses the mbarrier at 0x%" PRIx64
            ", which warp %u has initialised since the block's last barrier: expected bar.sync between",
            at, phase->by);
        return NULL;
    }
    warp_fault(core, warp, it,
               "uses an mbarrier at 0x%" PRIx64 ", where there is none: expected mbarrier.init before", at);
    return NULL;
}

static void end_if_complete(struct warp_phase *phase)
{
    if (phase->pending > 0 || phase->bytes != 0)
        return;
    phase->number++;
    phase->pending = phase->expected;
}

bool warp_bulk_arrive(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      uint32_t lanes)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        struct warp_phase *phase = phase_of(core, warp, it, (unsigned)__builtin_ctz(lanes));
        if (phase == NULL)
            return false;
        if (phase->pending == 0)
            return warp_fault(core, warp, it,
                              "arrives at the mbarrier at 0x%" PRIx64
                              ", at which all %u have arrived in this phase: expected a wait for it before",
                              phase->at, phase->expected);
        phase->pending--;
        phase->bytes += (int64_t)it->size;
        end_if_complete(phase);
    }
    warp->polls = 0;
    return true;
}

/* Completes the copies that the mbarrier counts. */
static void complete_copies(const struct warp_block *block, size_t number)
{
    struct warp_bulk *bulk = block->bulk;
    struct warp_phase *phase = &bulk->phases[number];
    for (size_t i = 0; i < bulk->copy_count && bulk->under_way > 0; i++) {
        struct warp_copied_bulk *copy = &bulk->copies[i];
        if (copy->grains == 0 || copy->is_complete || copy->phase != number)
            continue;
        memcpy(block->shared + copy->to, copy->from, copy->bytes);
        copy->is_complete = true;
        copy->number = phase->number;
        phase->bytes -= (int64_t)copy->bytes;
        bulk->under_way--;
        end_if_complete(phase);
    }
}

/* Makes the copies of the mbarrier's completed phases visible to the warp. */
static void make_visible(const struct warp *warp, size_t number)
{
    const struct warp_bulk *bulk = warp->block->bulk;
    for (size_t i = 0; i < bulk->copy_count; i++) {
        struct warp_copied_bulk *copy = &bulk->copies[i];
        if (copy->is_complete && copy->phase == number && copy->number < bulk->phases[number].number)
            copy->visible |= bit_of(warp);
    }
}

/* True if every warp has ended, waits at a barrier, or tests a phase without success. */
static bool all_are_stuck(const struct warp_core *core, const struct warp_block *block)
{
    unsigned warps = core->launch->scout ? 1 : (core->launch->threads + PTX_LANES - 1) / PTX_LANES;
    for (unsigned i = 0; i < warps; i++) {
        const struct warp *warp = &block->warps[i];
        if (!warp->done && !warp->waiting && warp->polls < MOST_POLLS)
            return false;
    }
    return true;
}

static bool never_complete(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                           const struct warp_phase *phase, unsigned parity)
{
    char state[96];
    if (phase->bytes < 0)
        snprintf(state, sizeof state,
                 "%u arrivals are missing, and %" PRId64 " bytes arrived that it does not expect",
                 phase->pending, -phase->bytes);
    else
        snprintf(state, sizeof state, "%u arrivals and %" PRId64 " bytes are missing", phase->pending,
                 phase->bytes);
    return warp_fault(core, warp, it,
                      "waits for parity %u of the mbarrier at 0x%" PRIx64
                      ", which never comes: in phase %" PRIu64 " %s",
                      parity, phase->at, phase->number, state);
}

bool warp_bulk_test(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                    uint32_t lanes, bool *over)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    uint32_t parity = it->parity, old;
    struct warp_phase *phase = phase_of(core, warp, it, lane);
    if (phase == NULL)
        return false;
    if (lanes != warp->lanes)
        return warp_unsupported(core, warp, it,
                                "has diverged: the executor supports waits of whole warps only");
    if (it->sources > 0)
        memcpy(&parity, (const unsigned char *)warp_source(core, warp, it->source[0]) + (size_t)lane * 4,
               sizeof parity);
    size_t number = (size_t)(phase - warp->block->bulk->phases);
    *over = (phase->number & 1) != (parity & 1);
    memcpy(&old, warp->registers + it->result[0], sizeof old);
    old = *over ? old | lanes : old & ~lanes;
    memcpy(warp->registers + it->result[0], &old, sizeof old);
    if (*over) {
        warp->polls = 0;
        make_visible(warp, number);
        return true;
    }
    warp->polls++;
    complete_copies(warp->block, number);
    return !all_are_stuck(core, warp->block) || never_complete(core, warp, it, phase, parity);
}

/* ---- visibility ---- */

void warp_bulk_fence(struct warp *warp, const struct ptx_instruction *it)
{
    struct warp_bulk *bulk = warp->block->bulk;
    for (size_t i = 0; i < bulk->phase_count; i++)
        bulk->phases[i].is_fenced = bulk->phases[i].is_fenced || bulk->phases[i].by == warp->number;
    if (it->expected == 0 || (bulk->has_written & bit_of(warp)) == 0)
        return;
    for (size_t i = 0; i < bulk->grain_count; i++)
        bulk->grains[i].unfenced &= ~bit_of(warp);
    bulk->has_written &= ~bit_of(warp);
}

void warp_bulk_barrier(struct warp_block *block)
{
    struct warp_bulk *bulk = block->bulk;
    bulk->barriers++;
    for (size_t i = 0; i < bulk->copy_count; i++)
        if (bulk->copies[i].visible != 0)
            bulk->copies[i].visible = UINT32_MAX;
}

/* True if no copy to the grain is under way or invisible to the warp. */
static bool sees_copy(const struct warp *warp, const struct warp_grain *grain)
{
    return grain->copy == 0 || (warp->block->bulk->copies[grain->copy - 1].visible & bit_of(warp)) != 0;
}

/* False, with the error set, if another warp has accessed the grain since the block's last barrier, or if a
 * warp has written it without a proxy fence. does: "copies to". */
static bool is_fenced(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                      uint64_t at, const char *does)
{
    const struct warp_bulk *bulk = warp->block->bulk;
    const struct warp_grain *grain = &bulk->grains[at / GRAIN];
    uint32_t others = grain->since == bulk->barriers ? grain->accessed & ~bit_of(warp) : 0;
    if (grain->unfenced != 0)
        return warp_fault(core, warp, it,
                          "%s 0x%" PRIx64 " of shared memory, which warp %d has written: expected "
                          "fence.proxy.async after that",
                          does, at, __builtin_ctz(grain->unfenced));
    return others == 0 ||
           warp_fault(core, warp, it,
                      "%s 0x%" PRIx64 " of shared memory, which warp %d has accessed since the block's last "
                      "barrier: expected bar.sync between",
                      does, at, __builtin_ctz(others));
}

/* ---- copies ---- */

/* The lane's address in shared memory, which must lie there and be aligned. direction: "to" or "from". */
static bool find_place(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                       unsigned lane, const char *direction, uint64_t *place)
{
    size_t size = core->program->shared_bytes;
    *place = warp_address(warp, &it->to, lane);
    if (*place % GRAIN != 0)
        return warp_fault(core, warp, it,
                          "copies %s 0x%" PRIx64 " of shared memory: expected a multiple of %d", direction,
                          *place, GRAIN);
    if (*place > size || it->size > size - *place)
        return warp_fault(core, warp, it, "copies %" PRIu64 " bytes %s 0x%" PRIx64 ", outside shared memory",
                          it->size, direction, *place);
    return true;
}

bool warp_bulk_find(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                    unsigned lane, uint64_t *to)
{
    if (!find_place(core, warp, it, lane, "to", to))
        return false;
    for (uint64_t at = *to; at < *to + it->size; at += GRAIN) {
        if (!sees_copy(warp, &warp->block->bulk->grains[at / GRAIN]))
            return warp_fault(core, warp, it,
                              "copies to 0x%" PRIx64 " of shared memory, where another copy is under way: "
                              "expected a wait for that copy's phase before",
                              at);
        if (!is_fenced(core, warp, it, at, "copies to"))
            return false;
    }
    return true;
}

bool warp_bulk_source(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                      unsigned lane, uint64_t *from)
{
    const struct warp_bulk *bulk = warp->block->bulk;
    if (!find_place(core, warp, it, lane, "from", from))
        return false;
    for (uint64_t at = *from / GRAIN; at < (*from + it->size) / GRAIN; at++)
        if (bulk->grains[at].unfenced != 0)
            return warp_fault(core, warp, it,
                              "copies from 0x%" PRIx64
                              " of shared memory, which warp %d has written: expected "
                              "fence.proxy.async after that",
                              at * GRAIN, __builtin_ctz(bulk->grains[at].unfenced));
    return true;
}

static size_t free_slot(struct warp_bulk *bulk)
{
    for (size_t i = 0; i < bulk->copy_count; i++)
        if (bulk->copies[i].grains == 0)
            return i;
    bulk->copies = memory_next(bulk->copies, bulk->copy_count, sizeof *bulk->copies);
    return bulk->copy_count++;
}

bool warp_bulk_begin(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                     unsigned lane, uint64_t to, const unsigned char *from)
{
    struct warp_bulk *bulk = warp->block->bulk;
    const struct warp_phase *phase = phase_of(core, warp, it, lane);
    if (phase == NULL)
        return false;
    if (!phase->is_fenced)
        return warp_fault(core, warp, it,
                          "has the mbarrier at 0x%" PRIx64 " count a copy: expected fence.mbarrier_init or "
                          "fence.proxy.async after its mbarrier.init",
                          phase->at);
    size_t slot = free_slot(bulk);
    bulk->copies[slot] = (struct warp_copied_bulk){.to = to,
                                                   .bytes = it->size,
                                                   .from = from,
                                                   .phase = (size_t)(phase - bulk->phases),
                                                   .grains = it->size / GRAIN};
    for (uint64_t at = to / GRAIN; at < (to + it->size) / GRAIN; at++) {
        struct warp_grain *grain = &bulk->grains[at];
        if (grain->copy > 0)
            bulk->copies[grain->copy - 1].grains--;
        grain->copy = (uint32_t)slot + 1;
    }
    bulk->under_way++;
    warp->polls = 0;
    return true;
}

bool warp_bulk_multiplies(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                          uint64_t at)
{
    struct warp_grain *grain = &warp->block->bulk->grains[at / GRAIN];
    grain->factor |= bit_of(warp);
    if (!sees_copy(warp, grain))
        return warp_fault(core, warp, it,
                          "multiplies what a bulk copy to 0x%" PRIx64
                          " of shared memory writes: expected a wait for its phase before",
                          at);
    if (grain->copy == 0 && grain->accessed == 0)
        return warp_fault(core, warp, it,
                          "multiplies 0x%" PRIx64 " of shared memory, which nobody has written", at);
    return is_fenced(core, warp, it, at, "multiplies");
}

uint64_t warp_bulk_multiplied(const struct warp_block *block)
{
    uint64_t bytes = 0;
    for (size_t i = 0; block->bulk != NULL && i < block->bulk->grain_count; i++)
        bytes += block->bulk->grains[i].factor != 0 ? GRAIN : 0;
    return bytes;
}

/* The first warp with a product that may still read the grain; -1: none. */
static int reading_warp(const struct warp_block *block, const struct warp_grain *grain)
{
    for (uint32_t warps = grain->factor; warps != 0; warps &= warps - 1) {
        int number = __builtin_ctz(warps);
        if (block->warps[number].multiplies > 0)
            return number;
    }
    return -1;
}

bool warp_bulk_is_past(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                       const uint64_t *addresses, unsigned count, unsigned bytes)
{
    struct warp_bulk *bulk = warp->block->bulk;
    bool writes = it->kind != PTX_LOAD;
    for (unsigned i = 0; i < count; i++)
        for (uint64_t at = addresses[i] / GRAIN; at <= (addresses[i] + bytes - 1) / GRAIN; at++) {
            struct warp_grain *grain = &bulk->grains[at];
            if (!sees_copy(warp, grain))
                return warp_fault(core, warp, it,
                                  "accesses 0x%" PRIx64 " of shared memory, which a bulk copy %s: expected a "
                                  "wait for its phase before",
                                  addresses[i],
                                  bulk->copies[grain->copy - 1].is_complete ? "has written" : "still writes");
            int reader = writes ? reading_warp(warp->block, grain) : -1;
            if (reader >= 0)
                return warp_fault(core, warp, it,
                                  "writes 0x%" PRIx64
                                  " of shared memory, which products of warp %d may still "
                                  "read: expected wgmma.wait_group before",
                                  addresses[i], reader);
            grain->accessed = (grain->since == bulk->barriers ? grain->accessed : 0) | bit_of(warp);
            grain->since = bulk->barriers;
            grain->unfenced |= writes ? bit_of(warp) : 0;
            bulk->has_written |= writes ? bit_of(warp) : 0;
        }
    return true;
}

size_t warp_bulk_pending(const struct warp_block *block)
{
    return block->bulk == NULL ? 0 : block->bulk->under_way;
}
