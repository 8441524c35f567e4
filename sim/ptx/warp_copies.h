/* A warp's asynchronous copies to shared memory (cp.async), from their start until the warp has waited for
 * them. Meanwhile nothing may access the bytes that they write: in what order that happens is not defined.
 * That other warps see such bytes only after a barrier is not followed. */
#ifndef SIM_PTX_WARP_COPIES_H
#define SIM_PTX_WARP_COPIES_H

#include "sim/ptx/warp_state.h"

/* One instruction's copies: of each lane, to where and from where. */
struct warp_copied {
    unsigned count, bytes;
    uint64_t to[PTX_LANES]; /* in shared memory */
    const unsigned char *from[PTX_LANES];
};

/* Where the lanes (those of the mask, in order) copy to. */
void warp_copies_find(const struct warp *warp, const struct ptx_instruction *it, uint32_t lanes,
                      struct warp_copied *copied);

/* Begins the copies. False, with the error set, where they write outside shared memory, not at a multiple of
 * their size, or where another copy is under way. */
bool warp_copies_begin(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                       const struct warp_copied *copied);

/* Ends the group of what was begun. */
void warp_copies_commit(struct warp *warp);

/* Waits until at most that many of the latest groups are under way; UINT_MAX: for all copies, also those in
 * no group yet. */
void warp_copies_wait(struct warp *warp, unsigned pending);

/* False, with the error set, if one of the lanes accesses what a copy still writes. */
bool warp_copies_are_past(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                          const uint64_t *addresses, unsigned count, unsigned bytes);

/* Copies under way. */
size_t warp_copies_pending(const struct warp *warp);

void warp_copies_free(struct warp *warp);

#endif
