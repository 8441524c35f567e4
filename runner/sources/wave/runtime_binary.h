/* What a binary is that an OpenCL runtime made (clGetProgramInfo) or a recipe brought, and whether `wave` can
 * execute it. */
#ifndef RUNNER_SOURCES_WAVE_RUNTIME_BINARY_H
#define RUNNER_SOURCES_WAVE_RUNTIME_BINARY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Finds the ROCm code object for the processor ("gfx701") in *bytes, which may be it, hold it in another ELF
 * file or in a bundle, and sets *bytes and *size to it. STATUS_UNAVAILABLE, saying what the binary is, if
 * there is none. It is untrusted. which: "the binary that ran". */
enum status runtime_binary_find(const char *which, const char *arch, const void **bytes, size_t *size,
                                struct error *error);

/* False if the code object's metadata has one kernel, whose arguments are not program.cl's: two numbers and
 * two buffers. */
bool runtime_binary_has_arguments(const void *bytes, size_t size);

#endif
