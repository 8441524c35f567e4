/* Parts of the source `wave`: the binary that it executes, and the operations that it compares. */
#ifndef RUNNER_SOURCES_WAVE_WAVE_PARTS_H
#define RUNNER_SOURCES_WAVE_WAVE_PARTS_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/sources/source.h"
#include "sim/gcn/wave_result.h"

#include <stdbool.h>
#include <stddef.h>

/* What a binary is that an OpenCL runtime made (clGetProgramInfo) or a recipe brought, and whether `wave` can
 * execute it. */

/* Finds the ROCm code object for the processor ("gfx701") in *bytes, which may be it, hold it in another ELF
 * file or in a bundle, and sets *bytes and *size to it. STATUS_UNAVAILABLE, saying what the binary is, if
 * there is none. It is untrusted. which: "the binary that ran". */
enum status runtime_binary_find(const char *which, const char *arch, const void **bytes, size_t *size,
                                struct error *error);

/* False if the code object's metadata has one kernel, whose arguments are not program.cl's: two numbers and
 * two buffers. */
bool runtime_binary_has_arguments(const void *bytes, size_t size);

/* Passes of all waves together: of warm-up and measurement, and of measurement alone. */
struct wave_passes {
    uint64_t all, measured;
};

/* STATUS_FAILED with the first operation of which
 * there are more or fewer. Programs with asm{}, or whose manifest states no kernel,
 * are not compared.
 * *of_units: instructions of the loop that its units have, 0 if that is not known. */
enum status wave_operations_check(const struct test_program *test_program, const struct wave_result *result,
                                  const struct wave_passes *passes, size_t *of_units, struct error *error);

/* What waves execute between their clocks and the loop: STATUS_FAILED if that takes a time of its own. */
enum status wave_operations_around(const struct wave_result *result, struct error *error);

/* Adds body.share, unless of_units is 0, and mix.<op>, the share of the loop's instructions that are of that
 * operation, of a program with clocks; 0 of one that the loop lacks and that the manifest bounds. */
enum status wave_operations_observe(const struct test_program *test_program, const struct wave_result *result,
                                    size_t of_units, struct observations *list, struct error *error);

#endif
