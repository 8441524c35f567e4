/* mma.sync: a warp multiplies two matrices and adds a third; each thread holds a part of each. */
#ifndef SIM_PTX_WARP_MATRIX_H
#define SIM_PTX_WARP_MATRIX_H

#include "sim/ptx/warp_state.h"

struct ptx_matrix {
    const char *name;              /* the text's operation */
    unsigned rows, depth;          /* the first matrix; the second has 8 columns */
    unsigned first, second, third; /* registers per thread of the factors, and of the addend and the result */
    unsigned bytes;                /* of a factor's element */
    const struct ptx_small *format; /* of the elements; NULL: signed integers */
};

/* The form of that name, or NULL. */
const struct ptx_matrix *ptx_matrix_find(const char *name);

/* Executes the operation, whose sources are the registers of both factors and of the addend. All lanes must
 * be active. Counts the factors' bits in the launch's result. */
void warp_matrix(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it);

#endif
