/* Selects code in a binary by kernel and processor. */
#ifndef ISA_GCN_PATCH_SELECT_H
#define ISA_GCN_PATCH_SELECT_H

#include "isa/gcn/binary/binary_code.h"

/* Drops code for processors other than target (NULL: drops none). STATUS_USAGE if nothing is left. */
enum status gcn_select_target(struct gcn_code *code, const char *kernel, const char *target,
                              struct error *error);

/* STATUS_USAGE, with the available names, if the code has no kernel of the name (NULL: any). */
enum status gcn_select_kernel(const struct gcn_code *code, const char *kernel, struct error *error);

/* The only processor that the kernel's code is for. STATUS_USAGE if there are several, or no such kernel. */
enum status gcn_select_one(const struct gcn_code *code, const char *kernel, const struct gcn_target **target,
                           struct error *error);

#endif
