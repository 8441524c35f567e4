/* Clusters: blocks that run together, wait for each other and access each other's shared memory. Whether such
 * an access is allowed follows from barriers alone, not from the order in which the executor happens to run
 * warps: the owner must have written the bytes before a cluster barrier at which the reader has waited, and
 * must not end before a barrier at which the reader arrives after the access (PTX ISA: arrivals release,
 * waits acquire). Whether the owner waits before it reads what others have stored is not checked. */
#ifndef SIM_PTX_WARP_CLUSTERS_H
#define SIM_PTX_WARP_CLUSTERS_H

#include "sim/ptx/warp_state.h"

/* Addresses in the cluster's window hold the block's rank plus 1 above WARP_RANK_SHIFT bits; 0 there stands
 * for the executing block, whose own window is part of the cluster's. */
enum { WARP_CLUSTER_BLOCKS = 16, WARP_RANK_SHIFT = 24 };

struct warp_cluster {
    unsigned first, count; /* number of its first block; number of blocks */
    unsigned live;         /* blocks that have not ended */
    unsigned warps;        /* per block */
    uint64_t phase;        /* barriers at which all warps have arrived */
    struct warp_block *blocks[WARP_CLUSTER_BLOCKS];
};

/* The block's rank in its cluster. */
unsigned warp_cluster_rank(const struct warp_block *block);

/* The address in the cluster's window of that address in a block's shared memory. */
uint64_t warp_cluster_address(uint64_t address, unsigned rank);

/* Executes mapa: maps each lane's address to the shared memory of the block with the lane's rank. */
bool warp_cluster_map(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      uint32_t lanes);

/* Turns addresses in the cluster's window into those in the shared memory of the block with rank *owner.
 * False, with the error set, if they are outside or in several blocks, or if the owner may not have written
 * them yet or may have ended. */
bool warp_cluster_find(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                       uint64_t *addresses, unsigned count, unsigned bytes, unsigned *owner);

/* Records that the warp writes these bytes of its block's shared memory. */
void warp_cluster_write(const struct warp *warp, uint64_t address, unsigned bytes);

/* The two halves of the barrier; a warp that has to wait becomes at_cluster. */
bool warp_cluster_arrive(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                         uint32_t lanes);
bool warp_cluster_wait(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                       uint32_t lanes);

/* Releases the waiting warps if all warps that have not ended have arrived. */
void warp_cluster_release(struct warp_cluster *cluster);

/* After the block's last warp has ended: false, with the error set, if another block may still access its
 * memory. */
bool warp_cluster_leave(struct warp_core *core, struct warp_block *block);

#endif
