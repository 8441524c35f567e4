/* The note in which code objects of the first ROCm, and Catalyst's inner files for OpenCL 2.0, say for which
 * processor they are (NT_AMD_HSA_ISA_VERSION). */
#ifndef ISA_GCN_NOTE_H
#define ISA_GCN_NOTE_H

#include "isa/gcn/elf.h"
#include "isa/gcn/target.h"

/* *target is the processor of the first such note, or NULL. work goes down as in gcn_functions_read.
 * STATUS_FAILED for a damaged section, or where no work is left. */
enum status gcn_note_target(const struct gcn_elf *elf, size_t *work, const struct gcn_target **target,
                            struct error *error);

#endif
