/* A block's mbarriers and the bulk copies to its shared memory that they count (PTX ISA, mbarrier and
 * asynchronous operations). A phase is over when all its arrivals and all bytes that it expects have come.
 * Copies come as late as they may: once a warp has asked in vain for the phase. Until they have come and a
 * warp knows it, because it has asked for the phase or has met one that has at a barrier, that warp may not
 * access what they write. */
#ifndef SIM_PTX_WARP_BULK_H
#define SIM_PTX_WARP_BULK_H

#include "sim/ptx/warp_state.h"

struct warp_bulk *warp_bulk_new(size_t shared_bytes);
void warp_bulk_free(struct warp_bulk *bulk);

/* The lanes (those of the mask) initialise an mbarrier, or arrive at one. False, with the error set, where
 * there is none, where more arrive than it expects, or where another warp's is not visible yet. */
bool warp_bulk_init(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                    uint32_t lanes);
bool warp_bulk_arrive(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      uint32_t lanes);

/* Asks whether the phase with that parity is over, and sets the lanes' predicate. *over: the answer. False,
 * with the error set, also where it can never be over. */
bool warp_bulk_test(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                    uint32_t lanes, bool *over);

/* What the warp has written is visible to copies from now on. */
void warp_bulk_fence(struct warp *warp, const struct ptx_instruction *it);

/* All warps of the block have met. */
void warp_bulk_meet(struct warp_block *block);

/* Where the lane copies to in shared memory. False, with the error set, where nothing may be copied to:
 * outside shared memory, beside a multiple of 16, where another copy is under way, or where other warps may
 * still read or have written without a fence. */
bool warp_bulk_find(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                    unsigned lane, uint64_t *to);

/* Where a bulk store of the lane reads in shared memory. False, with the error set, outside of it, or where
 * warps have written without a fence. */
bool warp_bulk_source(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                      unsigned lane, uint64_t *from);

/* Begins that copy of bytes that stay where they are. */
bool warp_bulk_begin(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                     unsigned lane, uint64_t to, const unsigned char *from);

/* Notes a thread's accesses. False, with the error set, if a copy still writes what they access, or the warp
 * does not know that it has come. */
bool warp_bulk_is_past(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                       const uint64_t *addresses, unsigned count, unsigned bytes);

/* Notes that a product of the warp reads the 16 bytes at that multiple of 16. False, with the error set, if
 * nobody has written them, or without a fence, a barrier or a wait that shows them to the warp. */
bool warp_bulk_multiplies(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                          uint64_t at);

/* Bytes that products of the block have read. */
uint64_t warp_bulk_multiplied(const struct warp_block *block);

/* Copies under way. */
size_t warp_bulk_pending(const struct warp_block *block);

#endif
