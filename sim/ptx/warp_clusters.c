#include "sim/ptx/warp_clusters.h"

#include "sim/shared_races.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

unsigned warp_cluster_rank(const struct warp_block *block)
{
    return block->number - block->cluster->first;
}

uint64_t warp_cluster_address(uint64_t address, unsigned rank)
{
    return (uint64_t)(rank + 1) << WARP_RANK_SHIFT | (address & ((UINT64_C(1) << WARP_RANK_SHIFT) - 1));
}

bool warp_cluster_map(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      uint32_t lanes)
{
    const unsigned char *from = warp_source(core, warp, it->source[0]);
    const uint32_t *ranks = warp_source(core, warp, it->source[1]);
    uint64_t room[PTX_LANES] = {0};
    unsigned char *to = (unsigned char *)room;
    for (unsigned i = 0; i < PTX_LANES; i++) {
        uint64_t address = 0;
        if ((lanes >> i & 1) == 0)
            continue;
        if (ranks[i] >= warp->block->cluster->count)
            return warp_fault(core, warp, it,
                              "maps an address to block %" PRIu32
                              " of its cluster, which has %u: there is no "
                              "such block",
                              ranks[i], warp->block->cluster->count);
        memcpy(&address, from + (size_t)i * it->source_bytes, it->source_bytes); /* little endian */
        address = warp_cluster_address(address, ranks[i]);
        memcpy(to + (size_t)i * it->result_bytes, &address, it->result_bytes);
    }
    warp_blend(warp->registers + it->result[0], room, it->result_bytes, lanes);
    return true;
}

/* ---- accesses ---- */

static bool is_written(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                       const struct warp_block *owner, uint64_t address, unsigned bytes)
{
    if (owner->unwritten == 0 && owner->last_write <= warp->waits)
        return true;
    for (unsigned i = 0; i < bytes; i++) {
        uint32_t since = owner->written[address + i];
        if (since == 0 && it->kind == PTX_STORE)
            continue; /* a store needs no earlier value */
        if (since == 0)
            return warp_fault(core, warp, it,
                              "accesses 0x%" PRIx64
                              " of the shared memory of block %u, which that block has not written",
                              address + i, owner->number);
        if (since > warp->waits)
            return warp_fault(core, warp, it,
                              "accesses 0x%" PRIx64
                              " of the shared memory of block %u, which that block may not have written yet: "
                              "expected a cluster barrier between",
                              address + i, owner->number);
    }
    return true;
}

static bool is_there(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                     const struct warp_block *owner, unsigned rank)
{
    if (owner == NULL || warp->waits == 0)
        return warp_fault(core, warp, it,
                          "accesses shared memory of block %u, which may not have begun: expected a cluster "
                          "barrier before",
                          warp->block->cluster->first + rank);
    return owner->live > 0 ||
           warp_fault(
               core, warp, it,
               "accesses shared memory of block %u, which has ended: expected a cluster barrier before "
               "its end",
               owner->number);
}

bool warp_cluster_find(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                       uint64_t *addresses, unsigned count, unsigned bytes, unsigned *owner)
{
    const struct warp_cluster *cluster = warp->block->cluster;
    size_t size = core->program->shared_bytes;
    uint64_t all = addresses[0] >> WARP_RANK_SHIFT;
    unsigned own = warp_cluster_rank(warp->block), rank = all == 0 ? own : (unsigned)(all - 1);
    if (all > cluster->count)
        return warp_fault(core, warp, it, "accesses 0x%" PRIx64 ", outside the shared memory of its cluster",
                          addresses[0]);
    struct warp_block *from = cluster->blocks[rank];
    if (rank != own && !is_there(core, warp, it, from, rank))
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (addresses[i] >> WARP_RANK_SHIFT != all)
            return warp_unsupported(core, warp, it,
                                    "accesses shared memory of several blocks: the executor supports one");
        uint64_t address = addresses[i] & ((UINT64_C(1) << WARP_RANK_SHIFT) - 1);
        if (address > size || bytes > size - address)
            return warp_fault(core, warp, it,
                              "accesses %u bytes at 0x%" PRIx64
                              " of block %u, past the end of its shared memory, "
                              "%zu bytes",
                              bytes, address, from->number, size);
        if (rank != own && !is_written(core, warp, it, from, address, bytes))
            return false;
        addresses[i] = address;
    }
    if (rank != own && from->read_until < warp->arrivals + 1)
        from->read_until = warp->arrivals + 1;
    *owner = rank;
    return true;
}

void warp_cluster_write(const struct warp *warp, uint64_t address, unsigned bytes)
{
    struct warp_block *block = warp->block;
    uint32_t since = (uint32_t)warp->arrivals + 1; /* fits: a launch has fewer instructions */
    for (unsigned i = 0; block->written != NULL && i < bytes; i++) {
        block->unwritten -= block->written[address + i] == 0;
        block->written[address + i] = since;
    }
    block->last_write = since > block->last_write ? since : block->last_write;
}

/* ---- barriers ---- */

static bool is_whole(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                     uint32_t lanes)
{
    return lanes == warp->lanes ||
           warp_fault(core, warp, it, "reaches a cluster barrier with only some of its threads");
}

bool warp_cluster_arrive(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                         uint32_t lanes)
{
    if (!is_whole(core, warp, it, lanes))
        return false;
    if (warp->arrived)
        return warp_fault(
            core, warp, it,
            "arrives at a cluster barrier again without having waited, which PTX leaves undefined");
    warp->arrived = true;
    warp->arrivals++;
    warp_cluster_release(warp->block->cluster);
    return true;
}

bool warp_cluster_wait(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                       uint32_t lanes)
{
    if (!is_whole(core, warp, it, lanes))
        return false;
    if (!warp->arrived)
        return warp_fault(core, warp, it,
                          "waits at a cluster barrier without having arrived, which PTX leaves undefined");
    warp->at_cluster = true;
    if (warp->block->cluster->phase >= warp->arrivals) {
        warp->at_cluster = warp->arrived = false;
        warp->waits = warp->arrivals;
    }
    return true;
}

void warp_cluster_release(struct warp_cluster *cluster)
{
    bool any = false;
    for (unsigned i = 0; i < cluster->count; i++)
        for (unsigned k = 0; k < cluster->warps; k++) {
            const struct warp *warp = cluster->blocks[i] == NULL ? NULL : &cluster->blocks[i]->warps[k];
            if (warp != NULL && warp->done)
                continue;
            if (warp == NULL || warp->arrivals <= cluster->phase)
                return; /* it has not arrived, or its block has not begun */
            any = true;
        }
    cluster->phase += any;
    for (unsigned i = 0; any && i < cluster->count; i++)
        if (cluster->blocks[i]->races != NULL)
            shared_races_barrier(cluster->blocks[i]->races);
    for (unsigned i = 0; i < cluster->count; i++)
        for (unsigned k = 0; k < cluster->warps; k++) {
            struct warp *warp = &cluster->blocks[i]->warps[k];
            if (!warp->at_cluster)
                continue;
            warp->at_cluster = warp->arrived = false;
            warp->waits = warp->arrivals;
        }
}

bool warp_cluster_leave(struct warp_core *core, struct warp_block *block)
{
    const struct warp_cluster *cluster = block->cluster;
    uint64_t waits = 0;
    for (unsigned k = 0; k < cluster->warps; k++)
        waits = block->warps[k].waits > waits ? block->warps[k].waits : waits;
    if (block->read_until <= waits)
        return true;
    error_set(
        core->error, STATUS_FAILED,
        "block %u ends while others of its cluster may still access its shared memory: expected a cluster "
        "barrier before its end, after their last access",
        block->number);
    return false;
}
