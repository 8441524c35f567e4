/* wgmma: four warps together multiply two matrices in shared memory, and each adds its own rows of the
 * product to registers, asynchronously. Faults are: a warp uses such a register before it has waited; a
 * product uses registers or shared memory that no fence or barrier has made visible to it; the four warps do
 * not execute the same instructions. */
#ifndef SIM_PTX_WARP_GROUP_H
#define SIM_PTX_WARP_GROUP_H

#include "sim/ptx/ptx_small.h"
#include "sim/ptx/warp_state.h"

enum { GROUP_WARPS = 4, GROUP_ROWS = 64, GROUP_ROW_BYTES = 32, GROUP_MOST_COLUMNS = 256 };

/* A row of the first factor, and a column of the second, has GROUP_ROW_BYTES. */
struct ptx_group_matrix {
    const char *shape, *types;      /* "k16", ".f32.f16.f16" in the operation's name */
    unsigned bytes, idle;           /* bytes of an element, and how many of its low bits are ignored */
    const struct ptx_small *format; /* of the elements; NULL: signed integers */
    unsigned signs, orders; /* further operands: the factors' signs, and whether they are transposed */
};

/* The form of "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", with its columns; NULL: there is none.
 */
const struct ptx_group_matrix *ptx_group_find(const char *name, unsigned *columns);

/* Sets in_group of the instructions that use registers of products. */
void ptx_group_mark(struct ptx_program *program);

/* Executes one of wgmma's four instructions; lanes: the active ones. */
bool warp_group_step(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                     uint32_t lanes);

/* Records another instruction that uses such registers. False, with the error set, if a product is still
 * being added to one. */
bool warp_group_uses(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it);

/* False, with the error set, if four warps of a group all wait at a barrier or have ended, but have not
 * executed the same products. */
bool warp_group_agree(struct warp_core *core, const struct warp_block *block, unsigned warps);

void warp_group_free(struct warp *warp);
void warp_products_free(struct warp_products *products);

#endif
