/* Programs of kernels with code{}: the trial that tells sizes, the program itself, and the number of units at
 * which the rate of L1I misses comes out. */
#ifndef GENERATOR_EMIT_CODE_PROGRAM_H
#define GENERATOR_EMIT_CODE_PROGRAM_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

/* Writes source and object of the plan, whose code it places (plan->code), replacing what the buffers held.
 * STATUS_RECIPE when the rate cannot be met with the plan's units. */
enum status code_program_write(struct plan *plan, const struct template *templates,
                               const struct plan_options *options, struct buffer *source,
                               struct buffer *object, struct error *error);

/* Writes the plan's program by way of code_program_write. */
typedef enum status code_builder(void *context, struct plan *plan, const struct plan_options *options,
                                 struct error *error);

/* Makes the plan with the number of units at which it can be built, and builds it: the wished number, or one
 * near it where that meets the rate without copies of code. */
enum status code_program_fit(const struct kernel *kernel, const struct machine *machine,
                             const struct template *templates, const struct plan_options *options,
                             struct plan *plan, code_builder *build, void *context, struct error *error);

#endif
