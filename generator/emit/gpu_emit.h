/* The text of a GPU program, from its plan and the rows and sections of templates/<isa>/. */
#ifndef GENERATOR_EMIT_GPU_EMIT_H
#define GENERATOR_EMIT_GPU_EMIT_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/gpu/gpu_plan.h"
#include "isa/template.h"

/* Appends the program. title goes into its first comment. STATUS_RECIPE if the ISA has no row for a slot, or
 * cannot place blocks as the recipe states. */
enum status gpu_emit(const struct gpu_plan *plan, const struct template *templates, const char *title,
                     struct buffer *source, struct error *error);

#endif
