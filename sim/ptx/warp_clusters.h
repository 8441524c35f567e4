/* Clusters: blocks that run together, wait for each other and access each other's shared memory. What a block
 * may access of another's follows from barriers alone, not from the order in which the executor happens to
 * run warps: its owner has written it before a barrier that the reader has waited at, and does not end before
 * a barrier that the reader comes to after the read (PTX ISA: arrivals release, waits acquire). Whether the
 * owner itself waits before it reads what others have stored is not followed. */
#ifndef SIM_PTX_WARP_CLUSTERS_H
#define SIM_PTX_WARP_CLUSTERS_H

#include "sim/ptx/warp_state.h"

/* Where a block's shared memory is in the cluster's window: its rank, plus 1, is above these bits. Below it,
 * an address is of the own block, whose window is part of the cluster's. */
enum { WARP_CLUSTER_BLOCKS = 16, WARP_RANK_SHIFT = 24 };

struct warp_cluster {
    unsigned first, count; /* the number of its first block; blocks */
    unsigned live;         /* blocks that have begun and not ended */
    unsigned warps;        /* of a block */
    uint64_t phase;        /* barriers that all warps have arrived at */
    struct warp_block *blocks[WARP_CLUSTER_BLOCKS];
};

/* The block's rank in its cluster. */
unsigned warp_cluster_rank(const struct warp_block *block);

/* The address in the cluster's window of what is at that address of a block's shared memory. */
uint64_t warp_cluster_address(uint64_t address, unsigned rank);

/* mapa: the lanes' addresses in the shared memory of the block with their rank. */
bool warp_cluster_map(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      uint32_t lanes);

/* Finds the lanes' bytes in the cluster's window: of one block, whose rank *owner becomes. False, with the
 * error set, where they are outside, or where its owner may not have written them or may have ended. */
bool warp_cluster_find(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                       uint64_t *addresses, unsigned count, unsigned bytes, unsigned *owner);

/* Notes that the warp writes these bytes of its block's shared memory. */
void warp_cluster_write(const struct warp *warp, uint64_t address, unsigned bytes);

/* One half of the barrier; a warp that has to wait is at_cluster. */
bool warp_cluster_arrive(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                         uint32_t lanes);
bool warp_cluster_wait(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                       uint32_t lanes);

/* Lets those go on that wait, if all warps that have not ended have arrived. */
void warp_cluster_release(struct warp_cluster *cluster);

/* After the block's last warp has ended: false, with the error set, if another may still read its memory. */
bool warp_cluster_leave(struct warp_core *core, struct warp_block *block);

#endif
