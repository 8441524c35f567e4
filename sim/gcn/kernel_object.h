/* A kernel from a ROCm code object: its memory image and the requests of its descriptor. Input is untrusted.
 * Source: LLVM's "User Guide for AMDGPU Backend", kernel descriptor for GFX6-GFX12. */
#ifndef SIM_GCN_KERNEL_OBJECT_H
#define SIM_GCN_KERNEL_OBJECT_H

#include "base/error.h"
#include "isa/gcn/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The user registers that a descriptor can request, in order. */
enum wave_user {
    USER_SEGMENT_BUFFER,
    USER_DISPATCH,
    USER_QUEUE,
    USER_KERNARG,
    USER_DISPATCH_ID,
    USER_FLAT_SCRATCH,
    USER_SEGMENT_SIZE,
    USERS
};

struct wave_kernel {
    const struct gcn_target *target;
    unsigned abi; /* of the code object: 2 for version 4, 3 for version 5 */
    unsigned char *image;
    uint64_t image_size;
    uint64_t entry;          /* offset in the image */
    uint64_t code, code_end; /* executable bytes of the image */
    uint32_t lds_bytes, kernarg_bytes;
    bool user[USERS];
    unsigned user_count; /* scalar registers before the work-group's number */
    bool group_id[3];    /* work-group numbers x, y, z in scalar registers */
    bool group_info, scratch_offset;
    unsigned item_ids;           /* 0: x in v0; 1: y in v1; 2: z in v2 */
    bool packed_items;           /* all three in v0 */
    unsigned lanes;              /* per wave: 64 or 32 */
    unsigned vgprs;              /* allocated per wave */
    unsigned plain;              /* VGPRs that are not AccVGPRs */
    unsigned registers;          /* VGPRs and AccVGPRs */
    const struct gcn_room *room; /* a unit's resources for such waves */
};

/* Loads the kernel. STATUS_FAILED if the object is damaged or has no such kernel; STATUS_UNAVAILABLE for a
 * processor outside GFX6 to GFX12. Free it with wave_kernel_free in every case. */
enum status wave_kernel_load(const void *object, size_t size, const char *name, struct wave_kernel *kernel,
                             struct error *error);
void wave_kernel_free(struct wave_kernel *kernel);

#endif
