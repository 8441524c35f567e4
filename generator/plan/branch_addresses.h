/* Where the branches of an emitted loop lie: what decides which of them share an entry of a predictor. */
#ifndef GENERATOR_PLAN_BRANCH_ADDRESSES_H
#define GENERATOR_PLAN_BRANCH_ADDRESSES_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"

#include <stdint.h>

/* Offsets in the object's code of the loop's branches, in the order of their slots, the back edge last:
 * plan->branches.total of them, from the plan's arena. STATUS_FAILED when the object holds another number. */
enum status branch_addresses(struct plan *plan, const struct template *templates, const struct buffer *object,
                             uint64_t **addresses, struct error *error);

#endif
