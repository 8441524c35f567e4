/* AMD GPUs as identified in binaries: processor names for LLVM MC, their generations, and their codes in each
 * kind of container. Sources: LLVM's "User Guide for AMDGPU Backend" (ELF header), CLRX's documentation of
 * Catalyst's binaries. */
#ifndef ISA_GCN_TARGET_H
#define ISA_GCN_TARGET_H

#include <stdbool.h>

/* Differences between processors of a generation. */
enum gcn_trait {
    GCN_WIDE_SE = 1, /* HW_ID's se field has three bits; gfx94x has two, for four engines per die (HIP) */
    GCN_XCC = 2,     /* has the register XCC_ID */
};

struct gcn_target {
    const char *name;    /* "gfx701": LLVM's name */
    unsigned generation; /* 6 (SI) to 12 */
    unsigned mach;       /* EF_AMDGPU_MACH in e_flags */
    unsigned traits;     /* of enum gcn_trait */
};

enum { GCN_MACH_MASK = 0xff };

/* A compute unit's resources for waves; the smallest of the generation's processors. From GFX10 on a unit is
 * a work-group processor: two compute units that share LDS. Source: LLVM, "User Guide for AMDGPU Backend" and
 * AMDGPUBaseInfo.cpp (VGPR granules, waves per EU). */
struct gcn_room {
    unsigned granule; /* VGPRs are allocated in multiples of it */
    unsigned vgprs;   /* per SIMD, for waves of this size */
    unsigned slots;   /* waves per SIMD */
    unsigned lds;     /* bytes of a unit */
};

enum { GCN_SIMDS = 4 }; /* of a unit */

/* How a binary names its processor. */
enum gcn_code_kind {
    GCN_CODE_MACH,          /* e_flags of an EM_AMDGPU file */
    GCN_CODE_CATALYST,      /* e_machine of an outer file for OpenCL 1.2 */
    GCN_CODE_DICTIONARY,    /* machine in an inner file's dictionary of encodings */
    GCN_CODE_CATALYST2_RAW, /* e_flags for OpenCL 2.0 if kernels are not separate files: one driver's codes */
    GCN_CODE_CATALYST2,     /* e_flags of an outer file for OpenCL 2.0; only codes that all drivers share */
};

/* The processor with that code, or NULL. */
const struct gcn_target *gcn_target_of(enum gcn_code_kind kind, unsigned code);

/* The processor with that name ("gfx701"), or NULL. */
const struct gcn_target *gcn_target_named(const char *name);

/* From gfx90a on, GFX9 has one file for VGPRs and AccVGPRs. */
bool gcn_target_unified(const struct gcn_target *target);

/* The resources of the processor's units for waves of that many lanes; NULL if it has no such waves. */
const struct gcn_room *gcn_target_room(const struct gcn_target *target, unsigned lanes);

/* The number of waves with that many VGPRs each that a SIMD runs at a time. */
unsigned gcn_room_waves(const struct gcn_room *room, unsigned vgprs);

/* The processor with that version from notes or kernel headers (7, 0, 1), or NULL. Catalyst's 8.0.0 and 8.0.4
 * and other old versions are LLVM's gfx802, gfx803 and so on. */
const struct gcn_target *gcn_target_version(unsigned major, unsigned minor, unsigned stepping);

/* The code in an inner file's dictionary for the device with that e_machine in the outer file; 0 if unknown.
 * Devices may share a processor, but not these codes. */
unsigned gcn_target_dictionary(unsigned machine);

#endif
