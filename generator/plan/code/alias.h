/* Resolves aliasing in small branch predictors: branches whose low address bits agree share a counter, so one
 * that is always taken spoils one that is never taken. Directions are assigned once the addresses are known.
 */
#ifndef GENERATOR_PLAN_CODE_ALIAS_H
#define GENERATOR_PLAN_CODE_ALIAS_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

#include <stdbool.h>

/* Predictable branches whose low seven address bits agree (of the bits that differ between instructions) get
 * the same direction; the number of branches per direction stays. addresses come from the object assembled
 * from the plan. Both directions have encodings of equal length, so nothing moves. *changed: the plan must be
 * emitted again. *spoilt: predictable branches that still share their bits with a random one or one of the
 * other direction. */
enum status alias_settle(struct plan *plan, const struct template *templates, const struct buffer *object,
                         bool *changed, unsigned *spoilt, struct error *error);

#endif
