/* What a program tells of its operations: the features that it needs, and where its operands are. */
#ifndef GENERATOR_EMIT_EMIT_OPERATIONS_H
#define GENERATOR_EMIT_EMIT_OPERATIONS_H

#include "generator/plan/plan.h"
#include "generator/plan/plan_forms.h"
#include "isa/template.h"

#include <jansson.h>

/* The features that the program's rows need, each once: ["avx2", ...]. New reference. */
json_t *emit_operations_features(const struct plan *plan, const struct template *templates,
                                 const struct form_tally *tally);

/* For each behaviour whose operands hold the recipe's data: [{"behaviour": from 1, "op", "bits", "registers":
 * [...]}], so that they can be recounted from the code. New reference. */
json_t *emit_operations_operands(const struct plan *plan, const struct template *templates);

#endif
