/* Runs work in a separate process: some words crash LLVM's disassembler or its printer, and the code is
 * untrusted. A crash ends only that process. */
#ifndef ISA_GCN_WALK_APART_H
#define ISA_GCN_WALK_APART_H

#include "base/error.h"

#include <stdbool.h>

/* Runs the work in a child process, which returns results through shared memory. *complete: it did not crash.
 * STATUS_FAILED if no process can be created. */
enum status gcn_apart(void (*work)(void *context), void *context, bool *complete, struct error *error);

#endif
