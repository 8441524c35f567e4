/* Branches whose addresses end alike share a counter in a small predictor, and one always taken spoils one
 * never taken: their directions are settled once their addresses are known. */
#ifndef GENERATOR_PLAN_ALIAS_H
#define GENERATOR_PLAN_ALIAS_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

#include <stdbool.h>

/* Gives predictable branches of the same low seven address bits the same direction, as many of each direction
 * as before, by the addresses in the object assembled from the plan. Both directions have encodings of one
 * length, so that nothing moves. *changed says that the plan is to be emitted again; *spoilt is how many
 * predictable branches still share their bits with a random one or with one of the other direction. */
enum status alias_settle(struct plan *plan, const struct template *templates, const struct buffer *object,
                         bool *changed, unsigned *spoilt, struct error *error);

#endif
