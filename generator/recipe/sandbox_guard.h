/* What the kernel keeps from the child that runs a user's file: should Lua itself have a fault, the process
 * can still not write a file, start a program or reach the network. */
#ifndef GENERATOR_RECIPE_SANDBOX_GUARD_H
#define GENERATOR_RECIPE_SANDBOX_GUARD_H

#include "generator/recipe/sandbox_child.h"

/* From here on the process gains no privileges, starts no process, writes no file but the pipe to its parent,
 * opens files for reading alone, and any other system call ends it with a word of it in host->last. Where the
 * kernel has no such filters (in some containers, under an emulator or valgrind), only resource limits hold.
 */
void sandbox_guard(const struct sandbox_host *host);

#endif
