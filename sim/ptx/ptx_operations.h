/* What PTX's operations on registers compute: a table by their text. */
#ifndef SIM_PTX_PTX_OPERATIONS_H
#define SIM_PTX_PTX_OPERATIONS_H

#include "sim/ptx/ptx_code.h"

struct ptx_operation_row {
    const char *name;     /* "add.u32" */
    const char *operands; /* sizes: "4:44"; p is a predicate */
    ptx_operation *run;
    bool divides; /* by its second source, which must not be 0 */
};

/* The row of that name, or NULL. */
const struct ptx_operation_row *ptx_operation_find(const char *name);

#endif
