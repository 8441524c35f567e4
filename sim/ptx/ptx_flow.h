/* The flow of a PTX program: where diverged lanes meet, and which results nothing uses. */
#ifndef SIM_PTX_PTX_FLOW_H
#define SIM_PTX_PTX_FLOW_H

#include "sim/ptx/ptx_code.h"

/* How many registers the instruction writes, and the place of each. */
unsigned ptx_results(const struct ptx_instruction *it);
ptx_place ptx_result(const struct ptx_instruction *it, unsigned number);

/* Sets every branch's `meet`: the first instruction that all ways from both of its sides pass; the program's
 * count if there is none. */
void ptx_flow_meet(struct ptx_program *program);

/* The first load of the program's loop (ptx_program.loop), or with `all` the first instruction, of which the
 * result or an element of it can reach no memory, branch or address, so that a compiler removes it; the
 * program's count if there is none. */
size_t ptx_flow_unused(const struct ptx_program *program, bool all);

/* Loads of the loop whose value nothing between them and that place behind the loop uses: they may still be
 * under way there. 0 of a place before the loop's end. */
unsigned ptx_flow_underway(const struct ptx_program *program, size_t place);

#endif
