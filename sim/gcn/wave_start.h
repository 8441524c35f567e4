/* A wave's initial state, as the packet processor and the dispatcher set it up. Source: LLVM's "User Guide
 * for AMDGPU Backend", initial kernel execution state and kernel arguments. */
#ifndef SIM_GCN_WAVE_START_H
#define SIM_GCN_WAVE_START_H

#include "base/buffer.h"
#include "sim/gcn/wave_state.h"

/* Addresses of the executor's own memory. */
#define WAVE_IMAGE_ADDRESS UINT64_C(0xf000000000)
#define WAVE_KERNARG_ADDRESS UINT64_C(0xf100000000)
#define WAVE_PACKET_ADDRESS UINT64_C(0xf200000000)

/* Appends the kernel argument segment: the launch's arguments, then the hidden ones. */
void wave_make_kernarg(const struct wave_kernel *kernel, const struct wave_launch *launch,
                       struct buffer *kernarg);

/* Appends the dispatch packet. */
void wave_make_packet(const struct wave_kernel *kernel, const struct wave_launch *launch,
                      struct buffer *packet);

/* Sets registers, EXEC and PC of a wave whose group, number and v are set. */
void wave_start(const struct wave_kernel *kernel, const struct wave_launch *launch, struct wave *wave);

#endif
