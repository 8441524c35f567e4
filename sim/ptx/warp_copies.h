/* A warp's asynchronous copies to shared memory (cp.async), from their start until the warp has waited for
 * them. Meanwhile nothing may access their destinations, as PTX does not define the order. That other warps
 * may access them only after a barrier is not checked here. */
#ifndef SIM_PTX_WARP_COPIES_H
#define SIM_PTX_WARP_COPIES_H

#include "sim/ptx/warp_state.h"

/* One instruction's copies: each lane's destination and source. */
struct warp_copied {
    unsigned count, bytes;
    uint64_t to[PTX_LANES]; /* in shared memory */
    const unsigned char *from[PTX_LANES];
};

/* Finds the destinations of the mask's lanes, in order. */
void warp_copies_find(const struct warp *warp, const struct ptx_instruction *it, uint32_t lanes,
                      struct warp_copied *copied);

/* Begins the copies. False, with the error set, if a destination is outside shared memory or not a multiple
 * of the size, or if another copy to it is under way. */
bool warp_copies_begin(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                       const struct warp_copied *copied);

/* Ends the current group of copies. */
void warp_copies_commit(struct warp *warp);

/* Waits until at most that many of the latest groups are under way; UINT_MAX: for all copies, even those in
 * no group yet. */
void warp_copies_wait(struct warp *warp, unsigned pending);

/* False, with the error set, if a copy to one of the lanes' bytes is under way. */
bool warp_copies_are_past(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                          const uint64_t *addresses, unsigned count, unsigned bytes);

/* Copies under way. */
size_t warp_copies_pending(const struct warp *warp);

void warp_copies_free(struct warp *warp);

#endif
