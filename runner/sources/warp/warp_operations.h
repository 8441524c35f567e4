/* Compares the operations of a PTX program's loop with those of its kernel. */
#ifndef RUNNER_SOURCES_WARP_WARP_OPERATIONS_H
#define RUNNER_SOURCES_WARP_WARP_OPERATIONS_H

#include "runner/launch/test_program.h"
#include "sim/ptx/ptx_code.h"

/* Compares the loop with the rows of the templates that the manifest's kernel needs: how often each occurs,
 * in which order, and what each consumes (grid_flow.h). STATUS_FAILED with the first operation whose number
 * differs, or the first statement that differs. Programs with asm{} are not compared. */
enum status warp_operations_check(const struct test_program *test_program, const struct ptx_program *program,
                                  struct error *error);

#endif
