/* What the manifest states about a program's operations: the features they need, and their operand registers.
 */
#ifndef GENERATOR_EMIT_EMIT_OPERATIONS_H
#define GENERATOR_EMIT_EMIT_OPERATIONS_H

#include "generator/plan/plan.h"
#include "generator/plan/plan_forms.h"
#include "isa/template.h"

#include <jansson.h>

/* The features that the program's rows need, each once: ["avx2", ...]. New reference. */
json_t *emit_operations_features(const struct plan *plan, const struct template *templates,
                                 const struct form_tally *tally);

/* For each behaviour with the recipe's data in its operands: [{"behaviour": from 1, "op", "bits",
 * "registers": [...]}], so that they can be recounted from the code. New reference. */
json_t *emit_operations_operands(const struct plan *plan, const struct template *templates);

#endif
