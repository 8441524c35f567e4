/* Kernel-level restrictions on the child that runs a user's file: even if Lua itself has a vulnerability, the
 * process cannot write files, start programs or reach the network. */
#ifndef GENERATOR_RECIPE_SANDBOX_GUARD_H
#define GENERATOR_RECIPE_SANDBOX_GUARD_H

/* After this call the process can gain no privileges, start no process, write only to the pipe to its parent
 * and open files only for reading; any other system call ends it and is recorded by its handler. Where the
 * kernel offers no such filters (some containers, emulators, valgrind), only resource limits apply. */
void sandbox_guard(int pipe);

#endif
