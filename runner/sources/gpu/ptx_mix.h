/* The operations of a PTX program's loop, which metrics mix.<op> and body.share count. */
#ifndef RUNNER_SOURCES_GPU_PTX_MIX_H
#define RUNNER_SOURCES_GPU_PTX_MIX_H

#include "generator/suite/manifest_read.h"
#include "isa/sass/ptx_lines.h"
#include "runner/sources/source.h"

/* True if the line's statement counts; with op, as that operation. */
typedef bool ptx_line_counts(const void *context, int line, const char *op);

/* The operation that mix.<op> assigns to a PTX statement ("add.f32" is "fadd"); NULL: none. Static text. */
const char *ptx_mix_op(const char *opcode);

/* True if the manifest has a target, an expected rate or a bound of such a metric. */
bool ptx_mix_is_requested(const struct manifest *manifest);

/* Adds the shares of all operations in the loop, 0 for requested operations that it lacks, and body.share, as
 * the source's observations. Only lines for which counts_line is true are counted (NULL: all). */
void ptx_mix_observe(const struct manifest *manifest, const struct ptx_lines *lines,
                     ptx_line_counts *counts_line, const void *context, const struct counter_source *source,
                     struct observations *list);

#endif
