/* What a binary is that an OpenCL runtime made (clGetProgramInfo) or a recipe brought, and whether `wave` can
 * execute it. */
#ifndef RUNNER_SOURCES_WAVE_RUNTIME_BINARY_H
#define RUNNER_SOURCES_WAVE_RUNTIME_BINARY_H

#include "base/error.h"

#include <stddef.h>

/* STATUS_OK for a ROCm code object for the processor ("gfx701"); else STATUS_UNAVAILABLE, saying what the
 * binary is. It is untrusted. which: "the binary that ran". */
enum status runtime_binary_check(const char *which, const void *bytes, size_t size, const char *arch,
                                 struct error *error);

#endif
