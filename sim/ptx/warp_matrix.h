/* mma.sync: a warp multiplies two matrices of which each thread holds a part, and adds a third. */
#ifndef SIM_PTX_WARP_MATRIX_H
#define SIM_PTX_WARP_MATRIX_H

#include "sim/ptx/warp_state.h"

struct ptx_matrix {
    const char *name;               /* the text's operation */
    unsigned rows, depth;           /* the first matrix; the second has 8 columns */
    unsigned first, second, third;  /* registers of a thread: of both factors, and of sum and result */
    unsigned bytes;                 /* of a factor's element */
    const struct ptx_small *format; /* of its numbers; NULL: integers with a sign */
};

/* The form of that name, or NULL. */
const struct ptx_matrix *ptx_matrix_find(const char *name);

/* Sources are the registers of both factors and of the sum, in turn. All threads take part. Counts the
 * factors' bits in the launch's result. */
void warp_matrix(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it);

#endif
