/* The part of the source "bytes" that judges PTX programs: ptxas compiles program.ptx to machine code (SASS)
 * for the manifest's architecture, without a GPU, and a disassembler shows the result. The PTX text itself is
 * no evidence: ptxas moves loads out of loops, merges operations and drops unused ones. Line information maps
 * each machine instruction to its line of PTX. */
#ifndef RUNNER_SOURCES_BYTES_BYTES_SASS_H
#define RUNNER_SOURCES_BYTES_BYTES_SASS_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

/* Adds body.share and mix.<op>: among the loop's PTX statements that have machine code in the loop, the share
 * of the units and of the operation; and counts: "sass.instructions" per pass, "sass.<mnemonic>" of its
 * memory instructions, "sass.registers". Compares the loads and stores of a pass with the manifest's
 * "streams". STATUS_FAILED, with what was found and what was promised, when ptxas refuses the program, spills
 * registers or the loop differs from the promise; STATUS_UNAVAILABLE without a suitable ptxas or a
 * disassembler. */
enum status bytes_observe_sass(const struct test_program *test_program, struct observations *list,
                               struct error *error);

/* Assembles those of PTX and disassembles them together, for bytes_observe_sass: a struct ptxas_listing as
 * what each has prepared. What fails is left to it. */
void bytes_prepare_sass(struct test_program *const *list, size_t count);

#endif
