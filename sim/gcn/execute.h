/* The executor of GCN machine code: runs a ROCm code object's kernel on the compute units of a described
 * machine, wave by wave. It uses nothing of the generator's plan: all that it reports comes from the bytes.
 * HW_ID has the value that hardware would give each wave. Every access goes through L1, L2 and its channels.
 * It supports GFX6 to GFX12 and the operations in isa/gcn/decode/rows.h; any other ends the run with its word
 * and offset. Matrix operations are those of gfx908 and gfx90a, without CBSZ, ABID and BLGP. Code is
 * untrusted: memory accesses are checked and the number of instructions is limited.
 *
 * Assumptions: waves take turns, and each runs up to its next memory access, which completes at once. Using
 * loaded data without a wait ends the run (waits.c). The dispatcher assigns work-groups round-robin over
 * shader engines, then shader arrays, then CUs, while wave slots, VGPRs and LDS suffice. L1 serves loads
 * without GLC (gfx940: SC0 or SC1), fills on a miss, and does not cache stores and atomics, which go to L2;
 * SLC and DLC have no effect. L2 allocates on every access. The channel is the address divided by the
 * interleaving, modulo the number of channels; each channel caches an equal part of L2. If L2 has sectors,
 * they replace lines. Scalar loads bypass both levels. Denormal numbers are kept. Reserved bits of HW_ID are
 * ones, which exposes a program that reads them. From GFX10 on a CU of the machine is a work-group processor,
 * as HW_ID1 numbers them, with one L1 (RDNA's L0) and no cache between that and L2. */
#ifndef SIM_GCN_EXECUTE_H
#define SIM_GCN_EXECUTE_H

#include "sim/gcn/chip.h"
#include "sim/gcn/wave_launch.h"
#include "sim/gcn/wave_result.h"

/* Runs the launch. STATUS_FAILED with the code offset for a fault of the program or an unsupported
 * instruction; STATUS_UNAVAILABLE for a processor after GFX12; STATUS_USAGE for an impossible launch. Free
 * the result with wave_result_free in every case. */
enum status wave_run(const struct wave_chip *chip, const struct wave_launch *launch,
                     struct wave_result *result, struct error *error);

#endif
