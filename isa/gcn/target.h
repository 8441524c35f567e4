/* AMD GPUs as identified in binaries: processor names for LLVM MC, their generations, and their codes in each
 * kind of container. Sources: LLVM's "User Guide for AMDGPU Backend" (ELF header), CLRX's documentation of
 * Catalyst's binaries. */
#ifndef ISA_GCN_TARGET_H
#define ISA_GCN_TARGET_H

#include <stdbool.h>

/* Differences between processors of a generation. */
enum gcn_trait {
    GCN_WIDE_SE =
        1,       /* HW_ID's se field has three bits; dies of gfx94x have four engines, and two bits (HIP) */
    GCN_XCC = 2, /* has the register XCC_ID */
};

struct gcn_target {
    const char *name;    /* "gfx701": LLVM's name */
    unsigned generation; /* 6 (SI) to 12 */
    unsigned mach;       /* EF_AMDGPU_MACH in e_flags */
    unsigned traits;     /* of enum gcn_trait */
};

enum { GCN_MACH_MASK = 0xff };

/* How a binary names its processor. */
enum gcn_code_kind {
    GCN_CODE_MACH,          /* e_flags of an EM_AMDGPU file */
    GCN_CODE_CATALYST,      /* e_machine of an outer file for OpenCL 1.2 */
    GCN_CODE_DICTIONARY,    /* machine in an inner file's dictionary of encodings */
    GCN_CODE_CATALYST2_RAW, /* the same if kernels are not separate files: different codes, of one driver */
    GCN_CODE_CATALYST2,     /* e_flags of an outer file for OpenCL 2.0; only codes that all drivers share */
};

/* The processor with that code, or NULL. */
const struct gcn_target *gcn_target_of(enum gcn_code_kind kind, unsigned code);

/* The processor with that name ("gfx701"), or NULL. */
const struct gcn_target *gcn_target_named(const char *name);

/* The processor with that version from notes or kernel headers (7, 0, 1), or NULL. Catalyst's 8.0.0 and 8.0.4
 * and other old versions are LLVM's gfx802, gfx803 and so on. */
const struct gcn_target *gcn_target_version(unsigned major, unsigned minor, unsigned stepping);

/* The code in an inner file's dictionary for the device with that e_machine in the outer file; 0 if unknown.
 * Devices may share a processor, but not these codes. */
unsigned gcn_target_dictionary(unsigned machine);

#endif
