/* PTX: text that the driver, or ptxas, assembles for the present chip (NVIDIA, Parallel Thread Execution
 * ISA). LLVM has no assembler for it, so its programs are text only. */
#include "isa/isa.h"

const struct isa isa_ptx = {
    .name = "ptx",
    .machine = "h200",
    .skeleton = "kernel.ptx",
    .gpu = true,
    .line_end = ";",
    .plain_width = 4,
    .register_prefix = "%",
    .syntax = {.comment = "//"},
};
