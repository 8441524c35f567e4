/* Compares the operations of a PTX program's loop with those of its kernel. */
#ifndef RUNNER_SOURCES_WARP_WARP_OPERATIONS_H
#define RUNNER_SOURCES_WARP_WARP_OPERATIONS_H

#include "runner/launch/test_program.h"
#include "sim/ptx/ptx_code.h"

/* By the rows of the templates that the manifest's kernel needs: how often each is there, in which order, and
 * what each consumes (grid_flow.h). STATUS_FAILED with the first operation of which there are more or fewer,
 * or with the first statement that is another. Programs with asm{} are not compared. */
enum status warp_operations_check(const struct test_program *test_program, const struct ptx_program *program,
                                  struct error *error);

#endif
