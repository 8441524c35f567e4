/* Programs for kernels with code{}: the trial that determines sizes, the program itself, and the number of
 * units that gives the L1I miss rate. */
#ifndef GENERATOR_EMIT_CODE_PROGRAM_H
#define GENERATOR_EMIT_CODE_PROGRAM_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

/* Places the plan's code (plan->code) and writes its source and object, replacing the buffers' contents.
 * STATUS_RECIPE if the rate cannot be met with the plan's units. */
enum status code_program_write(struct plan *plan, const struct template *templates,
                               const struct plan_options *options, struct buffer *source,
                               struct buffer *object, struct error *error);

/* Writes the plan's program through code_program_write. */
typedef enum status code_builder(void *context, struct plan *plan, const struct plan_options *options,
                                 struct error *error);

/* Makes the plan with a number of units for which it can be built, and builds it: the requested number, or a
 * nearby one that meets the rate without copies of code. */
enum status code_program_fit(const struct kernel *kernel, const struct machine *machine,
                             const struct template *templates, const struct plan_options *options,
                             struct plan *plan, code_builder *build, void *context, struct error *error);

#endif
