/* Parts of the source "wave": the binary that it executes, and the comparison of operations. */
#ifndef RUNNER_SOURCES_WAVE_WAVE_PARTS_H
#define RUNNER_SOURCES_WAVE_WAVE_PARTS_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/sources/source.h"
#include "sim/gcn/wave_result.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- binaries that an OpenCL runtime made (clGetProgramInfo) or a recipe brought ---- */

/* Finds the ROCm code object for the processor ("gfx701") in *bytes, which may be that object, or contain it
 * in another ELF file or in a bundle; sets *bytes and *size to it. STATUS_UNAVAILABLE with the kind of the
 * binary if there is none. The binary is untrusted. which: "the binary that ran". */
enum status runtime_binary_find(const char *which, const char *arch, const void **bytes, size_t *size,
                                struct error *error);

/* False if the code object's metadata describes a single kernel with other arguments than program.cl's, which
 * are two numbers and two buffers. */
bool runtime_binary_has_arguments(const void *bytes, size_t size);

/* Passes of all waves together: with the warm-up, and measured. */
struct wave_passes {
    uint64_t all, measured;
};

/* Compares the executed operations with the manifest's kernel. STATUS_FAILED with the first operation whose
 * number differs. Programs with asm{}, or without a kernel in the manifest, are not compared. *of_units: how
 * many instructions of the loop belong to units; 0: unknown. */
enum status wave_operations_check(const struct test_program *test_program, const struct wave_result *result,
                                  const struct wave_passes *passes, size_t *of_units, struct error *error);

/* Checks the instructions between clock reads and the loop: STATUS_FAILED if they take time of their own. */
enum status wave_operations_around(const struct wave_result *result, struct error *error);

/* For a program with clocks, adds body.share, unless of_units is 0, and mix.<op>, the operation's share of
 * the loop's instructions; 0 for an operation that the loop lacks and the manifest bounds. */
enum status wave_operations_observe(const struct test_program *test_program, const struct wave_result *result,
                                    size_t of_units, struct observations *list, struct error *error);

#endif
