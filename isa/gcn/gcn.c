/* GCN, RDNA and CDNA (AMD's ISA manuals): text that LLVM MC assembles for the target processor, and OpenCL C
 * that a runtime compiles. */
#include "isa/isa.h"

const struct isa isa_gcn = {
    .name = "gcn",
    .machine = "w9100",
    .skeleton = "kernel.s",
    .gpu = true,
    .line_end = "",
    .beside = "opencl",
    .plain_width = 4,
    .register_prefix = "",
    .syntax = {.comment = ";"},
};

const struct isa isa_opencl = {
    .name = "opencl",
    .skeleton = "kernel.cl",
    .gpu = true,
    .line_end = ";",
    .plain_width = 4,
    .register_prefix = "",
    .syntax = {.comment = "//"},
};
