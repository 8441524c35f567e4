/* The part of the source "bytes" that judges PTX programs: ptxas makes machine code (SASS) of program.ptx for
 * the manifest's architecture, with no GPU, and a disassembler tells what became of it. The PTX text itself
 * is no evidence: ptxas moves loads out of loops, joins operations and drops what nothing needs. What it did
 * is seen by the line of PTX that each machine instruction was made from. */
#ifndef RUNNER_SOURCES_BYTES_SASS_H
#define RUNNER_SOURCES_BYTES_SASS_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

/* Adds body.share and mix.<op>: of the loop's PTX statements that have machine code in the loop, those of the
 * units and those of the operation; and counts: "sass.instructions" of a pass, "sass.<mnemonic>" of its
 * memory instructions, "sass.registers". The loads and stores of a pass are compared with the manifest's
 * "streams". STATUS_FAILED, with what was found and what was promised, when ptxas refuses the program, spills
 * registers or the loop is not as promised; STATUS_UNAVAILABLE when there is no ptxas for it or no
 * disassembler. */
enum status bytes_observe_sass(const struct test_program *test_program, struct observations *list,
                               struct error *error);

/* The operation that mix.<op> counts a PTX statement by ("add.f32" is "fadd"); NULL: none. Static text. */
const char *bytes_ptx_op(const char *opcode);

#endif
