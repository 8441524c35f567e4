/* Which of a binary's code is asked for: a kernel's, a processor's. */
#ifndef ISA_GCN_SELECT_H
#define ISA_GCN_SELECT_H

#include "isa/gcn/code.h"

/* Drops what is for other processors than the target (NULL: none). STATUS_USAGE where nothing is for it. */
enum status gcn_select_target(struct gcn_code *code, const char *kernel, const char *target,
                              struct error *error);

/* STATUS_USAGE, with the names that there are, where the code has no kernel of the name (NULL: any). */
enum status gcn_select_kernel(const struct gcn_code *code, const char *kernel, struct error *error);

/* The one processor that the kernel's code is for. STATUS_USAGE where there are several, or no such kernel.
 */
enum status gcn_select_one(const struct gcn_code *code, const char *kernel, const struct gcn_target **target,
                           struct error *error);

#endif
