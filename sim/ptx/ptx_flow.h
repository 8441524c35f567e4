/* Control and data flow of a PTX program: where diverged lanes reconverge, and which results are unused. */
#ifndef SIM_PTX_PTX_FLOW_H
#define SIM_PTX_PTX_FLOW_H

#include "sim/ptx/ptx_code.h"

/* How many registers the instruction writes, and the place of each. */
unsigned ptx_results(const struct ptx_instruction *it);
ptx_place ptx_result(const struct ptx_instruction *it, unsigned number);

/* Sets every branch's `join` to the first instruction that all paths from both of its sides pass; to the
 * program's count if there is none. */
void ptx_flow_join(struct ptx_program *program);

/* The first load of the program's loop (ptx_program.loop), or with `all` the first instruction, that a
 * compiler may remove because its result, or an element of it, reaches no memory, branch or address; the
 * program's count if there is none. */
size_t ptx_flow_unused(const struct ptx_program *program, bool all);

/* The number of loads in the loop that may still be under way at that place after the loop, because no
 * instruction before it uses their values. 0 for a place before the loop's end. */
unsigned ptx_flow_underway(const struct ptx_program *program, size_t place);

#endif
