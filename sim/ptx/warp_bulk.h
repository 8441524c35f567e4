/* A block's mbarriers and the bulk copies to its shared memory that they count (PTX ISA, mbarrier and
 * asynchronous operations). A phase is complete once all its arrivals and all expected bytes have arrived.
 * The executor completes copies as late as possible: after a warp's first failed test of the phase. A warp
 * may access the copied bytes only once the copy is visible to it: it has tested the completed phase, or
 * passed a barrier after a warp that has. */
#ifndef SIM_PTX_WARP_BULK_H
#define SIM_PTX_WARP_BULK_H

#include "sim/ptx/warp_state.h"

struct warp_bulk *warp_bulk_new(size_t shared_bytes);
void warp_bulk_free(struct warp_bulk *bulk);

/* The lanes of the mask initialise an mbarrier, or arrive at one. False, with the error set, if the address
 * holds none, if more threads arrive than it expects, or if another warp's initialisation is not visible
 * yet. */
bool warp_bulk_init(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                    uint32_t lanes);
bool warp_bulk_arrive(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      uint32_t lanes);

/* Sets *over and the lanes' predicate to whether the phase with that parity is complete. False, with the
 * error set, also if it can never complete. */
bool warp_bulk_test(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                    uint32_t lanes, bool *over);

/* A proxy fence: makes the warp's writes visible to copies. */
void warp_bulk_fence(struct warp *warp, const struct ptx_instruction *it);

/* All warps of the block have passed a barrier. */
void warp_bulk_barrier(struct warp_block *block);

/* The lane's destination in shared memory. False, with the error set, if it is outside shared memory or not a
 * multiple of 16, if another copy to it is under way, or if other warps may still read it or have written it
 * without a fence. */
bool warp_bulk_find(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                    unsigned lane, uint64_t *to);

/* The source of the lane's bulk store in shared memory. False, with the error set, if it is outside, or if
 * warps have written it without a fence. */
bool warp_bulk_source(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                      unsigned lane, uint64_t *from);

/* Begins the copy; `from` must stay valid until it completes. */
bool warp_bulk_begin(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                     unsigned lane, uint64_t to, const unsigned char *from);

/* Records a thread's accesses. False, with the error set, if a copy to their bytes is under way or not yet
 * visible to the warp. */
bool warp_bulk_is_past(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                       const uint64_t *addresses, unsigned count, unsigned bytes);

/* Records that a product of the warp reads the 16 bytes at that multiple of 16. False, with the error set, if
 * they were never written, or if a fence, barrier or wait is missing that makes them visible to the warp. */
bool warp_bulk_multiplies(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                          uint64_t at);

/* Bytes that products of the block have read. */
uint64_t warp_bulk_multiplied(const struct warp_block *block);

/* Copies under way. */
size_t warp_bulk_pending(const struct warp_block *block);

#endif
