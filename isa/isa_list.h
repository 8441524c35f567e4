/* The instruction sets: a row for each folder isa/<isa>/ with a `struct isa` (isa.h) and, for processors, a
 * `struct qemu_target` (qemu_target.h). Targets are listed to users in this order. */
#ifndef ISA_ISA_LIST_H
#define ISA_ISA_LIST_H

#define ISA_PROCESSORS(row) row(x86_64) row(aarch64) row(riscv64)
#define ISA_GPUS(row) row(ptx) row(gcn) row(opencl)

#endif
