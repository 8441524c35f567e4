/* wgmma: four warps together multiply two matrices that shared memory holds, and each adds the product's rows
 * that are its own to registers. Products go on while the warps do: a warp that touches such a register
 * before it has waited, products of registers or shared memory that no fence and no barrier has shown them,
 * and warps of which not all four do the same, are faults. */
#ifndef SIM_PTX_WARP_GROUP_H
#define SIM_PTX_WARP_GROUP_H

#include "sim/ptx/ptx_small.h"
#include "sim/ptx/warp_state.h"

enum { GROUP_WARPS = 4, GROUP_ROWS = 64, GROUP_ROW_BYTES = 32, GROUP_MOST_COLUMNS = 256 };

/* A factor's row, or column of the second, has GROUP_ROW_BYTES. */
struct ptx_group_matrix {
    const char *shape, *types;      /* "k16", ".f32.f16.f16" of the text's operation */
    unsigned bytes, idle;           /* of an element, and its low bits that are ignored */
    const struct ptx_small *format; /* of its numbers; NULL: integers with a sign */
    unsigned signs, orders;         /* operands behind the sum's: of the factors' signs and of their order */
};

/* The form of "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", with its columns; NULL: there is none.
 */
const struct ptx_group_matrix *ptx_group_find(const char *name, unsigned *columns);

/* Marks the instructions that use the registers of products. */
void ptx_group_mark(struct ptx_program *program);

/* Executes one of the four; lanes: those that take part. */
bool warp_group_step(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                     uint32_t lanes);

/* Notes another instruction that uses such registers. */
bool warp_group_uses(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it);

/* Of four warps that all wait at a barrier or have ended: false, with the error set, if they have not made
 * the same products. */
bool warp_group_agree(struct warp_core *core, const struct warp_block *block, unsigned warps);

void warp_group_free(struct warp *warp);
void warp_products_free(struct warp_products *products);

#endif
