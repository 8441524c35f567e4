/* Work in a process of its own: LLVM's disassembler and its printer fall over some words, which whoever made
 * the code chose. That ends no more than the process. */
#ifndef ISA_GCN_APART_H
#define ISA_GCN_APART_H

#include "base/error.h"

#include <stdbool.h>

/* Does the work in a child, whose results are where it shares memory with this process. *whole tells whether
 * it came to its end. STATUS_FAILED where no process can be had. */
enum status gcn_apart(void (*work)(void *context), void *context, bool *whole, struct error *error);

#endif
