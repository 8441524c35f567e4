/* AMD's GPUs by what a binary says of itself: processor names for LLVM MC, their generation, and how each
 * kind of container names them. Sources: LLVM's "User Guide for AMDGPU Backend" (ELF header), CLRX's
 * documentation of Catalyst's binaries. */
#ifndef ISA_GCN_TARGET_H
#define ISA_GCN_TARGET_H

#include <stdbool.h>

/* What some processors of a generation have and others lack. */
enum gcn_trait {
    GCN_WIDE_SE = 1, /* HW_ID's field se has three bits */
    GCN_XCC = 2,     /* there is a register XCC_ID */
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
    GCN_CODE_CATALYST2_RAW, /* the same where kernels are no files of their own: other codes, of one driver */
    GCN_CODE_CATALYST2,     /* e_flags of an outer file for OpenCL 2.0; those that all drivers agree on */
};

/* The processor of that code, or NULL. */
const struct gcn_target *gcn_target_of(enum gcn_code_kind kind, unsigned code);

/* The processor of that name ("gfx701"), or NULL. */
const struct gcn_target *gcn_target_named(const char *name);

/* The processor of that version, as notes and kernels' headers have it (7, 0, 1), or NULL. Catalyst's 8.0.0
 * and 8.0.4 and other versions of old are LLVM's gfx802, gfx803 and so on. */
const struct gcn_target *gcn_target_version(unsigned major, unsigned minor, unsigned stepping);

/* What the dictionary of an inner file has for the device whose outer file has that e_machine; 0 where it is
 * not known. Devices share processors, but not these. */
unsigned gcn_target_dictionary(unsigned machine);

#endif
