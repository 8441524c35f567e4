/* Addresses of an emitted loop's branches, which decide which of them share a predictor entry. */
#ifndef GENERATOR_PLAN_CODE_BRANCH_ADDRESSES_H
#define GENERATOR_PLAN_CODE_BRANCH_ADDRESSES_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"

#include <stdint.h>

/* Code offsets of the loop's branches in the object, in slot order, the back edge last: plan->branches.total
 * of them, from the plan's arena. STATUS_FAILED if the object holds a different number. */
enum status branch_addresses(struct plan *plan, const struct template *templates, const struct buffer *object,
                             uint64_t **addresses, struct error *error);

#endif
